// What the pieces of a line of GLSL or TOML are, for colouring. Lines are looked at as they come into view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnscope::gui {

enum class Ink : uint8_t { plain, keyword, type, builtin, number, text, comment, directive, section };

struct InkSpan {
  uint32_t begin = 0, end = 0;  ///< bytes of the line
  Ink ink = Ink::plain;
  bool operator==(const InkSpan&) const = default;
};

enum class Language : uint8_t { glsl, toml };
/// By the file's name.
Language language_of(const std::string& name);

class Highlighter {
 public:
  explicit Highlighter(Language language = Language::glsl) : language_(language) {}
  Language language() const { return language_; }
  /// Lines from this one on may have changed.
  void forget_from(size_t line);
  /// In order and without gaps for what is no plain text.
  std::vector<InkSpan> spans(const std::vector<std::string>& lines, size_t line);

 private:
  /// What a line begins within.
  enum class State : uint8_t { none, comment, basic_text, literal_text };
  State walk(const std::string& line, State, std::vector<InkSpan>* into) const;
  Language language_;
  std::vector<State> states_{State::none};  ///< at the beginning of each line looked at so far, and the next
};

}  // namespace attnscope::gui
