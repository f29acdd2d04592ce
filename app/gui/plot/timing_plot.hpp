// All that the timing plot draws, made from the samples in view: plain numbers, in the metric shown.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/gui/plot/rolling.hpp"
#include "app/gui/state/pins.hpp"
#include "app/gui/state/plot_view.hpp"

namespace attnscope::gui {

struct PinCurve {
  const Pin* pin = nullptr;
  Rolling rolling;              ///< x in numbers of live samples
  double offset = 0, step = 1;  ///< x = offset + step * index of the pin's own sample
  bool few = false;             ///< fewer samples than tell a course: it is the level of their median
  int beyond = 0;               ///< 1: all of it is above the axis, -1: below
};

struct TimingPlot {
  Range x, y;
  bool log = false;
  std::vector<double> sample_x, sample_y;  ///< within y; thinned to the highest and the lowest of each column
  std::vector<double> above, below;        ///< x of what lies beyond the edges, once a column
  uint64_t count_above = 0, count_below = 0;
  uint64_t in_view = 0;
  Rolling rolling;  ///< x in sample numbers
  std::vector<PinCurve> pins;
  size_t pins_left_out = 0;
};

/// Pins of fewer samples than this, and than there are live ones, are levels: what so few scatter is no course.
inline constexpr size_t kFewSamples = 20;

/// The value axis is led by the live samples, and shows the curves of pins too; a level only where it lies near them.
/// `columns`: pixels across, at scale 1. No more curves of pins than there are styles: the newest ones. `also`: a value
/// that the axis shows too. What lies so far off that the curve would be flat does not stretch the axis, pins neither.
TimingPlot timing_plot(const PlotView&, const Series&, Metric, const Work&, std::span<const Pin* const> pins,
                       size_t columns, std::optional<double> also = {});

/// What is nearest to a place in the plot, in pixels.
struct Nearest {
  const Pin* pin = nullptr;  ///< none: the live series
  uint64_t sample = 0;       ///< number of the live sample, or of the pin's own, from 0
  double value = 0;          ///< of the sample; of a pin, its rolling median there
  ImVec2 at;                 ///< where it is drawn: at the edge when the value lies beyond
};
/// nullopt: nothing is in view. Samples count as they are, not only the ones drawn.
std::optional<Nearest> nearest(const TimingPlot&, const Frame&, const PlotView&, const Series&, Metric, const Work&,
                               ImVec2 mouse);

}  // namespace attnscope::gui
