// The axes of a plot as plain numbers: which range shows a set of values, zooming and panning, ticks, and where a value
// lies in pixels.
#pragma once

#include <imgui.h>

#include "app/gui/worker/series.hpp"

namespace attnscope::gui {

struct Range {
  double low = 0, high = 0;
  bool empty = true;
  static Range of(double low, double high) { return {low, high, false}; }
  double width() const { return high - low; }
  void include(double value);
  void include(const Range&);
  /// Some air, and never nothing; on a logarithmic axis by a factor.
  void pad(bool log);
  bool operator==(const Range&) const = default;
};

/// All values but far outliers: what lies more than three interquartile distances beyond a quartile is left out, of
/// each side at most a twentieth of the values (or two). On a logarithmic axis distances are ratios, and only positive
/// values count. Costs the same for a million values as for a few thousand.
Range robust_range(std::span<const double> values, bool log);

/// `factor` < 1 is closer; `at` stays where it is.
Range zoomed(const Range&, double at, double factor, bool log);
/// Moved so that what was at `from` is at `to`.
Range panned(const Range&, double from, double to, bool log);

/// A plot's data in pixels. y grows upwards.
struct Frame {
  ImVec2 min, max;
  Range x, y;
  bool log = false;  ///< of y
  ImVec2 pixel(double x, double y) const;
  double x_at(float pixel) const { return x.low + double(pixel - min.x) / (max.x - min.x) * x.width(); }
  double y_at(float pixel) const;
};

struct Tick {
  double at = 0;
  std::string text;
};
/// Values within the range, above 0, that are these multiples of every such power of ten.
std::vector<double> decades(const Range&, const std::vector<double>& multiples, int every = 1);
/// At most about `most` round values in the metric, and at least two, in one unit chosen by size, with the digits that
/// tell them apart: "19.50 ms", "860 GFLOP/s".
std::vector<Tick> metric_ticks(const Range&, bool log, Metric, int most);
/// Whole numbers: "12,000".
std::vector<Tick> count_ticks(const Range&, int most);

/// Whether a place is within reach of the mouse; then the reach is its distance.
inline bool nearer(ImVec2 at, ImVec2 mouse, float& reach) {
  const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
  if (distance > reach) return false;
  reach = distance;
  return true;
}

}  // namespace attnscope::gui
