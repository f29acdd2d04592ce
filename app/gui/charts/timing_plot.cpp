#include "app/gui/charts/timing_plot.hpp"

namespace attnscope::gui {

void PlotView::show(Metric metric, const Series& series) {
  // A series of its own: what is counted now is another run's.
  if (held_ && series.id() != series_) follow();
  if (metric != metric_) y_ = {};
  metric_ = metric;
  if (held_) keep_in_reach(series);
}

void PlotView::keep_in_reach(const Series& series) {
  const double begin = double(series.first()), end = double(series.taken());
  const double most = std::max(end - begin, base_.width());
  double width = std::clamp(x_.width(), std::min(kClosest, most), most);
  double low = (x_.low + x_.high) / 2 - width / 2;
  if (low + width > end) low = end - width;
  if (low < begin) low = begin;
  x_ = Range::of(low, low + width);
}

void PlotView::zoom(const Frame& frame, Axis axis, double at, double factor, const Series& series) {
  hold(frame.x, series);
  if (axis == Axis::samples) {
    // At the closest a further step would only shift.
    const double least = std::min(1.0, kClosest / frame.x.width());
    x_ = zoomed(frame.x, at, factor < 1 ? std::max(factor, least) : factor, false);
  } else {
    y_ = zoomed(frame.y, at, factor, frame.log);
    if (!frame.log && y_.low < 0) y_.low = 0;
  }
  keep_in_reach(series);
}

namespace {

constexpr uint64_t kFewForMarks = 10;  ///< samples that have a median and a mean alone

std::pair<size_t, size_t> within(const Range& x, uint64_t first, size_t count) {
  const double from = std::ceil(x.low - double(first) - 0.5), to = std::floor(x.high - double(first) - 0.5) + 1;
  const size_t begin = size_t(std::clamp(from, 0.0, double(count))), end = size_t(std::clamp(to, 0.0, double(count)));
  return {begin, std::max(begin, end)};
}

PinLevel level_of(const Pin& pin, Metric metric) {
  const Record& r = *pin.record;
  const auto value = [&](double ns) { return in_metric(metric, ns, {r.flops, r.bytes}); };
  PinLevel level{&pin, value(r.statistics->median), {}};
  level.band.include(value(r.statistics->p20));
  level.band.include(value(r.statistics->p80));
  return level;
}

constexpr size_t kScaled = 4096;    ///< samples that the value axis is chosen by
constexpr double kMostNear = 2000;  ///< samples on each side of the mouse that a hover looks at
constexpr double kFarOff = 2;       ///< times the live range: that far a pin stretches the axis

struct InView {
  const Series& series;
  size_t begin, end;  ///< of series.all()
  Metric metric;
  const Work& work;
  double operator[](size_t i) const { return in_metric(metric, series.all()[i], work); }
};

ThinnedSamples thin(const InView& in, const Range& y, size_t columns) {
  ThinnedSamples out;
  const size_t step = std::max<size_t>(1, (in.end - in.begin + columns - 1) / std::max<size_t>(1, columns));
  for (size_t begin = in.begin; begin < in.end; begin += step) {
    const size_t end = std::min(in.end, begin + step);
    const double middle = double(in.series.first()) + double(begin + end) / 2;
    Range within;
    uint64_t above = 0, below = 0;
    for (size_t i = begin; i < end; ++i) {
      const double value = in[i];
      above += value > y.high;
      below += value < y.low;
      if (value >= y.low && value <= y.high) within.include(value);
    }
    const auto put = [&](double value) {
      out.x.push_back(middle);
      out.y.push_back(value);
    };
    if (!within.empty) put(within.low);
    if (within.low < within.high) put(within.high);
    out.count_above += above;
    out.count_below += below;
    if (above > 0) out.above.push_back(middle);
    if (below > 0) out.below.push_back(middle);
  }
  return out;
}

double place(double value, const Range& range, bool log) {
  if (!log) return (value - range.low) / range.width();
  return std::log(std::max(value, 1e-300) / range.low) / std::log(range.high / range.low);
}

}  // namespace

TimingPlot timing_plot(const PlotView& view, const Series& series, Metric metric, const Work& work,
                       std::span<const Pin* const> pins, size_t columns) {
  TimingPlot plot;
  plot.x = view.x(series);
  plot.log = view.log();
  const auto samples = series.all();
  const uint64_t first = series.first();
  const auto [begin, end] = within(plot.x, first, samples.size());
  plot.in_view = end - begin;
  plot.rolling = roll(samples, begin, end, metric, work, first);
  for (double& x : plot.rolling.x) x += double(first);
  const InView in{series, begin, end, metric, work};

  for (const Pin* pin : pins.last(std::min(pins.size(), kSeriesStyles))) plot.pins.push_back(level_of(*pin, metric));

  plot.y = view.y();
  if (plot.y.empty) {
    std::vector<double> values;
    for (size_t i = begin; i < end; i += std::max<size_t>(1, (end - begin) / kScaled)) values.push_back(in[i]);
    plot.y = robust_range(values, plot.log);
    const Range own = plot.y;
    // What is many times slower or faster would leave a flat line of the live curve; a logarithmic axis has room.
    for (const PinLevel& c : plot.pins) {
      Range r = c.band;
      if (!own.empty && !plot.log)
        std::tie(r.low, r.high) = std::pair(std::max(r.low, own.low / kFarOff), std::min(r.high, own.high * kFarOff));
      if (!r.empty && r.low <= r.high) plot.y.include(r);
    }
    plot.y.pad(plot.log);
  }
  for (PinLevel& c : plot.pins) c.beyond = (c.median > plot.y.high) - (c.median < plot.y.low);
  plot.samples = view.thinned({series.id(), first + begin, first + end, metric, columns, plot.y.low, plot.y.high},
                              [&] { return thin(in, plot.y, columns); });
  return plot;
}

std::vector<ChartSeries> timing_series(const TimingPlot& p, const std::function<std::string(const Pin&)>& name) {
  using Kind = ChartSeries::Kind;
  const Rolling& r = p.rolling;
  std::vector<ChartSeries> all = {
      {.name = "p20\u2013p80", .kind = Kind::band, .style = live_style(), .x = r.x, .y = r.low, .high = r.high},
      {.name = "samples", .kind = Kind::points, .style = live_style(), .x = p.samples.x, .y = p.samples.y}};
  const std::vector<double> ends{p.x.low, p.x.high};
  for (const PinLevel& c : p.pins) {
    const SeriesStyle style = series_style(c.pin->slot);
    all.insert(all.begin(), {.name = name(*c.pin) + " p20\u2013p80",
                             .kind = Kind::band,
                             .style = style,
                             .x = ends,
                             .y = {c.band.low, c.band.low},
                             .high = {c.band.high, c.band.high}});
    all.push_back({.name = name(*c.pin), .style = style, .x = ends, .y = {c.median, c.median}});
  }
  all.push_back({.name = "rolling median", .style = live_style(), .x = r.x, .y = r.median});
  return all;
}

std::optional<Nearest> nearest(const TimingPlot& plot, const Frame& frame, const Series& series, Metric metric,
                               const Work& work, ImVec2 mouse) {
  std::optional<Nearest> best;
  double least = 0;
  const auto offer = [&](const Nearest& n, double distance) {
    if (best && distance >= least) return;
    best = n;
    least = distance;
  };
  const auto drawn = [&](double x, double value) { return frame.pixel(x, std::clamp(value, plot.y.low, plot.y.high)); };
  const auto samples = series.all();
  const uint64_t first = series.first();
  const auto [begin, end] = within(plot.x, first, samples.size());
  if (begin < end) {
    // Those a few pixels around the mouse, and at least the one below it.
    const double per_pixel = frame.x.width() / double(frame.max.x - frame.min.x);
    const double here = frame.x_at(mouse.x) - double(first) - 0.5, reach = std::clamp(12 * per_pixel, 0.5, kMostNear);
    const auto index = [least = double(begin), most = double(end - 1)](double at) {
      return size_t(std::clamp(at, least, most));
    };
    const size_t from = index(std::ceil(here - reach)), to = index(std::floor(here + reach));
    for (size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
      const double value = in_metric(metric, samples[i], work);
      const ImVec2 at = drawn(double(first + i) + 0.5, value);
      offer({nullptr, first + i, value, at}, std::hypot(at.x - mouse.x, at.y - mouse.y));
    }
  }
  for (const PinLevel& c : plot.pins) {
    const ImVec2 at = drawn(std::clamp(frame.x_at(mouse.x), plot.x.low, plot.x.high), c.median);
    offer({c.pin, 0, c.median, at}, std::hypot(at.x - mouse.x, at.y - mouse.y));
  }
  return best;
}

std::optional<size_t> Histogram::bin_at(double value) const {
  if (counts.empty() || value < range.low || value > range.high) return std::nullopt;
  return std::min(counts.size() - 1, size_t(std::max(0.0, place(value, range, log) * double(counts.size()))));
}

Histogram histogram(std::span<const double> samples_ns, Metric metric, const Work& work, bool log, size_t bins) {
  Histogram h;
  h.log = log;
  if (samples_ns.empty() || bins == 0) return h;
  std::vector<double> sorted(samples_ns.begin(), samples_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> values = mapped(sorted, [&](double ns) { return in_metric(metric, ns, work); });
  h.range = robust_range(values, log);
  h.range.pad(log);
  if (log && h.range.low <= 0) h.log = false;
  h.counts.assign(bins, 0);
  h.total = values.size();
  for (const double v : values) {
    if (const auto at = h.bin_at(v))
      ++h.counts[*at];
    else
      ++(v < h.range.low ? h.below : h.above);
  }
  const auto fullest = std::max_element(h.counts.begin(), h.counts.end());
  h.highest = *fullest;
  // A bin at an end may reach beyond the samples.
  const auto [least, most] = std::minmax(values.front(), values.back());
  const Range mode = h.bin(size_t(fullest - h.counts.begin()));
  const double of_mode = std::clamp((mode.low + mode.high) / 2, least, most);
  const auto at = [&](double q) { return in_metric(metric, quantile(sorted, q), work); };
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  const auto name = [&](const char* of_times, const char* of_rates) {
    return metric == Metric::time ? of_times : of_rates;
  };
  h.marks = {{"median", at(0.5)},           {"mean", in_metric(metric, mean, work)}, {name("p99", "p1"), at(0.99)},
             {name("p90", "p10"), at(0.9)}, {name("p75", "p25"), at(0.75)},          {"mode", of_mode}};
  // Of a few samples the others say nothing.
  if (h.total < kFewForMarks) h.marks.resize(2);
  return h;
}

void LiveShape::step(const Live* timed, Metric metric, const Work& work, bool log, const MarkedSamples& marked) {
  MarkedSamples range = marked;
  range.use = MarkedSamples::Use::all;
  marked_(range, [&] { return timed ? summarize(samples_of(range, timed->series)) : std::nullopt; });
  if (!timed) {
    judged_({0, 0, metric, log, {}}, [] { return Judged(); });
    return;
  }
  const Series& s = timed->series;
  // What came since changes nothing of the marked ones alone.
  const uint64_t taken = marked.use == MarkedSamples::Use::only ? 0 : s.taken();
  judged_({s.id(), taken, metric, log, marked.use == MarkedSamples::Use::all ? MarkedSamples() : marked}, [&] {
    const std::vector<double> samples = judged_samples(marked, s);
    const auto bins = std::clamp(size_t(2 * std::sqrt(double(samples.size()))), size_t{16}, kMostBins);
    return Judged{s.id(), gui::histogram(samples, metric, work, log, bins),
                  marked.use == MarkedSamples::Use::all ? std::nullopt : summarize(samples)};
  });
}

}  // namespace attnscope::gui
