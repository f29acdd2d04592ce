#include "app/gui/editor/text_buffer.hpp"

#include <unordered_set>

#include "engine/words.hpp"

namespace attnscope::gui {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  return {lines.begin(), lines.end()};
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

enum class Sort { blank, word, sign };
Sort sort_of(char c) {
  const auto u = static_cast<unsigned char>(c);
  return c == ' ' || c == '\t' ? Sort::blank : std::isalnum(u) || c == '_' || u >= 0x80 ? Sort::word : Sort::sign;
}

size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

using Words = std::unordered_set<std::string_view>;

Words words_of(std::string_view text) {
  Words words;
  for (size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size())))
    words.insert(text.substr(0, end = std::min(text.find(' '), text.size())));
  return words;
}

const Words kGlslKeywords = words_of(
    "attribute buffer const uniform shared coherent volatile restrict readonly writeonly layout struct in "
    "out inout if else for while do switch case default break continue return discard true false precise "
    "highp mediump lowp flat invariant subgroupuniformEXT nonuniformEXT");

const Words kGlslBuiltins = words_of(
    "abs acos all any asin atan barrier bitCount ceil clamp cos cross dot equal exp exp2 floor fma fract "
    "inversesqrt isinf isnan length log log2 max min mix mod normalize pow round sign sin smoothstep sqrt "
    "step tan tanh trunc coopMatLoad coopMatMulAdd coopMatStore floatBitsToUint uintBitsToFloat "
    "packHalf2x16 unpackHalf2x16 memoryBarrierShared controlBarrier atomicAdd gl_GlobalInvocationID "
    "gl_LocalInvocationID gl_LocalInvocationIndex gl_NumSubgroups gl_SubgroupID gl_SubgroupInvocationID "
    "gl_SubgroupSize gl_WorkGroupID gl_WorkGroupSize");

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// uint, half, float16_t, ivec4, f16vec2, mat4x3, coopmat
bool is_glsl_type(std::string_view word) {
  static const Words plain = words_of("void bool int uint float double half coopmat");
  if (plain.contains(word)) return true;
  if (word.ends_with("_t")) return std::islower(static_cast<unsigned char>(word.front()));
  const size_t stem = std::min(word.find("vec"), word.find("mat"));
  return stem != word.npos && stem + 3 < word.size() &&
         word.substr(0, stem).find_first_not_of("iubdf1684320") == word.npos &&
         word.substr(stem + 3).find_first_not_of("234x") == word.npos;
}

Ink ink_of_word(std::string_view word) {
  if (kGlslKeywords.contains(word)) return Ink::keyword;
  if (is_glsl_type(word)) return Ink::type;
  return kGlslBuiltins.contains(word) || word.starts_with("subgroup") ? Ink::builtin : Ink::plain;
}

size_t number_end(std::string_view line, size_t at) {
  size_t i = at;
  const bool hex = line.substr(at).starts_with("0x");
  const auto exponent = [&] { return i > at && !hex && (line[i - 1] == 'e' || line[i - 1] == 'E'); };
  while (i < line.size() && (in_word(line[i]) || line[i] == '.' || ((line[i] == '+' || line[i] == '-') && exponent())))
    ++i;
  return i;
}

/// Behind the quote that ends the text begun at `at`, or the line's end.
size_t text_end(std::string_view line, size_t at) {
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && line[at] == '"')
      ++i;
    else if (line[i] == line[at])
      return i + 1;
  }
  return line.size();
}

}  // namespace

TextBuffer::TextBuffer(std::string_view text) : lines_(lines_of(text)) {
  // Lines that all end the Windows way keep doing so; a mixture is left as it is.
  crlf_ = lines_.size() > 1 &&
          std::all_of(lines_.begin(), lines_.end() - 1, [](const std::string& l) { return l.ends_with('\r'); });
  if (crlf_)
    for (size_t i = 0; i + 1 < lines_.size(); ++i) lines_[i].pop_back();
}

const std::string& TextBuffer::text() const {
  return text_(version_, [this] {
    std::string text = lines_.front();
    for (size_t i = 1; i < lines_.size(); ++i) text += (crlf_ ? "\r\n" : "\n") + lines_[i];
    return text;
  });
}

TextPlace TextBuffer::bounded(TextPlace p) const {
  p.line = std::min(p.line, lines_.size() - 1);
  p.column = std::min(p.column, lines_[p.line].size());
  while (p.column > 0 && p.column < lines_[p.line].size() && continues(lines_[p.line][p.column])) --p.column;
  return p;
}

void TextBuffer::move_to(TextPlace to, bool select) {
  caret_ = bounded(to);
  if (!select) anchor_ = caret_;
  wanted_column_ = shown_column(lines_[caret_.line], caret_.column);
  typing_ = false;
}

