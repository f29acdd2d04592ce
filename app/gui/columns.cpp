#include "app/gui/columns.hpp"

#include <algorithm>

namespace attnscope::gui {

std::vector<float> fit_columns(std::span<const ColumnWish> wishes, float room, float padding) {
  std::vector<bool> shown(wishes.size(), true);
  const auto needed = [&] {
    float sum = 0;
    for (size_t i = 0; i < wishes.size(); ++i)
      if (shown[i]) sum += wishes[i].least + padding;
    return sum;
  };
  while (needed() > room) {
    size_t first = wishes.size();
    for (size_t i = 0; i < wishes.size(); ++i)
      if (shown[i] && wishes[i].expendable > 0 &&
          (first == wishes.size() || wishes[i].expendable > wishes[first].expendable))
        first = i;
    if (first == wishes.size()) break;
    shown[first] = false;
  }
  const float left = std::max(0.f, room - needed());
  float lacking = 0;
  for (size_t i = 0; i < wishes.size(); ++i)
    if (shown[i]) lacking += std::max(0.f, wishes[i].natural - wishes[i].least);
  const float part = lacking > left ? left / lacking : 1;
  std::vector<float> widths(wishes.size(), 0);
  float spare = left;
  size_t growing = 0;
  for (size_t i = 0; i < wishes.size(); ++i) {
    if (!shown[i]) continue;
    const float more = std::max(0.f, wishes[i].natural - wishes[i].least) * part;
    widths[i] = wishes[i].least + more;
    spare -= more;
    growing += wishes[i].grows;
  }
  for (size_t i = 0; i < wishes.size(); ++i)
    if (shown[i] && wishes[i].grows) widths[i] += std::max(0.f, spare) / float(growing);
  return widths;
}

}  // namespace attnscope::gui
