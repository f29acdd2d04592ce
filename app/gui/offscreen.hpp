// The off-screen app with any sessions behind it, not only workers.
#pragma once

#include <filesystem>

#include "app/gui/gui.hpp"
#include "app/gui/link.hpp"

namespace attnscope::gui {

/// As render_screenshot; the measuring goes through `link`.
Result<void> render_offscreen(const GuiOptions&, std::vector<LinkOptions> link, const std::filesystem::path& out_png);

}  // namespace attnscope::gui
