// Device limits that one pass or one buffer can exceed, as sentences with both numbers.
#pragma once

#include <optional>
#include <string>

#include "engine/variant/plan.hpp"

namespace attnscope {

/// Which limit a refusal is about; a search for the parameters to change re-evaluates just that number.
enum class PassLimit { shared_memory, invocations };

struct Refusal {
  Error error;
  std::optional<PassLimit> limit;  ///< set when parameters can be advised about
  size_t pass = 0;                 ///< index into the manifest's passes
  uint64_t asked = 0, allowed = 0;
};

/// Shared memory, workgroup size, subgroup size, push constants and grid of a pass.
std::optional<Refusal> check_pass_limits(const PlanPass&, size_t index, const DeviceInfo&);
/// Each storage buffer against the range and allocation limits, then the sum against the device's memory.
std::optional<Error> check_buffers(const Problem&, const std::vector<PlanScratch>&, const DeviceInfo&);

}  // namespace attnscope
