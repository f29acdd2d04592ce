#include "app/gui/state/preset_order.hpp"

#include <algorithm>
#include <cctype>
#include <string>

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

std::vector<PresetRow> find_presets(const std::vector<const ProblemPreset*>& presets, std::string_view typed) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  const std::string wanted = lower(std::string(typed));
  const auto has_all = [&](const std::string& text) {
    for (size_t at = 0; at < wanted.size();) {
      const size_t end = std::min(wanted.find(' ', at), wanted.size());
      if (text.find(wanted.substr(at, end - at)) == std::string::npos) return false;
      at = end + 1;
    }
    return true;
  };
  std::vector<PresetRow> rows;
  for (const ProblemPreset* preset : presets)
    for (size_t i = 0; i < preset->problems.size(); ++i)
      if (has_all(lower(preset->name + ' ' + preset->summary + ' ' + to_text(preset->problems[i]))))
        rows.push_back({preset, i});
  return rows;
}

}  // namespace attnscope::gui
