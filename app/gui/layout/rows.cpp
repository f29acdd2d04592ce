#include "app/gui/layout/rows.hpp"

#include <algorithm>

namespace attnscope::gui {

Rows rows_of(float height) {
  Rows r;
  // A low column leaves the plot what one line of controls and a curve need: what stands below is no use with less.
  r.least_plot = std::clamp(std::min(height * 0.36f, height * 0.6f - 170), 140.f, 260.f);
  r.soft_bottom = std::clamp(height * 0.33f, 150.f, 190.f);
  r.most_bottom = std::max(120.f, height * 0.42f);
  r.most_parameters = std::max(96.f, height - r.least_plot - r.soft_bottom);
  return r;
}

}  // namespace attnscope::gui
