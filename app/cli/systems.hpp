// Presets that have a table of their own: the jobs that its rows are, and the table that comes of them.
#pragma once

#include <span>
#include <vector>

#include "app/cli/jobs.hpp"
#include "engine/record/preset.hpp"

namespace attnscope::cli {

/// Where a job's record belongs.
struct TablePlace {
  size_t preset = 0, row = 0, problem = 0;
};

/// Takes those of --preset that have a table out of the options, unless a variant or config is named: then they are
/// lists of problems like any other.
Result<std::vector<Preset>> take_tables(WorkOptions&);

/// The jobs of all rows, problems outermost; `places` gets one for each. Nobody insists on a row: what cannot run here
/// is skipped, with the reason; problems too large for a software device become no jobs at all.
Result<std::vector<WorkItem>> table_jobs(const Opened&, const std::vector<Preset>&, std::vector<TablePlace>& places);

/// A table for each preset from the rows of one device, places[i] being that of rows[i]; rows may end early.
std::vector<TextTable> system_tables(const DeviceInfo&, const std::vector<Preset>&, std::span<const TablePlace> places,
                                     std::span<const Row> rows, std::span<const Record> baseline,
                                     double Statistics::*rank);

}  // namespace attnscope::cli
