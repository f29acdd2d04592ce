#include "app/gui/draw/icon.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope::gui {
namespace {

/// How much of a pixel at x, y lies within a square with round corners: all lengths of a picture of 256.
float within(float x, float y, float left, float top, float side, float round, float pixel) {
  const float dx = std::max({left + round - x, x - (left + side - round), 0.f});
  const float dy = std::max({top + round - y, y - (top + side - round), 0.f});
  return std::clamp((round - std::hypot(dx, dy)) / pixel + 0.5f, 0.f, 1.f);
}

}  // namespace

Picture icon(int size) {
  constexpr std::array<float, 3> ground{21, 26, 33}, seen{86, 180, 233}, masked{43, 52, 65};
  Picture p{size, size, std::vector<uint8_t>(size_t(size) * size_t(size) * 4)};
  const float pixel = 256.f / float(size);
  for (int py = 0; py < size; ++py)
    for (int px = 0; px < size; ++px) {
      const float x = (float(px) + 0.5f) * pixel, y = (float(py) + 0.5f) * pixel;
      std::array<float, 3> colour = ground;
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) {
          const float share = within(x, y, 44 + 58 * float(column), 44 + 58 * float(row), 52, 8, pixel);
          for (size_t c = 0; c < 3; ++c) colour[c] += ((column <= row ? seen : masked)[c] - colour[c]) * share;
        }
      uint8_t* out = &p.rgba[(size_t(py) * size_t(size) + size_t(px)) * 4];
      for (size_t c = 0; c < 3; ++c) out[c] = uint8_t(std::lround(colour[c]));
      out[3] = uint8_t(std::lround(255 * within(x, y, 0, 0, 256, 52, pixel)));
    }
  return p;
}

}  // namespace attnscope::gui
