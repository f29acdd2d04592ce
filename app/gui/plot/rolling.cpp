#include "app/gui/plot/rolling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

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

namespace {

using Places = std::span<const size_t>;

/// Puts what a whole sort would put there at these places, which are ascending; the rest lies anywhere between.
void sort_at(std::span<double> values, size_t offset, Places places) {
  if (places.empty() || values.size() < 2) return;
  const size_t middle = places.size() / 2, at = places[middle] - offset;
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(at), values.end());
  sort_at(values.first(at), offset, places.first(middle));
  sort_at(values.subspan(at + 1), offset + at + 1, places.subspan(middle + 1));
}

}  // namespace

std::vector<double> quantiles(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end()), out;
  // A quantile lies between two neighbours.
  std::set<size_t> places;
  for (size_t i = 0; i < kQuantiles && !sorted.empty(); ++i) {
    const double at = double(i) / double(kQuantiles - 1) * double(sorted.size() - 1);
    for (const double place : {std::floor(at) - 1, std::floor(at), std::floor(at) + 1})
      if (place >= 0 && place < double(sorted.size())) places.insert(size_t(place));
  }
  const std::vector<size_t> all(places.begin(), places.end());
  sort_at(sorted, 0, all);
  for (size_t i = 0; i < kQuantiles && !sorted.empty(); ++i)
    out.push_back(quantile(sorted, double(i) / double(kQuantiles - 1)));
  return out;
}

}  // namespace attnscope::gui
