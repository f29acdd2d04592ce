// The off-screen app with any sessions behind it, not only workers.
#pragma once

#include <filesystem>

#include "app/gui/gui.hpp"
#include "app/gui/worker/worker_thread.hpp"

namespace attnscope::gui {

/// As render_screenshot; the measuring goes through `link`.
Result<void> render_offscreen(const GuiOptions&, std::vector<WorkerThreadOptions> link,
                              const std::filesystem::path& out_png);

}  // namespace attnscope::gui
