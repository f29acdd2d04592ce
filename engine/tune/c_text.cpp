#include "engine/tune/c_text.hpp"

namespace attnscope::tune {

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    // "??" may begin a trigraph in C99.
    if (c == '?' && out.back() == '?') out += "\" \"";
    out += c >= ' ' && c < 0x7f ? c : '?';
  }
  return out + '"';
}

std::string c_comment(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c < 0x7f && c != '*' && c != '\\' ? c : '_';
  return out;
}

}  // namespace attnscope::tune
