// Each plot of the window as plain data: what its files are written from. Empty where there is nothing to show.
#pragma once

#include "app/gui/plot/chart.hpp"

namespace attnscope::gui {

class Workbench;

/// Named by what it tells; its ticks have the unit of their size, a table that of in_metric().
ChartAxis metric_axis(const Range&, bool log, Metric);

/// Problem; variant and config; device and modes: of what is asked now.
std::vector<std::string> about_asked(const Workbench&);

Chart timing_chart(const Workbench&);
Chart histogram_chart(const Workbench&);
Chart overview_chart(const Workbench&);
Chart distribution_chart(const Workbench&);
Chart across_problems_chart(const Workbench&);
Chart roofline_chart(const Workbench&);
Chart sweep_chart(const Workbench&);
Chart tuning_chart(const Workbench&);
// charts_more.cpp
Chart scaling_chart(const Workbench&);
Chart tiles_chart(const Workbench&);
Chart errors_chart(const Workbench&);
Chart error_histogram_chart(const Workbench&);

}  // namespace attnscope::gui
