// The table of pins and of the live config beside them.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/ui/fitted_table.hpp"
#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

void compare_table(Ui&, float height);
/// A column of numbers in any table, by its title: its heading, and its cell in the row of a record.
FittedTable::Column number_column(std::string_view title, int expendable = 0);
void number_cell(FittedTable&, size_t column, std::string_view title, const Record&);
ImU32 relation_colour(Relation);
ImU32 verdict_colour(const Record&);

/// How samples are distributed: the share of them at or below a time (or at or above a rate). The last is on top.
void share_curves(Ui&, const char* id, const std::vector<ChartSeries>&);

}  // namespace attnscope::gui