TextPlace TextBuffer::before(TextPlace p, bool word) const {
  if (p.column == 0) return p.line == 0 ? p : TextPlace{p.line - 1, lines_[p.line - 1].size()};
  const std::string& line = lines_[p.line];
  const auto step = [&] {
    do --p.column;
    while (p.column > 0 && continues(line[p.column]));
  };
  step();
  if (!word) return p;
  while (p.column > 0 && sort_of(line[p.column]) == Sort::blank) step();
  const Sort sort = sort_of(line[p.column]);
  while (p.column > 0 && sort_of(line[p.column - 1]) == sort) step();
  return p;
}

TextPlace TextBuffer::after(TextPlace p, bool word) const {
  const std::string& line = lines_[p.line];
  if (p.column >= line.size()) return p.line + 1 >= lines_.size() ? p : TextPlace{p.line + 1, 0};
  const auto step = [&] {
    do ++p.column;
    while (p.column < line.size() && continues(line[p.column]));
  };
  const Sort sort = sort_of(line[p.column]);
  step();
  if (!word) return p;
  while (p.column < line.size() && sort_of(line[p.column]) == sort) step();
  while (p.column < line.size() && sort_of(line[p.column]) == Sort::blank) step();
  return p;
}

void TextBuffer::vertical(std::ptrdiff_t lines, bool select) {
  const size_t wanted = wanted_column_;
  const std::ptrdiff_t line = std::ptrdiff_t(caret_.line) + lines;
  if (line < 0)
    move_to({0, 0}, select);
  else if (line >= std::ptrdiff_t(lines_.size()))
    move_to({lines_.size() - 1, lines_.back().size()}, select);
  else
    move_to({size_t(line), byte_of(lines_[size_t(line)], wanted)}, select);
  wanted_column_ = wanted;
}

void TextBuffer::home(bool select) {
  const size_t text = indentation(lines_[caret_.line]);
  move_to({caret_.line, caret_.column == text ? 0 : text}, select);
}
void TextBuffer::select_word(TextPlace p) {
  p = bounded(p);
  const std::string& line = lines_[p.line];
  if (line.empty()) return move_to(p);
  size_t from = std::min(p.column, line.size() - 1), to = from;
  const Sort sort = sort_of(line[from]);
  while (from > 0 && sort_of(line[from - 1]) == sort) --from;
  while (to < line.size() && sort_of(line[to]) == sort) ++to;
  move_to({p.line, from});
  move_to({p.line, to}, true);
}

TextPlace TextBuffer::put(TextPlace from, TextPlace to, std::string_view text) {
  std::vector<std::string> pieces = lines_of(text);
  const std::string rest = lines_[to.line].substr(to.column);
  const TextPlace end{from.line + pieces.size() - 1, (pieces.size() == 1 ? from.column : 0) + pieces.back().size()};
  lines_[from.line].resize(from.column);
  lines_[from.line] += pieces.front();
  lines_.erase(lines_.begin() + std::ptrdiff_t(from.line) + 1, lines_.begin() + std::ptrdiff_t(to.line) + 1);
  lines_.insert(lines_.begin() + std::ptrdiff_t(from.line) + 1, std::make_move_iterator(pieces.begin() + 1),
                std::make_move_iterator(pieces.end()));
  lines_[end.line] += rest;
  ++version_;
  return end;
}

void TextBuffer::change(TextPlace from, TextPlace to, std::string_view text, bool typed) {
  std::string clean(text);
  std::erase(clean, '\r');
  if (from == to && clean.empty()) return;
  // One step for a word that is typed, as in every editor.
  const bool new_word = from.column > 0 && sort_of(lines_[from.line][from.column - 1]) == Sort::blank &&
                        !clean.empty() && sort_of(clean.front()) != Sort::blank;
  if (!(typed && typing_ && from == to && !new_word)) remember();
  typing_ = typed;
  caret_ = anchor_ = put(from, to, clean);
  wanted_column_ = shown_column(lines_[caret_.line], caret_.column);
}

void TextBuffer::new_line() {
  const TextPlace at = first();
  const std::string& line = lines_[at.line];
  std::string indent = line.substr(0, std::min(indentation(line), at.column));
  const size_t last_sign = line.find_last_not_of(" \t", at.column == 0 ? std::string::npos : at.column - 1);
  if (at.column > 0 && last_sign != std::string::npos && last_sign < at.column &&
      (line[last_sign] == '{' || line[last_sign] == '['))
    indent += std::string(kTab, ' ');
  change(first(), last(), "\n" + indent);
}

void TextBuffer::tab(bool back) {
  if (!back && first().line == last().line) {
    const size_t shown = shown_column(lines_[first().line], first().column);
    return change(first(), last(), std::string(kTab - shown % kTab, ' '));
  }
  edit_lines([&](std::string& line) {
    if (!back && !line.empty()) line.insert(0, kTab, ' ');
    if (!back) return;
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    line.erase(0, line.starts_with('\t') ? 1 : std::min(kTab, blanks));
  });
}

