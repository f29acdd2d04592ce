// What is to be said below a table of records: failures, refusals, drift, references that were sampled, sums.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/record/record.hpp"

namespace attnscope {

/// The named config and its values: "default BLOCK_M=32,BLOCK_N=32".
std::string long_config_text(const Record&);

/// Everything, record by record, as files have it.
std::vector<std::string> all_notes(std::span<const Record>);

/// Each kind of remark once: how many records it is about, and the foremost of them. `names` has one for each record,
/// such as those of short_labels().
std::vector<std::string> grouped_notes(std::span<const Record>, std::span<const std::string> names);

}  // namespace attnscope
