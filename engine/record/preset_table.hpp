// The [table] and [[row]] of a preset file.
#pragma once

#include <optional>

#include <toml++/toml.h>

#include "engine/record/system_table.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// nullopt where the file has neither. Strict: an unknown key, a column of nothing, a published figure that no column
/// shows are errors, with their line.
Result<std::optional<SystemTable>> read_system_table(const toml::table& file);

}  // namespace attnscope
