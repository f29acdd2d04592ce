// The roofline of a device with a point for every config of a session, as plain numbers: what the panel draws.
#pragma once

#include <tuple>

#include "app/gui/charts/axis.hpp"
#include "app/gui/model/session_log.hpp"
#include "app/gui/worker/memo.hpp"

namespace attnscope::gui {

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
