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
struct Changed {
  HistoryPair ids;
  Record was, now;
  Comparison comparison;
  std::vector<std::string> what;  ///< "driver 570 → 580", "shader 12bc2b48 → 554552f6", "attnscope 0.1.0 → 0.2.0"
};
/// As compare_records() does, but for the driver, which is among what is compared here.
Changed compare_change(HistoryPair, Record was, Record now);
/// What is slower first, then what is faster, unsure, the same.
TextTable changes_table(std::vector<Changed>);

}  // namespace attnscope
