#include "engine/input/toml.hpp"

#include "engine/input/file.hpp"

namespace attnscope {
namespace {

/// Where a string that begins at `at` ends. One without an end reaches to the end of its line or text.
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
void refuse_long_keys(std::string_view text) {
  uint32_t line = 1;
  size_t dots = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t end = after_string(text, i);
      line += uint32_t(std::count(text.begin() + ptrdiff_t(i), text.begin() + ptrdiff_t(end), '\n'));
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
      throw TomlError(line, "a key has more than {} parts with dots between them", kMaxKeyParts);
    ++i;
  }
}

}  // namespace

toml::table parse_toml(std::string_view text) {
  if (text.size() > kMaxSourceBytes)
    throw TomlError(1, "it has {} bytes; at most {} are read", text.size(), kMaxSourceBytes);
  refuse_long_keys(text);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw TomlError(e.source().begin.line, std::string(e.description()));
  }
}

TomlReader::TomlReader(const toml::node& node, const std::string& name, std::initializer_list<std::string_view> known,
                       const TomlReader* outer)
    : node_(node), table_(node.as_table()), where_(name.empty() ? "" : name + ": "), known_(known) {
  if (!table_) throw TomlError(node, name + " must be a table");
  std::ranges::sort(known_);
  for (const auto& [key, value] : *table_) {
    if (std::ranges::binary_search(known_, key.str())) continue;
    // TOML takes what stands below a [table] as its own.
    const bool misplaced = outer != nullptr && std::ranges::binary_search(outer->known_, key.str());
    throw TomlError(key.source().begin.line, "{}unknown key '{}'; known here: {}{}", where_, key.str(),
                    fmt::join(known_, ", "), misplaced ? " (a key of the file stands above its first [table])" : "");
  }
}

TomlReader TomlReader::inner(const toml::node& node, std::string_view key,
                             std::initializer_list<std::string_view> known) const {
  if (!node.is_table()) wrong(node, key, fmt::format("must be tables, written [[{}]]", key));
  const auto name = (*node.as_table())["name"].value<std::string>();
  return {node, name ? fmt::format("{} '{}'", key, *name) : std::string(key), known, this};
}

void TomlReader::wrong(const toml::node& at, std::string_view key, std::string_view what) const {
  throw TomlError(at, "{}'{}' {}", where_, key, what);
}

std::string TomlReader::text(std::string_view key) const {
  const toml::node* node = find(key);
  if (node && !node->is_string()) wrong(*node, key, "must be a string");
  return node ? *node->value<std::string>() : "";
}
std::string TomlReader::needed(std::string_view key) const {
  if (std::string value = text(key); !value.empty()) return value;
  if (has(key)) wrong(*find(key), key, "is empty");
  fail("{}needs the key '{}'", where_, key);
}
std::vector<std::string> TomlReader::texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const toml::node& item : list(key)) {
    if (!item.is_string()) wrong(item, key, "must be a list of strings");
    out.push_back(*item.value<std::string>());
  }
  return out;
}
const toml::array& TomlReader::list(std::string_view key) const {
  static const toml::array none;
  const toml::node* node = find(key);
  if (node && !node->is_array()) wrong(*node, key, "must be a list");
  return node ? *node->as_array() : none;
}
const toml::array& TomlReader::items(std::string_view key) const {
  if (const toml::array& all = list(key); !all.empty()) return all;
  fail("{}'{}' is missing or empty", where_, key);
}
const toml::table& TomlReader::table(std::string_view key) const {
  static const toml::table none;
  const toml::node* node = find(key);
  if (node && !node->is_table())
    wrong(*node, key, fmt::format("must be a table, written {{ NAME = value }} or [{}]", key));
  return node ? *node->as_table() : none;
}
bool TomlReader::flag(std::string_view key) const {
  const toml::node* node = find(key);
  if (node && !node->is_boolean()) wrong(*node, key, "must be true or false");
  return node && *node->value<bool>();
}
std::optional<double> TomlReader::number(std::string_view key) const {
  constexpr double kMost = 1e12;
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  // TOML knows nan and inf, too.
  if (!node->is_number() || !(*node->value<double>() >= 0 && *node->value<double>() <= kMost))
    wrong(*node, key, fmt::format("must be a number from 0 to {}", kMost));
  return *node->value<double>();
}
std::optional<uint32_t> TomlReader::count(std::string_view key, uint32_t least, uint32_t most) const {
  const auto x = number(key);
  if (x && !(*x >= least && *x <= most && *x == std::floor(*x)))
    wrong(*find(key), key, fmt::format("must be a whole number from {} to {}", least, most));
  return x ? std::optional(uint32_t(*x)) : std::nullopt;
}
int64_t TomlReader::integer(const toml::node& node, std::string_view what) const {
  if (const auto value = node.value_exact<int64_t>()) return *value;
  wrong(node, what, "must be an integer");
}
std::string TomlReader::expression(const toml::node& node, std::string_view what) const {
  if (const auto value = node.value_exact<std::string>()) return *value;
  if (const auto value = node.value_exact<int64_t>()) return fmt::format("{}", *value);
  if (const auto value = node.value_exact<double>()) return fmt::format("{}", *value);
  if (const auto value = node.value_exact<bool>()) return *value ? "1" : "0";
  wrong(node, what, "must be an expression (a string or a number)");
}
std::string TomlReader::expression(std::string_view key) const {
  return has(key) ? expression(*find(key), key) : std::string();
}
std::string TomlReader::needed_expression(std::string_view key) const {
  if (has(key)) return expression(*find(key), key);
  fail("{}needs the key '{}'", where_, key);
}
std::map<std::string, std::string> TomlReader::expressions(std::string_view key) const {
  std::map<std::string, std::string> out;
  for (const auto& [name, node] : table(key)) out.emplace(name.str(), expression(node, name.str()));
  return out;
}

}  // namespace attnscope
