// What a person collected, kept over a restart: pins with their samples, the session log, names and notes.
#pragma once

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

void from_json(const Json&, Remark&);

/// What is kept, as a copy that another thread may write.
struct SessionCopy {
  std::vector<Pin> pins;
  std::vector<SessionLog::Entry> tried;
  std::map<std::string, Remark> remarks;
  std::string settings = {};  ///< as settings_text() has it: what is asked, and the layout; "" = not kept with it
  std::vector<UnsavedText> unsaved = {};
  uint64_t baseline = 0;  ///< id of a pin
  bool empty() const { return pins.empty() && tried.empty() && unsaved.empty() && remarks.empty(); }
  bool operator==(const SessionCopy&) const = default;
};
SessionCopy session_of(const Workbench&);
/// Beside the settings: "window.json" has its session in "window.session.json".
std::string session_path(const std::string& settings_path);

/// The session file that one window writes.
struct OwnSession {
  std::string path;
  std::unique_ptr<FileLock> lock =
      nullptr;     ///< keeps other windows from it; null: it cannot be locked (a read-only home)
  int number = 1;  ///< of the windows that are open
};
/// The first of "window.session.json", "window.2.session.json"… that no other window has.
OwnSession own_session(const std::string& settings_path);

/// Pins with their samples, log entries without. Atomic. What would be too large to be read is not written: an error.
Result<void> save_session(const std::string& path, const SessionCopy&, uint64_t most_bytes = kMaxResultBytes);
/// Adds what the file has to an empty workbench and says so. A file that cannot be read is set aside under another
/// name, and the note that is returned says so; else that is "".
std::string restore_session(const std::string& path, Workbench&);

/// The same of what such a file holds; an error changes nothing. With `replace` what the workbench has goes first. The
/// value is the settings that were kept with it, or "".
Result<std::string> session_from(const std::string& text, Workbench&, bool replace = false);
/// Whether a text that is JSON looks like a session rather than like results.
bool is_session(const std::string& text);

/// Sets a file aside that cannot be used: "Last session put aside: X.aside-1, since it is not JSON".
std::string put_aside(const std::string& what, const std::string& path, const std::string& why);

}  // namespace attnscope::gui
