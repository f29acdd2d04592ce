// A command line in one string, split into words as a shell would: quotes and backslashes, no expansion.
#pragma once

#include "engine/result.hpp"

namespace attnscope {

/// "ssh box 'attnscope worker'" -> {"ssh", "box", "attnscope worker"}. The error says which quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view text);

/// Binary files as text, so that they travel in JSON like the others.
std::string to_base64(std::string_view bytes);
/// nullopt for what to_base64() does not make.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace attnscope
