// CSV with a stable header and every number; RFC 4180 quoting. A cell is empty when its value is absent, never NaN.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/record.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// The header line without its line end. Columns are only ever added at the end.
std::string csv_header();
/// Header and one line a record: every field of its tables (fields_record.hpp) that has a column. Samples stay in the
/// JSON.
std::string to_csv(std::span<const Record>);
/// The lines of such a file without its header, to be appended.
std::string csv_lines(std::span<const Record>);
/// What to_csv wrote, or another program with some of the columns, `problem` and `variant` among them: all that the
/// file holds, so without samples. Columns that are not known are passed over. The error names the line and the column;
/// `what` names the text.
Result<std::vector<Record>> records_from_csv(std::string_view text, std::string_view what);

}  // namespace attnscope
