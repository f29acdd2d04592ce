// bench --why: the device's peaks where they are needed, and what is said of a record.
#pragma once

#include <span>
#include <string>

#include "app/cli/jobs.hpp"
#include "app/cli/options.hpp"
#include "app/cli/progress.hpp"
#include "engine/insight/peaks.hpp"

namespace attnscope::cli {

/// Those known of the device, or measured now, which a note on stderr says.
Result<Peaks> known_peaks(Opened&, const PeaksRequest&, ProgressKind);

/// Fills fit and advice of the fastest row of each problem, or of each row that has a time where there is one problem.
void explain_rows(Opened&, std::span<Row> rows, double Statistics::*rank);

/// What a person reads of it: floor, launch and tiles, advice. Lines are at most `width` wide.
std::string why_text(const Row&, size_t width);

}  // namespace attnscope::cli
