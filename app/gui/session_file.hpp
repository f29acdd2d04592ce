// What a person collected, kept over a restart: pins with their samples, and the session log.
#pragma once

#include <string>
#include <vector>

#include "app/gui/workbench.hpp"

namespace attnscope::gui {

/// What is kept, as a copy that another thread may write.
struct SessionCopy {
  std::vector<Pin> pins;
  std::vector<Tried::Entry> tried;
  std::map<std::string, std::vector<Version>> versions = {};
  std::vector<UnsavedText> unsaved = {};
  bool empty() const { return pins.empty() && tried.empty() && versions.empty() && unsaved.empty(); }
};
SessionCopy session_of(const Workbench&);
/// Beside the settings: "window.json" has its session in "window.session.json".
std::string session_path(const std::string& settings_path);
/// Log entries are kept without their samples, pins with them. Atomic.
Result<void> save_session(const std::string& path, const SessionCopy&);
/// Adds what the file has to an empty workbench and says so. A file that cannot be read is set aside under another
/// name, and the note that is returned says so; else that is "".
std::string restore_session(const std::string& path, Workbench&);

/// The same of what such a file holds; an error changes nothing.
Result<void> session_from(const std::string& text, Workbench&);

/// Moves a file that cannot be used out of the way and says under which name, X.bad: "; it was moved to X.bad".
std::string set_aside(const std::string& path);

}  // namespace attnscope::gui
