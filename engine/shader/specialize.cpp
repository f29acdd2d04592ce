// Specialization: a module with given values of its constants.

#include <glslang/SPIRV/spirv.hpp>

#include "engine/shader/spirv.hpp"

namespace attnscope {
namespace {

using spirv::Folder;
using spirv::Module;

// Only an estimate of private bytes depends on it, and only for subgroup-scope matrices: the commonest size.
constexpr uint32_t kAssumedSubgroup = 32;

Result<std::array<uint32_t, 3>> local_size(const Module& module, Folder& folder) {
  std::array<uint32_t, 3> size{1, 1, 1};
  // The built-in constant, where a module has it, overrides the execution mode.
  if (module.workgroup_size_constant) {
    auto value = TRY(folder.value(module.workgroup_size_constant));
    for (size_t i = 0; i < 3 && i < value.parts.size(); ++i) size[i] = static_cast<uint32_t>(value.parts[i].bits);
  } else if (module.local_size.op == spv::OpExecutionMode) {
    for (size_t i = 0; i < 3; ++i) size[i] = module.local_size.args[2 + i];
  } else if (module.local_size.op == spv::OpExecutionModeId) {
    for (size_t i = 0; i < 3; ++i) {
      auto value = TRY(folder.scalar(module.local_size.args[2 + i]));
      size[i] = static_cast<uint32_t>(value);
    }
  }
  for (uint32_t n : size)
    if (n == 0)
      return bad_input(fmt::format("Specialization gives a workgroup of {}x{}x{} invocations; none may be 0.", size[0],
                                   size[1], size[2]));
  return size;
}

/// Workgroup-scope matrices are a feature of their own, seen only in the type; a constant may be their scope.
bool has_workgroup_matrix(const Module& module, Folder& folder) {
  for (const auto& in : module.instructions)
    if (in.op == spv::OpTypeCooperativeMatrixKHR && in.args.size() >= 3)
      if (auto scope = folder.scalar(in.args[2]); scope && *scope == spv::ScopeWorkgroup) return true;
  return false;
}

}  // namespace

Result<ModuleFacts> specialize(const Spirv& words, const SpecValues& values) {
  auto parsed = TRY(spirv::parse(words));
  const Module& module = parsed;
  const SpecValues known = spirv::merged_defaults(module);
  for (const auto& [id, bits] : values)
    if (!known.contains(id))
      return bad_input(fmt::format("The shader has no specialization constant with constant_id {}.", id));
  Folder folder(module, values);
  ModuleFacts out;
  out.local_size = TRY(local_size(module, folder));
  spirv::Sizer sizer(module, folder, out.local_size, kAssumedSubgroup);

  uint64_t overlaid = 0;  // Workgroup blocks (explicit layout) share one address range
  for (uint32_t id : module.global_variables) {
    const auto* variable = module.find(id);
    const uint32_t type = module.held_type(*variable), storage = variable->args[2];
    if (type == 0) continue;
    const bool shared = storage == spv::StorageClassWorkgroup;
    if (!shared && !(storage == spv::StorageClassPrivate && sizer.is_bulky(type))) continue;
    const auto bytes = TRY(within(module.name_of(id), sizer.size(type)));
    if (shared && module.blocks.contains(type))
      overlaid = std::max(overlaid, bytes.bytes);
    else if (shared)
      out.shared_bytes += (bytes.bytes + 15) / 16 * 16;
    else
      out.private_bytes += bytes.bytes;
  }
  out.shared_bytes += (overlaid + 15) / 16 * 16;
  for (const auto* function : module.reachable())
    for (uint32_t id : function->variables) {
      const uint32_t type = module.held_type(*module.find(id));
      if (type == 0 || !sizer.is_bulky(type)) continue;
      out.private_bytes += TRY(within(module.name_of(id), sizer.size(type))).bytes;
    }
  out.workgroup_matrices = has_workgroup_matrix(module, folder);
  return out;
}

}  // namespace attnscope
