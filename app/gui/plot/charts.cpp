#include "app/gui/plot/charts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/plot/across_chart.hpp"
#include "app/gui/plot/distribution.hpp"
#include "app/gui/plot/roofline_plot.hpp"
#include "app/gui/plot/timing_plot.hpp"
#include "app/gui/plot/variant_style.hpp"
#include "app/gui/theme.hpp"
#include "app/gui/workbench.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {
namespace {

using Kind = ChartSeries::Kind;
constexpr int kTicks = 8;
constexpr size_t kPoints = 900;  ///< across: about one a pixel

SeriesStyle plain(ImU32 colour, Dash dash = Dash::solid) { return {colour, dash}; }

}  // namespace

ChartAxis metric_axis(const Range& range, bool log, Metric metric) {
  return {metric == Metric::time     ? "time"
          : metric == Metric::tflops ? "arithmetic rate"
                                     : "bandwidth",
          range,
          log,
          metric_ticks(range, log, metric, kTicks),
          false,
          metric == Metric::time ? "\u00b5s" : title(metric)};
}

std::vector<std::string> about_asked(const Workbench& bench) {
  const Ask& ask = bench.asked.ask;
  std::string config = attnscope::to_text(ask.config);
  std::vector<std::string> lines = {to_text(ask.problem), ask.variant + (config.empty() ? "" : "  " + config)};
  const auto& device = bench.known.device;
  lines.push_back(fmt::format("{}, {}, {}", device ? device->name : "no device", to_text(bench.asked.modes.cache),
                              to_text(bench.asked.modes.launch)));
  return lines;
}

Chart timing_chart(const Workbench& bench) {
  Chart chart;
  const Live* live = bench.timed();
  if (!live) return chart;
  const Series& series = live->series;
  const Metric metric = bench.asked.metric;
  const Work work = bench.work();
  const auto pins = drawn_pins(bench.pins, &bench.asked.ask.problem);
  const TimingPlot p = timing_plot(bench.view, series, metric, work, pins, kPoints);
  chart.title = fmt::format("{}: {} {}", title(metric), bench.name_of_asked(),
                            metric_text(metric, in_metric(metric, series.statistics()->median, work)));
  chart.about = about_asked(bench);
  chart.x = {"sample", p.x, false, count_ticks(p.x, kTicks)};
  chart.y = metric_axis(p.y, p.log, metric);
  chart.series.push_back({.name = "p20\u2013p80",
                          .kind = Kind::band,
                          .style = live_style(),
                          .x = p.rolling.x,
                          .y = p.rolling.low,
                          .high = p.rolling.high});
  chart.series.push_back(
      {.name = "samples", .kind = Kind::points, .style = live_style(), .x = p.sample_x, .y = p.sample_y});
  for (const PinCurve& c : p.pins)
    chart.series.push_back(
        {.name = bench.name_of(*c.pin), .style = series_style(c.pin->slot), .x = c.rolling.x, .y = c.rolling.median});
  chart.series.push_back({.name = "rolling median", .style = live_style(), .x = p.rolling.x, .y = p.rolling.median});
  if (const Change* change = bench.change())
    chart.series.push_back({.name = fmt::format("before: {} {}", change->before_name, time_text(change->before_ns)),
                            .kind = Kind::level,
                            .style = plain(colours::soft, Dash::dashed),
                            .x = {},
                            .y = {in_metric(metric, change->before_ns, work)}});
  return chart;
}

