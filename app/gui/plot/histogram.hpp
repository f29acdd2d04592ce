// How often a sample took how long: bins along the value axis, and the marks that summarize them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/plot/axis.hpp"

namespace attnscope::gui {

struct HistogramMark {
  const char* name;  ///< "median", "mean", "P99", "P90", "P75", "mode": the most telling first
  const char* id;    ///< the same for scripts and dumps
  double value = 0;  ///< in the metric
};
struct Histogram {
  Range range;  ///< of the bins: all but far outliers
  bool log = false;
  std::vector<uint64_t> counts;     ///< bins of equal width on that axis, from range.low
  uint64_t below = 0, above = 0;    ///< outside the range
  uint64_t total = 0, highest = 0;  ///< samples in all; in the fullest bin
  std::vector<HistogramMark> marks;

  Range bin(size_t) const;
  std::optional<size_t> bin_at(double value) const;
  double share(size_t bin) const { return total > 0 ? double(counts[bin]) / double(total) : 0; }
};

/// Marks are of times, also as rates: P90 is what nine of ten executions stay within. The mode is the middle of the
/// fullest bin. Empty for no samples.
Histogram histogram(std::span<const double> samples_ns, Metric, const Work&, bool log, size_t bins);

/// Where labels of `height` each go, so that none lies on another: as near to `wanted` as may be, within the range, in
/// the same order. More than there is room for: the last ones are left out (-1).
std::vector<float> spread_labels(const std::vector<float>& wanted, float height, float low, float high);

}  // namespace attnscope::gui
