// Text as C source may hold it, for the headers and programs that are written out.
#pragma once

#include <string>
#include <string_view>

namespace attnscope::tune {

/// A string literal, quotes included; what a literal cannot hold is replaced by '?'.
std::string c_string(std::string_view text);
/// For a comment: no end of one, nothing but printable characters; anything else is '_'.
std::string c_comment(std::string_view text);

}  // namespace attnscope::tune
