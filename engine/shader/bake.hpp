// A module with its constants made final, for export.
#pragma once

#include "engine/shader/module.hpp"

namespace attnscope {

/// The module with the values of its specialization constants written into it: those given, the defaults of the others,
/// which are not specialization constants any more. `keep_constants`: they stay such, and only their defaults change.
/// Names, sources and lines are left out. The error is of a module that is none, or of an id that it does not have.
Result<Spirv> bake(const Spirv&, const SpecValues&, bool keep_constants = false);

}  // namespace attnscope