void TextBuffer::edit_lines(const std::function<void(std::string&)>& edit) {
  const bool several = selected();
  const size_t from = first().line;
  size_t until = last().line;
  if (last().column == 0 && until > from) --until;
  std::string text;
  for (size_t i = from; i <= until; ++i) {
    std::string line = lines_[i];
    edit(line);
    text += (i > from ? "\n" : "") + line;
  }
  const TextPlace begin{from, 0}, end{until, lines_[until].size()};
  if (text == between(begin, end)) return;
  change(begin, end, text);
  if (several) move_to(begin);
  move_to({until, ~size_t{0}}, several);
}

bool TextBuffer::find(std::string_view what, bool forward) {
  if (what.empty() || what.find('\n') != what.npos) return false;
  const bool exact = std::any_of(what.begin(), what.end(), [](unsigned char c) { return std::isupper(c); });
  std::string whole = between({0, 0}, {lines_.size() - 1, lines_.back().size()});
  if (!exact) whole = lower_case(whole);
  const size_t from = between({0, 0}, forward ? last() : first()).size(), none = whole.npos;
  size_t at = forward ? whole.find(what, from) : from < what.size() ? none : whole.rfind(what, from - what.size());
  if (at == none) at = forward ? whole.find(what) : whole.rfind(what);
  if (at == none) return false;
  const auto end = whole.begin() + std::ptrdiff_t(at);
  const TextPlace place{size_t(std::count(whole.begin(), end, '\n')),
                        at - (at > 0 ? whole.rfind('\n', at - 1) + 1 : 0)};
  move_to(place);
  move_to({place.line, place.column + what.size()}, true);
  return true;
}

size_t TextBuffer::shown_column(std::string_view line, size_t byte) {
  size_t column = 0;
  for (size_t i = 0; i < std::min(byte, line.size()); ++i)
    column += line[i] == '\t' ? kTab - column % kTab : continues(line[i]) ? 0 : 1;
  return column;
}

size_t TextBuffer::byte_of(std::string_view line, size_t shown) {
  size_t column = 0, i = 0;
  while (i < line.size()) {
    const size_t width = line[i] == '\t' ? kTab - column % kTab : 1;
    if (column + (width + 1) / 2 > shown) break;
    column += width;
    do ++i;
    while (i < line.size() && continues(line[i]));
  }
  return i;
}

std::vector<InkSpan> Highlighter::spans(const std::vector<std::string>& lines, uint64_t version, size_t line) {
  const std::vector<bool>& begins = in_comment_(version, [&] {
    std::vector<bool> all;
    bool in_comment = false;
    for (const std::string& each : lines) {
      all.push_back(in_comment);
      walk(each, in_comment);
    }
    return all;
  });
  bool in_comment = begins[line];
  return walk(lines[line], in_comment);
}

std::vector<InkSpan> Highlighter::walk(std::string_view line, bool& in_comment) const {
  std::vector<InkSpan> out;
  size_t i = 0;
  const auto add = [&](size_t end, Ink ink) {
    out.push_back({uint32_t(i), uint32_t(end), ink});
    i = end;
  };
  const bool glsl = language_ == Language::glsl;
  const size_t first = line.find_first_not_of(" \t");
  bool key = !glsl;  // what comes is the name of a value
  while (i < line.size()) {
    const std::string_view rest = line.substr(i);
    const char c = rest.front();
    if (glsl && (in_comment || rest.starts_with("/*"))) {
      const size_t end = line.find("*/", in_comment ? i : i + 2);
      in_comment = end == line.npos;
      add(in_comment ? line.size() : end + 2, Ink::comment);
    } else if (glsl ? rest.starts_with("//") : c == '#') {
      add(line.size(), Ink::comment);
    } else if (glsl && c == '#' && i == first) {
      size_t end = std::min(line.find_first_not_of(" \t", i + 1), line.size());
      while (end < line.size() && in_word(line[end])) ++end;
      add(end, Ink::directive);
    } else if (!glsl && c == '[' && i == first) {
      key = false;
      add(std::min(line.find_first_not_of(']', line.find(']', i)), line.size()), Ink::section);
    } else if (c == '"' || (!glsl && c == '\'')) {
      add(text_end(line, i), key ? Ink::keyword : Ink::text);
    } else if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      add(number_end(line, i), Ink::number);
    } else if (begins_word(c)) {
      size_t end = i;
      while (end < line.size() && (in_word(line[end]) || (!glsl && (line[end] == '-' || line[end] == '.')))) ++end;
      const std::string_view word = line.substr(i, end - i);
      const bool truth = word == "true" || word == "false";
      add(end, glsl ? ink_of_word(word) : key ? Ink::keyword : truth ? Ink::number : Ink::plain);
    } else {
      // In a table written on one line each key has its own equals sign.
      if (!glsl && c == '=') key = false;
      if (!glsl && (c == '{' || (c == ',' && line.find('{') < i))) key = true;
      ++i;
    }
  }
  return out;
}

}  // namespace attnscope::gui
