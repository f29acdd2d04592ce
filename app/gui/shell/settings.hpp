// What is remembered between starts: layout, window, and what was asked last.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

struct WindowSize {
  int width = 0, height = 0;
};

/// $XDG_CONFIG_HOME/attnscope/window.json, or ~/.config/…; "" when neither is known.
std::string default_settings_path();
/// Fills what the file has; what cannot be is made fit, or left out. A file that is missing changes nothing, and
/// neither does one that cannot be used, which is set aside. Returns a note where there is something to say, else "".
std::string load_settings(const std::string& path, Workbench&, Layout&, WindowSize&);
/// The same of what such a file holds: what was made fit, or why it cannot be used, when nothing is changed.
Result<std::string> settings_from(const std::string& text, Workbench&, Layout&, WindowSize&);
/// What is kept, as such a file holds it.
std::string settings_text(const Workbench&, Layout, WindowSize);
/// Makes the folder if need be. Nothing of ImGui's own is kept: its reader trusts what it reads.
Result<void> write_settings(const std::string& path, const std::string& text);

}  // namespace attnscope::gui
