// The pickers of the top bar. Of presets, the first things a person may want stand first.
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

/// The text, and an arrow that opens the fields and the presets; `width` in pixels.
void problem_picker(Ui&, float width);
/// The same of variants. variants.cpp
void variant_picker(Ui&, float width);
void dump_variants(const Workbench&, Json&);

}  // namespace attnscope::gui
