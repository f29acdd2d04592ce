#include "app/gui/plot/rolling.hpp"

#include <algorithm>

namespace attnscope::gui {
namespace {

constexpr size_t kJudged = 256;  ///< samples of a stretch that its quantiles are taken of

}  // namespace

Rolling roll(std::span<const double> samples_ns, size_t from, size_t to, Metric metric, const Work& work,
             uint64_t number) {
  Rolling r;
  to = std::min(to, samples_ns.size());
  if (from >= to) return r;
  const size_t stretch = std::max<size_t>(1, (to - from + kStretches - 1) / kStretches);
  std::vector<double> sorted;
  for (size_t begin = from; begin < to;) {
    // A rest too short to judge belongs to its neighbour.
    size_t end = begin + stretch - size_t((number + begin) % stretch);
    if (end - begin < (stretch + 1) / 2) end += stretch;
    if (end + stretch / 2 > to) end = to;
    sorted.clear();
    for (size_t i = begin; i < end; i += std::max<size_t>(1, (end - begin) / kJudged)) sorted.push_back(samples_ns[i]);
    std::sort(sorted.begin(), sorted.end());
    const double a = in_metric(metric, quantile(sorted, 0.2), work), b = in_metric(metric, quantile(sorted, 0.8), work);
    r.x.push_back(double(begin + end) / 2);
    r.median.push_back(in_metric(metric, quantile(sorted, 0.5), work));
    r.low.push_back(std::min(a, b));
    r.high.push_back(std::max(a, b));
    begin = end;
  }
  // A line from edge to edge, also of one stretch.
  const auto edge = [](std::vector<double>& v) {
    v.insert(v.begin(), v.front());
    v.push_back(v.back());
  };
  for (auto* v : {&r.x, &r.median, &r.low, &r.high}) edge(*v);
  r.x.front() = double(from);
  r.x.back() = double(to);
  return r;
}

std::vector<double> quantiles(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end()), out;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < kQuantiles && !sorted.empty(); ++i)
    out.push_back(quantile(sorted, double(i) / double(kQuantiles - 1)));
  return out;
}

}  // namespace attnscope::gui
