#include "app/gui/state/arms.hpp"

#include <algorithm>

namespace attnscope::gui {

std::vector<const Searched::Arm*> fastest_first(const Searched& searched) {
  std::vector<const Searched::Arm*> arms;
  for (const Searched::Arm& arm : searched.arms())
    if (!arm.steps.empty()) arms.push_back(&arm);
  std::stable_sort(arms.begin(), arms.end(), [](const Searched::Arm* a, const Searched::Arm* b) {
    return a->steps.back().ns < b->steps.back().ns;
  });
  return arms;
}

}  // namespace attnscope::gui
