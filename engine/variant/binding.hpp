// Values by name: what a module's spec constants, push members and descriptor bindings stand for.
#pragma once

#include "engine/variant/modules.hpp"

namespace attnscope {

/// The name that a pass's `constants` have for a constant_id: its number.
std::string constant_key(uint32_t id);

/// What a spec constant stands for: its number, itself, or its lower-case form (HEAD_DIM: head_dim); nullopt: nothing.
std::optional<std::string> bound_name(const SpecConstant& constant, const Names& names);

struct PushPart {
  uint32_t offset = 0;                   ///< bytes
  ScalarType type = ScalarType::uint32;  ///< other = a 64-bit integer
  std::string name;                      ///< the member's; "" of a part of one
  std::string expression;                ///< or a name
  bool address = false;                  ///< of the tensor or scratch buffer that `expression` names
};
/// All of a block; the errors are those of check_bindings().
Result<std::vector<PushPart>> push_parts(const Block&, const Names&, const PushDecl&, const std::string& where);

/// The error is the first spec constant or push member that no name stands for, or that `push` and the block differ in.
Result<void> check_bindings(const Reflection&, const Names&, const PushDecl&, const std::string& where);

/// 32-bit patterns by constant_id. `where` ("tiled/flash.comp") is for errors.
Result<SpecValues> bind_constants(const Reflection&, const Names&, const std::string& where);
/// Addresses are left 0.
Result<std::vector<std::byte>> bind_push(const Block&, const Names&, const PushDecl&, const std::string& where);

/// Every expression of a pass that is a constant of it, added to `names`; subgroup_size too when the pass asks for one.
Result<void> add_pass_names(const PassDecl&, Names& names, const std::string& where);

}  // namespace attnscope
