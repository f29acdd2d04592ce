// The table of pins and of the live config beside them.
#pragma once

#include "app/gui/ui.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

void compare_table(Ui&, float height);
/// "SLOWER 1.25×", "SAME".
std::string relation_text(const Comparison&);

}  // namespace attnscope::gui
