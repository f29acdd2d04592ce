// A module made unlike any before, so that no cache that knows modules by their words can have its machine code.
#pragma once

#include <string_view>

#include "engine/shader/module.hpp"

namespace attnscope {

/// The same module with one more OpString, which nothing refers to: other words, the same code. bad_input for what is
/// no SPIR-V module.
Result<Spirv> with_string(const Spirv&, std::string_view text);

}  // namespace attnscope
