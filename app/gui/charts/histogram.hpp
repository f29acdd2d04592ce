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

// How the samples of what is shown are distributed: made anew when there are more of them, not for each frame.

class LiveShape {
 public:
  static constexpr size_t kMostBins = 80;

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

 private:
  struct Judged {
    uint64_t series = 0;  ///< Series::id(); 0 = of none
    Histogram histogram;
    std::optional<Statistics> statistics;  ///< where it is not the series' own
  };
  /// By series, samples, metric, axis and what is marked.
  Memo<std::tuple<uint64_t, uint64_t, Metric, bool, MarkedSamples>, Judged> judged_;
  Memo<MarkedSamples, std::optional<Statistics>> marked_;
};

}  // namespace attnscope::gui
