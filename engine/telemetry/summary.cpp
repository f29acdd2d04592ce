#include "engine/telemetry/source.hpp"

namespace attnscope {

std::string throttled_text(const Telemetry& t) {
  return joined(t.throttled, ", ", [](const auto& x) { return fmt::format("{} ({:.0f} %)", x.first, 100 * x.second); });
}

std::string sensors_text(const Telemetry& t) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& x, const char* form) {
    if (x) parts.push_back(fmt::format(fmt::runtime(form), *x));
  };
  add(t.watts, "{:.0f} W");
  if (t.joules) {
    const double j = *t.joules;
    const auto [scaled, unit] = j >= 1      ? std::pair(j, "J")
                                : j >= 1e-3 ? std::pair(1e3 * j, "mJ")
                                            : std::pair(1e6 * j, "µJ");
    add_line(parts, "{:.3g} {} an execution", scaled, unit);
  }
  add(t.clock_mhz, "{:.0f} MHz");
  add(t.memory_clock_mhz, "memory {:.0f} MHz");
  add(t.celsius, "{:.0f} °C");
  return joined(parts);
}

namespace telemetry {
namespace {

constexpr double kPeriodMs = 25;
/// A counter moves some ten times a second: between its first and last move these many, over so long, tell the power.
constexpr uint64_t kMoves = 3;
constexpr double kCountedS = 0.15;
/// Readings of power are means over up to a second, so a shorter time says nothing of energy.
constexpr double kPowerS = 1.5;
constexpr double kBusy = 0.8;

}  // namespace

void Summary::Mean::add(const std::optional<double>& x) {
  if (!x) return;
  sum += *x;
  ++count;
}

void Summary::add(const Reading& r, double seconds) {
  if (readings_++ == 0) first_s_ = seconds;
  last_s_ = seconds;
  watts_.add(r.watts);
  clock_.add(r.clock_mhz);
  memory_clock_.add(r.memory_clock_mhz);
  if (r.celsius) celsius_ = std::max(celsius_.value_or(*r.celsius), *r.celsius);
  for (const std::string& why : r.throttled) ++throttled_[why];
  if (!r.joules) return;
  if (joules_ && *r.joules < *joules_) moves_ = 0;  // it began anew
  if (joules_ && *r.joules > *joules_) {
    // When the counter moves is when its value is true.
    if (moves_++ == 0) moved_s_ = seconds, moved_joules_ = *r.joules;
    counted_s_ = seconds - moved_s_;
    counted_joules_ = *r.joules - moved_joules_;
  }
  joules_ = r.joules;
}

Telemetry Summary::of(const std::string& source, double executions, double busy_s, double window_s) const {
  Telemetry t;
  t.source = source;
  t.seconds = last_s_ - first_s_;
  t.readings = readings_;
  const bool counted = moves_ >= kMoves && counted_s_ >= kCountedS;
  t.watts = counted ? std::optional(counted_joules_ / counted_s_) : watts_.value();
  if (t.watts && (counted || t.seconds >= kPowerS) && executions > 0 && busy_s >= kBusy * window_s)
    t.joules = *t.watts * window_s / executions;
  t.clock_mhz = clock_.value();
  t.memory_clock_mhz = memory_clock_.value();
  t.celsius = celsius_;
  for (const auto& [why, count] : throttled_) t.throttled[why] = double(count) / double(readings_);
  return t;
}

Watch::Watch(Source& source) : source_(source) {
  thread_.emplace([this] {
    look();
    return kPeriodMs;
  });
}

void Watch::look() {
  const Reading reading = source_.read();
  summary_.add(reading, seconds_since(start_));
}

Summary Watch::stop() {
  thread_.reset();
  look();
  return summary_;
}

}  // namespace telemetry
}  // namespace attnscope
