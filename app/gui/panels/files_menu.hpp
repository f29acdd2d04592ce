// Opening and saving: a small menu with a path, the same wherever it is offered.
#pragma once

#include "app/gui/ui.hpp"

namespace attnscope::gui {

/// Opens with ImGui::OpenPopup("files").
void files_menu(Ui&);

}  // namespace attnscope::gui
