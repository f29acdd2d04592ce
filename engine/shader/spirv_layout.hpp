// Sizes of types in workgroup and private memory under given specialization values. Internal to this module.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "engine/shader/spirv_fold.hpp"

namespace attnscope::spirv {

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
