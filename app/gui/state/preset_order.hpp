// In which order the presets are offered: the first things a person may want stand first.
#pragma once

#include <vector>

#include "app/gui/gui.hpp"

namespace attnscope::gui {

/// Those for a first look on such a device, a quick look, then all others as they come. Valid as long as the presets.
std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>&, bool software);

}  // namespace attnscope::gui
