// Tables on a terminal: no line is wider than it. Columns give up room, then the expendable ones go, and what still
// does not fit is shown in parts, one below another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/table.hpp"

namespace attnscope {

/// For text that nobody's terminal limits.
inline constexpr size_t kAnyWidth = size_t(-1);

/// A column's place on a line.
struct FittedColumn {
  size_t column = 0;
  size_t width = 0;
  bool operator==(const FittedColumn&) const = default;
};
struct Fit {
  std::vector<std::vector<FittedColumn>> parts;  ///< at least one, unless there are no columns
  std::vector<size_t> left_out;                  ///< expendable columns that have no room
};
/// `natural`: the width that each column would take, 0 for one that is not to be shown; two spaces go between columns.
/// `keys` leading columns begin every part.
Fit fit_columns(std::span<const TextTable::Column>, std::span<const size_t> natural, size_t keys, size_t width);

/// Cells in their places, cut where they are too long, without spaces at the end.
std::string fitted_line(std::span<const FittedColumn>, std::span<const TextTable::Column>,
                        std::span<const std::string> cells);
/// Sentences broken at spaces, words that are longer than a line within; further lines indented by two.
std::string wrapped(std::string_view text, size_t width);

/// Title and heading, then columns padded to line up, a rule below the header, notes after a blank line, among them
/// which columns were left out, unless `summary`: then a table with the rest is to follow. No line is longer than
/// `width`, which is at least 20.
std::string render_terminal(const TextTable&, size_t width = kAnyWidth, bool summary = false);

}  // namespace attnscope
