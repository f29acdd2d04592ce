#include "app/gui/state/roofline.hpp"

namespace attnscope::gui {

const RooflinePlot& Roofline::look(const std::optional<Peaks>& peaks, const Tried& tried, const std::string& device,
                                   const Why& now) {
  if (tried_ == tried.version() && why_ == now.version() && device_ == device && peaks_ == peaks) return plot_;
  tried_ = tried.version();
  why_ = now.version();
  device_ = device;
  peaks_ = peaks;
  plot_ = roofline_plot(peaks, tried.entries(), device, now.record());
  drawn_in_.clear();
  ++made_;
  return plot_;
}

const std::vector<RooflineSpot>& Roofline::spots_in(const Frame& f, float cell) {
  std::vector<double> in{f.min.x, f.min.y, f.max.x, f.max.y, f.x.low, f.x.high, f.y.low, f.y.high, cell};
  if (drawn_in_ == in) return spots_;
  drawn_in_ = std::move(in);
  spots_ = spots(plot_, f, cell);
  ++made_;
  return spots_;
}

}  // namespace attnscope::gui
