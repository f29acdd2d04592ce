// A record as one flat row of cells, by the tables of fields: databases, CSV files and pages are made from it.
#pragma once

#include "engine/record/fields_record.hpp"
#include "engine/visible.hpp"

namespace attnscope {

/// Nothing, a number or a text. Integers above 2^63 - 1 are text: their digits.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;

/// Parts of a problem that stand beside its text in flat tables, so that one can sort and filter by them.
template <class Visit>
constexpr void for_each_problem_column(const Problem& p, Visit&& visit) {
  visit("batch", p.batch);
  visit("heads_q", p.heads_q);
  visit("heads_kv", p.heads_kv);
  visit("seq_q", p.seq_q);
  visit("seq_kv", p.seq_kv);
  visit("head_dim", p.head_dim);
  visit("v_dim", p.v_dim);
  visit("dtype", p.dtype);
  visit("causal", p.causal);
}

/// A value's cell. A number that is not finite has an empty one, as it is null in JSON.
template <class T>
Cell cell_of(const T& x) {
  if constexpr (std::same_as<T, bool>) {
    return int64_t{x};
  } else if constexpr (std::integral<T>) {
    if (std::in_range<int64_t>(x)) return int64_t(x);
    return fmt::format("{}", x);
  } else if constexpr (std::floating_point<T>) {
    return std::isfinite(x) ? Cell(double(x)) : Cell();
  } else if constexpr (std::same_as<T, std::string>) {
    return x;
  } else if constexpr (requires { x.has_value(); }) {
    return x ? cell_of(*x) : Cell();
  } else {
    return std::string(to_text(x));
  }
}

/// Quoted where it has to be.
inline std::string csv_escaped(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// "" for what is not there and for what is not a number.
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
