// How often a sample took how long: bins along the value axis, and the marks that summarize them.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "app/gui/charts/axis.hpp"
#include "app/gui/model/live.hpp"
#include "app/gui/model/memo.hpp"

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

  Range bin(size_t i) const {
    const auto edge = [&](size_t k) {
      const double part = double(k) / double(counts.size());
      return log ? range.low * std::pow(range.high / range.low, part) : range.low + part * range.width();
    };
    return Range::of(edge(i), edge(i + 1));
  }
  std::optional<size_t> bin_at(double value) const;
  double share(size_t bin) const { return total > 0 ? double(counts[bin]) / double(total) : 0; }
};

/// Marks are of times, also as rates: P90 is what nine of ten executions stay within. The mode is the middle of the
/// fullest bin. Empty for no samples.
Histogram histogram(std::span<const double> samples_ns, Metric, const Work&, bool log, size_t bins);

/// A whole series in as many columns as are seen. All times in ns.
struct Overview {
  static constexpr size_t kColumns = 512;  ///< at most
  struct Column {
    double low = 0, median = 0, high = 0;
  };
  std::vector<Column> columns;
  uint64_t start = 0, stretch = 1;  ///< column i holds the samples from number start + i * stretch
  uint64_t taken = 0;
};
Overview overview(const Series&);

// How the samples of what is shown are distributed, and how they went from the first to the last: made anew when there
// are more of them, not for each frame.

class LiveShape {
 public:
  static constexpr size_t kMostBins = 80;

  // What a person chose; remembered between starts.
  bool distribution = true;  ///< the histogram stands beside the curve
  bool overview = true;      ///< the strip stands under the plot

  /// `timed`: what is shown now, or nullptr; `log`: of the value axis; `marked`: of its samples, or none.
  void step(const Live* timed, Metric, const Work&, bool log, const MarkedSamples& marked);
  /// Of the very samples that the headline's median is of.
  const Histogram& histogram() const { return judged_.value().histogram; }
  /// The headline's: of the newest samples, or of what a person made of them by marking some.
  const Statistics& statistics(const Series& s) const {
    const Judged& judged = judged_.value();
    return judged.series == s.id() && judged.statistics ? *judged.statistics : *s.statistics();
  }
  /// Of the marked samples; none: nothing is marked.
  const std::optional<Statistics>& marked() const { return marked_.value(); }
  const Overview& whole() const { return whole_.value(); }

 private:
  struct Judged {
    uint64_t series = 0;  ///< Series::id(); 0 = of none
    Histogram histogram;
    std::optional<Statistics> statistics;  ///< where it is not the series' own
  };
  /// By series, samples, metric, axis and what is marked.
  Memo<std::tuple<uint64_t, uint64_t, Metric, bool, MarkedSamples>, Judged> judged_;
  Memo<MarkedSamples, std::optional<Statistics>> marked_;
  Memo<std::pair<uint64_t, uint64_t>, Overview> whole_;  ///< by series and samples
};

}  // namespace attnscope::gui
