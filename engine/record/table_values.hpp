// What a column of a system's table can show of a record, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/record.hpp"

namespace attnscope {

/// All there are.
std::vector<std::string_view> column_values();
/// Those of them that are times, or ratios of times: they have a mean over several problems.
bool is_time_value(std::string_view value);
/// The length of "ns", "µs", "us", "ms" or "s" in nanoseconds; nullopt for another.
std::optional<double> time_unit_ns(std::string_view unit);

/// "median" and so on; nullptr for what is no statistic.
double Statistics::*statistic(std::string_view name);
/// Of the others, those that one record alone decides; "" where the record does not have it.
std::string value_text(std::string_view name, const Record&);

}  // namespace attnscope
