#include "app/gui/charts/across_chart.hpp"

#include <tuple>

#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

constexpr double kWide = 30;  ///< highest over lowest bar, from which the axis is logarithmic

}  // namespace

std::vector<const Pin*> drawn_pins(const Pins& pins, const Problem* only) {
  std::vector<const Pin*> drawn;
  const auto fresh = [&](const Pin& p) { return std::ranges::find(drawn, p.key, &Pin::key) == drawn.end(); };
  for (const Pin& p : pins.all())
    if (p.shown && (only ? p.record->problem == *only : fresh(p))) drawn.push_back(&p);
  drawn.erase(drawn.begin(), drawn.end() - std::ptrdiff_t(std::min(drawn.size(), kSeriesStyles)));
  return drawn;
}

RunPoint point_of(const std::string& key, const std::shared_ptr<const Record>& own, const Problem& problem,
                  const SessionLog& log, const Pins& pins, Metric metric) {
  const auto timed = [](const Record& r) {
    return r.outcome == Outcome::measured && r.statistics && r.statistics->median > 0;
  };
  RunPoint point;
  if (own && own->problem == problem && timed(*own)) point.record = own;
  if (!point.record) point.record = log.find(key, to_text(problem));
  if (!point.record) point.record = pins.find(key, to_text(problem));
  if (!point.record) return point;
  const Record& r = *point.record;
  if (timed(r)) {
    const auto in = [&](double ns) { return in_metric(metric, ns, {r.flops, r.bytes}); };
    point.y = in(r.statistics->median);
    std::tie(point.low, point.high) = std::minmax({in(r.statistics->p20), in(r.statistics->p80)});
    // A rate of nothing (a mask that leaves no pair) has no place on a logarithmic axis.
    point.state = point.y > 0 ? PointState::measured : PointState::failed;
    if (!point.measured()) point.why = "There is nothing to compute or to move on this problem.";
    return point;
  }
  const bool wrong = r.verdict && !r.verdict->pass;
  point.state = r.outcome == Outcome::refused ? PointState::refused
                : wrong                       ? PointState::wrong
                : r.outcome == Outcome::error ? PointState::failed
                                              : PointState::unmeasured;
  point.why = wrong ? "Wrong results are not timed: " + r.verdict->reason : r.message;
  return point;
}

AcrossChart across_chart(const Pins& all, const std::vector<Problem>& problems, const SessionLog& log, Metric metric) {
  AcrossChart chart;
  const std::vector<const Pin*> pins = drawn_pins(all, nullptr);
  chart.bar_width = 0.8 / double(std::max<size_t>(1, pins.size()));
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < pins.size(); ++k)
    for (size_t i = 0; i < std::min(problems.size(), kChartProblems); ++i) {
      const AcrossBar& bar = chart.bars.emplace_back(
          AcrossBar{point_of(pins[k]->key, pins[k]->record, problems[i], log, all, metric), pins[k], i,
                    double(i) + (double(k) - double(pins.size() - 1) / 2) * chart.bar_width});
      if (!bar.measured()) continue;
      least = std::min(least, bar.y);
      most = std::max(most, bar.high);
    }
  if (!(most > 0)) {
    chart.y = Range::of(0, 1);
    return chart;
  }
  chart.log = most / least > kWide;
  chart.y = chart.log ? Range::of(least / 2, most * 1.5) : Range::of(0, most * 1.08);
  return chart;
}

const AcrossBar* bar_at(const AcrossChart& chart, double x) {
  for (const AcrossBar& bar : chart.bars)
    if (std::abs(x - bar.x) <= chart.bar_width / 2) return &bar;
  return nullptr;
}

std::vector<ScaledProblem> scaled_problems(const Problem& base, ScaleAxis axis, const std::vector<uint32_t>& values) {
  std::vector<ScaledProblem> all;
  for (const uint32_t value : values) {
    ScaledProblem at;
    at.value = value;
    if (Result<Problem> p = scaled(base, axis, value)) {
      at.text = to_text(*p);
      at.problem = std::move(*p);
    } else {
      at.why_not = p.error().message;
    }
    all.push_back(std::move(at));
  }
  return all;
}

ScalePoint scale_point(const ScaleRow& row, const ScaledProblem& at, const SessionLog& log, const Pins& pins,
                       Metric metric) {
  const double x = std::log2(double(at.value));
  if (at.problem) return {point_of(row.key, row.own, *at.problem, log, pins, metric), at.value, x};
  return {{.state = PointState::refused, .why = at.why_not}, at.value, x};
}

ScalingPlot scaling_plot(const std::vector<ScaleRow>& rows, const std::vector<ScaledProblem>& problems,
                         const SessionLog& tried, const Pins& pins, Metric metric, bool log) {
  ScalingPlot plot;
  plot.log = log;
  for (const ScaleRow& row : rows) {
    ScaleCurve& curve = plot.curves.emplace_back(ScaleCurve{row, {}});
    for (const ScaledProblem& at : problems) curve.points.push_back(scale_point(row, at, tried, pins, metric));
  }
  for (const ScaledProblem& at : problems) plot.x.include(std::log2(double(at.value)));
  for (const ScaleCurve& curve : plot.curves)
    for (const ScalePoint& p : curve.points)
      if (p.measured()) {
        plot.y.include(log ? std::max(p.low, p.y / 100) : 0);
        plot.y.include(p.high);
      }
  if (plot.x.empty) plot.x = Range::of(0, 1);
  const double air = std::max(0.25, 0.05 * plot.x.width());
  plot.x.low -= air;
  plot.x.high += air;
  plot.y.pad(log);
  return plot;
}

std::pair<const ScaleCurve*, const ScalePoint*> point_at(const ScalingPlot& plot, const Frame& frame, ImVec2 mouse,
                                                         float reach) {
  std::pair<const ScaleCurve*, const ScalePoint*> nearest{nullptr, nullptr};
  for (const ScaleCurve& curve : plot.curves)
    for (const ScalePoint& p : curve.points)
      if (p.measured() && nearer(frame.pixel(p.x, p.y), mouse, reach)) nearest = {&curve, &p};
  return nearest;
}

std::vector<Tick> value_ticks(const std::vector<uint32_t>& values, float pixels, float width_of_one) {
  std::vector<Tick> ticks;
  if (values.empty()) return ticks;
  const double low = std::log2(double(values.front())), high = std::log2(double(values.back()));
  const double apart = high > low ? (high - low) * width_of_one / std::max(pixels, 1.f) : 0;
  for (const uint32_t value : values) {
    const double at = std::log2(double(value));
    if (ticks.empty() || at - ticks.back().at >= apart) ticks.push_back({at, count_text(value)});
  }
  return ticks;
}

}  // namespace attnscope::gui
