// Constants of a module under given specialization values, with OpSpecConstantOp evaluated. Internal to this module.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/shader/spirv_module.hpp"

namespace attnscope::spirv {

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

}  // namespace attnscope::spirv
