#include "engine/record/table.hpp"

#include <algorithm>

#include "engine/visible.hpp"

namespace attnscope {

std::vector<size_t> used_columns(const TextTable& table) {
  std::vector<size_t> used;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (std::ranges::any_of(table.rows, [c](const auto& row) { return !row[c].empty(); })) used.push_back(c);
  return used;
}

std::string render_markdown(const TextTable& table) {
  const auto used = used_columns(table);
  const auto escaped = [](const std::string& cell) {
    std::string out;
    for (const char c : visible_line(cell)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  std::string head = "|", rule = "|", body;
  for (const size_t c : used) {
    head += " " + escaped(table.columns[c].title) + " |";
    rule += table.columns[c].right ? " ---: |" : " --- |";
  }
  for (const auto& row : table.rows) {
    body += "|";
    for (const size_t c : used) body += " " + escaped(row[c]) + " |";
    body += "\n";
  }
  std::string text;
  if (!table.title.empty()) text += "## " + table.title + "\n\n";
  for (const auto& sentence : table.heading) text += sentence + "\n";
  if (!table.heading.empty()) text += "\n";
  text += head + "\n" + rule + "\n" + body;
  if (!table.notes.empty()) text += "\n";
  for (const auto& note : table.notes) text += "- " + escaped(note) + "\n";
  return text;
}

}  // namespace attnscope
