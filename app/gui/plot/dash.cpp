#include "app/gui/plot/dash.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace attnscope::gui {
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
