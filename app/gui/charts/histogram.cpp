#include "app/gui/charts/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attnscope::gui {
namespace {

double place(double value, const Range& range, bool log) {
  if (!log) return (value - range.low) / range.width();
  return std::log(std::max(value, 1e-300) / range.low) / std::log(range.high / range.low);
}

}  // namespace

std::optional<size_t> Histogram::bin_at(double value) const {
  if (counts.empty() || value < range.low || value > range.high) return std::nullopt;
  const double at = place(value, range, log) * double(counts.size());
  return std::min(counts.size() - 1, size_t(std::max(0.0, at)));
}

Histogram histogram(std::span<const double> samples_ns, Metric metric, const Work& work, bool log, size_t bins) {
  Histogram h;
  h.log = log;
  if (samples_ns.empty() || bins == 0) return h;
  std::vector<double> sorted(samples_ns.begin(), samples_ns.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> values;
  values.reserve(sorted.size());
  for (const double ns : sorted) values.push_back(in_metric(metric, ns, work));
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
  const Range mode = h.bin(size_t(fullest - h.counts.begin()));
  const auto at = [&](double q) { return in_metric(metric, quantile(sorted, q), work); };
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  h.marks = {{"median", "median", at(0.5)}, {"mean", "mean", in_metric(metric, mean, work)},
             {"P99", "p99", at(0.99)},      {"P90", "p90", at(0.9)},
             {"P75", "p75", at(0.75)},      {"mode", "mode", (mode.low + mode.high) / 2}};
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
