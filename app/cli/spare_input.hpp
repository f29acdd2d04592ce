// What a command has read is not written over with less.
#pragma once

#include <string>

#include "engine/result.hpp"

namespace attnscope::cli {

/// An error where `--output` names the very file that is read, by whatever path or link. Fine where there is no output.
Result<void> spare_input(const std::string& output, const std::string& input);

}  // namespace attnscope::cli
