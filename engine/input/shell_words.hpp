// A command line in one string, split into words as a shell would: quotes and backslashes, no expansion.
#pragma once

#include "engine/result.hpp"

namespace attnscope {

/// "ssh box 'attnscope worker'" -> {"ssh", "box", "attnscope worker"}. The error says which quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace attnscope
