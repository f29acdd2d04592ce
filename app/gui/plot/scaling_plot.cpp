#include "app/gui/plot/scaling_plot.hpp"

#include <algorithm>
#include <cmath>

#include "app/gui/theme.hpp"

namespace attnscope::gui {
namespace {

bool timed(const Record& r) { return r.outcome == Outcome::measured && r.statistics && r.statistics->median > 0; }

void place(ScalePoint& point, const Record& r, Metric metric) {
  const Work work{r.flops, r.bytes};
  const double a = in_metric(metric, r.statistics->p20, work), b = in_metric(metric, r.statistics->p80, work);
  point.state = PointState::measured;
  point.y = in_metric(metric, r.statistics->median, work);
  point.low = std::min(a, b);
  point.high = std::max(a, b);
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

ScalePoint scale_point(const ScaleRow& row, const ScaledProblem& at, const Tried& tried, Metric metric) {
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
                         const Tried& tried, const std::optional<Baseline>& baseline, Metric metric, bool log) {
  ScalingPlot plot;
  plot.log = log;
  // Of more series than there are dashes, those that have most to show.
  std::vector<ScaleCurve> others;
  for (size_t i = 0; baseline && i < baseline->series.size(); ++i) {
    ScaleCurve curve{ScaleCurve::Kind::baseline, i, baseline->series[i].name, {}, true, {}};
    size_t points = 0;
    for (const ScaledProblem& at : problems) {
      ScalePoint point = unmeasured(at);
      for (const auto& r : baseline->series[i].records)
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
  if (others.size() > kBaselineCurves) {
    plot.left_out = others.size() - kBaselineCurves;
    others.resize(kBaselineCurves);
  }
  for (size_t i = 0; i < others.size(); ++i) {
    others[i].style = baseline_style(i);
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

SeriesStyle baseline_style(size_t number) { return {colours::soft, Dash(number % kBaselineCurves)}; }

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
