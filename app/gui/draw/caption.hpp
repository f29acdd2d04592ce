// Words above a picture, drawn with the window's own fonts: what it shows, and of what.
#pragma once

#include <string>
#include <vector>

#include "app/gui/draw/canvas.hpp"

namespace attnscope::gui {

/// A picture as wide as the given one, with a title and lines above it; what is too wide goes on in the next line.
/// Needs loaded fonts (theme.hpp), no device.
Picture captioned(const Picture&, const std::string& title, const std::vector<std::string>& lines);

}  // namespace attnscope::gui