Chart histogram_chart(const Workbench& bench) {
  Chart chart;
  const Histogram& h = bench.shape.histogram();
  if (!bench.timed() || h.counts.empty()) return chart;
  const Metric metric = bench.asked.metric;
  chart.title = "Distribution: " + bench.name_of_asked();
  chart.about = about_asked(bench);
  std::string marks = fmt::format("{} samples", count_text(h.total));
  for (const HistogramMark& m : h.marks) marks += fmt::format(", {} {}", m.name, metric_text(metric, m.value));
  if (h.below + h.above > 0) marks += fmt::format("; {} beyond the edges", count_text(h.below + h.above));
  chart.about.push_back(marks);
  chart.x = metric_axis(h.range, h.log, metric);
  chart.y = {"samples", Range::of(0, double(std::max<uint64_t>(1, h.highest)) * 1.05), false, {}};
  chart.y.ticks = count_ticks(chart.y.range, 6);
  // As rectangles of their own width, which is not the same everywhere on a logarithmic axis.
  for (size_t i = 0; i < h.counts.size(); ++i) {
    const Range bin = h.bin(i);
    chart.series.push_back({.name = i == 0 ? "samples" : "",
                            .kind = Kind::bars,
                            .style = live_style(),
                            .x = {(bin.low + bin.high) / 2},
                            .y = {double(h.counts[i])},
                            .text = {fmt::format("{} to {}", bin.low, bin.high)},
                            .width = bin.width() * 0.94});
  }
  return chart;
}

Chart overview_chart(const Workbench& bench) {
  Chart chart;
  const Overview& o = bench.shape.whole();
  if (!bench.timed() || o.columns().empty()) return chart;
  const Metric metric = bench.asked.metric;
  const Work work = bench.work();
  chart.title = fmt::format("Whole series: {}, {} samples", bench.name_of_asked(), count_text(o.taken()));
  chart.about = about_asked(bench);
  if (const std::string drift = bench.timed()->series.drift_text(); !drift.empty()) chart.about.push_back(drift);
  ChartSeries band{.name = "least\u2013greatest", .kind = Kind::band, .style = live_style(), .x = {}, .y = {}},
      median{.name = "median", .style = live_style(), .x = {}, .y = {}};
  std::vector<double> all;
  for (size_t i = 0; i < o.columns().size(); ++i) {
    const auto& c = o.columns()[i];
    band.x.push_back(double(o.start()) + (double(i) + 0.5) * double(o.stretch()));
    double low = in_metric(metric, c.low, work), high = in_metric(metric, c.high, work);
    if (low > high) std::swap(low, high);
    band.y.push_back(low);
    band.high.push_back(high);
    median.y.push_back(in_metric(metric, c.median, work));
    all.insert(all.end(), {low, high});
  }
  median.x = band.x;
  Range y = robust_range(all, false);
  y.pad(false);
  const Range x = Range::of(double(o.start()), double(std::max<uint64_t>(o.taken(), o.start() + 1)));
  chart.x = {"sample", x, false, count_ticks(x, kTicks)};
  chart.y = metric_axis(y, false, metric);
  chart.series = {band, median};
  return chart;
}

Chart distribution_chart(const Workbench& bench) {
  Chart chart;
  const Metric metric = bench.asked.metric;
  Range x;
  const auto add = [&](const Distribution& d, const std::string& name, const SeriesStyle& style) {
    x.include(robust_range(d.value, false));
    chart.series.push_back({.name = name, .style = style, .x = d.value, .y = d.share});
  };
  for (const Pin* p : drawn_pins(bench.pins, &bench.asked.ask.problem))
    add(distribution(p, p->quantiles_ns, metric, {p->record->flops, p->record->bytes}), bench.name_of(*p),
        series_style(p->slot));
  if (const Standing* s = bench.standing())
    add(distribution(nullptr, s->live_quantiles_ns, metric, {s->live.flops, s->live.bytes}),
        bench.name_of_asked() + " (live)", live_style());
  if (chart.empty()) return chart;
  x.pad(false);
  chart.title = metric == Metric::time ? "Share of samples at or below a time" : "Share of samples at or above a rate";
  chart.about = about_asked(bench);
  chart.x = metric_axis(x, false, metric);
  chart.y = {"% of samples", Range::of(0, 100), false, {{0, "0"}, {20, "20"}, {50, "50"}, {80, "80"}, {100, "100"}}};
  return chart;
}

