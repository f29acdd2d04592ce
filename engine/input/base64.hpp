// Binary files as text, so that they travel in JSON like the others.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

std::string to_base64(std::string_view bytes);
/// nullopt for what to_base64() does not make.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace attnscope
