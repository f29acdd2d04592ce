// Reading a CSV of records back, by the same tables as it is written.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/record/csv.hpp"
#include "engine/record/flat.hpp"
#include "engine/record/sound.hpp"

namespace attnscope {

namespace {

/// Lines of cells (RFC 4180): a quoted cell may hold commas, quotes doubled, and line ends.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }
  bool done() const { return text_.empty(); }
  /// Of the text, where the line that next() gave began.
  size_t line() const { return began_; }

  std::vector<std::string> next() {
    began_ = line_;
    std::vector<std::string> cells(1);
    bool quoted = false;
    size_t i = 0;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"')
          cells.back() += c;
        else if (i + 1 < text_.size() && text_[i + 1] == '"')
          cells.back() += text_[++i];
        else
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        ++i;
        break;
      } else if (c != '\r') {
        cells.back() += c;
      }
    }
    text_.remove_prefix(i);
    return cells;
  }

 private:
  std::string_view text_;
  size_t line_ = 1, began_ = 1;
};

}  // namespace

Result<std::vector<Record>> records_from_csv(std::string_view text, std::string_view what) {
  Reader reader(text);
  const std::vector<std::string> names = reader.next();
  for (const char* needed : {"problem", "variant"})
    if (std::find(names.begin(), names.end(), needed) == names.end())
      return bad_input(
          fmt::format("{} is no CSV of records: its first line, the header, has no column '{}'.", what, needed));
  std::vector<Record> records;
  std::map<std::string, Cell, std::less<>> row;
  const auto find = [&](std::string_view name) -> const Cell* {
    const auto at = row.find(name);
    return at == row.end() ? nullptr : &at->second;
  };
  while (!reader.done()) {
    std::vector<std::string> cells = reader.next();
    if (cells.size() == 1 && cells.front().empty()) continue;
    if (cells.size() != names.size())
      return bad_input(
          fmt::format("{}, line {}: it has {} cells, the header {}.", what, reader.line(), cells.size(), names.size()));
    for (size_t c = 0; c < cells.size(); ++c) row[names[c]] = cells[c].empty() ? Cell() : Cell(std::move(cells[c]));
    try {
      read_columns(records.emplace_back(), find);
    } catch (const std::exception& e) {
      return bad_input(fmt::format("{}, line {}: {}", what, reader.line(), e.what()));
    }
    if (const std::string why = impossible_time(records.back()); !why.empty())
      return bad_input(fmt::format("{}, line {}: {}", what, reader.line(), why));
    heed_verdict(records.back());
    if (empty(row["problem"]) || empty(row["variant"]))
      return bad_input(fmt::format("{}, line {}: a record needs a problem and a variant.", what, reader.line()));
  }
  return records;
}

}  // namespace attnscope
