// The one way in for TOML, within limits that the parser does not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

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

}  // namespace attnscope
