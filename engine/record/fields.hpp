// Fields: the members of each struct that is sent or stored, declared once.
//
// A struct joins with one table, fields_of<Struct>, a row for each member (fields_record.hpp and its like). JSON and
// the CSV's columns are made from the tables; whatever else writes or shows such a struct is one more visitor:
//
//   for_each_field(statistics, [](const char* name, const auto& value, const Hint& hint) { ... });
//
// A member without a row, a row twice and a name twice do not compile.
#pragma once

#include <concepts>

#include "engine/words.hpp"

namespace attnscope {

enum class Zero {
  counted,       ///< that it was counted, and is zero
  empty_cell,    ///< not measured: an empty cell of a table; JSON writes 0
  not_measured,  ///< the same, and null in JSON
};

struct Hint {
  Zero zero = Zero::counted;
  bool needed = false;      ///< an object without it is refused; else its absence leaves the default
  const char* column = "";  ///< its name in a flat table of records; "" = it has none, nor have its own fields
  constexpr bool has_column() const { return *column != '\0'; }
};

template <class Struct, class Value>
struct Field {
  const char* name;  ///< in JSON
  Value Struct::*member;
  Hint hint;
};

/// Words of a row, beside Zero.
struct Needed {};
inline constexpr Needed kNeeded;
struct Column {
  const char* name;
};
inline constexpr Column kNoColumn{""};

namespace fields_detail {

constexpr void say(Hint& hint, Zero zero) { hint.zero = zero; }
constexpr void say(Hint& hint, Needed) { hint.needed = true; }
constexpr void say(Hint& hint, Column column) { hint.column = column.name; }

/// Converts to anything. const, so that a type's own constructor that would take it too is the better match.
struct Anything {
  template <class T>
  operator T() const;
};
template <class Struct, class Indices>
struct Members;
template <class Struct, size_t... I>
struct Members<Struct, std::index_sequence<I...>> {
  template <size_t>
  using At = Anything;
  // What converts to any member initializes all of it: no braces are elided, and one more member would take the {}.
  static constexpr bool enough = requires { Struct{At<I>{}...}; };
  static constexpr bool more = requires { Struct{At<I>{}..., {}}; };
};

template <class A, class B>
constexpr bool same_row(const A& a, const B& b) {
  if constexpr (std::same_as<A, B>)
    if (a.member == b.member) return true;
  return std::string_view(a.name) == b.name;
}

/// T itself where it is none.
template <class T>
struct optional_of {
  using type = T;
};
template <class T>
struct optional_of<std::optional<T>> {
  using type = T;
};

}  // namespace fields_detail

template <class Struct, size_t count>
concept HasMembers = fields_detail::Members<Struct, std::make_index_sequence<count>>::enough &&
    !fields_detail::Members<Struct, std::make_index_sequence<count>>::more;

/// A row: name in JSON, member, then in any order a Zero, kNeeded, and Column{"name"} or kNoColumn.
template <class Struct, class Value, class... Words>
constexpr Field<Struct, Value> field(const char* name, Value Struct::*member, Words... words) {
  Hint hint{.column = name};
  (fields_detail::say(hint, words), ...);
  return {name, member, hint};
}

/// The table of a struct, in the order in which its JSON is written.
template <class Struct, class... Values>
constexpr std::tuple<Field<Struct, Values>...> declare(const Field<Struct, Values>&... rows) {
  static_assert(HasMembers<Struct, sizeof...(Values)>, "every member of the struct has one row in its table");
  const auto times = [&](const auto& row) { return (0 + ... + int(fields_detail::same_row(row, rows))); };
  if (((times(rows) != 1) || ...)) throw "a member or a name has two rows in the table";
  return {rows...};
}

struct NoFields {};
template <class Struct>
inline constexpr NoFields fields_of{};

/// Declares the table of a struct: FIELDS(Statistics, FIELD(count), field("x", &Statistics::y)).
#define FIELDS(Struct, ...)                      \
  template <>                                    \
  inline constexpr auto fields_of<Struct> = [] { \
    using Fielded = Struct;                      \
    return declare(__VA_ARGS__);                 \
  }()
/// In it, the row of a member whose name in JSON is its own.
#define FIELD(member, ...) ::attnscope::field(#member, &Fielded::member __VA_OPT__(, ) __VA_ARGS__)

template <class T>
concept Declared = !std::same_as<std::remove_cvref_t<decltype(fields_of<T>)>, NoFields>;
/// Also where there may be none.
template <class T>
concept OptionalDeclared = Declared<typename fields_detail::optional_of<T>::type>;

/// Calls visit(name, value, hint) for each field of `object`. A value that is Declared itself is the visitor's to open.
template <class Struct, class Visit>
requires Declared<std::remove_const_t<Struct>>
constexpr void for_each_field(Struct& object, Visit&& visit) {
  const auto one = [&](const auto& row) { visit(row.name, object.*row.member, row.hint); };
  std::apply([&](const auto&... rows) { (one(rows), ...); }, fields_of<std::remove_const_t<Struct>>);
}

/// The struct as one row of a flat table: visit(const Value* value, hint) for each field that has a column, nested
/// structs opened. The value is nullptr where an optional struct, or `object` itself, is absent: columns stay the same.
template <Declared Struct, class Visit>
constexpr void for_each_column(const Struct* object, Visit&& visit) {
  // By index, since only what has a column is to be compiled for it.
  const auto one = [&]<size_t i>(std::integral_constant<size_t, i>) {
    constexpr auto row = std::get<i>(fields_of<Struct>);
    if constexpr (row.hint.has_column()) {
      using Value = std::remove_cvref_t<decltype(object->*row.member)>;
      const Value* value = object ? &(object->*row.member) : nullptr;
      if constexpr (Declared<Value>)
        for_each_column(value, visit);
      else if constexpr (OptionalDeclared<Value>)
        for_each_column<typename Value::value_type>(value && *value ? &**value : nullptr, visit);
      else
        visit(value, row.hint);
    }
  };
  const auto all = [&]<size_t... i>(std::index_sequence<i...>) { (one(std::integral_constant<size_t, i>()), ...); };
  all(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<Struct>)>>>());
}

}  // namespace attnscope
