// Reading of TOML, with limits that the parser lacks.
#pragma once

#include <initializer_list>
#include <stdexcept>

#include <toml++/toml.h>

#include "engine/visible.hpp"

namespace attnscope {

/// Most parts of a dotted key or table name: each is a table in a table, which end one within the other, on the stack.
inline constexpr size_t kMaxKeyParts = 32;

/// An error of a text or of a value in it. Thrown while a file is read, and caught by the reader of the whole file.
struct TomlError : std::runtime_error {
  /// Control characters of `what` are escaped: an exception's text ends at a NUL.
  TomlError(uint32_t at, const std::string& what) : runtime_error(visible(what)), line(at) {}
  TomlError(const toml::node& at, const std::string& what) : TomlError(at.source().begin.line, what) {}
  template <class At, class A, class... B>
  TomlError(const At& at, fmt::format_string<A, B...> what, A&& a, B&&... b)
      : TomlError(at, fmt::format(what, std::forward<A>(a), std::forward<B>(b)...)) {}
  uint32_t line;
};

/// Throws a TomlError of the first thing that is wrong with the text.
toml::table parse_toml(std::string_view text);

/// One table of a file, read strictly: an unknown key, and a value of a wrong type, throw a TomlError.
class TomlReader {
 public:
  /// `name` begins its errors; "" is the file itself. `outer`: the table that a misplaced key may belong to.
  TomlReader(const toml::node&, const std::string& name, std::initializer_list<std::string_view> known,
             const TomlReader* outer = nullptr);
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// "" where it is absent.
  std::string text(std::string_view key) const;
  std::string needed(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;  ///< none where it is absent
  const toml::array& list(std::string_view key) const;         ///< empty where it is absent
  const toml::array& items(std::string_view key) const;        ///< one at least
  const toml::table& table(std::string_view key) const;        ///< empty where it is absent
  bool flag(std::string_view key) const;                       ///< false where it is absent
  std::optional<double> number(std::string_view key) const;    ///< 0 to 1e12
  /// A whole number of 32 bits.
  std::optional<uint32_t> count(std::string_view key, uint32_t least = 0, uint32_t most = UINT32_MAX) const;
  int64_t integer(const toml::node&, std::string_view what) const;
  /// A string, or a bare number or truth value; "" where it is absent.
  std::string expression(std::string_view key) const;
  std::string expression(const toml::node&, std::string_view what) const;
  std::string needed_expression(std::string_view key) const;
  std::map<std::string, std::string> expressions(std::string_view key) const;
  /// Calls read(const TomlReader&) for each [[key]].
  template <class Read>
  void tables(std::string_view key, std::initializer_list<std::string_view> known, const Read& read) const {
    for (const toml::node& node : list(key)) read(inner(node, key, known));
  }
  /// The message with the line of a value, or of the table.
  template <class... T>
  [[noreturn]] void fail(const toml::node& at, fmt::format_string<T...> message, T&&... values) const {
    throw TomlError(at, fmt::format(message, std::forward<T>(values)...));
  }
  template <class... T>
  [[noreturn]] void fail(fmt::format_string<T...> message, T&&... values) const {
    fail(node_, message, std::forward<T>(values)...);
  }

 private:
  TomlReader inner(const toml::node&, std::string_view key, std::initializer_list<std::string_view> known) const;
  [[noreturn]] void wrong(const toml::node& at, std::string_view key, std::string_view what) const;

  const toml::node& node_;
  const toml::table* table_;
  std::string where_;
  std::vector<std::string_view> known_;
};

}  // namespace attnscope
