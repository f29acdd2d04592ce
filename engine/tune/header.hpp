// Tuned configs as a C header, for an inference engine to include.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

/// One self-contained C99 header: a table of the fastest entry of each problem, and a function that finds the nearest.
/// The error: entries of several devices, or none.
Result<std::string> tuned_header(std::span<const TunedEntry>);

/// A string literal, quotes included; what a literal cannot hold is replaced by '?'.
std::string c_string(std::string_view text);
/// Rows of tables, as the two headers have them: of push-constant numbers and of spec constants.
std::string c_rows(std::span<const TunedPush>);
std::string c_rows(std::span<const TunedConstant>);
std::string c_grid_formulas(const TunedPass&);
/// For a comment: no end of one, nothing but printable characters; anything else is '_'.
std::string c_comment(std::string_view text);

}  // namespace attnscope::tune
