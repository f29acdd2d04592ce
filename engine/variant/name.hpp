// What may be a name: of a variant's folder, a parameter, a pass, a config.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// Names become file names, parts of commands and C text: 1 to 64 of letters, digits, _ and -, the first no -. "" where
/// `name` is one, else why not, without the name.
std::string not_a_name(std::string_view name);
/// The same of a variant: names that commands take to mean something else ("all") are none either.
std::string not_a_variant_name(std::string_view name);

}  // namespace attnscope