Chart across_problems_chart(const Workbench& bench) {
  Chart chart;
  const Metric metric = bench.asked.metric;
  const auto pins = drawn_pins(bench.pins, nullptr);
  const AcrossChart bars = across_chart(pins, bench.across, metric);
  for (const Pin* pin : pins) {
    ChartSeries s{.name = bench.name_of(*pin), .kind = Kind::bars, .style = series_style(pin->slot), .x = {}, .y = {}};
    s.width = bars.bar_width * 0.86;
    for (const AcrossBar& bar : bars.bars) {
      if (bar.pin != pin || !bar.record) continue;
      s.x.push_back(bar.x);
      s.y.push_back(bar.value);
      s.text.push_back(to_text(bar.record->problem));
    }
    if (!s.x.empty()) chart.series.push_back(std::move(s));
  }
  if (chart.empty()) return chart;
  std::vector<std::string> problems;
  for (size_t i = 0; i < std::min(bench.across.problems().size(), kChartProblems); ++i)
    problems.push_back(to_text(bench.across.problems()[i]));
  chart.title = "Pinned configs across problems";
  const auto asked = about_asked(bench);
  chart.about = {asked.back()};
  chart.x = {"problem", Range::of(-0.6, double(problems.size()) - 0.4), false, name_ticks(problems)};
  chart.y = metric_axis(bars.y, bars.log, metric);
  return chart;
}

Chart roofline_chart(const Workbench& bench) {
  Chart chart;
  const std::string device = bench.known.device ? device_key(*bench.known.device) : "";
  const RooflinePlot r = roofline_plot(bench.known.peaks, bench.tried.entries(), device, bench.why().record());
  if (r.points.empty() && r.roofs.empty()) return chart;
  chart.title = "Roofline";
  chart.about = {bench.known.device ? bench.known.device->name : "no device"};
  const Range x = Range::of(std::pow(10, r.x.low), std::pow(10, r.x.high));
  std::vector<Tick> ticks = intensity_ticks(r.x);
  for (Tick& t : ticks) t.at = std::pow(10, t.at);
  chart.x = {"FLOP per byte moved", x, true, ticks};
  chart.y = metric_axis(r.y, true, Metric::tflops);
  for (const Roof& roof : r.roofs) {
    ChartSeries s{
        .name = fmt::format("{} {}", roof.name, metric_text(roof.memory ? Metric::gbps : Metric::tflops, roof.value)),
        .style = plain(colours::faint, roof.memory ? Dash::solid : Dash::dashed),
        .x = {},
        .y = {}};
    constexpr int kSteps = 32;
    for (int i = 0; i <= kSteps; ++i) {
      const double at = std::pow(10, r.x.low + r.x.width() * i / kSteps);
      s.x.push_back(at);
      s.y.push_back(roof.at(at));
    }
    chart.series.push_back(std::move(s));
  }
  // As the window draws them: what is shown has the live curve's colour.
  ChartSeries others{.name = "others", .kind = Kind::points, .style = plain(colours::soft), .x = {}, .y = {}},
      fastest{.name = "fastest of its problem", .kind = Kind::points, .style = plain(colours::text), .x = {}, .y = {}},
      shown{.name = "shown", .kind = Kind::points, .style = live_style(), .x = {}, .y = {}};
  for (const RoofedPoint& p : r.points) {
    ChartSeries& points = p.current ? shown : p.best ? fastest : others;
    points.x.push_back(p.x);
    points.y.push_back(p.y);
    points.text.push_back(fmt::format("{} {} on {}", p.record->variant, attnscope::to_text(p.record->config),
                                      to_text(p.record->problem)));
  }
  for (ChartSeries* points : {&others, &fastest, &shown})
    if (!points->x.empty()) chart.series.push_back(std::move(*points));
  return chart;
}

