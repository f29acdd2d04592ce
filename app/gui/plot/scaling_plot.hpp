// Curves of measured records along one axis of the problem: plain numbers, in the metric shown.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/gui/plot/axis.hpp"
#include "app/gui/plot/style.hpp"
#include "app/gui/state/pins.hpp"
#include "app/gui/state/scaling.hpp"
#include "app/gui/state/tried.hpp"

namespace attnscope::gui {

/// A problem of the axis, or why there is none at this value.
struct ScaledProblem {
  uint32_t value = 0;
  std::optional<Problem> problem;
  std::string text;     ///< of the problem
  std::string why_not;  ///< set where there is no problem
};
std::vector<ScaledProblem> scaled_problems(const Problem& base, ScaleAxis, const std::vector<uint32_t>& values);

enum class PointState { measured, refused, wrong, failed, unmeasured };
struct ScalePoint {
  uint32_t value = 0;
  double x = 0;                     ///< log2 of the value
  double y = 0, low = 0, high = 0;  ///< median, p20 and p80 (the other way round as a rate)
  PointState state = PointState::unmeasured;
  std::shared_ptr<const Record> record;  ///< measured, or the one that says why it is not; may be nullptr
  std::string why;                       ///< it has no point
};
struct ScaleCurve {
  enum class Kind { live, pin, baseline };
  Kind kind = Kind::pin;
  uint64_t id = 0;  ///< of the pin; of a baseline's series its number
  std::string name;
  SeriesStyle style;
  bool shown = true;
  std::vector<ScalePoint> points;  ///< one for each value
};
struct ScalingPlot {
  std::vector<ScaleCurve> curves;  ///< baselines first: what is measured here lies above them
  size_t left_out = 0;             ///< curves that there is no style for
  Range x, y;                      ///< x of log2
  bool log = true;
};

/// How a curve's points are found: by the run that they are of, whatever the problem (run_key).
struct ScaleRow {
  ScaleCurve::Kind kind = ScaleCurve::Kind::pin;
  uint64_t id = 0;
  std::string name, key;
  SeriesStyle style;
  bool shown = true;
  std::shared_ptr<const Record> own;  ///< what it is on a problem of its own
};

/// A result of so many samples is not measured again.
inline constexpr size_t kEnoughForAPoint = 10;
/// A baseline has no more curves than there are dashes.
inline constexpr size_t kBaselineCurves = 4;

/// The point of one run on one problem, from what was tried.
ScalePoint scale_point(const ScaleRow&, const ScaledProblem&, const Tried&, Metric);
ScalingPlot scaling_plot(const std::vector<ScaleRow>&, const std::vector<ScaledProblem>&, const Tried&,
                         const std::optional<Baseline>&, Metric, bool log);
SeriesStyle baseline_style(size_t number);
/// The curve and its point nearest to the mouse within `reach` pixels; nullptr: none is.
std::pair<const ScaleCurve*, const ScalePoint*> point_at(const ScalingPlot&, const Frame&, ImVec2 mouse, float reach);
/// "128", "1,024" below the values, as many as fit; one at least.
std::vector<Tick> value_ticks(const std::vector<uint32_t>& values, float pixels, float width_of_one);

}  // namespace attnscope::gui
