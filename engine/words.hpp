// Enums that count up from 0: how many enumerators they have, and the word of each. Texts in parts.
#pragma once

#include <cctype>

#include "engine/standard.hpp"

namespace attnscope {
namespace words_detail {

template <auto Value>
constexpr bool is_enumerator() {
  // "... Value = attnscope::Relation::faster]", or "(attnscope::Relation)7]" of a value that has no name.
  const std::string_view text = __PRETTY_FUNCTION__;
  size_t begin = text.size() - 1;
  const auto of_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  while (begin > 0 && of_word(text[begin - 1])) --begin;
  return !(text[begin] >= '0' && text[begin] <= '9');
}
template <class E, size_t... N>
constexpr size_t enumerator_count(std::index_sequence<N...>) {
  constexpr bool named[] = {is_enumerator<static_cast<E>(N)>()...};
  size_t in_all = 0, first = 0;
  for (const bool is_named : named) in_all += is_named;
  while (first < sizeof...(N) && named[first]) ++first;
  return first == in_all && first < sizeof...(N) ? first : 0;
}

}  // namespace words_detail

/// How many enumerators an enum has that counts up from 0: enumerating them cannot forget a new one. 0 for other enums.
template <class E>
requires std::is_enum_v<E>
inline constexpr size_t kEnumerators = words_detail::enumerator_count<E>(std::make_index_sequence<32>());

/// The word of an enumerator; `words` has one for each, in order.
template <class E, size_t n>
constexpr const char* word_of(E e, const char* const (&words)[n]) {
  static_assert(n == kEnumerators<E>, "each enumerator has a word");
  return words[size_t(e) < n ? size_t(e) : n - 1];
}

/// Without the spaces and tabs at its ends.
inline std::string_view trimmed(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// One part at least.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

/// ASCII letters alone.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// A word as a POSIX shell has to be given it; bare where that is safe.
inline std::string shell_quoted(const std::string& word) {
  constexpr const char* kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.,:=/+@%";
  if (!word.empty() && word.find_first_not_of(kBare) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace attnscope