Chart sweep_chart(const Workbench& bench) {
  Chart chart;
  const Searched& s = bench.searched;
  const SweepGrid& grid = bench.sweep_map.grid;
  if (bench.sweep_map.empty() || grid.view().arm >= s.arms().size()) return chart;
  const search::Arm& arm = s.arms()[grid.view().arm].arm;
  if (arm.parameters.empty()) return chart;
  const auto names = [&](size_t parameter) {
    std::vector<std::string> out;
    for (const int64_t v : arm.parameters[parameter].values) out.push_back(std::to_string(v));
    return out;
  };
  ChartSeries cells{.name = "median", .kind = Kind::cells, .style = plain(colours::raised), .x = {}, .y = {}};
  for (size_t row = 0; row < grid.rows(); ++row)
    for (size_t column = 0; column < grid.columns(); ++column) {
      const SweepCell& cell = grid.cell(column, row);
      const CellState state = grid.state(cell);
      cells.x.push_back(double(column));
      cells.y.push_back(double(row));
      if (state == CellState::measured && cell.best >= 0) {
        const double ns = s.trials()[size_t(cell.best)].median_ns;
        cells.text.push_back(time_text(ns) + (s.trials()[size_t(cell.best)].dropped ? ", dropped early" : ""));
        cells.fill.push_back(heat_colour(heat_of(ns, grid.fastest(), grid.slowest())));
      } else {
        cells.text.push_back(state == CellState::refused  ? "cannot run"
                             : state == CellState::wrong  ? "wrong"
                             : state == CellState::broken ? "lost"
                                                          : "");
        cells.fill.push_back(colours::raised);
      }
    }
  chart.title = fmt::format("Sweep of {}", arm.variant);
  chart.about = {
      to_text(s.asked().problem),
      grid.view().best_of ? "each cell is the fastest over all other parameters"
                          : "the others as in " + attnscope::to_text(grid.view().fixed),
      fmt::format("{}, {}, {}", s.device().name, to_text(s.asked().modes.cache), to_text(s.asked().modes.launch))};
  const auto axis = [&](size_t parameter, size_t count) {
    return ChartAxis{arm.parameters[parameter].name, Range::of(-0.5, double(count) - 0.5), false,
                     name_ticks(names(parameter))};
  };
  chart.x = axis(grid.view().x, grid.columns());
  chart.y = axis(grid.view().y, grid.rows());
  if (grid.rows() == 1) chart.y = {"", Range::of(-0.5, 0.5), false, {}};
  chart.series = {cells};
  return chart;
}

Chart tuning_chart(const Workbench& bench) {
  Chart chart;
  const Searched& s = bench.searched;
  if (!s.known()) return chart;
  Range y;
  for (const Searched::Arm& arm : s.arms()) {
    if (arm.steps.empty()) continue;
    ChartSeries line{.name = arm.arm.variant, .style = variant_style(size_t(&arm - s.arms().data())), .x = {}, .y = {}};
    for (const Searched::Step& step : arm.steps) {
      if (!line.y.empty()) {
        line.x.push_back(double(s.place(step.trial)));
        line.y.push_back(line.y.back());
      }
      line.x.push_back(double(s.place(step.trial)));
      line.y.push_back(step.ns / 1e3);
      y.include(step.ns / 1e3);
    }
    line.x.push_back(double(s.standing()));
    line.y.push_back(line.y.back());
    chart.series.push_back(std::move(line));
  }
  if (chart.empty()) return chart;
  const bool log = y.low > 0 && y.high > 3 * y.low;
  y.pad(log);
  chart.title = "Best so far against trials";
  chart.about = {to_text(s.asked().problem), fmt::format("{}, {}, {}", s.device().name, to_text(s.asked().modes.cache),
                                                         to_text(s.asked().modes.launch))};
  const Range x = Range::of(0, std::max(8.0, double(s.standing())) * 1.02);
  chart.x = {"trials", x, false, count_ticks(x, kTicks)};
  chart.y = metric_axis(y, log, Metric::time);
  return chart;
}

}  // namespace attnscope::gui
