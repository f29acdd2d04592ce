#include "engine/input/toml.hpp"

#include <algorithm>
#include <cmath>

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

TomlError::TomlError(const toml::node& at, const std::string& what)
    : runtime_error(fmt::format("line {}: {}", at.source().begin.line, what)) {}

TomlReader::TomlReader(const toml::node& node, const std::string& name, std::initializer_list<std::string_view> known)
    : node_(node), table_(node.as_table()), of_(name.empty() ? "" : " of " + name) {
  if (!table_) throw TomlError(node, name + " must be a table");
  for (const auto& [key, value] : *table_)
    if (std::ranges::find(known, key.str()) == known.end())
      throw TomlError(value, fmt::format("key '{}' is not known{}; the keys are {}", key.str(),
                                         name.empty() ? "" : " in " + name, fmt::join(known, ", ")));
}

std::string TomlReader::text(std::string_view key) const {
  const toml::node* node = find(key);
  if (node && !node->is_string()) throw TomlError(*node, path(key) + " must be a string");
  return node ? *node->value<std::string>() : "";
}
std::string TomlReader::needed(std::string_view key) const {
  if (std::string value = text(key); !value.empty()) return value;
  throw TomlError(has(key) ? *find(key) : node_, path(key) + " is missing or empty");
}
std::vector<std::string> TomlReader::texts(std::string_view key) const {
  std::vector<std::string> out;
  const toml::node* node = find(key);
  if (node && !node->is_array()) throw TomlError(*node, path(key) + " must be an array of strings");
  if (node)
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_string()) throw TomlError(item, path(key) + " must hold strings alone");
      out.push_back(*item.value<std::string>());
    }
  return out;
}
const toml::array& TomlReader::items(std::string_view key) const {
  const toml::node* node = find(key);
  if (!node || !node->is_array() || node->as_array()->empty())
    throw TomlError(node ? *node : node_, path(key) + " is missing or empty");
  return *node->as_array();
}
bool TomlReader::flag(std::string_view key) const {
  const toml::node* node = find(key);
  if (node && !node->is_boolean()) throw TomlError(*node, fmt::format("{} must be true or false", key));
  return node && *node->value<bool>();
}
std::optional<double> TomlReader::number(std::string_view key) const {
  constexpr double kMost = 1e12;
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  // TOML knows nan and inf, too.
  if (!node->is_number() || !(*node->value<double>() >= 0 && *node->value<double>() <= kMost))
    throw TomlError(*node, fmt::format("{} must be a number from 0 to {}", key, kMost));
  return *node->value<double>();
}
std::optional<uint32_t> TomlReader::count(std::string_view key, uint32_t least, uint32_t most) const {
  const auto x = number(key);
  if (x && !(*x >= least && *x <= most && *x == std::floor(*x)))
    throw TomlError(*find(key), fmt::format("{} must be a whole number from {} to {}", key, least, most));
  return x ? std::optional(static_cast<uint32_t>(*x)) : std::nullopt;
}

}  // namespace attnscope
