// Words above a picture, drawn with the window's own fonts: what it shows, and of what.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/draw/canvas.hpp"

namespace attnscope::gui {

/// A picture as wide as the given one, with the chart's title, its lines, the names of its axes and its legend above
/// it; what is too wide goes on in the next line.
/// Needs loaded fonts (theme.hpp), no device.
Picture captioned(const Picture&, const Chart& of);

}  // namespace attnscope::gui
