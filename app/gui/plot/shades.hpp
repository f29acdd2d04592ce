// Colours of cells that more than one drawing has: a panel's, and the file's that is made of it.
#pragma once

#include <string>

#include <imgui.h>

#include "app/gui/plot/tile_map.hpp"

namespace attnscope::gui {

/// Of what is right in an image of errors: beyond lies what a failing element has.
inline constexpr double kBrightestError = 0.78;
/// An error over what is allowed of its element, as ErrorMap has it.
ImU32 error_colour(double ratio);
std::string error_text(double ratio);

namespace shade {
ImU32 whole();
ImU32 partial();
ImU32 skipped();
ImU32 padded();
}  // namespace shade
/// Without its padding.
ImU32 tile_colour(const TileCell&);

}  // namespace attnscope::gui
