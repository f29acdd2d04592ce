#include "engine/measure/units.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
constexpr size_t kGiga = 3;
constexpr std::array kTimeUnits{TimeUnit{"ns", 1}, TimeUnit{"µs", 1e3}, TimeUnit{"ms", 1e6}, TimeUnit{"s", 1e9}};
/// Values that so many digits round up to the next unit.
double next_unit(int digits) { return 1000 - 0.5 * std::pow(10, 3 - digits); }

std::string rate_text(double per_second, std::string_view what) {
  if (!std::isfinite(per_second) || per_second <= 0) return "";
  size_t prefix = 0;
  for (; per_second >= next_unit(4) && prefix + 1 < kPrefixes.size(); ++prefix) per_second /= 1000;
  return fmt::format("{} {}{}", four_digits(per_second), kPrefixes[prefix], what);
}

}  // namespace

TimeUnit choose_time_unit(std::span<const double> times_ns) {
  if (times_ns.empty()) return kTimeUnits[1];
  std::vector<double> sorted(times_ns.begin(), times_ns.end());
  std::ranges::sort(sorted);
  TimeUnit chosen = kTimeUnits[0];
  for (const TimeUnit& unit : kTimeUnits)
    if (sorted[sorted.size() / 2] >= unit.ns) chosen = unit;
  return chosen;
}

std::optional<double> time_unit_ns(std::string_view name) {
  for (const TimeUnit& unit : kTimeUnits)
    if (name == unit.name || (name == "us" && unit.ns == 1e3)) return unit.ns;
  return std::nullopt;
}

RateUnit choose_rate_unit(std::span<const double> per_second, std::string_view what) {
  std::vector<double> rates = filtered(per_second, [](double rate) { return std::isfinite(rate) && rate > 0; });
  const auto unit = [&](size_t prefix) {
    return RateUnit{std::string(kPrefixes[prefix]).append(what), std::pow(1000.0, double(prefix))};
  };
  if (rates.empty()) return unit(kGiga);
  std::ranges::sort(rates);
  size_t prefix = kPrefixes.size() - 1;
  while (prefix > 0 && (rates[rates.size() / 2] < unit(prefix).size || rates.front() < 0.01 * unit(prefix).size))
    --prefix;
  return unit(prefix);
}

std::string time_text(double ns, int digits) {
  if (!std::isfinite(ns) || ns <= 0) return "";
  TimeUnit unit = kTimeUnits[0];
  for (const TimeUnit& larger : kTimeUnits)
    if (ns >= next_unit(digits) * 1e-3 * larger.ns) unit = larger;
  return fmt::format("{} {}", significant(ns / unit.ns, digits), unit.name);
}

std::string flops_text(double flop_per_second) { return rate_text(flop_per_second, "FLOP/s"); }
std::string bytes_rate_text(double bytes_per_second) { return rate_text(bytes_per_second, "B/s"); }

std::string significant(double x, int digits) {
  if (!std::isfinite(x)) return "";
  if (x == 0) return "0";
  const double magnitude = std::abs(x);
  if (magnitude < 1e-3 || magnitude >= 1e7) return fmt::format("{:.{}e}", x, digits - 1);
  // After rounding, so that of four digits 999.96 becomes 1000 and not 1000.0.
  const int before = int(std::floor(std::log10(magnitude * (1 + 0.5 * std::pow(10, -digits))))) + 1;
  return fmt::format("{:.{}f}", x, std::clamp(digits - before, 0, 6));
}

std::string error_text(double x) { return std::isfinite(x) ? fmt::format("{:.2e}", x) : ""; }

size_t display_width(std::string_view text) {
  return size_t(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string cut_to(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t end = 0;
  for (size_t columns = 0; end < text.size(); ++end)
    if ((text[end] & 0xc0) != 0x80 && ++columns == width) break;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace attnscope
