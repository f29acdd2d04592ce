#include "app/gui/charts/run_plots.hpp"

#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

constexpr double kWide = 30;  ///< largest over smallest problem's FLOP, from which the axis of times is logarithmic

/// FLOP per byte that the kernel moves, from wherever.
double intensity(const Record& r) {
  const double moved = r.bytes + r.extra_bytes;
  return moved > 0 ? r.flops / moved : 0;
}

std::vector<Roof> roofs_of(const Peaks& peaks) {
  std::vector<Roof> roofs;
  if (const auto copy = ceiling(peaks, CeilingKind::copy)) roofs.push_back({"device memory", *copy, true});
  if (const auto cache = ceiling(peaks, CeilingKind::cache)) roofs.push_back({"caches", *cache, true});
  if (const auto fma = ceiling(peaks, CeilingKind::fma, "f32")) roofs.push_back({"fma f32", *fma, false});
  // Sums in f32 are what attention kernels take; of each type the fastest shape.
  std::set<std::string> seen;
  for (const Ceiling& c : peaks.ceilings)
    if (c.kind == CeilingKind::matrix && c.accumulate == "f32" && c.value && seen.insert(c.type).second)
      roofs.push_back({"matrix " + c.type + " f32", *ceiling(peaks, c.kind, c.type, c.accumulate), false});
  return roofs;
}

}  // namespace

std::vector<const Pin*> drawn_pins(const Pins& pins, const Problem* only) {
  std::vector<const Pin*> drawn;
  const auto fresh = [&](const Pin& p) {
    return std::ranges::none_of(drawn, [&](const Pin* d) { return d->run.config == p.run.config; });
  };
  for (const Pin& p : pins.all())
    if (p.shown && (only ? p.record->problem == *only : fresh(p))) drawn.push_back(&p);
  drawn.erase(drawn.begin(), drawn.end() - std::ptrdiff_t(std::min(drawn.size(), kSeriesStyles)));
  return drawn;
}

RunPoint point_of(const RunId& run, const std::shared_ptr<const Record>& own, const Problem& problem,
                  const SessionLog& log, const Pins& pins, Metric metric) {
  const auto timed = [](const Record& r) {
    return r.outcome == Outcome::measured && r.statistics && r.statistics->median > 0;
  };
  RunPoint point;
  if (own && own->problem == problem && timed(*own)) point.record = own;
  if (!point.record) point.record = log.find(run.on(problem));
  if (!point.record) point.record = pins.find(run.on(problem));
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
          AcrossBar{point_of(pins[k]->run, pins[k]->record, problems[i], log, all, metric), pins[k], i,
                    double(i) + (double(k) - double(pins.size() - 1) / 2) * chart.bar_width});
      if (!bar.measured()) continue;
      least = std::min(least, bar.y);
      most = std::max(most, bar.high);
    }
  if (!(most > 0)) {
    chart.y = Range::of(0, 1);
    return chart;
  }
  // By the problems: the axis stays what it is while they are measured.
  const auto [small, large] = std::ranges::minmax(problems, {}, problem_flops);
  chart.log = metric == Metric::time && problem_flops(large) > kWide * problem_flops(small);
  chart.y = chart.log ? Range::of(least / 2, most * 1.5) : Range::of(0, most * 1.08);
  return chart;
}

std::vector<ChartSeries> across_series(const AcrossChart& chart, std::span<const Pin* const> pins,
                                       const std::function<std::string(const Pin&)>& name) {
  std::vector<ChartSeries> all;
  for (const Pin* pin : pins) {
    ChartSeries s{.name = name(*pin), .kind = ChartSeries::Kind::bars, .style = series_style(pin->slot)};
    s.width = chart.bar_width * 0.86;
    for (const AcrossBar& bar : chart.bars) {
      if (bar.pin != pin || !bar.measured()) continue;
      s.x.push_back(bar.x);
      s.y.push_back(bar.y);
      s.text.push_back(to_text(bar.record->problem));
    }
    if (!s.x.empty()) all.push_back(std::move(s));
  }
  return all;
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
                       const DeviceState& known, Metric metric) {
  const double x = std::log2(double(at.value));
  if (!at.problem) return {{.state = PointState::refused, .why = at.why_not}, at.value, x};
  ScalePoint point{point_of(row.run, row.own, *at.problem, log, pins, metric), at.value, x};
  if (point.state != PointState::unmeasured) return point;
  point.why = known.checked(row.config, at.text).text;
  if (!point.why.empty()) point.state = PointState::refused;
  return point;
}

