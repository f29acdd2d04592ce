// How the samples of what is shown are distributed, and how they went from the first to the last: made anew when there
// are more of them, not for each frame.
#pragma once

#include <string>

#include "app/gui/plot/histogram.hpp"
#include "app/gui/plot/overview.hpp"
#include "app/gui/state/live.hpp"

namespace attnscope::gui {

class LiveShape {
 public:
  static constexpr size_t kBins = 40;

  // What a person chose; remembered between starts.
  bool distribution = true;  ///< the histogram stands beside the curve
  bool log_counts = false;   ///< its bars are by the logarithm of their counts
  bool overview = true;      ///< the strip stands under the plot

  /// `timed`: what is shown now, or nullptr; `log`: of the value axis.
  void step(const Live* timed, Metric, const Work&, bool log);
  /// Of the very samples that the headline's median is of.
  const Histogram& histogram() const { return histogram_; }
  const Overview& whole() const { return whole_; }

 private:
  Histogram histogram_;
  Overview whole_;
  uint64_t series_ = 0, taken_ = 0;
  Metric metric_ = Metric::time;
  bool log_ = false;
};

}  // namespace attnscope::gui
