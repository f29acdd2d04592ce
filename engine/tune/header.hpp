// Tuned configs as a C header, for an inference engine to include.
#pragma once

#include <span>
#include <string>

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

/// One self-contained C99 header: a table of the fastest entry of each problem, and a function that finds the nearest.
/// The error: entries of several devices, or none.
Result<std::string> tuned_header(std::span<const TunedEntry>);

}  // namespace attnscope::tune
