#include "engine/input/toml.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/input/file.hpp"

namespace attnscope {
namespace {

/// Where a string that begins at `at` goes on after its end. One that has no end reaches to the end of its line, or of
/// the text where it may have many: the parser finds fault with it there.
size_t after_string(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const std::string_view three = escapes ? R"(""")" : "'''";
  const bool many_lines = text.substr(at, 3) == three;
  for (size_t i = at + (many_lines ? 3 : 1); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (many_lines && text.substr(i, 3) == three) {
      i += 3;
      // Up to two more quotes belong to the string.
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;
      return i;
    } else if (!many_lines && (text[i] == quote || text[i] == '\n')) {
      return i + (text[i] == quote ? 1 : 0);
    }
  }
  return text.size();
}

/// A look over the text for keys of too many parts. Dots of numbers count too: nothing has that many without a break.
std::optional<TomlFault> long_key(std::string_view text) {
  uint32_t line = 1;
  size_t dots = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t end = after_string(text, i);
      line += static_cast<uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                               text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    if (c == '.' && ++dots >= kMaxKeyParts)
      return TomlFault{line, fmt::format("a key has more than {} parts with dots between them", kMaxKeyParts)};
    ++i;
  }
  return std::nullopt;
}

}  // namespace

std::variant<toml::table, TomlFault> parse_toml(std::string_view text) {
  if (text.size() > kMaxSourceBytes)
    return TomlFault{1, fmt::format("it has {} bytes; at most {} are read", text.size(), kMaxSourceBytes)};
  if (auto fault = long_key(text)) return *fault;
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    return TomlFault{e.source().begin.line, std::string(e.description())};
  }
}

}  // namespace attnscope
