#include "app/gui/plot/timing_plot.hpp"

#include <algorithm>
#include <cmath>

#include "app/gui/plot/style.hpp"

namespace attnscope::gui {
namespace {

/// Indices of the samples whose middle lies in the range.
std::pair<size_t, size_t> within(const Range& x, uint64_t first, size_t count) {
  const double from = std::ceil(x.low - double(first) - 0.5), to = std::floor(x.high - double(first) - 0.5) + 1;
  const size_t begin = size_t(std::clamp(from, 0.0, double(count))), end = size_t(std::clamp(to, 0.0, double(count)));
  return {begin, std::max(begin, end)};
}

PinCurve curve_of(const Pin& pin, const Range& base, const Range& x, Metric metric) {
  PinCurve curve{&pin, {}, 0, 1};
  const Record& r = *pin.record;
  const size_t count = r.samples_ns.size(), shown = std::min(count, kShown);
  if (shown == 0) return curve;
  // Its last samples over the width of what following shows: level and noise side by side, whatever their number.
  curve.step = base.width() / double(shown);
  curve.offset = base.low - double(count - shown) * curve.step;
  const auto index = [&](double at) {
    return std::clamp((at - curve.offset) / curve.step, double(count - shown), double(count));
  };
  const size_t from = size_t(std::floor(index(x.low))), to = size_t(std::ceil(index(x.high)));
  curve.rolling = roll(r.samples_ns, from, to, metric, {r.flops, r.bytes});
  for (double& at : curve.rolling.x) at = curve.offset + curve.step * at;
  return curve;
}

/// Of each column the highest and the lowest sample are enough to see.
void thin(TimingPlot& plot, std::span<const double> values, double first_x, size_t columns) {
  const size_t step = std::max<size_t>(1, (values.size() + columns - 1) / std::max<size_t>(1, columns));
  const auto put = [&](size_t i) {
    plot.sample_x.push_back(first_x + double(i));
    plot.sample_y.push_back(values[i]);
  };
  for (size_t begin = 0; begin < values.size(); begin += step) {
    const size_t end = std::min(values.size(), begin + step);
    size_t low = end, high = end;
    bool above = false, below = false;
    for (size_t i = begin; i < end; ++i) {
      if (values[i] > plot.y.high) {
        ++plot.count_above;
        above = true;
      } else if (values[i] < plot.y.low) {
        ++plot.count_below;
        below = true;
      } else {
        if (step <= 2) put(i);
        if (low == end || values[i] < values[low]) low = i;
        if (high == end || values[i] > values[high]) high = i;
      }
    }
    if (step > 2 && low != end) put(low);
    if (step > 2 && low != high) put(high);
    const double middle = first_x + double(begin + end - 1) / 2;
    if (above) plot.above.push_back(middle);
    if (below) plot.below.push_back(middle);
  }
}

}  // namespace

TimingPlot timing_plot(const PlotView& view, const Series& series, Metric metric, const Work& work,
                       std::span<const Pin* const> pins, size_t columns) {
  TimingPlot plot;
  plot.x = view.x(series);
  plot.log = view.log();
  const Range base = view.base(series);
  const auto samples = view.samples(series);
  const uint64_t first = view.first(series);
  const auto [begin, end] = within(plot.x, first, samples.size());
  plot.in_view = end - begin;
  plot.rolling = roll(samples, begin, end, metric, work, first);
  for (double& x : plot.rolling.x) x += double(first);
  std::vector<double> values;
  values.reserve(end - begin);
  for (size_t i = begin; i < end; ++i) values.push_back(in_metric(metric, samples[i], work));

  plot.pins_left_out = pins.size() - std::min(pins.size(), kSeriesStyles);
  for (const Pin* pin : pins.subspan(plot.pins_left_out)) plot.pins.push_back(curve_of(*pin, base, plot.x, metric));

  plot.y = view.y();
  if (plot.y.empty) {
    plot.y = robust_range(values, plot.log);
    for (const PinCurve& c : plot.pins) plot.y.include(robust_range(c.rolling.median, plot.log));
    plot.y.pad(plot.log);
  }
  thin(plot, values, double(first + begin) + 0.5, columns);
  return plot;
}

std::optional<Nearest> nearest(const TimingPlot& plot, const Frame& frame, const PlotView& view, const Series& series,
                               Metric metric, const Work& work, ImVec2 mouse) {
  std::optional<Nearest> best;
  double least = 0;
  const auto offer = [&](const Nearest& n, double distance) {
    if (best && distance >= least) return;
    best = n;
    least = distance;
  };
  const auto drawn = [&](double x, double value) { return frame.pixel(x, std::clamp(value, plot.y.low, plot.y.high)); };
  const auto samples = view.samples(series);
  const uint64_t first = view.first(series);
  const auto [begin, end] = within(plot.x, first, samples.size());
  if (begin < end) {
    // Those a few pixels around the mouse, and at least the one below it.
    const double per_pixel = frame.x.width() / double(frame.max.x - frame.min.x);
    const double here = frame.x_at(mouse.x) - double(first) - 0.5, reach = std::max(0.5, 12 * per_pixel);
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
  for (const PinCurve& c : plot.pins) {
    const auto& x = c.rolling.x;
    if (x.size() < 2) continue;
    const double at_x = std::clamp(frame.x_at(mouse.x), x.front(), x.back());
    const size_t right = size_t(std::clamp<std::ptrdiff_t>(std::lower_bound(x.begin(), x.end(), at_x) - x.begin(), 1,
                                                           std::ptrdiff_t(x.size()) - 1));
    const double part = x[right] > x[right - 1] ? (at_x - x[right - 1]) / (x[right] - x[right - 1]) : 0;
    const double value = c.rolling.median[right - 1] + part * (c.rolling.median[right] - c.rolling.median[right - 1]);
    const ImVec2 at = drawn(at_x, value);
    const auto own =
        uint64_t(std::clamp((at_x - c.offset) / c.step, 0.0, double(c.pin->record->samples_ns.size() - 1)));
    offer({c.pin, own, value, at}, std::hypot(at.x - mouse.x, at.y - mouse.y));
  }
  return best;
}

}  // namespace attnscope::gui
