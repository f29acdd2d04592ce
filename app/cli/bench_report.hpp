// What bench prints of one device's rows: the best first, then the table.
#pragma once

#include <span>
#include <string>

#include "app/cli/jobs.hpp"
#include "engine/record/report.hpp"

namespace attnscope::cli {

/// The defaults of the device's variants, for short names of configs.
ReportOptions report_options(const Opened&, double Statistics::*rank);

/// The best of each problem, where there was a choice; a row for each record that was tried; what cannot run here in
/// one line, what was left out, and each kind of remark once. No line is wider than `width`.
std::string bench_report(const Opened&, std::span<const Row>, const ReportOptions&, size_t width);

}  // namespace attnscope::cli
