#include "app/gui/workbench/exports.hpp"

#include "app/gui/draw/theme.hpp"
#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kPoints = 900;  ///< across: about one a pixel

std::string where_text(const std::string& device, const Modes& modes) {
  return fmt::format("{}, {}, {}", device, to_text(modes.cache), to_text(modes.launch));
}

/// Problem; variant and config; device and modes: of what is asked now.
std::vector<std::string> about_asked(const Workbench& bench) {
  const Selection& selection = bench.request.selection;
  std::string config = attnscope::to_text(selection.config);
  const auto& device = bench.device_state.device;
  return {to_text(selection.problem), selection.variant + (config.empty() ? "" : "  " + config),
          where_text(device ? device->name : "no device", bench.request.modes)};
}

Chart timing_chart(const Workbench& bench) {
  Chart chart;
  const Live* live = bench.live.timed();
  if (!live) return chart;
  const Series& series = live->series;
  const Metric metric = bench.request.metric;
  const Work work = bench.live.work();
  const auto pins = drawn_pins(bench.pins, &bench.request.selection.problem);
  const TimingPlot p = timing_plot(bench.views.plot, series, metric, work, pins, kPoints);
  chart.title = fmt::format("{}: {} {}", title(metric), bench.name_of_asked(),
                            metric_text(metric, in_metric(metric, bench.views.shape.statistics(series).median, work)));
  chart.about = about_asked(bench);
  if (const std::string part = left_out_text(bench.views.plot.marked); !part.empty()) chart.about.push_back(part);
  chart.x = count_axis("sample", p.x);
  chart.y = metric_axis(p.y, p.log, metric);
  chart.series = timing_series(p, [&](const Pin& pin) { return bench.name_of(pin); });
  if (const Change* change = bench.live.change())
    chart.series.push_back({.name = fmt::format("before: {} {}", change->before_name, time_text(change->before_ns)),
                            .style = {colours::soft, Dash::dashed},
                            .x = {p.x.low, p.x.high},
                            .y = std::vector(2, in_metric(metric, change->before_ns, work))});
  return chart;
}

Chart across_problems_chart(const Workbench& bench) {
  Chart chart;
  const Metric metric = bench.request.metric;
  const AcrossChart bars = across_chart(bench.pins, bench.jobs.problems.all(), bench.log, metric);
  chart.series = across_series(bars, drawn_pins(bench.pins, nullptr), [&](const Pin& p) { return bench.name_of(p); });
  if (chart.empty()) return chart;
  std::vector<Tick> problems;
  for (size_t i = 0; i < std::min(bench.jobs.problems.all().size(), kChartProblems); ++i)
    problems.push_back({double(i), to_text(bench.jobs.problems.all()[i])});
  chart.title = "Pinned configs across problems";
  chart.about = {about_asked(bench).back()};
  chart.x = {"problem", Range::of(-0.6, double(problems.size()) - 0.4), false, [problems](int) { return problems; }};
  chart.y = metric_axis(bars.y, bars.log, metric);
  return chart;
}

Chart scaling_chart(const Workbench& bench) {
  Chart chart;
  const Metric metric = bench.request.metric;
  const ScalingPlot plot = scaling_plot(bench.scaling_rows(), bench.scaling_problems(), bench.log, bench.pins,
                                        bench.device_state, metric, bench.jobs.scaling.log);
  chart.series = scaling_series(plot);
  if (chart.empty()) return chart;
  for (ChartSeries& s : chart.series)
    for (double& x : s.x) x = std::round(std::exp2(x));
  std::vector<Tick> ticks = value_ticks(
      bench.jobs.scaling.values(bench.request.selection.problem, bench.device_state.software()), kPoints, 60);
  for (Tick& t : ticks) t.at = std::round(std::exp2(t.at));
  chart.title = fmt::format("{} against {}", title(metric), title(bench.jobs.scaling.axis));
  chart.about = {to_text(bench.request.selection.problem) + " and larger and smaller along the axis",
                 about_asked(bench).back()};
  chart.x = {title(bench.jobs.scaling.axis), Range::of(std::exp2(plot.x.low), std::exp2(plot.x.high)), true,
             [ticks](int) { return ticks; }};
  chart.y = metric_axis(plot.y, plot.log, metric);
  return chart;
}

