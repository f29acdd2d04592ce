// A table whose rows are printed as they come: its widths are settled before the first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/record/terminal.hpp"

namespace attnscope::cli {

class StreamedTable {
 public:
  struct Column {
    std::string title;
    size_t natural = 0;  ///< the widest cell there will be
    bool right = false;
    int expendable = 0;  ///< as of a TextTable, whose columns also say what `least` is
    size_t least = 0;
  };
  StreamedTable(std::span<const Column> columns, size_t width);
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

}  // namespace attnscope::cli
