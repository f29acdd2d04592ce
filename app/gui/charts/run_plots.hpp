// Plots of many runs, as plain numbers in the metric shown: bars across problems, curves along an axis, the roofline.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/model/device_state.hpp"
#include "app/gui/model/pins.hpp"
#include "app/gui/model/scaling.hpp"
#include "app/gui/model/session_log.hpp"

namespace attnscope::gui {

/// The pins whose curves are wanted: the newest shown, of this problem (nullptr: of any, each config once).
std::vector<const Pin*> drawn_pins(const Pins&, const Problem* only);

enum class PointState { measured, refused, wrong, failed, unmeasured };
/// What is known of a run on a problem, in the metric shown.
struct RunPoint {
  PointState state = PointState::unmeasured;
  double y = 0, low = 0, high = 0;            ///< median, p20 and p80 (the other way round as a rate)
  std::shared_ptr<const Record> record = {};  ///< measured, or the one that says why it is not; may be nullptr
  std::string why = {};                       ///< it has no point; "" = nobody measured it yet
  bool measured() const { return state == PointState::measured; }
};
/// Of that run, whatever its problem: `own` where that is of the problem, else what the log has, or a row of a file.
RunPoint point_of(const RunId&, const std::shared_ptr<const Record>& own, const Problem&, const SessionLog&,
                  const Pins&, Metric);

/// Of a longer list the first ones: more groups of bars would be narrower than anybody can see, and cost every frame.
inline constexpr size_t kChartProblems = 64;

struct AcrossBar : RunPoint {
  const Pin* pin = nullptr;
  size_t problem = 0;  ///< index into the list
  double x = 0;        ///< middle; problem i stands around i
};
struct AcrossChart {
  std::vector<AcrossBar> bars;
  double bar_width = 0.8;
  Range y;
  bool log = false;  ///< problems so different that short bars would vanish on a linear axis
};

AcrossChart across_chart(const Pins&, const std::vector<Problem>&, const SessionLog&, Metric);
/// The measured ones, of each of these pins that has any; `name`: of a pin.
std::vector<ChartSeries> across_series(const AcrossChart&, std::span<const Pin* const>,
                                       const std::function<std::string(const Pin&)>& name);
/// The bar, or the place of one that is missing, at x; nullptr between the groups.
const AcrossBar* bar_at(const AcrossChart&, double x);

// Curves of measured records along one axis of the problem: plain numbers, in the metric shown.

/// A problem of the axis, or why there is none at this value.
struct ScaledProblem {
  uint32_t value = 0;
  std::optional<Problem> problem;
  std::string text;     ///< of the problem
  std::string why_not;  ///< set where there is no problem
};
std::vector<ScaledProblem> scaled_problems(const Problem& base, ScaleAxis, const std::vector<uint32_t>& values);

struct ScalePoint : RunPoint {
  uint32_t value = 0;
  double x = 0;  ///< log2 of the value
};
/// How a curve's points are found: by the run that they are of, whatever its problem.
struct ScaleRow {
  bool live = false;  ///< what is shown now; else a pin
  uint64_t id = 0;    ///< of the pin
  std::string name;
  RunId run;
  SeriesStyle style;
  std::shared_ptr<const Record> own;  ///< what it is on a problem of its own
  std::string config = {};            ///< named_config()
  bool operator==(const ScaleRow&) const = default;
};
struct ScaleCurve : ScaleRow {
  std::vector<ScalePoint> points;  ///< one for each value
};
struct ScalingPlot {
  std::vector<ScaleCurve> curves;
  Range x, y;  ///< x of log2
  bool log = true;
};

/// A result of so many samples is not measured again.
inline constexpr size_t kEnoughForAPoint = 10;
ScalePoint scale_point(const ScaleRow&, const ScaledProblem&, const SessionLog&, const Pins&, const DeviceState&,
                       Metric);
ScalingPlot scaling_plot(const std::vector<ScaleRow>&, const std::vector<ScaledProblem>&, const SessionLog&,
                         const Pins&, const DeviceState&, Metric, bool log);
/// A band and a line for each stretch of measured points of a curve: what is missing is a gap. x as in the plot.
std::vector<ChartSeries> scaling_series(const ScalingPlot&);
/// The curve and its point nearest to the mouse within `reach` pixels; nullptr: none is.
std::pair<const ScaleCurve*, const ScalePoint*> point_at(const ScalingPlot&, const Frame&, ImVec2 mouse, float reach);
/// "128", "1,024" below the values, as many as fit; one at least.
std::vector<Tick> value_ticks(const std::vector<uint32_t>& values, float pixels, float width_of_one);

// The charts of Scaling and of Across problems as they are drawn: made when what they show has changed.

/// What the plot is of. The live row has no record in it, which is new with every sample: `live` changes now and then.
struct ScalingKey {
  std::vector<ScaleRow> rows;
  Problem problem;
  ScaleAxis axis = ScaleAxis::seq;
  std::vector<uint32_t> values;
  Metric metric = Metric::time;
  bool log = true;
  uint64_t tried = 0, known = 0, pins = 0;  ///< versions
  uint64_t live = 0;                        ///< 0: it has no time
  bool operator==(const ScalingKey&) const = default;
};
struct DrawnScaling {
  ScalingPlot plot;
  std::vector<ChartSeries> series;
  size_t due = 0;               ///< points that are not known yet
  std::vector<Selection> also;  ///< the first of them: a worker is asked whether they can run
};

// The roofline of a device with a point for every config of a session.

/// A roof: memory's rises with the intensity, arithmetic's is level.
struct Roof {
  std::string name;           ///< "device memory", "fma f32", "matrix f16 f32"
  double value = 0;           ///< GB/s, or TFLOP/s
  bool memory = false;        ///< GB/s
  double at(double x) const;  ///< TFLOP/s at x FLOP/B
};
struct RoofedPoint {
  double x = 0, y = 0;  ///< FLOP per byte moved (what the problem needs and what the tiles move again), TFLOP/s
  const Record* record = nullptr;
  bool current = false;  ///< the run that is shown
  bool best = false;     ///< of its problem
};
struct RooflinePlot {
  std::vector<Roof> roofs;
  std::vector<RoofedPoint> points;  ///< the best of their problems after the others, the current one last
  Range x, y;                       ///< of all points, and of the roofs there
};
/// For an axis of FLOP per byte, in powers of ten: at least two where it has a third of a decade.
std::vector<Tick> intensity_ticks(const Range&);
/// Points of this device (device_key()) alone, since they stand under its roofs; `now`: the run shown, or nullptr.
/// Without ceilings there are no roofs. Of points on one spot of the picture one is left.
RooflinePlot roofline_plot(const std::optional<Peaks>&, const std::vector<SessionLog::Entry>&,
                           const std::string& device, const Record* now);
/// The point nearest to the mouse within `reach` pixels, or nullptr. The frame's x is log10.
const RoofedPoint* point_at(const RooflinePlot&, const Frame&, ImVec2 mouse, float reach);

/// As it is drawn, by ceilings, versions of the log and of Why, and device.
using DrawnRoofline = Memo<std::tuple<std::optional<Peaks>, uint64_t, uint64_t, std::string>, RooflinePlot>;

}  // namespace attnscope::gui
