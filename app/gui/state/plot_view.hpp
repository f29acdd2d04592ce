// What of the live samples the timing plot shows: the newest, or a stretch that a person chose, and then just that one,
// however many samples come after it, for as long as they are in reach.
#pragma once

#include <cstdint>
#include <span>

#include "app/gui/ask.hpp"
#include "app/gui/plot/axis.hpp"

namespace attnscope::gui {

class PlotView {
 public:
  static constexpr double kClosest = 4;  ///< samples across, at the least

  /// To be told each frame what is shown: another run is followed from its newest sample, another metric has heights of
  /// its own.
  void show(const Ask&, const Modes&, Metric, const Series&);
  bool follows() const { return !held_; }
  void follow();
  /// The value axis. Remembered between starts.
  bool log() const { return log_; }
  void set_log(bool);

  /// Around a point of the plot as drawn, along x, y or both; `factor` < 1 is closer. From then on nothing moves by
  /// itself.
  void zoom(const Frame&, double at_x, double at_y, double factor, bool x, bool y, const Series&);
  /// By so many pixels.
  void pan(const Frame&, float dx, float dy, const Series&);
  /// To where `middle` (a sample number) lies in the middle, as wide as it is.
  void go(double middle, const Series&);

  /// The samples in reach and the number of the first: all that the series still has.
  std::span<const double> samples(const Series& s) const { return s.whole().all(); }
  uint64_t first(const Series& s) const { return s.whole().first(); }
  /// The sample numbers at the edges.
  Range x(const Series&) const;
  /// What following showed, or would show: pinned curves span this.
  Range base(const Series&) const;
  /// The values at the edges; empty: whatever the samples in view need.
  const Range& y() const { return y_; }

  /// As last drawn; for the dump.
  Range drawn_x, drawn_y;
  uint64_t drawn_above = 0, drawn_below = 0;

 private:
  void hold(const Range& x, const Series&);
  void keep_in_reach(const Series&);

  bool log_ = false, held_ = false;
  Ask ask_;
  Modes modes_;
  Metric metric_ = Metric::time;
  Range x_, y_, base_;
  uint64_t series_ = 0;  ///< Series::id()
};

}  // namespace attnscope::gui
