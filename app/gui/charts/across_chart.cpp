#include "app/gui/charts/across_chart.hpp"

#include <tuple>

#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

constexpr double kWide = 30;  ///< highest over lowest bar, from which the axis is logarithmic

/// The median, and p20 and p80, the lower first.
std::tuple<double, double, double> spread_of(const Record& r, Metric metric) {
  const auto in = [&](double ns) { return in_metric(metric, ns, Work{r.flops, r.bytes}); };
  const auto [low, high] = std::minmax({in(r.statistics->p20), in(r.statistics->p80)});
  return {in(r.statistics->median), low, high};
}

}  // namespace

std::vector<const Pin*> drawn_pins(const Pins& pins, const Problem* only) {
  std::vector<const Pin*> drawn;
  for (const Pin& p : pins.all())
    if (p.shown && (!only || p.record->problem == *only)) drawn.push_back(&p);
  drawn.erase(drawn.begin(), drawn.end() - std::ptrdiff_t(std::min(drawn.size(), kSeriesStyles)));
  return drawn;
}

std::shared_ptr<const Record> result_of(const Pin& pin, const Problem& problem, const SessionLog& log) {
  auto r = pin.record->problem == problem ? pin.record : log.find(pin.key, to_text(problem));
  return r && r->outcome == Outcome::measured && r->statistics ? r : nullptr;
}

AcrossChart across_chart(const std::vector<const Pin*>& pins, const std::vector<Problem>& problems,
                         const SessionLog& log, Metric metric) {
  AcrossChart chart;
  chart.bar_width = 0.8 / double(std::max<size_t>(1, pins.size()));
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < pins.size(); ++k)
    for (size_t i = 0; i < std::min(problems.size(), kChartProblems); ++i) {
      AcrossBar bar{pins[k], i, result_of(*pins[k], problems[i], log), 0, 0, 0, 0};
      bar.x = double(i) + (double(k) - double(pins.size() - 1) / 2) * chart.bar_width;
      if (const Record* r = bar.record.get()) {
        std::tie(bar.value, bar.low, bar.high) = spread_of(*r, metric);
        if (bar.value > 0) least = std::min(least, bar.value);
        most = std::max(most, bar.high);
      }
      chart.bars.push_back(bar);
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

std::string why_missing(const Pin& pin, const Problem& problem, const SessionLog& tried, bool measuring) {
  const auto r = tried.find(pin.key, to_text(problem));
  if (!r || r->outcome == Outcome::measured)
    return measuring ? "Not measured yet." : "Not measured: Measure all does that.";
  if (!r->message.empty()) return r->message;
  if (r->verdict && !r->verdict->pass) return "Wrong results are not timed: " + r->verdict->reason;
  return "Its run ended without samples.";
}

namespace {

bool timed(const Record& r) { return r.outcome == Outcome::measured && r.statistics && r.statistics->median > 0; }

void place(ScalePoint& point, const Record& r, Metric metric) {
  point.state = PointState::measured;
  std::tie(point.y, point.low, point.high) = spread_of(r, metric);
  // A rate of nothing (a mask that leaves no pair) has no place on a logarithmic axis.
  if (point.y > 0) return;
  point.state = PointState::failed;
  point.why = "There is nothing to compute or to move on this problem.";
}

ScalePoint unmeasured(const ScaledProblem& at) {
  ScalePoint point;
  point.value = at.value;
  point.x = std::log2(double(at.value));
  point.why = at.why_not;
  if (!at.problem) point.state = PointState::refused;
  return point;
}

}  // namespace

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

ScalePoint scale_point(const ScaleRow& row, const ScaledProblem& at, const SessionLog& tried, Metric metric) {
  ScalePoint point = unmeasured(at);
  if (!at.problem) return point;
  if (row.own && row.own->problem == *at.problem && timed(*row.own))
    point.record = row.own;
  else
    point.record = tried.find(row.key, at.text);
  if (!point.record) return point;
  const Record& r = *point.record;
  if (timed(r)) {
    place(point, r, metric);
    return point;
  }
  const bool wrong = r.verdict && !r.verdict->pass;
  point.state = r.outcome == Outcome::refused ? PointState::refused
                : wrong                       ? PointState::wrong
                : r.outcome == Outcome::error ? PointState::failed
                                              : PointState::unmeasured;
  if (wrong)
    point.why = "Wrong results are not timed: " + r.verdict->reason;
  else
    point.why = r.message;
  return point;
}

ScalingPlot scaling_plot(const std::vector<ScaleRow>& rows, const std::vector<ScaledProblem>& problems,
                         const SessionLog& tried, const std::vector<FileCurve>& files, Metric metric, bool log) {
  ScalingPlot plot;
  plot.log = log;
  // Of more series than there are dashes, those that have most to show.
  std::vector<ScaleCurve> others;
  for (size_t i = 0; i < files.size(); ++i) {
    ScaleCurve curve{ScaleCurve::Kind::file, i, files[i].name, {}, true, {}};
    size_t points = 0;
    for (const ScaledProblem& at : problems) {
      ScalePoint point = unmeasured(at);
      for (const auto& r : files[i].records)
        if (at.problem && r->problem == *at.problem && timed(*r)) point.record = r;
      if (point.record) place(point, *point.record, metric);
      points += point.state == PointState::measured;
      curve.points.push_back(std::move(point));
    }
    if (points > 0) others.push_back(std::move(curve));
  }
  const auto measured = [](const ScaleCurve& c) {
    return std::count_if(c.points.begin(), c.points.end(),
                         [](const ScalePoint& p) { return p.state == PointState::measured; });
  };
  std::stable_sort(others.begin(), others.end(),
                   [&](const ScaleCurve& a, const ScaleCurve& b) { return measured(a) > measured(b); });
  if (others.size() > kFileCurves) others.resize(kFileCurves);
  for (size_t i = 0; i < others.size(); ++i) {
    others[i].style = {colours::soft, Dash(i)};
    plot.curves.push_back(std::move(others[i]));
  }
  for (const ScaleRow& row : rows) {
    ScaleCurve curve{row.kind, row.id, row.name, row.style, row.shown, {}};
    if (row.shown)
      for (const ScaledProblem& at : problems) curve.points.push_back(scale_point(row, at, tried, metric));
    plot.curves.push_back(std::move(curve));
  }
  for (const ScaledProblem& at : problems) plot.x.include(std::log2(double(at.value)));
  for (const ScaleCurve& curve : plot.curves)
    for (const ScalePoint& p : curve.points)
      if (p.state == PointState::measured) {
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
  float least = reach * reach;
  for (const ScaleCurve& curve : plot.curves)
    for (const ScalePoint& p : curve.points) {
      if (p.state != PointState::measured) continue;
      const ImVec2 at = frame.pixel(p.x, p.y);
      const float dx = at.x - mouse.x, dy = at.y - mouse.y, d = dx * dx + dy * dy;
      if (d > least) continue;
      least = d;
      nearest = {&curve, &p};
    }
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
