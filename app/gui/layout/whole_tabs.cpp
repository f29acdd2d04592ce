#include "app/gui/layout/whole_tabs.hpp"

#include <algorithm>

namespace attnscope::gui {

std::vector<size_t> whole_tabs(const std::vector<float>& widths, float room, int chosen) {
  std::vector<size_t> shown;
  const bool any = chosen >= 0 && size_t(chosen) < widths.size();
  size_t next = 0;
  for (; next < widths.size() && widths[next] <= room; ++next) {
    shown.push_back(next);
    room -= widths[next];
  }
  if (!any || size_t(chosen) < next) return shown;
  while (!shown.empty() && room < widths[size_t(chosen)]) {
    room += widths[shown.back()];
    shown.pop_back();
  }
  shown.push_back(size_t(chosen));
  return shown;
}

}  // namespace attnscope::gui
