// Text from outside made safe to show: what a terminal would obey, or what turns letters around, becomes visible.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {
namespace visible_detail {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  ///< 0: the first byte begins no valid UTF-8
};

/// The first code point of a text that is not empty.
inline CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 && lead < 0xf5   ? 4
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xc2 && lead < 0xe0 ? 2
                                                     : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  uint32_t value = lead & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kLeast[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes};
}

}  // namespace visible_detail

/// C0 (line end and tab too), DEL, C1, marks of text direction, line and paragraph separators, tags.
constexpr bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c >= 0xe0000 && c <= 0xe007f);
}

/// Calls control(code point, where, bytes), 0 bytes for what is not UTF-8, and other(text) for the pieces in between.
template <class Control, class Other>
void split_controls(std::string_view text, Control control, Other other) {
  size_t begin = 0;
  const auto flush = [&](size_t end) {
    if (end > begin) other(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7f) {
      ++at;
      continue;
    }
    const auto c = visible_detail::first_code_point(text.substr(at));
    if (c.bytes != 0 && !is_control(c.value)) {
      at += c.bytes;
      continue;
    }
    flush(at);
    control(c.bytes == 0 ? uint32_t{byte} : c.value, at, c.bytes);
    at += c.bytes == 0 ? 1 : c.bytes;
    begin = at;
  }
  flush(text.size());
}

/// ESC as "\x1b", a right-to-left override as "\u202e", a byte that is not an UTF-8 as "\xff".
inline std::string shown_control(uint32_t c) {
  return c < 0x100     ? fmt::format("\\x{:02x}", c)
         : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                       : fmt::format("\\U{:08x}", c);
}

/// The text with `shown(code point, where)` in place of each control.
template <class Shown>
std::string replace_controls(std::string_view text, Shown shown) {
  std::string out;
  split_controls(
      text, [&](uint32_t c, size_t at, size_t) { out += shown(c, at); }, [&](std::string_view plain) { out += plain; });
  return out;
}

/// Several lines stay several lines, and tabs are tabs.
inline std::string visible(std::string_view text) {
  return replace_controls(text, [&](uint32_t c, size_t at) {
    if (c == '\n' || c == '\t') return std::string(1, char(c));
    return c == '\r' && text.substr(at + 1).starts_with('\n') ? "" : shown_control(c);
  });
}

/// One line: line ends and tabs are spaces.
inline std::string visible_line(std::string_view text) {
  return replace_controls(
      text, [](uint32_t c, size_t) { return c == '\n' || c == '\t' || c == '\r' ? " " : shown_control(c); });
}

}  // namespace attnscope
