// A SPIR-V module as reflection and specialization read it: tables, constants under given values, sizes of types.
#pragma once

#include <unordered_map>

#include "engine/shader/module.hpp"

namespace attnscope::spirv {

struct Instruction {
  uint32_t op = 0;
  std::span<const uint32_t> args;  ///< words after the first: result type and result id first, where there are any
};

struct Function {
  uint32_t id = 0;
  std::vector<uint32_t> calls;      ///< ids of called functions, and others
  std::vector<uint32_t> variables;  ///< ids of its Function variables
  size_t begin = 0, end = 0;        ///< instructions, half open
};

struct Module {
  Spirv words;  ///< keeps every span alive
  std::vector<Instruction> instructions;
  std::unordered_map<uint32_t, size_t> definition;  ///< result id -> instruction
  std::unordered_map<uint32_t, std::string> names;
  std::map<std::pair<uint32_t, uint32_t>, std::string> member_names;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> member_offsets;
  std::unordered_map<uint32_t, uint32_t> spec_ids, bindings, descriptor_sets, array_strides;
  std::set<uint32_t> blocks;               ///< struct types decorated Block
  std::set<uint32_t> buffer_blocks;        ///< or BufferBlock
  std::vector<uint32_t> global_variables;  ///< ids, in order
  std::vector<uint32_t> capabilities;
  std::set<std::pair<uint32_t, uint32_t>> float_controls;  ///< execution mode (RoundingModeRTE), width in bits
  std::vector<Function> functions;
  uint32_t entry_function = 0;
  std::string entry_name;
  uint32_t workgroup_size_constant = 0;  ///< id decorated BuiltIn WorkgroupSize; 0 = none
  Instruction local_size;                ///< the OpExecutionMode(Id) that says the local size; op 0 = none

  const Instruction* find(uint32_t id) const;
  std::string name_of(uint32_t id) const;
  /// The type of what a variable holds; 0 where its own type is no pointer.
  uint32_t held_type(const Instruction& variable) const;
  /// Functions that the entry point can reach, itself included.
  std::vector<const Function*> reachable() const;
  /// Global variables named anywhere in reachable functions; an equal literal counts too, so never one too few.
  std::set<uint32_t> used_globals() const;
};

/// Refuses what is not a well-formed compute module; the error says at which word.
Result<Module> parse(const Spirv&);

/// A scalar (`bits`, masked to the type's width; a boolean is 0 or 1) or a composite (`parts`).
struct Constant {
  uint32_t type = 0;
  uint64_t bits = 0;
  std::vector<Constant> parts;
};

class Folder {
 public:
  /// `values` by constant_id, as 32-bit patterns. An id that is missing keeps the default of the module's *named*
  /// constant of that id (see merged_defaults), so that `local_size_x_id = 0` follows `constant_id = 0`.
  Folder(const Module&, const SpecValues& values);

  /// Only what is asked for is evaluated, so an expression that a module never uses cannot fail.
  Result<Constant> value(uint32_t id);
  /// The same for an unsigned scalar, such as an array length.
  Result<uint64_t> scalar(uint32_t id);

 private:
  Result<Constant> compute(uint32_t id, int depth);
  Result<Constant> value(uint32_t id, int depth);
  Result<Constant> operation(const Instruction&, int depth);
  Result<Constant> component_wise(uint32_t op, uint32_t type, const std::vector<Constant>& args, uint32_t id);
  Result<uint64_t> scalar_operation(uint32_t op, uint32_t type, const std::vector<Constant>& args, uint32_t id);

  const Module& module_;
  SpecValues values_;
  std::unordered_map<uint32_t, Constant> known_;
};

/// The default of each constant_id, as 32-bit pattern: where several constants share an id, that of the named one.
SpecValues merged_defaults(const Module&);

struct Layout {
  uint64_t bytes = 0, align = 1;
};

/// Vulkan leaves the layout of workgroup memory to the driver; this is std430's, the widest that drivers use: scalars
/// at their width (bool 4), a 3-vector 12 bytes aligned as a 4-vector, array strides rounded up to the element's
/// alignment, a matrix as an array of columns. Explicit Offset and ArrayStride decorations win where a module has them.
/// A cooperative matrix counts one invocation's share: rows x columns x width over the invocations that hold it (the
/// workgroup's at workgroup scope, else `subgroup_size`).
class Sizer {
 public:
  Sizer(const Module& module, Folder& folder, std::array<uint32_t, 3> local_size, uint32_t subgroup_size)
      : module_(module), folder_(folder), local_size_(local_size), subgroup_size_(subgroup_size) {}
  Result<Layout> size(uint32_t type) { return size(module_.find(type), 0); }
  /// True when the type is an array or a matrix, or holds one: what cannot be counted on to live in a few registers.
  bool is_bulky(uint32_t type) { return is_bulky(module_.find(type), 0); }

 private:
  bool is_bulky(const Instruction* type, int depth);
  /// The part's definition, if it comes before its user's: what makes a type a tree without loops.
  const Instruction* part_of(const Instruction& user, uint32_t part) const;
  Result<Layout> size(const Instruction* type, int depth);
  Result<Layout> compute(const Instruction* type, int depth);
  Result<Layout> structure(const Instruction&, int depth);
  Result<Layout> cooperative_matrix(const Instruction&, int depth);

  const Module& module_;
  Folder& folder_;
  std::array<uint32_t, 3> local_size_;
  std::map<const Instruction*, Layout> sizes_;
  std::map<const Instruction*, bool> bulky_;
  uint32_t subgroup_size_;
};

}  // namespace attnscope::spirv
