// Each plot of the window as plain data: what its files are written from. Empty where there is nothing to show.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/model/search_state.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

class Workbench;

/// Named by what it tells; its ticks have the unit of their size, a table that of in_metric().
ChartAxis metric_axis(const Range&, bool log, Metric);

/// Problem; variant and config; device and modes: of what is asked now.
std::vector<std::string> about_asked(const Workbench&);

Chart timing_chart(const Workbench&);
Chart histogram_chart(const Workbench&);
Chart distribution_chart(const Workbench&);
Chart across_problems_chart(const Workbench&);
Chart roofline_chart(const Workbench&);
Chart sweep_chart(const Workbench&);
/// The best of a variant against the trials, in steps; it has one.
ChartSeries best_so_far(const SearchState&, const SearchState::Arm&, Metric);
Chart tuning_chart(const Workbench&);
Chart scaling_chart(const Workbench&);
Chart errors_chart(const Workbench&);

// Each table of the window as text: what its files and copies are written from, whatever columns are in view.

TextTable pins_sheet(const Workbench&);
TextTable log_sheet(const Workbench&);
TextTable past_sheet(const Workbench&);
/// All pins against each other, as far as they were compared: the row is FASTER 1.23x than the column.
TextTable matrix_sheet(const Workbench&);
/// Pins times problems: medians.
TextTable across_sheet(const Workbench&);
TextTable raced_sheet(const Workbench&);

}  // namespace attnscope::gui
