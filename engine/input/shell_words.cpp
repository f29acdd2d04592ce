#include "engine/input/shell_words.hpp"

namespace attnscope {

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

}  // namespace attnscope
