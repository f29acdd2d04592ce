// Speedups over another result file: bench --baseline FILE.
#pragma once

#include <span>
#include <string>

#include "engine/record/record.hpp"
#include "engine/record/report.hpp"
#include "engine/record/table.hpp"
#include "engine/result.hpp"

namespace attnscope::cli {

/// The measured records of FILE; the error names the option and what is wrong with the file.
Result<std::vector<Record>> read_baseline(const std::string& file);

/// A row for each measured record of ours whose problem the baseline has too: its median, and for each (variant,
/// config) of the baseline the baseline's median over ours, so that 2.00x is twice as fast. Empty when nothing is
/// shared.
TextTable baseline_table(std::span<const Record> ours, std::span<const Record> baseline, const ReportOptions&);

}  // namespace attnscope::cli
