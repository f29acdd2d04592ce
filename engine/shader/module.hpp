// A SPIR-V module's declarations, read from the module itself, before and after specialization.
#pragma once

#include "engine/result.hpp"

namespace attnscope {

using Spirv = std::shared_ptr<const std::vector<uint32_t>>;
inline std::string_view bytes_of(const Spirv& module) {
  return {reinterpret_cast<const char*>(module->data()), module->size() * sizeof(uint32_t)};
}

enum class ScalarType { boolean, int32, uint32, float32, other };

struct SpecConstant {
  uint32_t id = 0;   ///< constant_id
  std::string name;  ///< from OpName; "" when the module has none
  ScalarType type = ScalarType::uint32;
  uint32_t default_bits = 0;
};
/// A scalar of the push-constant block, also within structures; a vector, array or 64-bit number is one `other`.
struct PushMember {
  std::string name;  ///< "" when the module has none
  uint32_t offset = 0;
  ScalarType type = ScalarType::uint32;
  uint32_t bytes = 4;
};
/// Where a shader expects a buffer: descriptor set and binding in one number, so that of set 0 it is the binding.
inline constexpr uint32_t kMostSets = 4, kMostBinding = 0xffff;
constexpr uint32_t place_of(uint32_t set, uint32_t binding) { return set << 16 | binding; }
constexpr uint32_t set_of(uint32_t place) { return place >> 16; }
constexpr uint32_t binding_of(uint32_t place) { return place & kMostBinding; }
/// "binding 3", "binding 3 of set 1"
std::string place_text(uint32_t place);

/// Numbers that a shader is given: push constants, or a uniform block.
struct Block {
  std::vector<PushMember> push;  ///< its members
  uint32_t push_bytes = 0;
};
struct Reflection : Block {
  std::vector<SpecConstant> constants;     ///< sorted by id, one for each id
  std::vector<uint32_t> storage_bindings;  ///< places (place_of), sorted, unique
  std::map<uint32_t, Block> uniforms;      ///< uniform blocks, by place
  std::string entry = "main";              ///< of the one entry point
  std::vector<std::string> capabilities;   ///< those that need an optional feature, as DeviceInfo names them
};
Result<Reflection> reflect(const Spirv&);

/// Values of spec constants by constant_id, as 32-bit patterns.
using SpecValues = std::map<uint32_t, uint32_t>;

/// Facts of the specialized module: OpSpecConstantOp folded with these values.
struct ModuleFacts {
  std::array<uint32_t, 3> local_size{1, 1, 1};
  uint64_t shared_bytes = 0;        ///< sum over Workgroup variables, each aligned to 16
  uint64_t private_bytes = 0;       ///< sum over Function/Private arrays of one invocation: what competes for registers
  bool workgroup_matrices = false;  ///< it has cooperative matrices of workgroup scope
  uint64_t invocations() const { return uint64_t{local_size[0]} * local_size[1] * local_size[2]; }
};
Result<ModuleFacts> specialize(const Spirv&, const SpecValues&);

struct ShaderText {
  std::string pass;        ///< of the plan
  std::string executable;  ///< the driver's; "" of SPIR-V
  std::string name, description;
  std::string text;
  bool operator==(const ShaderText&) const = default;
};

/// The module as readable text. The error is of a module that is none.
Result<std::string> disassemble(const Spirv&);

// Other forms of a module: with its constants made final, and unlike any that a cache knows.

/// The module with its specialization constants written in: those given, else defaults. `keep_constants`: they stay,
/// with new defaults. Names, sources and lines are left out. Error: no module, or an id that it lacks.
Result<Spirv> bake(const Spirv&, const SpecValues&, bool keep_constants = false);

/// The same module with one more OpString, so that no cache that knows modules by their words has its machine code.
Result<Spirv> with_string(const Spirv&, std::string_view text);

}  // namespace attnscope
