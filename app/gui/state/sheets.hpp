// Each table of the window as text: what its files and copies are written from, whatever columns are in view.
#pragma once

#include "engine/record/table.hpp"

namespace attnscope::gui {

class Workbench;

TextTable pins_sheet(const Workbench&);
TextTable log_sheet(const Workbench&);
TextTable past_sheet(const Workbench&);
/// All pins against each other, as far as they were compared: the row is FASTER 1.23x than the column.
TextTable matrix_sheet(const Workbench&);
/// Pins times problems: medians.
TextTable across_sheet(const Workbench&);
TextTable raced_sheet(const Workbench&);
TextTable messages_sheet(const Workbench&);

}  // namespace attnscope::gui
