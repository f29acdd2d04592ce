// The list of presets: opened, narrowed by what is typed, and one of its problems taken.
#pragma once

#include "app/gui/ui.hpp"

namespace attnscope::gui {

void preset_list(Ui&);

}  // namespace attnscope::gui
