// When a run was, in few letters.
#pragma once

#include <ctime>
#include <string>

namespace attnscope::gui {

/// "now", "12 min ago", "5 h ago", within a week "3 d ago", else the day: "2026-11-22". `utc` as records have it
/// ("2026-11-22T16:10:05Z"), `now` in seconds of Unix time; what cannot be read comes back as it begins.
std::string short_when(const std::string& utc, std::time_t now);

}  // namespace attnscope::gui
