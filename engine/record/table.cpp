#include "engine/record/table.hpp"

#include <algorithm>
#include <numeric>

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

namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeastWidth = 20;
/// The least width of a column that may be cut.
constexpr size_t kLeastCell = 6;

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

size_t total(std::span<const FittedColumn> columns) {
  size_t sum = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const FittedColumn& c : columns) sum += c.width;
  return sum;
}

/// The widest columns give way first, down to what `least` says of each, until the line fits or nothing gives any more.
template <class Least>
void shrink(std::vector<FittedColumn>& columns, size_t width, const Least& least) {
  while (total(columns) > width) {
    FittedColumn* widest = nullptr;
    for (FittedColumn& c : columns)
      if (c.width > least(c.column) && (widest == nullptr || c.width > widest->width)) widest = &c;
    if (widest == nullptr) return;
    --widest->width;
  }
}

}  // namespace

Fit fit_columns(std::span<const TextTable::Column> columns, std::span<const size_t> natural, size_t keys,
                size_t width) {
  Fit fit;
  std::vector<FittedColumn> all;
  for (size_t c = 0; c < columns.size(); ++c)
    if (natural[c] > 0) all.push_back({c, natural[c]});
  if (all.empty()) return fit;
  const auto least = [&](size_t c) {
    return columns[c].least == 0 ? natural[c] : std::min(columns[c].least, natural[c]);
  };
  const auto least_total = [&] {
    return std::accumulate(all.begin(), all.end(), kGap * (all.size() - 1),
                           [&](size_t sum, const FittedColumn& c) { return sum + least(c.column); });
  };
  // One stays, whatever it is: it is cut.
  while (all.size() > 1 && least_total() > width) {
    auto first_to_go = all.begin();  // of equals the last
    for (auto it = all.begin(); it != all.end(); ++it)
      if (columns[it->column].expendable >= columns[first_to_go->column].expendable) first_to_go = it;
    if (columns[first_to_go->column].expendable == 0) break;
    fit.left_out.push_back(first_to_go->column);
    all.erase(first_to_go);
  }
  std::ranges::sort(fit.left_out);
  shrink(all, width, least);
  std::vector<FittedColumn> hard_pressed = all;
  shrink(hard_pressed, width,
         [&](size_t c) { return columns[c].least == 0 ? natural[c] : std::min(kLeastCell, natural[c]); });
  if (total(hard_pressed) <= width) {
    fit.parts.push_back(std::move(hard_pressed));
    return fit;
  }

  // In parts. Keys leave half of the line to the others; a column that is alone with them takes what there is.
  const size_t half = (width - kGap) / 2;
  keys = std::min(keys, (half + kGap) / (kLeastCell + kGap));
  std::vector<FittedColumn> key, rest;
  for (const FittedColumn& c : all) (c.column < keys ? key : rest).push_back(c);
  if (rest.empty()) std::swap(key, rest);
  shrink(key, half, [](size_t) { return kLeastCell; });
  const size_t space = width - std::min(width - 1, key.empty() ? 0 : total(key) + kGap);
  std::vector<FittedColumn> part = key;
  for (FittedColumn c : rest) {
    c.width = std::min(c.width, space);
    if (part.size() > key.size() && total(part) + kGap + c.width > width) {
      fit.parts.push_back(std::move(part));
      part = key;
    }
    part.push_back(c);
  }
  fit.parts.push_back(std::move(part));
  return fit;
}

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
  const Fit fit = fit_columns(table.columns, natural, table.keys, width);
  std::vector<std::string> titles;
  for (const auto& column : table.columns) titles.push_back(column.title);

  std::string text;
  if (!table.title.empty()) text += wrapped(table.title, width);
  for (const auto& sentence : table.heading) text += wrapped(sentence, width);
  for (const auto& part : fit.parts) {
    if (!text.empty()) text += "\n";
    text += fitted_line(part, table.columns, titles) + "\n";
    for (size_t i = 0; i < part.size(); ++i) {
      if (i > 0) text += std::string(kGap, ' ');
      for (size_t k = 0; k < part[i].width; ++k) text += "─";
    }
    text += "\n";
    for (const auto& row : table.rows) text += fitted_line(part, table.columns, row) + "\n";
  }
  const bool say_left_out = !summary && !fit.left_out.empty();
  if (!text.empty() && (!table.notes.empty() || say_left_out)) text += "\n";
  for (const auto& note : table.notes) text += wrapped(note, width);
  if (say_left_out) {
    std::vector<std::string> names;
    for (const size_t c : fit.left_out) names.push_back(table.columns[c].title);
    text += wrapped(fmt::format("Hidden columns: {}. A wider terminal, and files, have all.", fmt::join(names, ", ")),
                    width);
  }
  return text;
}

StreamedTable::StreamedTable(std::span<const Column> columns, size_t width) : width_(width) {
  std::vector<size_t> natural;
  for (const Column& c : columns) {
    columns_.push_back({c.title, c.right, c.expendable, c.least});
    titles_.push_back(c.title);
    natural.push_back(std::max(c.natural, display_width(c.title)));
  }
  // There is one line a row, so what would be a second part is not shown.
  if (Fit fit = fit_columns(columns_, natural, 0, width); !fit.parts.empty()) places_ = std::move(fit.parts.front());
}

std::string StreamedTable::header() const { return fitted_line(places_, columns_, titles_) + "\n"; }

std::string StreamedTable::row(std::span<const std::string> cells) const {
  return fitted_line(places_, columns_, cells) + "\n";
}

std::string StreamedTable::remark(std::string_view sentence) const { return wrapped(sentence, width_, 6, "    "); }

}  // namespace attnscope
