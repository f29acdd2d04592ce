// Records as a table of text: one row a record, for a terminal or Markdown.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/record/record.hpp"

namespace attnscope {

/// Cells that are already text. A column that is empty in every row is not shown.
struct TextTable {
  struct Column {
    std::string title;
    bool right = false;  ///< aligned to the right, as numbers are
    bool operator==(const Column&) const = default;
  };
  std::string title;                           ///< above it all; "" = none
  std::vector<std::string> heading;            ///< whole sentences to go above
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as columns
  std::vector<std::string> notes;              ///< whole sentences to go below
  bool operator==(const TextTable&) const = default;
};

/// Variant, config, problem, verdict, errors, times in one unit for all rows, TFLOP/s, GB/s and resources. A measured
/// record without samples says "no accepted samples". Failures, refusals, throttling, sampled references and numbers
/// that the driver does not report become notes.
TextTable record_table(std::span<const Record>);

/// Title and heading, then columns padded to line up, two spaces between, a rule below the header, notes after a blank
/// line.
std::string render_terminal(const TextTable&);
std::string render_markdown(const TextTable&);

}  // namespace attnscope
