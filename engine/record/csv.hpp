// CSV with a stable header and every number; RFC 4180 quoting. A cell is empty when its value is absent, never NaN.
#pragma once

#include <span>
#include <string>

#include "engine/record/record.hpp"

namespace attnscope {

/// The header line without its line end. Columns are only ever added at the end.
std::string csv_header();
/// Header and one line a record: every field of its tables (fields_record.hpp) that has a column. Samples stay in the
/// JSON.
std::string to_csv(std::span<const Record>);

}  // namespace attnscope
