// Tables of records: the best of each problem, a short table for a terminal, a full one and a document for files.
#pragma once

#include "engine/record/columns.hpp"
#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

struct ReportOptions {
  std::map<std::string, Config> defaults = {};  ///< of the variants, by name, so that configs are named by what differs
  double Statistics::*rank = &Statistics::median;  ///< the best config has the least of it
};

/// The input of short labels.
ConfigName config_name(const Record&, const ReportOptions&);

/// A row for each problem, in order of appearance: the config that passed its verdict and took the least time, its
/// median and p20–p80, rates in units that suit them, and of how many. Without rows when nothing was timed.
TextTable best_table(std::span<const Record>, const ReportOptions&);

/// A row for each record that was tried: config by its short label, one unit for each column, chosen by size. Refusals
/// are notes, and each kind of remark is there once. A measured record without samples says "no accepted samples".
TextTable short_table(std::span<const Record>, const ReportOptions&);

/// A row for each record that has telemetry: power, energy, clocks, temperature, why it was throttled.
TextTable telemetry_table(std::span<const Record>, const ReportOptions&);

/// A row for each record: config by name and values, times in one unit, TFLOP/s, GB/s, grouped_notes().
TextTable record_table(std::span<const Record>);
/// A Markdown document of such tables: one section a device, driver and mode, in order of first appearance.
std::string to_markdown(std::span<const Record>);

/// The notes below a table: failures, refusals, throttling, sampled references, sums, numbers that the driver does not
/// report; each kind once, with how many records have it and the first of them. `names` has one for each record, such
/// as those of short_labels(); `most_failures` are named.
std::vector<std::string> grouped_notes(std::span<const Record>, std::span<const std::string> names,
                                       size_t most_failures = 3);

}  // namespace attnscope
