// A text being edited: lines, caret, selection, undo. Knows nothing of fonts, keys or files.
#pragma once

#include <compare>

#include "app/gui/worker/memo.hpp"

namespace attnscope::gui {

/// Between two characters: `column` counts bytes of the line.
struct TextPlace {
  size_t line = 0, column = 0;
  auto operator<=>(const TextPlace&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

class TextBuffer {
 public:
  /// How many columns a tab reaches to the next of, and what indenting inserts.
  static constexpr size_t kTab = 4;

  TextBuffer() : TextBuffer(std::string_view()) {}
  explicit TextBuffer(std::string_view text);

  /// With the line ends that it had.
  const std::string& text() const;
  const std::vector<std::string>& lines() const { return lines_; }
  uint64_t version() const { return version_; }

  TextPlace caret() const { return caret_; }
  /// The selection lies between it and the caret.
  TextPlace anchor() const { return anchor_; }
  bool selected() const { return caret_ != anchor_; }
  std::string selection() const { return between(first(), last()); }

  // --- moving; `select`: the anchor stays ---------------------------------------------------------------------------
  void move_to(TextPlace, bool select = false);
  void left(bool word, bool select) {
    move_to(selected() && !select && !word ? first() : before(caret_, word), select);
  }
  void right(bool word, bool select) { move_to(selected() && !select && !word ? last() : after(caret_, word), select); }
  void up(size_t lines, bool select) { vertical(-std::ptrdiff_t(lines), select); }
  void down(size_t lines, bool select) { vertical(std::ptrdiff_t(lines), select); }
  /// To the first character that is no blank, from there to the line's beginning.
  void home(bool select);
  void end(bool select) { move_to({caret_.line, lines_[caret_.line].size()}, select); }
  void select_all() {
    move_to({0, 0});
    move_to({lines_.size() - 1, lines_.back().size()}, true);
  }
  /// The word at a place, or the run of blanks or signs.
  void select_word(TextPlace);
  void select_line(size_t line) {
    move_to({line, 0});
    move_to(line + 1 < lines_.size() ? TextPlace{line + 1, 0} : TextPlace{line, ~size_t{0}}, true);
  }

  // --- changing: what is selected is replaced ------------------------------------------------------------------------
  void insert(std::string_view text) {
    const bool typed = text.size() <= 4 && text.find('\n') == text.npos && !selected();
    change(first(), last(), text, typed);
  }
  /// A new line, indented as the one before.
  void new_line();
  void backspace(bool word) { change(selected() ? first() : before(caret_, word), last(), ""); }
  void erase(bool word) { change(first(), selected() ? last() : after(caret_, word), ""); }
  /// Indents what is selected, or fills up to the next stop; `back`: takes one indentation away.
  void tab(bool back);
  /// All of it, as one step of undo; the caret stays near.
  void replace(std::string_view text) {
    std::vector<std::string> lines = TextBuffer(text).lines_;
    if (lines == lines_) return;
    remember();
    set_lines(std::move(lines));
    move_to(caret_);
  }
  bool can_undo() const { return !done_.empty(); }
  bool can_redo() const { return !undone_.empty(); }
  void undo() { step(done_, undone_); }
  void redo() { step(undone_, done_); }

  /// Selects the next place of `what` after the selection (before it when not `forward`), around the end; case counts
  /// only where `what` has capitals. False when there is none.
  bool find(std::string_view what, bool forward = true);

  /// Columns as drawn: tabs reach to their stops, a character of several bytes is one.
  static size_t shown_column(std::string_view line, size_t byte);
  static size_t byte_of(std::string_view line, size_t shown_column);

 private:
  struct State {
    std::vector<std::string> lines;
    TextPlace caret, anchor;
  };
  static constexpr size_t kMostUndoLines = 300'000;  ///< in all steps; the oldest go

  TextPlace bounded(TextPlace) const;
  TextPlace first() const { return caret_ < anchor_ ? caret_ : anchor_; }
  TextPlace last() const { return caret_ < anchor_ ? anchor_ : caret_; }
  std::string between(TextPlace from, TextPlace to) const {
    if (from.line == to.line) return lines_[from.line].substr(from.column, to.column - from.column);
    std::string text = lines_[from.line].substr(from.column);
    for (size_t i = from.line + 1; i < to.line; ++i) text += "\n" + lines_[i];
    return text + "\n" + lines_[to.line].substr(0, to.column);
  }
  /// Without undo; the end of what was inserted.
  TextPlace put(TextPlace from, TextPlace to, std::string_view text);
  /// `typed`: one typed right after it is of the same step.
  void change(TextPlace from, TextPlace to, std::string_view text, bool typed = false);
  /// Each line that the selection touches, as one step; the selection then spans them.
  void edit_lines(const std::function<void(std::string&)>& edit);
  /// A step of undo begins.
  void remember() {
    undone_.clear();
    done_.push_back({lines_, caret_, anchor_});
    while (done_.size() > 1 && done_.size() * lines_.size() > kMostUndoLines) done_.erase(done_.begin());
  }
  void set_lines(std::vector<std::string> lines) {
    lines_ = std::move(lines);
    ++version_;
  }
  void step(std::vector<State>& from, std::vector<State>& to) {
    if (from.empty()) return;
    State then = std::move(from.back());
    from.pop_back();
    to.push_back({lines_, caret_, anchor_});
    set_lines(std::move(then.lines));
    move_to(then.anchor);
    move_to(then.caret, true);
  }
  void vertical(std::ptrdiff_t lines, bool select);
  TextPlace before(TextPlace, bool word) const;
  TextPlace after(TextPlace, bool word) const;
  std::vector<std::string> lines_;
  bool crlf_ = false;
  TextPlace caret_, anchor_;
  size_t wanted_column_ = 0;  ///< shown column that up and down keep to
  std::vector<State> done_, undone_;
  bool typing_ = false;
  uint64_t version_ = 0;
  mutable Memo<uint64_t, std::string> text_;  ///< by version
};

// What the pieces of a line of GLSL or TOML are, for colouring. Lines are looked at as they come into view.

enum class Ink : uint8_t { plain, keyword, type, builtin, number, text, comment, directive, section };

struct InkSpan {
  uint32_t begin = 0, end = 0;  ///< bytes of the line
  Ink ink = Ink::plain;
  bool operator==(const InkSpan&) const = default;
};

enum class Language : uint8_t { glsl, toml };

class Highlighter {
 public:
  explicit Highlighter(Language language = Language::glsl) : language_(language) {}
  /// Of a line, in order; what lies between is plain. `version`: of the lines.
  std::vector<InkSpan> spans(const std::vector<std::string>& lines, uint64_t version, size_t line);

 private:
  std::vector<InkSpan> walk(std::string_view line, bool& in_comment) const;
  Language language_;
  Memo<uint64_t, std::vector<bool>> in_comment_;  ///< each line begins within one
};

}  // namespace attnscope::gui
