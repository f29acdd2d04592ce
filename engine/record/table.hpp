// Tables of text, printed as Markdown or on a terminal.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// Cells that are already text. A column that is empty in every row is not shown.
struct TextTable {
  struct Column {
    std::string title;
    bool right = false;  ///< aligned to the right, as numbers are
    /// Where the terminal is narrow: the highest goes first, of equals the last.
    int expendable = 0;
    /// On a narrow terminal cells may be cut to this width before a column goes; 0 = they are whole.
    size_t least = 0;
    bool operator==(const Column&) const = default;
  };
  std::string title;                 ///< above it all; "" = none
  std::vector<std::string> heading;  ///< whole sentences to go above
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as columns
  std::vector<std::string> notes;              ///< whole sentences to go below
  bool operator==(const TextTable&) const = default;
};

std::vector<size_t> used_columns(const TextTable&);
/// Text as text: what Markdown would take for HTML or the end of a cell is escaped.
std::string markdown_line(std::string_view);
std::string render_markdown(const TextTable&);
std::string render_markdown(std::span<const TextTable>);

/// For text that nobody's terminal limits.
inline constexpr size_t kAnyWidth = size_t(-1);

struct FittedColumn {
  size_t column = 0;
  size_t width = 0;
  bool operator==(const FittedColumn&) const = default;
};
struct Fit {
  std::vector<FittedColumn> columns;
  std::vector<size_t> left_out;  ///< those that do not fit
};
/// `natural`: the width that each column would take, 0 for one that is not to be shown; two spaces go between columns.
Fit fit_columns(std::span<const TextTable::Column>, std::span<const size_t> natural, size_t width);

/// Sentences broken at spaces. The first line begins with `label`, further lines with `indent` spaces.
std::string wrapped(std::string_view text, size_t width, size_t indent = 2, std::string_view label = "");

/// Title and heading, columns padded to line up, a rule below the header, notes, among them which columns were left out
/// (not in a `summary`). No line is longer than `width`, at least 20.
std::string render_terminal(const TextTable&, size_t width = kAnyWidth, bool summary = false);

class StreamedTable {
 public:
  /// With each column its widest cell there will be.
  using Columns = std::vector<std::pair<size_t, TextTable::Column>>;
  StreamedTable(const Columns& columns, size_t width);
  std::string header() const;
  /// One line; cells that are too long are cut.
  std::string row(std::span<const std::string> cells) const;
  /// A sentence for below, on the cells below a row: broken at spaces, indented.
  std::string remark(std::string_view sentence) const;

 private:
  size_t width_;
  std::vector<TextTable::Column> columns_;
  std::vector<std::string> titles_;
  std::vector<FittedColumn> places_;
};

}  // namespace attnscope
