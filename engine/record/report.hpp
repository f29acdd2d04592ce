// What a person sees of a run first: the best of each problem, and the records in a table that fits a terminal.
#pragma once

#include <map>
#include <span>
#include <string>

#include "engine/record/labels.hpp"
#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

struct ReportOptions {
  std::map<std::string, Config> defaults = {};  ///< of the variants, by name, so that configs are named by what differs
  double Statistics::*rank = &Statistics::median;  ///< what the best is the least of
};

/// What short labels are made of.
ConfigName config_name(const Record&, const ReportOptions&);

/// A row for each problem, in order of appearance: the config that passed its verdict and took the least time, its
/// median and p20–p80, rates in units that suit them, and of how many. Without rows when nothing was timed.
TextTable best_table(std::span<const Record>, const ReportOptions&);

/// A row for each record that was tried: config by its short label, one unit for each column, chosen by size. Refusals
/// are notes, and each kind of remark is there once. A measured record without samples says "no accepted samples".
TextTable short_table(std::span<const Record>, const ReportOptions&);

}  // namespace attnscope
