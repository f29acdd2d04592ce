#include "app/gui/charts/axis.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kEnough = 4096;  ///< values that quantiles are taken of
constexpr double kFar = 3;        ///< interquartile distances

double forward(double v, bool log) { return log ? std::log10(std::max(v, 1e-300)) : v; }
double backward(double v, bool log) { return log ? std::pow(10, v) : v; }

/// 1, 2 or 5 times a power of ten, so that `width` has at most `most` of it.
double round_step(double width, int most) {
  const double least = width / std::max(1, most), power = std::pow(10, std::floor(std::log10(least)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= least * (1 - 1e-9)) return m * power;
  return 10 * power;
}

/// Multiples of the step within the range.
std::vector<double> stepped(const Range& r, double step) {
  std::vector<double> at;
  const double first = std::ceil(r.low / step - 1e-9);
  for (int i = 0; i < 64 && (first + i) * step <= r.high + step * 1e-9; ++i) at.push_back((first + i) * step);
  return at;
}

/// Within less than this ratio round steps are closer together than powers of ten.
constexpr double kFewSteps = 3;

}  // namespace

void Range::include(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

void Range::include(const Range& other) {
  if (other.empty) return;
  include(other.low);
  include(other.high);
}

void Range::pad(bool log) {
  if (empty) *this = log ? of(0.1, 1) : of(0, 1);
  if (log) {
    const double room = std::max(std::pow(high / low, 0.08), 1.01);
    low /= room;
    high *= room;
    return;
  }
  const double room = std::max((high - low) * 0.08, std::abs(high) * 0.01);
  // Nothing measured is below nothing.
  low = low >= 0 ? std::max(0.0, low - room) : low - room;
  high += room > 0 ? room : 1;
}

Range robust_range(std::span<const double> values, bool log) {
  const size_t step = std::max<size_t>(1, values.size() / kEnough);
  std::vector<double> some;
  some.reserve(values.size() / step + 1);
  for (size_t i = 0; i < values.size(); i += step)
    if (std::isfinite(values[i]) && (!log || values[i] > 0)) some.push_back(forward(values[i], log));
  Range r;
  if (some.empty()) return r;
  std::sort(some.begin(), some.end());
  const double q1 = quantile(some, 0.25), q3 = quantile(some, 0.75), room = kFar * (q3 - q1);
  // A second mode is no outlier: only a few of each side are left out, however far they lie.
  const size_t few = std::min(std::max<size_t>(2, some.size() / 20), (some.size() - 1) / 4);
  r.include(backward(std::max(some.front(), std::min(some[few], q1 - room)), log));
  r.include(backward(std::min(some.back(), std::max(some[some.size() - 1 - few], q3 + room)), log));
  return r;
}

Range zoomed(const Range& r, double at, double factor, bool log) {
  const double middle = forward(at, log);
  const double low = middle + (forward(r.low, log) - middle) * factor,
               high = middle + (forward(r.high, log) - middle) * factor;
  return Range::of(backward(low, log), backward(high, log));
}

Range panned(const Range& r, double from, double to, bool log) {
  const double by = forward(from, log) - forward(to, log);
  return Range::of(backward(forward(r.low, log) + by, log), backward(forward(r.high, log) + by, log));
}

ImVec2 Frame::pixel(double at_x, double at_y) const {
  const double low = forward(y.low, log), high = forward(y.high, log);
  return {float(min.x + (at_x - x.low) / x.width() * (max.x - min.x)),
          float(max.y - (forward(at_y, log) - low) / (high - low) * (max.y - min.y))};
}

double Frame::y_at(float pixel) const {
  const double low = forward(y.low, log), high = forward(y.high, log);
  return backward(low + double(max.y - pixel) / (max.y - min.y) * (high - low), log);
}

std::vector<double> decades(const Range& r, const std::vector<double>& multiples, int every) {
  std::vector<double> at;
  for (int d = int(std::floor(std::log10(r.low))); d <= int(std::floor(std::log10(r.high))); ++d)
    for (const double m : multiples)
      if (const double value = m * std::pow(10, d); d % every == 0 && value >= r.low && value <= r.high)
        at.push_back(value);
  return at;
}

std::vector<Tick> metric_ticks(const Range& r, bool log, Metric metric, int most) {
  if (!(r.width() > 0)) return {};
  std::vector<double> values;
  if (log && r.low > 0 && r.high / r.low > kFewSteps)
    for (const auto& [multiples, every] : std::initializer_list<std::pair<std::vector<double>, int>>{
             {{1}, 8}, {{1}, 4}, {{1}, 2}, {{1}, 1}, {{1, 3}, 1}, {{1, 2, 5}, 1}})
      if (auto found = decades(r, multiples, every); int(found.size()) <= most && found.size() > values.size())
        values = std::move(found);
  std::vector<Tick> ticks;
  const auto add = [&](double at, const MetricUnit& unit, const std::string& number) {
    ticks.push_back({at, at == 0 ? "0" : number + " " + unit.name});
  };
  if (values.size() >= 2) {
    for (const double at : values) {
      const MetricUnit unit = unit_for(metric, at);
      add(at, unit, fmt::format("{:.3g}", at / unit.size));
    }
    return ticks;
  }
  // Two at the least, as far apart as can be: one value tells no scale.
  double step = round_step(r.width(), most);
  values = stepped(r, step);
  for (int count = 2 * most; values.size() < 2 && count <= 128; count *= 2) {
    step = round_step(r.width(), count);
    if (const auto finer = stepped(r, step); finer.size() > 2) values = {finer.front(), finer.back()};
  }
  // Where it does not begin at 0 that of its middle, which is that of most of what is drawn.
  const MetricUnit unit =
      unit_for(metric, r.low > 0 ? (r.low + r.high) / 2 : std::max(std::abs(r.low), std::abs(r.high)));
  const int digits = std::clamp(int(-std::floor(std::log10(step / unit.size) + 1e-9)), 0, 9);
  for (const double at : values) add(at, unit, fmt::format("{:.{}f}", at / unit.size, digits));
  return ticks;
}

std::vector<Tick> count_ticks(const Range& r, int most) {
  std::vector<Tick> ticks;
  if (!(r.width() > 0)) return ticks;
  for (const double at : stepped(r, std::max(1.0, round_step(r.width(), most))))
    if (at >= 0) ticks.push_back({at, count_text(uint64_t(at))});
  return ticks;
}

}  // namespace attnscope::gui
