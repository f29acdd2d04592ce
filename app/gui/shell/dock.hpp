// The panels in their groups: drawn, dragged, closed, brought back. The layout says where each lies.
#pragma once

#include <string>

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// Over what is left of the window, but for `below` at its bottom (pixels).
void draw_dock(Ui&, float below);

/// To the front, opened where it was closed.
void show_panel(Ui&, const std::string& name);
void close_panel(Ui&, const std::string& name);
void take_layout(Ui&, const ShippedLayout&);
/// What is in a group but hidden behind another tab is open; so are all panels of the default.
bool is_open(const Ui&, const std::string& name);

}  // namespace attnscope::gui
