#include "app/gui/plot/roof_labels.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope::gui {
namespace {

struct Box {
  float x0, y0, x1, y1;
  bool over(const Box& b) const { return x0 < b.x1 && b.x0 < x1 && y0 < b.y1 && b.y0 < y1; }
};

constexpr float kAway = 2;  ///< pixels between a name and its line
constexpr int kPlaces = 24;

/// A roof in pixels: straight, as both axes are logarithmic. y grows downwards.
struct Line {
  ImVec2 a, b;
  float y(float x) const { return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x); }
  bool crosses(const Box& box) const {
    const float left = y(box.x0), right = y(box.x1);
    return std::max(left, right) > box.y0 && std::min(left, right) < box.y1;
  }
};

}  // namespace

std::vector<std::optional<ImVec2>> roof_labels(const RooflinePlot& plot, const Frame& f,
                                               std::span<const ImVec2> sizes) {
  std::vector<Line> lines;
  for (const Roof& roof : plot.roofs)
    lines.push_back({f.pixel(plot.x.low, roof.at(std::pow(10, plot.x.low))),
                     f.pixel(plot.x.high, roof.at(std::pow(10, plot.x.high)))});
  std::vector<std::optional<ImVec2>> labels(plot.roofs.size());
  std::vector<Box> taken;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const ImVec2 size = sizes[i];
    const auto stands = [&](float x, float y) {
      const Box box{x, y, x + size.x, y + size.y};
      if (box.x0 < f.min.x || box.x1 > f.max.x || box.y0 < f.min.y || box.y1 > f.max.y) return false;
      if (std::any_of(taken.begin(), taken.end(), [&](const Box& t) { return box.over(t); })) return false;
      if (std::any_of(lines.begin(), lines.end(), [&](const Line& l) { return l.crosses(box); })) return false;
      taken.push_back(box);
      labels[i] = ImVec2{x, y};
      return true;
    };
    // A level roof has its name at its right end, one that rises where it enters the picture: from there along it, on
    // the side where it does not run into the name, then on the other.
    for (int k = 0; k < kPlaces && !labels[i]; ++k) {
      const float part = float(k) / float(kPlaces - 1);
      if (!plot.roofs[i].memory) {
        const float x = f.max.x - size.x - 3 * kAway - part * (f.max.x - f.min.x - size.x - 4 * kAway);
        if (!stands(x, line.y(x) - size.y - kAway)) stands(x, line.y(x) + kAway);
        continue;
      }
      const float x = f.min.x + 2 * kAway + part * (f.max.x - f.min.x);
      if (!stands(x + kAway, line.y(x) + kAway)) stands(x - size.x - kAway, line.y(x) - size.y - kAway);
    }
  }
  return labels;
}

}  // namespace attnscope::gui
