// Values by name: what a module's spec constants, push members and descriptor bindings stand for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/variant/expression.hpp"
#include "engine/variant/modules.hpp"

namespace attnscope {

/// The name in `names` that a spec constant stands for: itself (a parameter or one of the pass's constants), else its
/// lower-case form when the constant is upper-case (HEAD_DIM is head_dim); nullopt when nothing binds it.
std::optional<std::string> bound_name(const std::string& constant, const Names& names);

/// The error is the first spec constant or push member that no name stands for.
Result<void> check_bindings(const Reflection&, const Names&, const std::string& where);

/// 32-bit patterns by constant_id. `where` ("tiled/flash.comp") is for errors.
Result<SpecValues> bind_constants(const Reflection&, const Names&, const std::string& where);
Result<std::vector<std::byte>> bind_push(const Reflection&, const Names&, const std::string& where);

/// Every expression of a pass that is a constant of it, added to `names`; subgroup_size too when the pass asks for one.
Result<void> add_pass_names(const PassDecl&, Names& names, const std::string& where);

}  // namespace attnscope
