// A history's runs and changes as tables for a person.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/history/history.hpp"
#include "engine/measure/compare.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

TextTable history_table(std::span<const HistoryEntry>);

/// Two runs of one key with their samples, and what came of comparing them.
struct HistoryComparison {
  HistoryPair ids;
  Record was, now;
  Comparison comparison;
  std::vector<std::string> what;  ///< "driver 570 → 580", "shader 12bc2b48 → 554552f6", "attnscope 0.1.0 → 0.2.0"
};
/// Like compare_records(), but the drivers may differ.
HistoryComparison compare_change(HistoryPair, Record was, Record now);
/// SLOWER first, then FASTER, UNSURE, SAME.
TextTable changes_table(std::vector<HistoryComparison>);

}  // namespace attnscope
