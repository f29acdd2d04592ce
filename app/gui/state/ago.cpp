#include "app/gui/state/ago.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace attnscope::gui {

std::string short_when(const std::string& utc, std::time_t now) {
  std::tm t{};
  const std::string day = utc.substr(0, 10);
  if (std::sscanf(utc.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min,
                  &t.tm_sec) != 6)
    return day;
  t.tm_year -= 1900;
  t.tm_mon -= 1;
  const long minutes = long(now - ::timegm(&t)) / 60;
  constexpr long kHour = 60, kDay = 24 * kHour;
  // A clock that was set back since tells nothing of how long ago.
  if (minutes < 0 || minutes >= 7 * kDay) return day;
  if (minutes < 1) return "now";
  if (minutes < kHour) return fmt::format("{} min ago", minutes);
  return minutes < kDay ? fmt::format("{} h ago", minutes / kHour) : fmt::format("{} d ago", minutes / kDay);
}

}  // namespace attnscope::gui
