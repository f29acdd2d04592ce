#include "app/gui/charts/chart.hpp"

#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

// Searched for the greatest least distance (OKLab) among themselves and from the live colour, as seen with protanopia,
// deuteranopia, tritanopia and without; tests/gui/state/style_test.cpp measures it again.
constexpr std::array kOnDark = {IM_COL32(255, 236, 51, 255),  IM_COL32(201, 81, 155, 255),
                                IM_COL32(171, 255, 229, 255), IM_COL32(129, 101, 253, 255),
                                IM_COL32(167, 145, 73, 255),  IM_COL32(178, 203, 182, 255)};
constexpr std::array kOnLight = {IM_COL32(167, 103, 255, 255), IM_COL32(255, 76, 89, 255), IM_COL32(13, 8, 169, 255),
                                 IM_COL32(19, 160, 172, 255),  IM_COL32(127, 12, 0, 255),  IM_COL32(76, 13, 84, 255)};
constexpr std::array kDashes = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
static_assert(kOnLight.size() == kOnDark.size());
static_assert(kOnDark.size() * kDashes.size() == kSeriesStyles);

constexpr std::array dashed = {7.f, 4.f};
constexpr std::array dotted = {2.f, 3.f};
constexpr std::array dash_dot = {9.f, 3.f, 2.f, 3.f};

/// Where a segment enters the box and leaves it, of its length; the other way round: it does not.
std::pair<double, double> inside(ImVec2 a, ImVec2 b, const Box& box) {
  double enter = 0, leave = 1;
  const auto clip = [&](double from, double by, double low, double high) {
    if (by == 0 && (from < low || from > high)) leave = 0;
    if (by == 0) return;
    const double x = (low - from) / by, y = (high - from) / by;
    enter = std::max(enter, std::min(x, y));
    leave = std::min(leave, std::max(x, y));
  };
  clip(a.x, double(b.x) - a.x, box.min.x, box.max.x);
  clip(a.y, double(b.y) - a.y, box.min.y, box.max.y);
  return {enter, leave};
}

}  // namespace

std::span<const float> pattern(Dash dash) {
  return std::array<std::span<const float>, 4>{{{}, dashed, dotted, dash_dot}}[size_t(dash)];
}

SeriesStyle series_style(size_t slot) {
  const auto& colours = theme_now() == Theme::dark ? kOnDark : kOnLight;
  return {colours[slot % colours.size()], kDashes[slot / colours.size() % kDashes.size()]};
}

SeriesStyle live_style() { return {colours::accent, Dash::solid}; }

SeriesStyle variant_style(size_t number) {
  return {number / 4 % 2 == 0 ? colours::text : colours::faint, kDashes[number % 4]};
}

Strokes strokes(std::span<const ImVec2> line, Dash dash, float scale, const Box& box) {
  constexpr double kNudge = 1e-6;  // past where a stroke or a gap ends
  Strokes out;
  const std::span<const float> lengths = pattern(dash);
  double period = 0, phase = 0;  // how far along the pattern the line has come
  for (const float length : lengths) period += length * scale;
  double way_x = 0, way_y = 0;  // of the piece before, of length 1
  bool down = false;
  const auto lift = [&] {
    if (std::exchange(down, false)) out.ends.push_back(out.points.size());
  };
  for (size_t i = 1; i < line.size(); ++i) {
    const ImVec2 a = line[i - 1], b = line[i];
    const double dx = double(b.x) - a.x, dy = double(b.y) - a.y, length = std::hypot(dx, dy);
    if (length == 0) continue;
    if (!std::isfinite(length)) {
      lift();
      continue;
    }
    // One polyline that turns back so sharply is drawn with gaps.
    if (way_x * dx + way_y * dy < -0.7 * length) lift();
    way_x = dx / length;
    way_y = dy / length;
    const auto [enter, leave] = inside(a, b, box);
    if (enter > 0 || enter >= leave) lift();
    const auto at = [&](double along) {
      return ImVec2{float(a.x + dx * along / length), float(a.y + dy * along / length)};
    };
    const double end = enter < leave ? leave * length : 0;
    for (double along = enter * length; along < end;) {
      double left = INFINITY;  // of this stroke or gap
      size_t piece = 0;
      if (period > 0) {
        double come = std::fmod(phase + along + kNudge, period);
        while (piece + 1 < lengths.size() && come >= lengths[piece] * scale) come -= lengths[piece++] * scale;
        left = std::max(kNudge, lengths[piece] * scale - come + kNudge);
      }
      const double next = std::min(end, along + left);
      if (piece % 2 == 0) {
        if (!std::exchange(down, true)) out.points.push_back(at(along));
        out.points.push_back(at(next));
      }
      if (along + left <= end) lift();
      along = next;
    }
    if (end < length) lift();
    if (period > 0) phase = std::fmod(phase + length, period);
  }
  lift();
  return out;
}

}  // namespace attnscope::gui
