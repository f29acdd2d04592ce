// Tables of records: the best of each problem, a short table for a terminal, a full one and a document for files.
#pragma once

#include "engine/record/columns.hpp"

namespace attnscope {

struct ReportOptions {
  std::map<std::string, Config> defaults = {};  ///< of the variants, by name, so that configs are named by what differs
  double Statistics::*rank = &Statistics::median;  ///< the best config has the least of it
};

ConfigName config_name(const Record&, const ReportOptions&);

/// A row for each problem, in order of appearance: the fastest config that passed. No rows = none timed.
TextTable best_table(std::span<const Record>, const ReportOptions&);

/// A row for each record that was tried: config by its short label, one unit for each column. Refusals are notes.
TextTable short_table(std::span<const Record>, const ReportOptions&);

/// A row for each record that has telemetry: power, energy, clocks, temperature, why it was throttled.
TextTable telemetry_table(std::span<const Record>, const ReportOptions&);

/// A row for each record: config by name and values, times in one unit, TFLOP/s, GB/s, grouped_notes().
TextTable record_table(std::span<const Record>);
/// A Markdown document of such tables: one section a device, driver and mode, in order of first appearance.
std::string to_markdown(std::span<const Record>);

/// The notes below a table, each kind once with its count and the first. `names`: one a record.
std::vector<std::string> grouped_notes(std::span<const Record>, std::span<const std::string> names,
                                       size_t most_failures = 3);

/// JUnit XML, which CI servers show: a test case for each record.
struct JUnitCase {
  const Record* record = nullptr;
  std::string config_text;  ///< as it was asked for: "default", "BLOCK_M=32"
  bool skipped = false;     ///< could not run, and nobody insisted: no fault
  double seconds = 0;       ///< of wall time
};
/// A test suite for each device, a class for each variant. What could not run though it was asked for is an error.
std::string to_junit(std::span<const JUnitCase>);

/// Text for an XML attribute. What no XML 1.0 document may hold, and what is not UTF-8, is shown as C has it ("\x1b").
std::string xml_escaped(std::string_view text);

}  // namespace attnscope