TextTable pins_sheet(const Workbench& bench) {
  const auto rows = mapped(bench.pins.all(), [&](const Pin& p) {
    return RunRow{p.id, p.record, "", bench.name_of(p), bench.log.remarks.of(remark_key(p))};
  });
  TextTable table = run_table(rows, "Pinned configs");
  table.columns.insert(table.columns.end(), {{"vs live"}, {"file"}});
  for (size_t i = 0; i < rows.size(); ++i) {
    const Pin& p = bench.pins.all()[i];
    const Compared* word = bench.live.verdict(p);
    table.rows[i].insert(table.rows[i].end(), {word ? relation_text(word->word) : "", p.dataset});
  }
  return table;
}

constexpr DataOut kOut[] = {{"timing.plot", timing_chart, nullptr},
                            {"across.plot", across_problems_chart, nullptr},
                            {"tuning.plot", tuning_chart, nullptr},
                            {"scaling.plot", scaling_chart, nullptr},
                            {"pins", nullptr, pins_sheet},
                            {"log", nullptr, [](const Workbench& b) { return run_table(b.views.log, "Session log"); }}};

}  // namespace

Chart tuning_chart(const Workbench& bench) {
  Chart chart;
  const SearchState& s = bench.search;
  const Metric metric = bench.request.metric;
  const Work work = work_of(s.asked().problem);
  Range y;
  for (const SearchState::Arm* arm : fastest_first(s)) {
    if (chart.series.size() == kVariantStyles) break;
    ChartSeries line{.name = arm->arm.variant, .style = variant_style(size_t(arm - s.arms().data()))};
    for (const SearchState::Step& step : arm->steps) {
      if (!line.y.empty()) {
        line.x.push_back(double(step.trial));
        line.y.push_back(line.y.back());
      }
      line.x.push_back(double(step.trial));
      line.y.push_back(in_metric(metric, step.ns, work));
      y.include(line.y.back());
    }
    line.x.push_back(double(s.trials().size()));
    line.y.push_back(line.y.back());
    chart.series.push_back(std::move(line));
  }
  if (chart.empty()) return chart;
  const bool log = y.low > 0 && y.high > 3 * y.low;
  y.pad(log);
  chart.title = "Best so far against trials";
  chart.about = {to_text(s.asked().problem), where_text(s.device().name, s.asked().modes)};
  const Range x = Range::of(0, std::max(8.0, double(s.trials().size())) * 1.02);
  chart.x = count_axis("trial", x);
  chart.y = metric_axis(y, log, metric);
  return chart;
}

std::span<const DataOut> data_out() { return kOut; }

const DataOut* find_out(const std::string& widget) { return find_by(kOut, widget, &DataOut::widget); }

Result<std::string> text_out(const Workbench& bench, const std::string& widget, WayOut::Form form) {
  const DataOut* out = find_out(widget);
  if (!out) {
    std::string plots, tables;
    for (const DataOut& each : kOut) (each.table ? tables : plots) += std::string(", ") + each.widget;
    return bad_input(fmt::format("There is no plot or table '{}' to write; plots: {}; tables: {}.", widget,
                                 plots.substr(2), tables.substr(2)));
  }
  if (out->table) {
    if (form == WayOut::Form::csv) return to_csv(out->table(bench));
    if (form == WayOut::Form::markdown) return render_markdown(out->table(bench));
    return bad_input(fmt::format("'{}' is a table: it goes into .csv or .md.", widget));
  }
  const Chart chart = out->chart(bench);
  if (chart.empty()) return bad_input(fmt::format("There is nothing in '{}' to write yet.", widget));
  if (form == WayOut::Form::svg) return to_svg(chart);
  if (form == WayOut::Form::csv) return to_csv(chart);
  return bad_input(fmt::format("'{}' is a plot: it goes into .png, .svg or .csv.", widget));
}

Result<WayOut::Form> form_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const WayOut::Form form : {WayOut::Form::png, WayOut::Form::svg, WayOut::Form::csv, WayOut::Form::markdown})
    if (extension == extension_of(form)) return form;
  return bad_input(
      fmt::format("'{}' has no form: a plot is written as .png, .svg or .csv, a table as .csv or .md.", path));
}

const char* extension_of(WayOut::Form form) {
  constexpr const char* names[] = {".png", ".svg", ".csv", ".md"};
  return names[size_t(form)];
}

}  // namespace attnscope::gui
