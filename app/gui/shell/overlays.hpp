// What lies over the panels or between them and the bars. Each is drawn once a frame, at the level of the window.
#pragma once

#include "app/gui/ui.hpp"

namespace attnscope::gui {

/// The steps of a first start, as a strip above the panels.
void welcome_strip(Ui&);
/// Panels, layouts, settings: the popup of the top bar's "View".
void view_menu(Ui&);
void settings_popup(Ui&);
void palette(Ui&);
/// `above`: the height of the status bar, in pixels.
void toasts(Ui&, float above);
void help_popup(Ui&);

}  // namespace attnscope::gui
