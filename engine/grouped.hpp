// Numbers in messages.
#pragma once

#include <concepts>

#include "engine/standard.hpp"

namespace attnscope {

/// 66560 as "66,560"; numbers that are not integers with six digits.
inline std::string grouped(double value) {
  if (value != std::floor(value) || std::fabs(value) >= 0x1p53) return fmt::format("{:.6g}", value);
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return value < 0 ? "-" + digits : digits;
}
template <std::integral T>
std::string grouped(T value) {
  return grouped(static_cast<double>(value));
}

}  // namespace attnscope
