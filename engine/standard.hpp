// What most files use of the standard library, and fmt. engine/result.hpp includes it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace attnscope {

using Cancel = std::atomic<bool>;  ///< set by whoever wants long work to end

template <class Range, class Value>
constexpr bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}
/// The first element that is `value`, or of which `of` gives it; nullptr where there is none.
template <class Range, class Value, class Of = std::identity>
auto* find_by(Range& range, const Value& value, Of of = {}) {
  const auto at = std::ranges::find(range, value, of);
  return at == std::ranges::end(range) ? nullptr : &*at;
}
/// What `of` gives of each element of a range.
template <class Range, class Of>
auto mapped(Range&& range, Of of) {
  std::vector<std::decay_t<decltype(std::invoke(of, *std::begin(range)))>> out;
  for (auto&& element : range) out.push_back(std::invoke(of, element));
  return out;
}
/// The elements of a range for which `holds`.
template <class Range, class Holds>
auto filtered(const Range& range, Holds holds) {
  std::vector<std::decay_t<decltype(*std::begin(range))>> out;
  for (const auto& element : range)
    if (std::invoke(holds, element)) out.push_back(element);
  return out;
}
/// The value at a key of a map; nullptr where there is none.
template <class Map, class Key>
auto* find_at(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}
/// The value at a key of a map; `otherwise` where there is none.
template <class Map, class Key>
typename Map::mapped_type at_or(const Map& map, const Key& key, typename Map::mapped_type otherwise = {}) {
  const auto at = map.find(key);
  return at == map.end() ? otherwise : at->second;
}
/// The elements of a range, or what `of` gives of each, with a separator between them.
template <class Range, class Of = std::identity>
std::string joined(const Range& range, std::string_view separator = ", ", Of of = {}) {
  std::string text;
  bool first = true;
  for (const auto& element : range)
    text += fmt::format("{}{}", std::exchange(first, false) ? std::string_view() : separator, std::invoke(of, element));
  return text;
}
/// One more of some texts, by a format.
template <class... T>
void add_line(std::vector<std::string>& lines, fmt::format_string<T...> text, T&&... values) {
  lines.push_back(fmt::format(text, std::forward<T>(values)...));
}
/// A map whose keys are in the order in which they came.
template <class Key, class Value>
struct Ordered : std::vector<std::pair<Key, Value>> {
  Value& operator[](const Key& key) {
    auto* known = find_by(*this, key, &std::pair<Key, Value>::first);
    return known != nullptr ? known->second : this->emplace_back(key, Value()).second;
  }
};

}  // namespace attnscope
