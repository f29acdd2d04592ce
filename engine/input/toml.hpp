// Reading of TOML, with limits that the parser lacks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <toml++/toml.h>

namespace attnscope {

struct TomlFault {
  uint32_t line = 0;
  std::string what;
};

/// Most parts of a dotted key or table name: each is a table in a table, and tables end one within the other, on the
/// stack.
inline constexpr size_t kMaxKeyParts = 32;

/// The table, or the first thing wrong with the text.
std::variant<toml::table, TomlFault> parse_toml(std::string_view text);

/// An error of a value, with its line. Thrown while a file is read, and caught by the reader of the whole file.
struct TomlError : std::runtime_error {
  TomlError(const toml::node& at, const std::string& what);
};

/// One table of a file, read strictly: an unknown key, and a value of a wrong type, throw a TomlError.
class TomlReader {
 public:
  /// `name` is for the errors; "" is the file itself.
  TomlReader(const toml::node&, const std::string& name, std::initializer_list<std::string_view> known);
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// "" where it is absent.
  std::string text(std::string_view key) const;
  /// Neither absent nor empty.
  std::string needed(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;  ///< none where it is absent
  const toml::array& items(std::string_view key) const;        ///< one at least
  bool flag(std::string_view key) const;                       ///< false where it is absent
  std::optional<double> number(std::string_view key) const;    ///< 0 to 1e12
  /// A whole number of 32 bits.
  std::optional<uint32_t> count(std::string_view key, uint32_t least = 0, uint32_t most = UINT32_MAX) const;
  /// "KEY of NAME".
  std::string path(std::string_view key) const { return std::string(key) + of_; }

 private:
  const toml::node& node_;
  const toml::table* table_;
  std::string of_;
};

}  // namespace attnscope
