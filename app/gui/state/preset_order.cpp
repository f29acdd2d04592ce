#include "app/gui/state/preset_order.hpp"

#include <algorithm>

namespace attnscope::gui {

std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>& presets, bool software) {
  std::vector<const ProblemPreset*> all;
  for (const ProblemPreset& p : presets) all.push_back(&p);
  const auto rank = [&](const ProblemPreset* p) {
    return p->name == (software ? "start-software" : "start-gpu") ? 0 : p->name == "quick" ? 1 : 2;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return all;
}

}  // namespace attnscope::gui
