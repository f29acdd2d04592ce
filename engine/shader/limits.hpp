// The one check of what a pass asks of a device: making a pipeline or an execution finds nothing that it did not.
#pragma once

#include "engine/device_info.hpp"
#include "engine/shader/module.hpp"

namespace attnscope {

enum class Limit {
  feature,
  shared_memory,
  private_memory,
  invocations,
  push_constants,
  storage_buffers,
  subgroup_size,
  grid
};
std::string_view to_text(Limit);

struct ModuleDemand {
  std::string name;  ///< for messages: "pass 'main'"
  const Reflection& reflection;
  const ModuleFacts& facts;
  uint32_t subgroup_size = 0;   ///< 0 = the driver's choice
  bool full_subgroups = false;  ///< it relies on every subgroup being full
};

/// Which limit, as a sentence with both numbers. `asked` and `allowed` are 0 where no number was exceeded.
struct LimitFault {
  Limit limit = Limit::feature;
  Error error;
  uint64_t asked = 0, allowed = 0;
};

/// Arrays of one invocation larger than this (CUDA's limit) are refused: drivers that do not say so crash instead.
inline constexpr uint64_t kMaxPrivateBytes = 512 * 1024;
/// ... and those of a workgroup: drivers set them aside for every workgroup that a device or a CPU runs at once.
inline constexpr uint64_t kMaxWorkgroupPrivateBytes = uint64_t{64} << 20;

/// Features, shared and private memory, workgroup size, push constants, storage buffers and subgroup size.
std::optional<LimitFault> check_module(const ModuleDemand&, const DeviceInfo&);
/// Workgroups along each axis; none may be 0.
std::optional<LimitFault> check_grid(const std::string& name, const std::array<uint64_t, 3>& grid, const DeviceInfo&);

}  // namespace attnscope
