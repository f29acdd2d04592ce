// How samples are distributed, as a curve: the share of them at or below a time, or at or above a rate.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/gui/plot/axis.hpp"
#include "app/gui/state/pins.hpp"

namespace attnscope::gui {

struct Distribution {
  const Pin* pin = nullptr;          ///< none: the live one
  std::vector<double> value, share;  ///< in the metric; percent; parallel
};
/// From quantiles().
Distribution distribution(const Pin*, std::span<const double> quantiles_ns, Metric, const Work&);

/// The curve nearest to a place, at that place's height.
struct NearestShare {
  size_t index = 0;
  double value = 0, share = 0;
  ImVec2 at;
};
std::optional<NearestShare> nearest(std::span<const Distribution>, const Frame&, ImVec2 mouse);

}  // namespace attnscope::gui
