// What is remembered between starts: layout, window, and what was asked last.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/gui/ui.hpp"

namespace attnscope::gui {

struct WindowSize {
  int width = 0, height = 0;
};

/// $XDG_CONFIG_HOME/attnscope/window.json, or ~/.config/…; "" when neither is known.
std::string default_settings_path();
/// Fills what the file has; a file that is missing or damaged changes nothing. Returns a note for the log when damaged.
std::string load_settings(const std::string& path, Workbench&, Layout&, WindowSize&);
/// Makes the folder if need be. ImGui's own state (column widths) goes with it.
Result<void> save_settings(const std::string& path, const Workbench&, const Layout&, const WindowSize&);

}  // namespace attnscope::gui
