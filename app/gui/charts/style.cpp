#include "app/gui/charts/style.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

// Searched for the greatest least distance (OKLab) among themselves and from the live colour, as seen with protanopia,
// deuteranopia, tritanopia and without; tests/gui/state/style_test.cpp measures it again.
constexpr std::array kOnDark = {IM_COL32(255, 236, 51, 255),  IM_COL32(201, 81, 155, 255),
                                IM_COL32(171, 255, 229, 255), IM_COL32(129, 101, 253, 255),
                                IM_COL32(167, 145, 73, 255),  IM_COL32(178, 203, 182, 255)};
constexpr std::array kOnLight = {IM_COL32(19, 160, 172, 255),  IM_COL32(255, 76, 89, 255), IM_COL32(13, 8, 169, 255),
                                 IM_COL32(167, 103, 255, 255), IM_COL32(127, 12, 0, 255),  IM_COL32(76, 13, 84, 255)};
constexpr std::array kDashes = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
static_assert(kOnLight.size() == kOnDark.size());
static_assert(kOnDark.size() * kDashes.size() == kSeriesStyles);

constexpr std::array dashed = {7.f, 4.f};
constexpr std::array dotted = {2.f, 3.f};
constexpr std::array dash_dot = {9.f, 3.f, 2.f, 3.f};

}  // namespace

std::span<const float> pattern(Dash dash) {
  switch (dash) {
    case Dash::solid: return {};
    case Dash::dashed: return dashed;
    case Dash::dotted: return dotted;
    case Dash::dash_dot: return dash_dot;
  }
  return {};
}

SeriesStyle series_style(size_t slot) {
  const auto& colours = theme_now() == Theme::dark ? kOnDark : kOnLight;
  return {colours[slot % colours.size()], kDashes[slot / colours.size() % kDashes.size()]};
}

SeriesStyle device_style(size_t number) { return series_style(kSeriesStyles - 1 - number % (kSeriesStyles / 3)); }

SeriesStyle live_style() { return {colours::accent, Dash::solid}; }

SeriesStyle variant_style(size_t number) {
  constexpr Dash kDashes[] = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
  return {number / 4 % 2 == 0 ? colours::text : colours::faint, kDashes[number % 4]};
}

namespace {

class Pen {
 public:
  explicit Pen(Strokes& out) : out_(out) {}
  void line(ImVec2 from, ImVec2 to) {
    if (!down_) out_.points.push_back(from);
    out_.points.push_back(to);
    down_ = true;
  }
  void lift() {
    if (down_) out_.ends.push_back(out_.points.size());
    down_ = false;
  }

 private:
  Strokes& out_;
  bool down_ = false;
};

/// Where along the dash the line has come.
class Phase {
 public:
  Phase(std::span<const float> lengths, double scale) : lengths_(lengths), scale_(scale) {
    for (float l : lengths_) period_ += l * scale_;
    left_ = lengths_.empty() ? INFINITY : lengths_[0] * scale_;
  }
  bool stroke() const { return piece_ % 2 == 0; }
  double left() const { return left_; }  ///< of this stroke or gap
  void advance(double length) {
    if (lengths_.empty()) return;
    if (length > period_) length = std::fmod(length, period_);
    while (length >= left_) {
      length -= left_;
      piece_ = (piece_ + 1) % lengths_.size();
      left_ = lengths_[piece_] * scale_;
    }
    left_ -= length;
  }
  void next() {
    piece_ = (piece_ + 1) % lengths_.size();
    left_ = lengths_[piece_] * scale_;
  }

 private:
  std::span<const float> lengths_;
  double scale_, period_ = 0, left_ = 0;
  size_t piece_ = 0;
};

/// The part of a..b within the box, as fractions (Liang and Barsky).
std::optional<std::pair<double, double>> inside(ImVec2 a, ImVec2 b, const Box& box) {
  double enter = 0, leave = 1;
  const double dx = double(b.x) - a.x, dy = double(b.y) - a.y;
  const std::pair<double, double> edges[] = {{-dx, double(a.x) - box.min.x},
                                             {dx, double(box.max.x) - a.x},
                                             {-dy, double(a.y) - box.min.y},
                                             {dy, double(box.max.y) - a.y}};
  for (const auto& [towards, room] : edges) {
    if (towards == 0) {
      if (room < 0) return std::nullopt;
      continue;
    }
    const double at = room / towards;
    if (towards < 0)
      enter = std::max(enter, at);
    else
      leave = std::min(leave, at);
  }
  if (enter >= leave) return std::nullopt;
  return std::pair{enter, leave};
}

bool finite(ImVec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

}  // namespace

Strokes strokes(std::span<const ImVec2> line, Dash dash, float scale, const Box& box) {
  Strokes out;
  Pen pen(out);
  Phase phase(pattern(dash), scale);
  for (size_t i = 1; i < line.size(); ++i) {
    const ImVec2 a = line[i - 1], b = line[i];
    if (!finite(a) || !finite(b)) {
      pen.lift();
      continue;
    }
    const double dx = double(b.x) - a.x, dy = double(b.y) - a.y, length = std::hypot(dx, dy);
    if (length == 0) continue;
    const auto part = inside(a, b, box);
    if (!part) {
      pen.lift();
      phase.advance(length);
      continue;
    }
    const auto at = [&](double along) {
      return ImVec2{float(a.x + dx * along / length), float(a.y + dy * along / length)};
    };
    double along = part->first * length;
    const double end = part->second * length;
    if (along > 0) {
      pen.lift();
      phase.advance(along);
    }
    while (along < end) {
      const bool whole = along + phase.left() <= end;
      const double next = whole ? along + phase.left() : end;
      if (phase.stroke()) pen.line(at(along), at(next));
      if (whole) {
        pen.lift();
        phase.next();
      } else {
        phase.advance(next - along);
      }
      along = next;
    }
    if (end < length) {
      pen.lift();
      phase.advance(length - end);
    }
  }
  pen.lift();
  return out;
}

}  // namespace attnscope::gui
