#include "app/gui/plot/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope::gui {

Distribution distribution(const Pin* pin, std::span<const double> quantiles_ns, Metric metric, const Work& work) {
  Distribution d{pin, {}, {}};
  for (size_t i = 0; i < quantiles_ns.size(); ++i) {
    d.value.push_back(in_metric(metric, quantiles_ns[i], work));
    d.share.push_back(quantiles_ns.size() > 1 ? 100 * double(i) / double(quantiles_ns.size() - 1) : 50);
  }
  return d;
}

std::optional<NearestShare> nearest(std::span<const Distribution> all, const Frame& frame, ImVec2 mouse) {
  std::optional<NearestShare> best;
  const double share = std::clamp(frame.y_at(mouse.y), 0.0, 100.0);
  for (size_t i = 0; i < all.size(); ++i) {
    const Distribution& d = all[i];
    if (d.value.empty()) continue;
    const double place = share / 100 * double(d.value.size() - 1);
    const size_t left = std::min(size_t(place), d.value.size() - 1), right = std::min(left + 1, d.value.size() - 1);
    const double value = d.value[left] + (place - double(left)) * (d.value[right] - d.value[left]);
    const ImVec2 at = frame.pixel(std::clamp(value, frame.x.low, frame.x.high), share);
    if (!best || std::abs(at.x - mouse.x) < std::abs(best->at.x - mouse.x)) best = {i, value, share, at};
  }
  return best;
}

}  // namespace attnscope::gui
