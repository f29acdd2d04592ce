// How often a sample took how long: bins along the value axis, and the marks that summarize them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/gui/charts/axis.hpp"
#include "app/gui/model/live.hpp"
#include "app/gui/model/memo.hpp"
#include "app/gui/worker/series.hpp"

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

// A whole series in as many columns as are seen: least, median and greatest of each, made from what is new.

class Overview {
 public:
  static constexpr size_t kColumns = 1024;  ///< at most
  static constexpr size_t kJudged = 128;    ///< samples of a column that its median is taken of
  /// All in ns.
  struct Column {
    double low = 0, median = 0, high = 0;
  };
  /// Follows the series: costs what was added since, and twice in its length all of it.
  void step(const Series&);
  const std::vector<Column>& columns() const { return columns_; }
  /// Samples a column; column i holds those with numbers from start() + i * stretch().
  uint64_t stretch() const { return stretch_; }
  uint64_t start() const { return start_; }
  uint64_t taken() const { return taken_; }
  /// Samples looked at so far, for whoever wants to know what it costs.
  uint64_t looked_at() const { return looked_at_; }

 private:
  void rebuild_from(const Series&, uint64_t sample);
  std::vector<Column> columns_;
  uint64_t series_ = 0, stretch_ = 1, start_ = 0, taken_ = 0, looked_at_ = 0;
};

// How the samples of what is shown are distributed, and how they went from the first to the last: made anew when there
// are more of them, not for each frame.

class LiveShape {
 public:
  static constexpr size_t kBins = 40;

  // What a person chose; remembered between starts.
  bool distribution = true;  ///< the histogram stands beside the curve
  bool log_counts = false;   ///< its bars are by the logarithm of their counts
  bool overview = true;      ///< the strip stands under the plot

  /// `timed`: what is shown now, or nullptr; `log`: of the value axis; `marked`: of its samples, or none.
  void step(const Live* timed, Metric, const Work&, bool log, const MarkedSamples& marked);
  /// Of the very samples that the headline's median is of.
  const Histogram& histogram() const { return judged_.value().histogram; }
  /// The headline's: of the newest samples, or of what a person made of them by marking some.
  const Statistics& statistics(const Series&) const;
  /// Of the marked samples; none: nothing is marked.
  const std::optional<Statistics>& marked() const { return marked_.value(); }
  const Overview& whole() const { return whole_; }

 private:
  struct Judged {
    uint64_t series = 0;  ///< Series::id(); 0 = of none
    Histogram histogram;
    std::optional<Statistics> statistics;  ///< where it is not the series' own
  };
  /// By series, samples, metric, axis and what is marked.
  Memo<std::tuple<uint64_t, uint64_t, Metric, bool, MarkedSamples>, Judged> judged_;
  Memo<MarkedSamples, std::optional<Statistics>> marked_;
  Overview whole_;
};

}  // namespace attnscope::gui
