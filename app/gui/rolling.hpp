// What the timing plot draws: the newest samples, and their median and spread in short stretches.
#pragma once

#include <vector>

#include "app/gui/series.hpp"

namespace attnscope::gui {

/// Median and p20-p80 of consecutive stretches of samples, in a metric; parallel vectors.
struct Rolling {
  std::vector<double> x, median, low, high;
};
struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void include(double value);
  void include(const Rolling&);
  /// Some air, and never nothing.
  void pad();
};
struct View {
  double first = 0, last = 1;     ///< sample numbers at the edges
  std::vector<double> x, y;       ///< the samples themselves
  Rolling rolling;
  Range range;                    ///< of all but the few farthest samples
};

inline constexpr size_t kShown = 600;      ///< samples in view
inline constexpr size_t kStretches = 48;

/// The last kShown of `samples_ns`, spread over first..last.
Rolling roll(const std::vector<double>& samples_ns, Metric, const Work&, double first, double last);
View view_of(const Series&, Metric, const Work&);

}  // namespace attnscope::gui
