// What a device surely reaches; decides how work is first tried, never what is shown.
#pragma once

#include "engine/device_info.hpp"

namespace attnscope {

/// FLOP/s that even a poor kernel reaches.
inline double least_rate(const DeviceInfo& device) {
  if (device.type == DeviceType::software) return 4e8;
  if (device.limits.core_count > 0) return 5e9 * device.limits.core_count;
  return device.type == DeviceType::integrated_gpu ? 2e10 : 1e11;
}
/// Whether an execution may take so long that it is first tried in slices.
inline bool may_be_long(const DeviceInfo& device, double flops) { return flops > least_rate(device) * 0.5; }

}  // namespace attnscope
