#include "app/gui/edit/diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace attnscope::gui {
namespace {

bool is_file(const std::string& name) {
  return name.find(' ') == name.npos && (name.ends_with(".toml") || name.ends_with(".comp") ||
                                         name.ends_with(".glsl") || name.ends_with(".h") || name.ends_with(".spv"));
}

/// The words of a message between quotes.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> out;
  for (const char quote : {'\'', '"'})
    for (size_t at = text.find(quote); at != text.npos;) {
      const size_t end = text.find(quote, at + 1);
      if (end == text.npos) break;
      if (end > at + 1) out.push_back(text.substr(at + 1, end - at - 1));
      at = text.find(quote, end + 1);
    }
  return out;
}

bool has_word(const std::string& line, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1))
    if ((at == 0 || !part(line[at - 1])) && (at + word.size() >= line.size() || !part(line[at + word.size()])))
      return true;
  return false;
}

/// The line with most of the names; 0 = none has any.
size_t nearest_line(const std::string& text, const std::vector<std::string>& names) {
  std::stringstream lines(text);
  size_t number = 0, best = 0, most = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with('#')) continue;
    const auto count =
        size_t(std::count_if(names.begin(), names.end(), [&](const std::string& n) { return has_word(line, n); }));
    if (count > most) {
      most = count;
      best = number;
    }
  }
  return best;
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(const std::string& variant, const std::string& error,
                                       const std::function<const std::string*(const std::string& file)>& text_of) {
  std::vector<Diagnostic> out;
  std::stringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    Diagnostic d;
    const size_t colon = line.find(':');
    std::string file = line.substr(0, colon);
    if (colon == line.npos || !is_file(file)) {
      // A sentence of several lines goes on.
      if (!out.empty() && (line.front() == ' ' || line.front() == '\t'))
        out.back().text += "\n" + line;
      else
        out.push_back({"", 0, false, line});
      continue;
    }
    if (file.starts_with(variant + "/")) file.erase(0, variant.size() + 1);
    d.file = file;
    size_t at = colon + 1;
    size_t digits = at;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
    if (digits > at && digits - at < 9) {
      d.line = size_t(std::stoul(line.substr(at, digits - at)));
      at = digits;
      // Some tell the column, too.
      if (at < line.size() && line[at] == ':') ++at;
    }
    const size_t text = line.find_first_not_of(" \t", at);
    d.text = text == line.npos ? "" : line.substr(text);
    if (d.line == 0)
      if (const std::string* whole = text_of(d.file)) {
        d.line = nearest_line(*whole, quoted(d.text));
        d.near = d.line > 0;
      }
    // glslang quotes an empty token where it has none to name.
    if (d.text.starts_with("'' : ")) d.text.erase(0, 5);
    const size_t trim = d.text.find_first_not_of(' ');
    if (trim != d.text.npos) d.text.erase(0, trim);
    if (std::find(out.begin(), out.end(), d) == out.end()) out.push_back(std::move(d));
  }
  return out;
}

}  // namespace attnscope::gui
