// The command line that would make a record again.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope {

/// `attnscope bench` or `verify` with all that sets this run apart, quoted for a shell; "" for a record that another
/// program wrote.
std::string command_of(const Record&);

/// A word as a POSIX shell has to be given it; bare where that is safe.
std::string shell_quoted(const std::string& word);

}  // namespace attnscope
