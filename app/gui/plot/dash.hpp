// A line in pixels cut into the strokes of its dash, and to the box it is drawn in. Plain geometry.
#pragma once

#include <span>
#include <vector>

#include <imgui.h>

#include "app/gui/plot/style.hpp"

namespace attnscope::gui {

/// Lines behind one another in one list; each ends before points[ends[i]].
struct Strokes {
  std::vector<ImVec2> points;
  std::vector<size_t> ends;
};

struct Box {
  ImVec2 min, max;
};

/// What of `line` lies in the box, dashed; `scale` multiplies the dash. The dash runs on along the whole line, so that
/// it does not crawl when the box cuts it elsewhere, and what lies outside costs nothing, however long it is. A point
/// that is not finite breaks the line.
Strokes strokes(std::span<const ImVec2> line, Dash dash, float scale, const Box& box);

}  // namespace attnscope::gui
