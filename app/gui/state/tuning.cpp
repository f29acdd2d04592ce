#include "app/gui/state/tuning.hpp"

#include <ctime>

#include <fmt/format.h>

namespace attnscope::gui {

std::string ago(const std::string& time_utc, int64_t now) {
  std::tm tm{};
  const char* end = ::strptime(time_utc.c_str(), "%Y-%m-%dT%H:%M:%S", &tm);
  if (end == nullptr) return "";
  const int64_t seconds = now - int64_t(::timegm(&tm));
  if (seconds < 60) return "just now";
  if (seconds < 3600) return fmt::format("{} min ago", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h ago", seconds / 3600);
  return fmt::format("{} days ago", seconds / 86400);
}

std::string provenance(const tune::TunedMatch& match, int64_t now) {
  if (match.shipped) return "shipped table";
  const std::string when = ago(match.entry.time_utc, now);
  return when.empty() ? "tuned here" : "tuned here, " + when;
}

}  // namespace attnscope::gui
