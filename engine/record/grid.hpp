// Grids of a comparison, as they are pasted into pull requests: rows by one field, columns by another.
#pragma once

#include "engine/record/comparisons.hpp"
#include "engine/record/table.hpp"
#include "engine/result.hpp"

namespace attnscope {

struct GridRequest {
  /// One or two fields: of the problem ("head_dim"), of the run ("variant"), or parameters of configs ("BLOCK_M").
  std::vector<std::string> by;
  /// "time", or what a record has: "registers", "median", …
  std::vector<std::string> show{"time"};
};

/// A cell has what is shown side by side: "−28 % | 204 → 146". By one field alone each has a column of its own.
/// Rows that would share a cell are told apart by further fields, with a table for each of their values. The error
/// names the field or what was to be shown, and what there is.
Result<std::vector<TextTable>> comparison_grids(const FileComparison&, const GridRequest&);

/// The allowed values of `by` and `show`; any parameter is allowed too.
std::vector<std::string> grid_fields();
std::vector<std::string> grid_values();

}  // namespace attnscope
