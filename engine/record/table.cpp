#include "engine/record/table.hpp"

#include "engine/measure/units.hpp"
#include "engine/visible.hpp"

namespace attnscope {

std::vector<size_t> used_columns(const TextTable& table) {
  std::vector<size_t> used;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (std::ranges::any_of(table.rows, [c](const auto& row) { return !row[c].empty(); })) used.push_back(c);
  return used;
}

std::string markdown_line(std::string_view text) {
  std::string out;
  for (const char c : visible_line(text)) out += (c == '|' || c == '<' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out;
}

std::string render_markdown(const TextTable& table) {
  const auto used = used_columns(table);
  std::string head = "|", rule = "|", body;
  for (const size_t c : used) {
    head += " " + markdown_line(table.columns[c].title) + " |";
    rule += table.columns[c].right ? " ---: |" : " --- |";
  }
  for (const auto& row : table.rows) {
    body += "|";
    for (const size_t c : used) body += " " + markdown_line(row[c]) + " |";
    body += "\n";
  }
  std::string text;
  if (!table.title.empty()) text += "## " + markdown_line(table.title) + "\n\n";
  for (const auto& sentence : table.heading) text += markdown_line(sentence) + "\n";
  if (!table.heading.empty()) text += "\n";
  text += head + "\n" + rule + "\n" + body;
  if (!table.notes.empty()) text += "\n";
  for (const auto& note : table.notes) text += "- " + markdown_line(note) + "\n";
  return text;
}

std::string render_markdown(std::span<const TextTable> tables) {
  std::string text;
  for (const TextTable& table : tables) text += (text.empty() ? "" : "\n") + render_markdown(table);
  return text;
}

namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeastWidth = 20;

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

size_t total(std::span<const FittedColumn> columns) {
  size_t sum = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const FittedColumn& c : columns) sum += c.width;
  return sum;
}

/// Cells in their places, cut where they are too long, without spaces at the end.
std::string fitted_line(std::span<const FittedColumn> places, std::span<const TextTable::Column> columns,
                        std::span<const std::string> cells) {
  std::string out;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [c, width] = places[i];
    if (i > 0) out += std::string(kGap, ' ');
    out += padded(cut_to(visible_line(cells[c]), width), width, columns[c].right);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace

Fit fit_columns(std::span<const TextTable::Column> columns, std::span<const size_t> natural, size_t width) {
  Fit fit;
  for (size_t c = 0; c < columns.size(); ++c)
    if (natural[c] > 0) fit.columns.push_back({c, natural[c]});
  const auto least = [&](size_t c) {
    return columns[c].least == 0 ? natural[c] : std::min(columns[c].least, natural[c]);
  };
  const auto least_total = [&] {
    return std::accumulate(fit.columns.begin(), fit.columns.end(), kGap * (fit.columns.size() - 1),
                           [&](size_t sum, const FittedColumn& c) { return sum + least(c.column); });
  };
  // One stays, whatever it is: it is cut.
  while (fit.columns.size() > 1 && least_total() > width) {
    // Of equals a text between the first and the last column, then the last.
    const auto worth = [&](const FittedColumn& c) {
      const bool between = c.column != fit.columns.front().column && c.column != fit.columns.back().column;
      return std::pair(columns[c.column].expendable, between && !columns[c.column].right);
    };
    auto first_to_go = fit.columns.begin();
    for (auto it = fit.columns.begin(); it != fit.columns.end(); ++it)
      if (worth(*it) >= worth(*first_to_go)) first_to_go = it;
    fit.left_out.push_back(first_to_go->column);
    fit.columns.erase(first_to_go);
  }
  std::ranges::sort(fit.left_out);
  if (fit.columns.size() == 1) fit.columns[0].width = std::min(fit.columns[0].width, width);
  // The widest columns give way first.
  while (total(fit.columns) > width) {
    FittedColumn* widest = nullptr;
    for (FittedColumn& c : fit.columns)
      if (c.width > least(c.column) && (widest == nullptr || c.width > widest->width)) widest = &c;
    --widest->width;
  }
  return fit;
}

std::string wrapped(std::string_view text, size_t width, size_t indent, std::string_view label) {
  std::string out, line(label);
  const std::string flat = visible_line(text);
  std::string_view left = flat;
  const auto end_line = [&] {
    out += line + "\n";
    line.assign(indent, ' ');
  };
  bool begun = false;  // whether the line has a word
  while (!left.empty()) {
    const size_t space = std::min(left.find(' '), left.size());
    std::string_view word = left.substr(0, space);
    left.remove_prefix(std::min(space + 1, left.size()));
    if (word.empty()) continue;
    if (begun && display_width(line) + 1 + display_width(word) > width) {
      end_line();
      begun = false;
    }
    if (begun) line += ' ';
    while (display_width(line) + display_width(word) > width) {
      const size_t rest = width - display_width(line);
      // Like cut_to, but the rest goes on in the next line.
      size_t end = 0;
      for (size_t columns = 0; end < word.size(); ++end)
        if ((word[end] & 0xc0) != 0x80 && columns++ == rest) break;
      line += word.substr(0, end);
      word.remove_prefix(end);
      end_line();
    }
    line += word;
    begun = true;
  }
  return begun ? out + line + "\n" : out;
}

std::string render_terminal(const TextTable& table, size_t width, bool summary) {
  width = std::max(width, kLeastWidth);
  std::vector<size_t> natural(table.columns.size());
  for (const size_t c : used_columns(table)) {
    natural[c] = display_width(visible_line(table.columns[c].title));
    for (const auto& row : table.rows) natural[c] = std::max(natural[c], display_width(visible_line(row[c])));
  }
  const Fit fit = fit_columns(table.columns, natural, width);
  const std::vector<std::string> titles = mapped(table.columns, &TextTable::Column::title);

  std::string text;
  if (!table.title.empty()) text += wrapped(table.title, width);
  for (const auto& sentence : table.heading) text += wrapped(sentence, width);
  if (!fit.columns.empty()) {
    if (!text.empty()) text += "\n";
    text += fitted_line(fit.columns, table.columns, titles) + "\n";
    const auto rule = [](const FittedColumn& c) { return fmt::format("{:─<{}}", "", c.width); };
    text += joined(fit.columns, std::string(kGap, ' '), rule) + "\n";
    for (const auto& row : table.rows) text += fitted_line(fit.columns, table.columns, row) + "\n";
  }
  const bool say_left_out = !summary && !fit.left_out.empty();
  if (!text.empty() && (!table.notes.empty() || say_left_out)) text += "\n";
  for (const auto& note : table.notes) text += wrapped(note, width);
  if (say_left_out) {
    const std::string names = joined(fit.left_out, ", ", [&](size_t c) { return table.columns[c].title; });
    text += wrapped(fmt::format("Hidden columns: {}. A wider terminal, and files, have all.", names), width);
  }
  return text;
}

StreamedTable::StreamedTable(const Columns& columns, size_t width) : width_(width) {
  std::vector<size_t> natural;
  for (const auto& [widest, column] : columns) {
    columns_.push_back(column);
    titles_.push_back(column.title);
    natural.push_back(std::max(widest, display_width(column.title)));
  }
  places_ = fit_columns(columns_, natural, width).columns;
}

std::string StreamedTable::header() const { return fitted_line(places_, columns_, titles_) + "\n"; }

std::string StreamedTable::row(std::span<const std::string> cells) const {
  return fitted_line(places_, columns_, cells) + "\n";
}

std::string StreamedTable::remark(std::string_view sentence) const { return wrapped(sentence, width_, 6, "    "); }

}  // namespace attnscope
