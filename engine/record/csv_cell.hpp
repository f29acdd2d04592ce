// One cell of a CSV file, from whatever a field is.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "engine/record/fields.hpp"
#include "engine/visible.hpp"

namespace attnscope {

/// Quoted where it has to be.
inline std::string csv_escaped(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// "" for what is not there and for what is no number.
template <class T>
std::string csv_cell(const T& x, Zero zero = Zero::counted) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (zero != Zero::counted && !(x > T{})) return "";
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(x)) return "";
    return fmt::format("{}", x);
  } else if constexpr (requires { x.has_value(); }) {
    return x ? csv_cell(*x, zero) : "";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return csv_escaped(visible(x));
  } else {
    return csv_escaped(to_text(x));
  }
}

}  // namespace attnscope
