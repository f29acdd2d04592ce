#include "engine/shader/limits.hpp"

#include "engine/number.hpp"

namespace attnscope {
namespace {

LimitFault exceeded(Limit limit, std::string message, uint64_t asked = 0, uint64_t allowed = 0) {
  return {limit, bad_input(std::move(message)), asked, allowed};
}

std::optional<LimitFault> check_features(const ModuleDemand& m, const DeviceInfo& device) {
  const auto lacks = [&](const std::string& feature) {
    return LimitFault{Limit::feature, unsupported("{} needs {}, which {} lacks.", m.name, feature, device.name)};
  };
  for (const std::string& feature : m.reflection.capabilities)
    if (!device.has(feature)) return lacks(feature);
  if (m.facts.workgroup_matrices && !device.has("coopmat2_workgroup")) return lacks("coopmat2_workgroup");
  return std::nullopt;
}

std::optional<LimitFault> check_memory(const ModuleDemand& m, const DeviceInfo& device) {
  const DeviceLimits& l = device.limits;
  const uint64_t reserved = m.facts.workgroup_matrices ? l.coopmat2_reserved_shared_bytes : 0;
  const uint64_t allowed = l.max_shared_bytes - std::min<uint64_t>(reserved, l.max_shared_bytes);
  if (m.facts.shared_bytes > allowed)
    return exceeded(
        Limit::shared_memory,
        fmt::format("shared memory: {} needs {} bytes a workgroup; {} allows {}{}.", m.name,
                    grouped(m.facts.shared_bytes), device.name, grouped(allowed),
                    reserved ? fmt::format(" ({} less the {} that it reserves for workgroup-scope matrices)",
                                           grouped(l.max_shared_bytes), grouped(reserved))
                             : ""),
        m.facts.shared_bytes, allowed);
  if (m.facts.private_bytes > kMaxPrivateBytes)
    return exceeded(Limit::private_memory,
                    fmt::format("private memory: the arrays of {} need {} bytes an invocation; at most {} are allowed.",
                                m.name, grouped(m.facts.private_bytes), grouped(kMaxPrivateBytes)),
                    m.facts.private_bytes, kMaxPrivateBytes);
  const uint64_t invocations = m.facts.invocations();
  if (invocations > kMaxWorkgroupPrivateBytes / std::max<uint64_t>(m.facts.private_bytes, 1))
    return exceeded(
        Limit::private_memory,
        fmt::format("private memory: the arrays of {} need {} bytes for each of {} invocations of a workgroup; {} "
                    "bytes a workgroup are allowed.",
                    m.name, grouped(m.facts.private_bytes), grouped(invocations), grouped(kMaxWorkgroupPrivateBytes)),
        m.facts.private_bytes, kMaxWorkgroupPrivateBytes / std::max<uint64_t>(invocations, 1));
  return std::nullopt;
}

std::optional<LimitFault> check_workgroup(const ModuleDemand& m, const DeviceInfo& device) {
  const DeviceLimits& l = device.limits;
  const auto& size = m.facts.local_size;
  const uint64_t invocations = m.facts.invocations();
  if (invocations == 0)
    return exceeded(Limit::invocations, fmt::format("workgroup: {} has a workgroup of {} x {} x {} invocations.",
                                                    m.name, size[0], size[1], size[2]));
  if (invocations > l.max_workgroup_invocations)
    return exceeded(Limit::invocations,
                    fmt::format("workgroup: {} has {} invocations; {} allows {}.", m.name, grouped(invocations),
                                device.name, grouped(l.max_workgroup_invocations)),
                    invocations, l.max_workgroup_invocations);
  for (size_t axis = 0; axis < 3; ++axis)
    if (size[axis] > l.max_workgroup_size[axis])
      return exceeded(Limit::invocations,
                      fmt::format("workgroup: {} has {} invocations along {}; {} allows {}.", m.name,
                                  grouped(size[axis]), "xyz"[axis], device.name, grouped(l.max_workgroup_size[axis])),
                      invocations, l.max_workgroup_size[axis]);
  return std::nullopt;
}

std::optional<LimitFault> check_interface(const ModuleDemand& m, const DeviceInfo& device) {
  const DeviceLimits& l = device.limits;
  if (m.reflection.push_bytes > l.max_push_constant_bytes)
    return exceeded(Limit::push_constants,
                    fmt::format("push constants: {} has {} bytes; {} allows {}.", m.name, m.reflection.push_bytes,
                                device.name, l.max_push_constant_bytes),
                    m.reflection.push_bytes, l.max_push_constant_bytes);
  const size_t buffers = m.reflection.storage_bindings.size();
  if (l.max_storage_buffers != 0 && buffers > l.max_storage_buffers)
    return exceeded(Limit::storage_buffers,
                    fmt::format("storage buffers: {} uses {}; {} allows {} in one shader.", m.name, buffers,
                                device.name, l.max_storage_buffers),
                    buffers, l.max_storage_buffers);
  return std::nullopt;
}

std::optional<LimitFault> check_subgroups(const ModuleDemand& m, const DeviceInfo& device) {
  const DeviceLimits& l = device.limits;
  const bool control = device.has("subgroup_size_control");
  const uint32_t size = m.subgroup_size;
  if (size != 0 && (!std::has_single_bit(size) || size < l.min_subgroup_size || size > l.max_subgroup_size))
    return exceeded(Limit::subgroup_size,
                    fmt::format("subgroup size: {} asks for {}; {} has powers of two from {} to {}.", m.name, size,
                                device.name, l.min_subgroup_size, l.max_subgroup_size));
  // A device with one size alone need not be told it.
  if (size != 0 && !control && l.min_subgroup_size != l.max_subgroup_size)
    return LimitFault{
        Limit::subgroup_size,
        unsupported("subgroup size: {} asks for {}, and {} cannot be told a size (it lacks subgroup_size_control).",
                    m.name, size, device.name)};
  const uint64_t invocations = m.facts.invocations(), most = uint64_t{size} * l.max_workgroup_subgroups;
  if (size != 0 && control && l.max_workgroup_subgroups != 0 && invocations > most)
    return exceeded(
        Limit::invocations,
        fmt::format("workgroup: {} has {} invocations in subgroups of {}; {} allows {} subgroups a workgroup, so {} "
                    "invocations.",
                    m.name, grouped(invocations), size, device.name, grouped(l.max_workgroup_subgroups), grouped(most)),
        invocations, most);
  const uint32_t unit = control && size != 0 ? size : l.max_subgroup_size;
  if (m.full_subgroups && (!control || unit == 0 || m.facts.local_size[0] % unit != 0))
    return exceeded(Limit::subgroup_size,
                    fmt::format("subgroup size: {} needs full subgroups: its workgroup's x size, {}, must be a "
                                "multiple of {}, on a device with subgroup_size_control.",
                                m.name, m.facts.local_size[0], unit));
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Limit limit) {
  return word_of(limit, {"missing feature", "shared memory", "private memory", "workgroup size", "push constants",
                         "storage buffers", "subgroup size", "grid"});
}

std::optional<LimitFault> check_module(const ModuleDemand& m, const DeviceInfo& device) {
  for (const auto check : {check_features, check_memory, check_workgroup, check_interface, check_subgroups})
    if (auto over = check(m, device)) return over;
  return std::nullopt;
}

std::optional<LimitFault> check_grid(const std::string& name, const std::array<uint64_t, 3>& grid,
                                     const DeviceInfo& device) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (const uint64_t most = device.limits.max_workgroup_count[axis]; grid[axis] > most || grid[axis] == 0)
      return exceeded(
          Limit::grid,
          fmt::format("grid: {} dispatches {} workgroups along {}; {} allows {}{}.", name, grouped(grid[axis]),
                      "xyz"[axis], device.name, grid[axis] == 0 ? "1 to " : "", grouped(most)),
          grid[axis], most);
  return std::nullopt;
}

}  // namespace attnscope
