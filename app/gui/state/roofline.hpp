// The roofline as it is drawn: made when what it shows has changed, not for each frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/plot/roofline_plot.hpp"
#include "app/gui/state/why.hpp"

namespace attnscope::gui {

class Roofline {
 public:
  /// Call once a frame in view. `device`: device_key(), "" = none; `now`: of the run shown.
  const RooflinePlot& look(const std::optional<Peaks>&, const Tried&, const std::string& device, const Why& now);
  /// Of what look() made last.
  const std::vector<RooflineSpot>& spots_in(const Frame&, float cell);
  /// Plots and lists of spots made so far, for whoever wants to know what a frame costs.
  uint64_t made() const { return made_; }

 private:
  RooflinePlot plot_;
  std::vector<RooflineSpot> spots_;
  std::optional<Peaks> peaks_;
  std::string device_;
  uint64_t tried_ = ~0ull, why_ = ~0ull, made_ = 0;
  std::vector<double> drawn_in_;  ///< the frame and cell of spots_; empty: they are old
};

}  // namespace attnscope::gui
