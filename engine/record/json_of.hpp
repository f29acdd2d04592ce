// JsonOf's definition, for the files that instantiate it.
#pragma once

#include "engine/record/json_fields.hpp"

namespace attnscope {

template <Declared T>
void JsonOf<T>::write(Json& json, const T& value) {
  json = Json::object();
  for_each_field(value, [&]<class V>(const char* name, const V& x, const Hint& hint) {
    if constexpr (std::is_arithmetic_v<V>)
      json[name] = hint.zero == Zero::not_measured && !(x > V{}) ? Json(nullptr) : encode(x);
    else
      json[name] = encode(x);
  });
}

template <Declared T>
void JsonOf<T>::read(const Json& json, T& value) {
  Fields reader(json);
  for_each_field(value, [&](const char* name, auto& x, const Hint& hint) {
    if (hint.needed)
      reader.need(name, x);
    else
      reader.maybe(name, x);
  });
  if constexpr (requires { mend_older(json, value); }) mend_older(json, value);
}

/// Instantiated explicitly, it is where these are defined for all others.
template <Declared... T>
struct JsonOfEach {
  static constexpr std::tuple kFunctions{&JsonOf<T>::write..., &JsonOf<T>::read...};
};

}  // namespace attnscope
