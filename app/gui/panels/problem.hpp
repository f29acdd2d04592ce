// In which order the presets are offered: the first things a person may want stand first.
#pragma once

#include <string_view>
#include <vector>

#include "app/gui/gui.hpp"
#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// Those for a first look on such a device, a quick look, then all others as they come. Valid as long as the presets.
std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>&, bool software);

/// One line of the list: a problem of a preset.
struct PresetRow {
  const ProblemPreset* preset = nullptr;
  size_t problem = 0;  ///< into ProblemPreset::problems
};
/// Those that have every typed word somewhere in their own text, or in their preset's name or summary, whatever its
/// case; all of them where nothing is typed. In the order given.
std::vector<PresetRow> find_presets(const std::vector<const ProblemPreset*>&, std::string_view typed);

// The list of presets: opened, narrowed by what is typed, and one of its problems taken.

void preset_list(Ui&);

}  // namespace attnscope::gui
