// Checked reads that say which field is wrong, writes that never emit NaN; for the few objects without a table.
#pragma once

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "engine/record/json.hpp"

namespace attnscope {

/// Thrown by from_json; decode() turns it into an Error.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace json_detail {

template <class T>
concept Optional = requires(T x) {
  x.has_value();
};
template <class T>
concept Map = requires {
  typename T::mapped_type;
};
template <class T>
concept List = !std::convertible_to<T, std::string_view> && requires(T x) {
  x.data();
};

[[noreturn]] inline void fail(const Json& json, const char* wanted) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw JsonError(std::string("expected ") + wanted + ", found " + text);
}

/// Calls read(); what it throws gets the place in front, which is `form` of `part`.
template <class Part, class Read>
void at_place(fmt::format_string<const Part&> form, const Part& part, const Read& read) {
  try {
    read();
  } catch (const std::exception& e) {
    throw JsonError(join_place(fmt::format(form, part), e.what()));
  }
}

/// By its text; an empty one leaves the default.
template <class E>
void read_enum(const Json& json, E& out) {
  static_assert(kEnumerators<E> > 0, "an enum that is read counts up from 0");
  if (!json.is_string()) fail(json, "a string");
  const auto& text = json.get_ref<const std::string&>();
  if (text.empty()) return;
  std::string allowed;
  for (size_t i = 0; i < kEnumerators<E>; ++i) {
    const E e = static_cast<E>(i);
    if (to_text(e) == text) {
      out = e;
      return;
    }
    allowed += (i == 0 ? "" : ", ") + std::string(to_text(e));
  }
  throw JsonError("'" + text + "' is not one of " + allowed);
}

}  // namespace json_detail

/// Reads `json` into `out`; integers are range-checked (plain nlohmann would wrap them).
template <class T>
void read_json(const Json& json, T& out) {
  using namespace json_detail;
  if constexpr (std::same_as<T, bool>) {
    if (!json.is_boolean()) fail(json, "true or false");
    out = json.template get<bool>();
  } else if constexpr (std::integral<T>) {
    if (json.is_number_unsigned()) {
      const auto v = json.template get<uint64_t>();
      if (!std::in_range<T>(v)) fail(json, "a smaller integer");
      out = static_cast<T>(v);
    } else if (json.is_number_integer()) {
      const auto v = json.template get<int64_t>();
      if (!std::in_range<T>(v))
        fail(json, std::unsigned_integral<T> ? "an integer of at least 0" : "a smaller integer");
      out = static_cast<T>(v);
    } else {
      fail(json, "an integer");
    }
  } else if constexpr (std::floating_point<T>) {
    if (!json.is_number()) fail(json, "a number");
    out = json.template get<T>();
  } else if constexpr (std::same_as<T, std::string>) {
    if (!json.is_string()) fail(json, "a string");
    out = json.template get_ref<const std::string&>();
  } else if constexpr (std::is_enum_v<T>) {
    read_enum(json, out);
  } else if constexpr (Declared<T>) {
    JsonOf<T>::read(json, out);
  } else if constexpr (Optional<T>) {
    if (json.is_null())
      out.reset();
    else
      read_json(json, out.emplace());
  } else if constexpr (List<T>) {
    if (!json.is_array()) fail(json, "an array");
    if constexpr (requires { out.clear(); }) out.assign(json.size(), {});
    if (json.size() != out.size()) fail(json, ("an array of " + std::to_string(out.size())).c_str());
    for (size_t i = 0; i < json.size(); ++i) at_place("[{}]", i, [&] { read_json(json[i], out[i]); });
  } else if constexpr (Map<T>) {
    if (!json.is_object()) fail(json, "an object");
    out.clear();
    for (const auto& item : json.items())
      at_place(".{}", item.key(), [&] { read_json(item.value(), out[item.key()]); });
  } else {
    from_json(json, out);
  }
}

/// Writes `value`; a number that is not finite becomes null.
template <class T>
Json encode(const T& value) {
  using namespace json_detail;
  if constexpr (std::same_as<T, long double>) {
    // 64-bit integers keep all their digits.
    if (value >= 0 && value < 0x1p64L && value == std::floor(value)) return Json(uint64_t(value));
    if (value >= -0x1p63L && value < 0 && value == std::floor(value)) return Json(int64_t(value));
    return encode(double(value));
  } else if constexpr (std::floating_point<T>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_enum_v<T>) {
    return Json(to_text(value));
  } else if constexpr (Declared<T>) {
    Json object;
    JsonOf<T>::write(object, value);
    return object;
  } else if constexpr (Optional<T>) {
    return value ? encode(*value) : Json(nullptr);
  } else if constexpr (List<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(encode(item));
    return array;
  } else if constexpr (Map<T>) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key] = encode(item);
    return object;
  } else {
    return Json(value);
  }
}

/// Fields of one object: need() throws when one is missing, maybe() leaves the default; both name it when wrong.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {
    if (!json.is_object()) json_detail::fail(json, "an object");
  }
  template <class T>
  Fields& need(const char* key, T& out) {
    if (!json_.contains(key)) throw JsonError(std::string("the field \"") + key + "\" is missing");
    return get(key, out);
  }
  template <class T>
  Fields& maybe(const char* key, T& out) {
    const auto it = json_.find(key);
    return it == json_.end() || it->is_null() ? *this : get(key, out);
  }

 private:
  template <class T>
  Fields& get(const char* key, T& out) {
    json_detail::at_place(".{}", key, [&] { read_json(json_.at(key), out); });
    return *this;
  }
  const Json& json_;
};

}  // namespace attnscope