ScalingPlot scaling_plot(const std::vector<ScaleRow>& rows, const std::vector<ScaledProblem>& problems,
                         const SessionLog& tried, const Pins& pins, const DeviceState& known, Metric metric, bool log) {
  ScalingPlot plot;
  plot.log = log;
  for (const ScaleRow& row : rows) {
    ScaleCurve& curve = plot.curves.emplace_back(ScaleCurve{row, {}});
    for (const ScaledProblem& at : problems) curve.points.push_back(scale_point(row, at, tried, pins, known, metric));
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

std::vector<ChartSeries> scaling_series(const ScalingPlot& plot) {
  std::vector<ChartSeries> all;
  for (const ScaleCurve& curve : plot.curves) {
    bool goes_on = false, named = false;  // a legend names each curve once
    for (const ScalePoint& p : curve.points) {
      if (!std::exchange(goes_on, p.measured()) && p.measured()) {
        all.push_back(
            {.name = named ? "" : curve.name + " p20\u2013p80", .kind = ChartSeries::Kind::band, .style = curve.style});
        all.push_back({.name = named ? "" : curve.name, .style = curve.style});
        named = true;
      }
      if (!p.measured()) continue;
      ChartSeries &band = all.end()[-2], &line = all.back();
      for (ChartSeries* s : {&band, &line}) s->x.push_back(p.x);
      band.y.push_back(std::min(p.low, p.high));
      band.high.push_back(std::max(p.low, p.high));
      line.y.push_back(p.y);
      line.text.push_back(to_text(p.record->problem));
    }
  }
  return all;
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

std::vector<Tick> intensity_ticks(const Range& x) {
  std::vector<Tick> ticks;
  // Powers of ten, and where there are fewer than two of them the steps between.
  for (const auto& steps : {std::vector<double>{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}}) {
    ticks.clear();
    for (const double at : decades(Range::of(std::pow(10, x.low), std::pow(10, x.high)), steps))
      ticks.push_back({std::log10(at), at < 10 ? fmt::format("{:.3g}", at) : count_text(uint64_t(std::lround(at)))});
    if (ticks.size() >= 2) break;
  }
  return ticks;
}

double Roof::at(double x) const { return memory ? x * value * 1e-3 : value; }

RooflinePlot roofline_plot(const std::optional<Peaks>& peaks, const std::vector<SessionLog::Entry>& tried,
                           const std::string& device, const Record* now) {
  RooflinePlot plot;
  if (peaks) plot.roofs = roofs_of(*peaks);
  const auto add = [&](const Record& r, bool current, bool best) {
    const double x = intensity(r);
    if (r.outcome != Outcome::measured || !r.statistics || !(x > 0) || !(r.tflops > 0)) return;
    if (device_key(r.environment.device) != device) return;
    plot.points.push_back({x, r.tflops, &r, current, best});
    plot.x.include(std::log10(x));
    plot.y.include(r.tflops);
  };
  const RunId shown = now ? run_id(*now) : RunId{};
  bool fastest = false;
  for (const SessionLog::Entry& e : tried)
    if (e.run == shown)
      fastest |= e.best;  // of an earlier session, too
    else
      add(*e.record, false, e.best);
  // It may be faster before the log has it.
  for (RoofedPoint& p : plot.points)
    if (now && p.best && p.y < now->tflops && p.record->problem == now->problem &&
        modes_of(p.record->protocol) == modes_of(now->protocol))
      fastest = !(p.best = false);
  if (now != nullptr) add(*now, true, fastest);
  if (plot.x.empty) plot.x = Range::of(0, 3);
  // The ridge of the slowest arithmetic is part of the picture: left of it memory decides.
  for (const Roof& memory : plot.roofs)
    for (const Roof& compute : plot.roofs)
      if (memory.memory && !compute.memory) plot.x.include(std::log10(compute.value / memory.value * 1e3));
  plot.x.low -= 0.3;
  plot.x.high += 0.3;
  // Up to the highest level roof, with room for its name.
  for (const Roof& roof : plot.roofs)
    if (!roof.memory) plot.y.include(roof.value);
  if (!plot.y.empty) plot.y.high *= 1.6;
  if (plot.y.empty) plot.y = Range::of(0.01, 1);
  if (plot.points.empty()) plot.y.low /= 30;
  plot.y.pad(true);
  std::ranges::stable_sort(plot.points, {}, [](const RoofedPoint& p) { return p.current * 2 + p.best; });
  // What lies on one spot is drawn once: ten thousand points cost as little as fill the picture.
  constexpr double kSpots = 400;
  std::set<std::tuple<int, int, bool>> taken;
  std::erase_if(plot.points, [&](const RoofedPoint& p) {
    const auto x = int(kSpots * std::log10(p.x) / plot.x.width()),
               y = int(kSpots * std::log10(p.y) / std::log10(plot.y.high / plot.y.low));
    return !p.current && !taken.emplace(x, y, p.best).second;
  });
  return plot;
}

const RoofedPoint* point_at(const RooflinePlot& plot, const Frame& frame, ImVec2 mouse, float reach) {
  const RoofedPoint* nearest = nullptr;
  for (const RoofedPoint& p : plot.points)
    if (nearer(frame.pixel(std::log10(p.x), p.y), mouse, reach)) nearest = &p;
  return nearest;
}

}  // namespace attnscope::gui
