// Names for files that nobody named.
#pragma once

#include <string>

namespace attnscope::gui {

/// The first of name.ext, name-2.ext, … that does not exist, in the current folder: no picture overwrites another.
std::string free_name(const std::string& name, const std::string& extension);

}  // namespace attnscope::gui
