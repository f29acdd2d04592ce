#include "engine/input/text.hpp"

namespace attnscope {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  // Where it ends a word's bytes, what runs would not be what stands there.
  if (text.find('\0') != std::string_view::npos) return bad_input("the command holds a zero byte");
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'') {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\\' && i + 1 < text.size()) {
      // Inside double quotes a backslash is itself except before these, as POSIX has it.
      const char next = text[i + 1];
      if (quote == '"' && next != '"' && next != '\\' && next != '$' && next != '`') word += c;
      word += next;
      in_word = true;
      ++i;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return bad_input(std::string("the quote ") + quote + " is not closed");
  if (in_word) words.push_back(std::move(word));
  if (words.empty()) return bad_input("the command is empty");
  return words;
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) {
      return at + i < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[at + i])} : 0u;
    };
    const uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
    const size_t left = bytes.size() - at;
    for (size_t i = 0; i < 4; ++i) out += i > left ? '=' : kDigits[word >> (18 - 6 * i) & 63];
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const size_t padding = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t digit = i + padding >= 4 ? 0 : kDigits.find(text[at + i]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = word << 6 | uint32_t(digit);
    }
    for (size_t i = 0; i + padding < 3; ++i) out += char(word >> (16 - 8 * i) & 0xff);
  }
  return out;
}

}  // namespace attnscope
