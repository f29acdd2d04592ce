// Numbers from text: whole, finite and within their range, or an error that names the range.
#pragma once

#include <charconv>
#include <concepts>

#include "engine/result.hpp"

namespace attnscope {

template <class T>
struct NumberRange {
  T least, most;
  bool holds(T value) const { return value >= least && value <= most; }  // not so for NaN
};

template <class T>
std::string range_text(const NumberRange<T>& range) {
  return fmt::format("{} from {} to {}", std::integral<T> ? "a whole number" : "a number", range.least, range.most);
}

/// Decimal digits and nothing else (no spaces, no "nan", no "0x"), and never a value that did not fit its type.
template <class T>
Result<T> parse_number(std::string_view text, const NumberRange<T>& range) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !range.holds(value))
    return bad_input("'{}' is not {}", text, range_text(range));
  return value;
}

/// 66560 as "66,560"; numbers that are not integers with six digits.
inline std::string grouped(double value) {
  if (value != std::floor(value) || std::fabs(value) >= 0x1p53) return fmt::format("{:.6g}", value);
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return value < 0 ? "-" + digits : digits;
}
template <std::integral T>
std::string grouped(T value) {
  return grouped(double(value));
}
/// "1.5 GiB", "96 B"; powers of 1024.
inline std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1023.5 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, bytes >= 99.95 || bytes == std::floor(bytes) ? 0 : 1, units[unit]);
}
/// The same, or all digits where that would be no different from `other`.
inline std::string bytes_beside(uint64_t bytes, uint64_t other) {
  std::string text = bytes_text(double(bytes));
  return text == bytes_text(double(other)) ? grouped(bytes) + " bytes" : text;
}

}  // namespace attnscope
