// A record as one flat row of cells, by the tables of fields: databases, CSV files and pages are made from it, and
// records are read back through it.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "engine/record/fields_record.hpp"
#include "engine/visible.hpp"

namespace attnscope {

/// Nothing, a number or a text. Integers above 2^63 - 1 are text: their digits.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;

inline bool empty(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

/// "A=1,B=2" as to_text(Config) writes it; a bad_input error names what is not such a pair.
Result<Config> config_from_text(std::string_view text);

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
    if (std::in_range<int64_t>(x)) return static_cast<int64_t>(x);
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

/// The value that a cell says, be it a number or, as in a CSV file, its text. What says none throws std::runtime_error
/// with "expected a number, found 'x'".
template <class T>
void read_cell(const Cell& cell, T& x) {
  const auto fail = [&](const char* wanted) {
    const auto* text = std::get_if<std::string>(&cell);
    throw std::runtime_error(fmt::format("expected {}, found {}", wanted, text ? "'" + *text + "'" : "a number"));
  };
  const auto* text = std::get_if<std::string>(&cell);
  if constexpr (std::same_as<T, bool>) {
    if (const auto* number = std::get_if<int64_t>(&cell); number && (*number == 0 || *number == 1))
      x = *number == 1;
    else if (text && (*text == "true" || *text == "false"))
      x = *text == "true";
    else
      fail("true or false");
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (text) {
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), x);
      if (error != std::errc() || end != text->data() + text->size()) fail("a number");
    } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
      if constexpr (std::integral<T>)
        if (!std::in_range<T>(*integer)) fail("a number in range");
      x = static_cast<T>(*integer);
    } else if (std::floating_point<T>) {
      x = static_cast<T>(std::get<double>(cell));
    } else {
      fail("an integer");
    }
  } else if constexpr (requires { x.has_value(); }) {
    read_cell(cell, x.emplace());
  } else {
    if (!text) fail("a text");
    if constexpr (std::same_as<T, std::string>) {
      x = *text;
    } else if constexpr (std::is_enum_v<T>) {
      for (size_t i = 0; i < kEnumerators<T>; ++i)
        if (to_text(static_cast<T>(i)) == *text) {
          x = static_cast<T>(i);
          return;
        }
      fail("one of its words");
    } else {
      auto parsed = [&] {
        if constexpr (std::same_as<T, Problem>)
          return parse_problem(*text);
        else
          return config_from_text(*text);
      }();
      if (!parsed) throw std::runtime_error(parsed.error().message);
      x = *std::move(parsed);
    }
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

template <Declared Struct, class Find>
void read_columns(Struct& object, const Find& find);

namespace flat_detail {

template <size_t i, class Struct, class Find>
void read_column(Struct& object, const Find& find) {
  constexpr auto row = std::get<i>(fields_of<Struct>);
  if constexpr (row.hint.has_column()) {
    auto& value = object.*row.member;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (Declared<Value>) {
      read_columns(value, find);
    } else if constexpr (OptionalDeclared<Value>) {
      bool any = false;
      for_each_column<typename Value::value_type>(nullptr, [&](const auto*, const Hint& hint) {
        const Cell* cell = find(hint.column);
        any = any || (cell && !empty(*cell));
      });
      if (any) read_columns(value.emplace(), find);
    } else if (const Cell* cell = find(row.hint.column); cell && !empty(*cell)) {
      try {
        read_cell(*cell, value);
      } catch (const std::exception& e) {
        throw std::runtime_error(fmt::format("{}: {}", row.hint.column, e.what()));
      }
    }
  }
}

}  // namespace flat_detail

/// The reverse of for_each_column: `find(name)` gives the cell of that column or nullptr. What is missing or empty
/// keeps its default; a nested struct that may be absent is there when any of its cells is. Throws as read_cell does,
/// with the column's name.
template <Declared Struct, class Find>
void read_columns(Struct& object, const Find& find) {
  constexpr size_t rows = std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<Struct>)>>;
  [&]<size_t... i>(std::index_sequence<i...>) { (flat_detail::read_column<i>(object, find), ...); }
  (std::make_index_sequence<rows>());
}

}  // namespace attnscope
