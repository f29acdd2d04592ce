// Other forms of a module: with its constants made final, and unlike any that a cache knows.
#pragma once

#include "engine/shader/module.hpp"

namespace attnscope {

/// The module with the values of its specialization constants written into it: those given, the defaults of the others,
/// which are not specialization constants any more. `keep_constants`: they stay such, and only their defaults change.
/// Names, sources and lines are left out. The error is of a module that is none, or of an id that it does not have.
Result<Spirv> bake(const Spirv&, const SpecValues&, bool keep_constants = false);

/// The same module with one more OpString, which nothing refers to: other words, the same code, so that no cache that
/// knows modules by their words can have its machine code. bad_input for what is no SPIR-V module.
Result<Spirv> with_string(const Spirv&, std::string_view text);

}  // namespace attnscope
