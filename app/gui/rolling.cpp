#include "app/gui/rolling.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace attnscope::gui {

void Range::include(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

void Range::include(const Rolling& r) {
  for (double v : r.low) include(v);
  for (double v : r.high) include(v);
}

void Range::pad() {
  if (empty) {
    high = 1;
    return;
  }
  const double room = std::max((high - low) * 0.25, std::abs(high) * 0.02);
  low = std::max(0.0, low - room);
  high += room * 1.6;  // the legend lies at the top
}

Rolling roll(const std::vector<double>& samples_ns, Metric metric, const Work& work, double first, double last) {
  Rolling r;
  const std::span<const double> all(samples_ns);
  const auto shown = all.last(std::min(all.size(), kShown));
  if (shown.empty()) return r;
  const size_t stretch = std::max<size_t>(1, (shown.size() + kStretches - 1) / kStretches);
  std::vector<double> sorted;
  for (size_t begin = 0; begin < shown.size(); begin += stretch) {
    const auto part = shown.subspan(begin, std::min(stretch, shown.size() - begin));
    sorted.assign(part.begin(), part.end());
    std::sort(sorted.begin(), sorted.end());
    const double middle = double(begin) + double(part.size() - 1) / 2;
    r.x.push_back(first + (last - first) * (middle + 0.5) / double(shown.size()));
    r.median.push_back(in_metric(metric, quantile(sorted, 0.5), work));
    r.low.push_back(in_metric(metric, quantile(sorted, 0.2), work));
    r.high.push_back(in_metric(metric, quantile(sorted, 0.8), work));
  }
  // One stretch makes a line too.
  if (r.x.size() == 1) {
    r.x = {first, last};
    for (auto* v : {&r.median, &r.low, &r.high}) v->push_back(v->front());
  }
  return r;
}

View view_of(const Series& series, Metric metric, const Work& work) {
  View view;
  const auto& samples = series.samples();
  const size_t shown = std::min(samples.size(), kShown);
  if (shown == 0) return view;
  const size_t skip = samples.size() - shown;
  view.first = double(series.first() + skip);
  view.last = view.first + double(shown);
  for (size_t i = skip; i < samples.size(); ++i) {
    view.x.push_back(double(series.first() + i) + 0.5);
    view.y.push_back(in_metric(metric, samples[i], work));
  }
  view.rolling = roll(samples, metric, work, view.first, view.last);
  std::vector<double> sorted = view.y;
  std::sort(sorted.begin(), sorted.end());
  view.range.include(quantile(sorted, 0.02));
  view.range.include(quantile(sorted, 0.98));
  return view;
}

}  // namespace attnscope::gui
