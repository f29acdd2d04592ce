#include "engine/variant/limits.hpp"

#include <fmt/format.h>

#include "engine/variant/expression.hpp"

namespace attnscope {
namespace {

std::string number(uint64_t value) { return grouped(static_cast<double>(value)); }

}  // namespace

std::optional<Refusal> check_pass_limits(const PlanPass& pass, size_t index, const DeviceInfo& device) {
  const DeviceLimits& limits = device.limits;
  const auto& local = pass.facts.local_size;
  if (pass.facts.shared_bytes > limits.max_shared_bytes)
    return Refusal{
        bad_input(fmt::format("shared memory: pass '{}' needs {} bytes a workgroup; {} allows {}.", pass.name,
                              number(pass.facts.shared_bytes), device.name, number(limits.max_shared_bytes))),
        PassLimit::shared_memory, index, pass.facts.shared_bytes, limits.max_shared_bytes};
  const uint64_t invocations = uint64_t{local[0]} * local[1] * local[2];
  if (invocations == 0)
    return Refusal{bad_input(fmt::format("workgroup: pass '{}' has a workgroup of {} x {} x {} invocations.", pass.name,
                                         local[0], local[1], local[2])),
                   std::nullopt, index};
  if (invocations > limits.max_workgroup_invocations)
    return Refusal{bad_input(fmt::format("workgroup: pass '{}' has {} invocations; {} allows {}.", pass.name,
                                         number(invocations), device.name, number(limits.max_workgroup_invocations))),
                   PassLimit::invocations, index, invocations, limits.max_workgroup_invocations};
  for (size_t axis = 0; axis < 3; ++axis)
    if (local[axis] > limits.max_workgroup_size[axis])
      return Refusal{bad_input(fmt::format("workgroup: pass '{}' has {} invocations along {}; {} allows {}.", pass.name,
                                           number(local[axis]), "xyz"[axis], device.name,
                                           number(limits.max_workgroup_size[axis]))),
                     PassLimit::invocations, index, invocations, limits.max_workgroup_size[axis]};
  if (pass.push.size() > limits.max_push_constant_bytes)
    return Refusal{bad_input(fmt::format("push constants: pass '{}' has {} bytes; {} allows {}.", pass.name,
                                         pass.push.size(), device.name, limits.max_push_constant_bytes)),
                   std::nullopt, index};
  if (pass.subgroup_size != 0) {
    if (!device.has("subgroup_size_control"))
      return Refusal{unsupported(fmt::format("subgroup size: pass '{}' asks for {}, and {} cannot be asked "
                                             "(no subgroup_size_control).",
                                             pass.name, pass.subgroup_size, device.name)),
                     std::nullopt, index};
    if (pass.subgroup_size < limits.min_subgroup_size || pass.subgroup_size > limits.max_subgroup_size)
      return Refusal{
          bad_input(fmt::format("subgroup size: pass '{}' asks for {}; {} allows {} to {}.", pass.name,
                                pass.subgroup_size, device.name, limits.min_subgroup_size, limits.max_subgroup_size)),
          std::nullopt, index};
  }
  for (size_t axis = 0; axis < 3; ++axis)
    if (pass.grid[axis] > limits.max_workgroup_count[axis])
      return Refusal{bad_input(fmt::format("grid: pass '{}' dispatches {} workgroups along {}; {} allows {}. Use "
                                           "a smaller problem or larger tiles.",
                                           pass.name, number(pass.grid[axis]), "xyz"[axis], device.name,
                                           number(limits.max_workgroup_count[axis]))),
                     std::nullopt, index};
  return std::nullopt;
}

std::optional<Error> check_buffers(const Problem& problem, const std::vector<PlanScratch>& scratch,
                                   const DeviceInfo& device) {
  const uint64_t element = dtype_bytes(problem.dtype);
  std::vector<std::pair<std::string, uint64_t>> buffers{{"Q", problem.q_elements() * element},
                                                        {"K", problem.k_elements() * element},
                                                        {"V", problem.v_elements() * element},
                                                        {"O", problem.o_elements() * element}};
  for (const auto& s : scratch) buffers.emplace_back(fmt::format("scratch '{}'", s.name), s.bytes);
  uint64_t sum = 0;
  for (const auto& [name, bytes] : buffers) {
    if (bytes > device.limits.max_storage_buffer_bytes)
      return bad_input(
          fmt::format("storage buffer: {} needs {} bytes; {} allows {} in one buffer. Use a smaller "
                      "problem{}.",
                      name, number(bytes), device.name, number(device.limits.max_storage_buffer_bytes),
                      name.starts_with("scratch") ? " or a variant without it" : ""));
    if (bytes > device.limits.max_allocation_bytes)
      return bad_input(
          fmt::format("allocation: {} needs {} bytes; {} allows {} in one allocation. Use a smaller "
                      "problem{}.",
                      name, number(bytes), device.name, number(device.limits.max_allocation_bytes),
                      name.starts_with("scratch") ? " or a variant without it" : ""));
    sum += bytes;
  }
  if (sum > device.limits.device_memory_bytes)
    return bad_input(
        fmt::format("device memory: the tensors and scratch buffers need {} bytes; {} has {}. Use a "
                    "smaller problem.",
                    number(sum), device.name, number(device.limits.device_memory_bytes)));
  return std::nullopt;
}

}  // namespace attnscope
