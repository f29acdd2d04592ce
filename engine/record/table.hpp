// Tables of text, and their form in Markdown (terminal.hpp: on a terminal).
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// Cells that are already text. A column that is empty in every row is not shown.
struct TextTable {
  struct Column {
    std::string title;
    bool right = false;  ///< aligned to the right, as numbers are
    /// Where the terminal is narrow: the highest goes first; what is 0 always stays.
    int expendable = 0;
    /// Where the terminal is narrow, cells may be cut to this width before a column goes, and further when none is left
    /// to go; 0 = they are whole, unless they alone do not fit.
    size_t least = 0;
    bool operator==(const Column&) const = default;
  };
  std::string title;                 ///< above it all; "" = none
  std::vector<std::string> heading;  ///< whole sentences to go above
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as columns
  std::vector<std::string> notes;              ///< whole sentences to go below
  size_t keys = 1;  ///< leading columns that name a row: repeated where the columns are shown in several parts
  bool operator==(const TextTable&) const = default;
};

/// Indices of the columns that some row fills.
std::vector<size_t> used_columns(const TextTable&);
std::string render_markdown(const TextTable&);

}  // namespace attnscope
