#include "app/gui/layout.hpp"

#include <algorithm>

namespace attnscope::gui {
namespace {

constexpr float kLeastLeft = 188, kLeastRight = 178, kLeastCentre = 400;
constexpr float kCentreShare = 0.48f;  ///< of the window: what the centre gets before the sides do

}  // namespace

Columns columns_of(float whole, float gap, const Chosen& chosen) {
  const float room = whole - 2 * gap;
  const float centre = std::max(kLeastCentre, kCentreShare * whole);
  const float left = std::max(kLeastLeft, chosen.left), right = std::max(kLeastRight, chosen.right);
  const float sides = std::max(kLeastLeft + kLeastRight, room - centre);
  Columns c{left, 0, right};
  if (left + right > sides) {
    // What each has beyond its least is what it can give.
    const float spare = left + right - kLeastLeft - kLeastRight;
    const float kept = spare > 0 ? (sides - kLeastLeft - kLeastRight) / spare : 0;
    c.left = kLeastLeft + (left - kLeastLeft) * kept;
    c.right = kLeastRight + (right - kLeastRight) * kept;
  }
  c.centre = std::max(0.f, room - c.left - c.right);
  return c;
}

Rows rows_of(float height) {
  Rows r;
  r.least_plot = std::clamp(height * 0.36f, 140.f, 260.f);
  r.most_bottom = std::max(120.f, height * 0.42f);
  r.most_parameters = std::max(96.f, height - r.least_plot - std::clamp(height * 0.26f, 150.f, 200.f));
  return r;
}

}  // namespace attnscope::gui
