#include "app/gui/edit/highlight.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

namespace attnscope::gui {
namespace {

using Words = std::unordered_set<std::string_view>;

const Words& glsl_keywords() {
  static const Words words{"attribute",    "buffer",   "const",    "uniform",   "shared",    "coherent",
                           "volatile",     "restrict", "readonly", "writeonly", "layout",    "struct",
                           "in",           "out",      "inout",    "if",        "else",      "for",
                           "while",        "do",       "switch",   "case",      "default",   "break",
                           "continue",     "return",   "discard",  "true",      "false",     "precise",
                           "highp",        "mediump",  "lowp",     "flat",      "invariant", "subgroupuniformEXT",
                           "nonuniformEXT"};
  return words;
}

const Words& glsl_types() {
  static const Words words{"void", "bool", "int", "uint", "float", "double", "half", "coopmat"};
  return words;
}

const Words& glsl_builtins() {
  static const Words words{"abs",
                           "acos",
                           "all",
                           "any",
                           "asin",
                           "atan",
                           "barrier",
                           "bitCount",
                           "ceil",
                           "clamp",
                           "cos",
                           "cross",
                           "dot",
                           "equal",
                           "exp",
                           "exp2",
                           "floor",
                           "fma",
                           "fract",
                           "inversesqrt",
                           "isinf",
                           "isnan",
                           "length",
                           "log",
                           "log2",
                           "max",
                           "min",
                           "mix",
                           "mod",
                           "normalize",
                           "pow",
                           "round",
                           "sign",
                           "sin",
                           "smoothstep",
                           "sqrt",
                           "step",
                           "tan",
                           "tanh",
                           "trunc",
                           "coopMatLoad",
                           "coopMatMulAdd",
                           "coopMatStore",
                           "floatBitsToUint",
                           "uintBitsToFloat",
                           "packHalf2x16",
                           "unpackHalf2x16",
                           "memoryBarrierShared",
                           "controlBarrier",
                           "atomicAdd",
                           "gl_GlobalInvocationID",
                           "gl_LocalInvocationID",
                           "gl_LocalInvocationIndex",
                           "gl_NumSubgroups",
                           "gl_SubgroupID",
                           "gl_SubgroupInvocationID",
                           "gl_SubgroupSize",
                           "gl_WorkGroupID",
                           "gl_WorkGroupSize"};
  return words;
}

bool is_glsl_type(std::string_view word) {
  if (glsl_types().contains(word)) return true;
  // ivec4, f16vec2, mat3, float16_t, i8vec4 …
  if (word.ends_with("_t") && std::islower(static_cast<unsigned char>(word.front()))) return true;
  for (const std::string_view stem : {"vec", "mat"}) {
    const size_t at = word.find(stem);
    if (at == word.npos || at + stem.size() >= word.size()) continue;
    const std::string_view before = word.substr(0, at), after = word.substr(at + stem.size());
    const bool sized = after.find_first_not_of("234x") == after.npos;
    const bool prefix = before.find_first_not_of("iubdf1684320") == before.npos;
    if (sized && prefix) return true;
  }
  return false;
}

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Where a number that begins at `at` ends.
size_t number_end(std::string_view line, size_t at) {
  size_t i = at;
  while (i < line.size() && (in_word(line[i]) || line[i] == '.' ||
                             ((line[i] == '+' || line[i] == '-') && i > at &&
                              (line[i - 1] == 'e' || line[i - 1] == 'E') && !line.substr(at).starts_with("0x"))))
    ++i;
  return i;
}

/// Behind the quote that ends a text begun before `at`, or the line's end.
size_t text_end(std::string_view line, size_t at, char quote) {
  for (size_t i = at; i < line.size(); ++i) {
    if (line[i] == '\\' && quote == '"')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

Language language_of(const std::string& name) { return name.ends_with(".toml") ? Language::toml : Language::glsl; }

void Highlighter::forget_from(size_t line) {
  if (line + 1 < states_.size()) states_.resize(line + 1);
}

std::vector<InkSpan> Highlighter::spans(const std::vector<std::string>& lines, size_t line) {
  while (states_.size() <= line && states_.size() <= lines.size())
    states_.push_back(walk(lines[states_.size() - 1], states_.back(), nullptr));
  std::vector<InkSpan> out;
  if (line < lines.size()) walk(lines[line], states_[line], &out);
  return out;
}

Highlighter::State Highlighter::walk(const std::string& text, State state, std::vector<InkSpan>* into) const {
  const std::string_view line = text;
  size_t i = 0;
  const auto add = [&](size_t begin, size_t end, Ink ink) {
    if (into && end > begin) into->push_back({uint32_t(begin), uint32_t(end), ink});
  };
  const bool glsl = language_ == Language::glsl;
  if (state != State::none) {
    const std::string_view closing = state == State::comment ? "*/" : state == State::basic_text ? "\"\"\"" : "'''";
    const size_t end = line.find(closing);
    const size_t until = end == line.npos ? line.size() : end + closing.size();
    add(0, until, state == State::comment ? Ink::comment : Ink::text);
    if (end == line.npos) return state;
    i = until;
  }
  const size_t first = line.find_first_not_of(" \t");
  bool key = !glsl && first != line.npos && first >= i;
  while (i < line.size()) {
    const char c = line[i];
    if (glsl && line.substr(i).starts_with("//")) {
      add(i, line.size(), Ink::comment);
      return State::none;
    }
    if (glsl && line.substr(i).starts_with("/*")) {
      const size_t end = line.find("*/", i + 2);
      add(i, end == line.npos ? line.size() : end + 2, Ink::comment);
      if (end == line.npos) return State::comment;
      i = end + 2;
      continue;
    }
    if (!glsl && c == '#') {
      add(i, line.size(), Ink::comment);
      return State::none;
    }
    if (glsl && c == '#' && i == first) {
      size_t end = line.find_first_not_of(" \t", i + 1);
      while (end < line.size() && in_word(line[end])) ++end;
      end = std::min(end, line.size());
      add(i, end, Ink::directive);
      i = end;
      continue;
    }
    if (!glsl && c == '[' && i == first) {
      size_t end = line.find(']', i);
      end = end == line.npos ? line.size() : end + 1;
      if (end < line.size() && line[end] == ']') ++end;
      add(i, end, Ink::section);
      i = end;
      key = false;
      continue;
    }
    if (!glsl && (line.substr(i).starts_with("\"\"\"") || line.substr(i).starts_with("'''"))) {
      const std::string_view closing = line.substr(i, 3);
      const size_t end = line.find(closing, i + 3);
      add(i, end == line.npos ? line.size() : end + 3, Ink::text);
      if (end == line.npos) return c == '"' ? State::basic_text : State::literal_text;
      i = end + 3;
      continue;
    }
    if (c == '"' || (!glsl && c == '\'')) {
      const size_t end = text_end(line, i + 1, c);
      add(i, end, key && !glsl ? Ink::keyword : Ink::text);
      i = end;
      continue;
    }
    if (is_digit(c) || (c == '.' && i + 1 < line.size() && is_digit(line[i + 1]))) {
      const size_t end = number_end(line, i);
      add(i, end, Ink::number);
      i = end;
      continue;
    }
    if (begins_word(c)) {
      size_t end = i;
      while (end < line.size() && (in_word(line[end]) || (!glsl && (line[end] == '-' || line[end] == '.')))) ++end;
      const std::string_view word = line.substr(i, end - i);
      if (glsl)
        add(i, end,
            glsl_keywords().contains(word)   ? Ink::keyword
            : is_glsl_type(word)             ? Ink::type
            : glsl_builtins().contains(word) ? Ink::builtin
            : word.starts_with("subgroup")   ? Ink::builtin
                                             : Ink::plain);
      else
        add(i, end, key ? Ink::keyword : word == "true" || word == "false" ? Ink::number : Ink::plain);
      i = end;
      continue;
    }
    // In a table written on one line each key has its own equals sign.
    if (!glsl && c == '=') key = false;
    if (!glsl && (c == '{' || (c == ',' && line.find('{') < i))) key = true;
    ++i;
  }
  return State::none;
}

}  // namespace attnscope::gui
