// What of the live samples the timing plot shows: the newest, or a stretch that a person chose, and then just that one,
// however many samples come after it.
#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/ask.hpp"
#include "app/gui/plot/axis.hpp"

namespace attnscope::gui {

class PlotView {
 public:
  static constexpr size_t kHeld = 200000;  ///< samples kept while a stretch is held; what comes then is not in reach
  static constexpr double kClosest = 4;    ///< samples across, at the least

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

  /// The samples in reach and the number of the first: all that the series has, or those from when the stretch was
  /// chosen.
  std::span<const double> samples(const Series& s) const {
    return held_ ? std::span<const double>(kept_) : s.samples();
  }
  uint64_t first(const Series& s) const { return held_ ? first_ : s.first(); }
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
  void hold(const Frame&, const Series&);
  void keep_in_reach();

  bool log_ = false, held_ = false;
  Ask ask_;
  Modes modes_;
  Metric metric_ = Metric::time;
  Range x_, y_, base_;
  std::vector<double> kept_;
  uint64_t first_ = 0;
};

}  // namespace attnscope::gui
