#include "engine/record/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace attnscope {

TimeUnit choose_time_unit(std::span<const double> times_ns) {
  constexpr std::array units{TimeUnit{"ns", 1}, TimeUnit{"µs", 1e3}, TimeUnit{"ms", 1e6}, TimeUnit{"s", 1e9}};
  if (times_ns.empty()) return units[1];
  std::vector<double> sorted(times_ns.begin(), times_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[sorted.size() / 2];
  TimeUnit chosen = units[0];
  for (const TimeUnit& unit : units)
    if (middle >= unit.ns) chosen = unit;
  return chosen;
}

TimeUnit choose_time_unit(std::span<const Record> records) {
  std::vector<double> medians;
  for (const Record& r : records)
    if (r.statistics) medians.push_back(r.statistics->median);
  return choose_time_unit(medians);
}

std::string four_digits(double x) {
  if (!std::isfinite(x)) return "";
  if (x == 0) return "0";
  const double magnitude = std::abs(x);
  if (magnitude < 1e-3 || magnitude >= 1e7) return fmt::format("{:.3e}", x);
  // After rounding to four digits, so that 999.96 becomes 1000 and not 1000.0.
  const int before = int(std::floor(std::log10(magnitude * (1 + 5e-5)))) + 1;
  return fmt::format("{:.{}f}", x, std::clamp(4 - before, 0, 6));
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.95 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

size_t display_width(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string verdict_word(const Record& r) {
  if (r.verdict) return r.verdict->pass ? "pass" : "FAIL";
  switch (r.outcome) {
    case Outcome::measured:
    case Outcome::verified: return "not verified";
    case Outcome::failed_verdict: return "FAIL";
    default: return std::string(to_text(r.outcome));
  }
}

}  // namespace attnscope
