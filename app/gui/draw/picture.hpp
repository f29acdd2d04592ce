// Pictures as files.
#pragma once

#include <filesystem>

#include "app/gui/draw/canvas.hpp"

namespace attnscope::gui {

/// As PNG, atomically (a reader sees the old file or the new one); the error names the path and why (bad_input).
Result<void> save_png(const Picture&, const std::filesystem::path&);
/// The part that lies in both.
Picture crop(const Picture&, int x, int y, int width, int height);

}  // namespace attnscope::gui
