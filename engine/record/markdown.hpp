// A Markdown document of records: what ran where, then the table.
#pragma once

#include <span>
#include <string>

#include "engine/record/record.hpp"

namespace attnscope {

/// One section a device, in order of first appearance.
std::string to_markdown(std::span<const Record>);

}  // namespace attnscope
