// What can be done with a run that stands in a list: its context menu, and how it is written there.
#pragma once

#include "app/gui/model/run_list.hpp"
#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// Which list it stands in: what can be done differs.
enum class RunPlace { log, past, pins };

/// Opens with open_run_menu(); call once a frame for each row in view, within its id. `id`: of its widgets, "log.7".
/// `pin`: in the table of pins, else 0.
void run_menu(Ui&, const std::string& id, const RunRow&, RunPlace, uint64_t pin = 0);
void open_run_menu();

// Opening and saving: a small menu with a path, the same wherever it is offered.

/// Opens with ImGui::OpenPopup("files").
void files_menu(Ui&);

}  // namespace attnscope::gui
