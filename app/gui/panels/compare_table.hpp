// The table of pins and of the live config beside them.
#pragma once

#include "app/gui/state/words.hpp"
#include "app/gui/ui.hpp"

namespace attnscope::gui {

void compare_table(Ui&, float height);
ImU32 relation_colour(Relation);

}  // namespace attnscope::gui
