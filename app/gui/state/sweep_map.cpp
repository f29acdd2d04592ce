#include "app/gui/state/sweep_map.hpp"

#include <algorithm>

namespace attnscope::gui {

void SweepMap::choose_axis(const std::string& variant, bool x, const std::string& parameter) {
  auto& [along, up] = axes_[variant];
  std::string& mine = x ? along : up;
  std::string& other = x ? up : along;
  // Both axes of one parameter would be a line: they change places.
  if (other == parameter) other = mine;
  mine = parameter;
}

GridView SweepMap::view_of(const Searched& searched, const Ask& asked) const {
  GridView view;
  view.search = searched.asked().id;
  view.arm = searched.arm_of(variant_);
  const auto& arms = searched.arms();
  if (view.arm == arms.size() && searched.best() >= 0) view.arm = searched.trials()[size_t(searched.best())].arm;
  if (view.arm == arms.size()) view.arm = searched.arm_of(asked.variant);
  if (view.arm == arms.size() && !arms.empty()) view.arm = 0;
  if (view.arm == arms.size()) return view;
  const search::Arm& arm = arms[view.arm].arm;
  // Unless chosen, the two with the most values: what a tile is about.
  std::vector<size_t> order;
  for (size_t p = 0; p < arm.parameters.size(); ++p) order.push_back(p);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return arm.parameters[a].values.size() > arm.parameters[b].values.size();
  });
  if (order.size() > 1) std::sort(order.begin(), order.begin() + 2);
  std::vector<size_t> chosen;
  const auto index = [&](const std::string& name) {
    for (size_t p = 0; p < arm.parameters.size(); ++p)
      if (arm.parameters[p].name == name) return int64_t(p);
    return int64_t(-1);
  };
  const auto axes = axes_.find(arm.variant);
  const int64_t x = axes == axes_.end() ? -1 : index(axes->second.first);
  const int64_t y = axes == axes_.end() ? -1 : index(axes->second.second);
  const auto next = [&](int64_t taken) {
    for (const size_t p : order)
      if (int64_t(p) != taken) return p;
    return order.empty() ? size_t(0) : order.front();
  };
  view.x = x >= 0 ? size_t(x) : next(y);
  view.y = y >= 0 && y != int64_t(view.x) ? size_t(y) : next(int64_t(view.x));
  view.best_of = best_of;
  if (!best_of) view.fixed = asked.variant == arm.variant ? asked.config : arm.default_config;
  // The axes' own values are no part of a slice: moving along them changes nothing.
  if (!best_of && !arm.parameters.empty())
    for (const size_t p : {view.x, view.y}) view.fixed.erase(arm.parameters[p].name);
  return view;
}

void SweepMap::step(const Searched& searched, const Ask& asked) {
  const GridView view = view_of(searched, asked);
  grid.step(searched, view);
  lines.step(searched, view.arm);
}

}  // namespace attnscope::gui
