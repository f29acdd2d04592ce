// What JSON owes to each field of a struct, asked of every row of its table.
#pragma once

#include <typeinfo>

#include "engine/record/json_fields.hpp"
#include "tests/has.hpp"

namespace attnscope {

/// A value that is not `x`, for any type that a field has; of a struct one that differs in every field.
template <class T>
T another(T x) {
  using namespace json_detail;
  if constexpr (Declared<T>) {
    for_each_field(x, [](const char*, auto& value, const Hint&) { value = another(value); });
    return x;
  } else if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>((size_t(x) + 1) % kEnumerators<T>);
  } else if constexpr (std::is_integral_v<T>) {
    return x == std::numeric_limits<T>::max() ? T(x - 1) : std::numeric_limits<T>::max();
  } else if constexpr (std::is_floating_point_v<T>) {
    return x + 1.0 / 3;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return x + "a \"quoted\", two-line\ntext with µ";
  } else if constexpr (std::is_same_v<T, Problem>) {
    return *parse_problem("1x8x64x64:q=3:kv=2:dv=32:causal:scale=0.3:page=16:in=ramp:f16");
  } else if constexpr (Optional<T>) {
    return another(x.value_or(typename T::value_type{}));
  } else if constexpr (Map<T>) {
    x["key with µ"] = another(typename T::mapped_type{});
    return x;
  } else {
    static_assert(List<T>, "say here what another value of this type is");
    if constexpr (requires { x.resize(2); }) x.resize(2);
    for (auto& item : x) item = another(typename T::value_type{});
    return x;
  }
}

/// Field by field, since not every struct can be compared.
template <Declared T>
void expect_same_fields(const T& a, const T& b) {
  std::string differing;
  const auto compare = [&](const auto& row) {
    if (!(a.*row.member == b.*row.member)) differing += std::string(" ") + row.name;
  };
  std::apply([&](const auto&... rows) { (compare(rows), ...); }, fields_of<T>);
  EXPECT_EQ(differing, "");
}

template <Declared T>
void expect_round_trip(const T& value) {
  const auto json = must(parse_json(dump_line(encode(value)), "text"));
  const auto back = must(decode<T>(*json, "value"));
  expect_same_fields(*back, value);
}

/// Through T and back.
template <Declared T>
Result<Json> through(const Json& json) {
  const auto value = decode<T>(json, "value");
  if (!value) return value.error();
  return encode(*value);
}
/// One field: it travels alone, is asked for where it is needed, and a wrong value of it is refused by its place.
/// `json`: with another value of that field than the default.
inline void expect_field(const char* name, bool needed, Json json, const Json& defaults,
                         Result<Json> (*again)(const Json&)) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(json.contains(name));
  EXPECT_FALSE(json.at(name).is_null());
  EXPECT_NE(json.at(name), defaults.at(name));
  const auto back = must(again(json));
  EXPECT_EQ(*back, json);

  json[name] = Json::array({Json::array()});
  const auto wrong = again(json);
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.starts_with("value." + std::string(name))) << wrong.error().message;

  json.erase(name);
  const auto without = again(json);
  ASSERT_EQ(bool(without), !needed);
  if (without)
    EXPECT_EQ(*without, defaults);
  else
    EXPECT_EQ(without.error().message, "value: the field \"" + std::string(name) + "\" is missing");
}
template <Declared T, class Value>
void expect_field(const Field<T, Value>& row) {
  T one{};
  one.*row.member = another(one.*row.member);
  expect_round_trip(one);
  expect_field(row.name, row.hint.needed, encode(one), encode(T{}), &through<T>);
  if constexpr (json_detail::Optional<Value>) {
    one.*row.member = typename Value::value_type{};
    expect_round_trip(one);  // a zero that was counted is not an absent number
  }
}

template <Declared T>
void expect_every_field_travels() {
  std::apply([](const auto&... rows) { (expect_field(rows), ...); }, fields_of<T>);
  expect_round_trip(T{});
  expect_round_trip(another(T{}));
  std::vector<std::string> names, written;
  T value{};
  for_each_field(value, [&](const char* name, auto&, const Hint&) { names.push_back(name); });
  const Json json = encode(value);
  for (const auto& [name, item] : json.items()) written.push_back(name);
  EXPECT_EQ(written, names) << "fields are written in the order of their table";
}

template <Declared... T>
void expect_all_travel() {
  const auto one = []<class S>(S*) {
    SCOPED_TRACE(typeid(S).name());
    expect_every_field_travels<S>();
  };
  (one(static_cast<T*>(nullptr)), ...);
}

/// How many rows the table of T has: as many as T has members.
template <Declared T>
inline constexpr size_t kRows = std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<T>)>>;

}  // namespace attnscope
