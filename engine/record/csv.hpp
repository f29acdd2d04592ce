// CSV with every number; RFC 4180 quoting. A cell is empty when its value is absent, never NaN.
#pragma once

#include "engine/record/record.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// The header line without its line end: the names of the columns, in the order of the tables of fields.
std::string csv_header();
/// Header and one line a record: every field of its tables (fields_record.hpp) that has a column. Samples stay in the
/// JSON.
std::string to_csv(std::span<const Record>);
/// The lines of such a file without its header, to be appended.
std::string csv_lines(std::span<const Record>);
}  // namespace attnscope
