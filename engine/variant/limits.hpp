// What a plan of one pass, and all its buffers, ask of a device, as refusals.
#pragma once

#include "engine/shader/limits.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

struct Refusal {
  Error error;
  /// The same without its numbers and names of values, so that refusals of many configs can be counted by it:
  /// "shared memory of pass 'main'", a constraint's `require`.
  std::string reason;
  std::optional<Limit> limit{};  ///< a number that parameters can be advised about
  size_t pass = 0;               ///< index into the manifest's passes
  uint64_t asked = 0, allowed = 0;
  bool broken = false;  ///< the shader does not compile, or the manifest is wrong: no limit of a problem or device
};

/// What the pass's module asks, by check_module.
std::optional<Refusal> check_pass(const PlanPass&, const Reflection&, size_t index, const DeviceInfo&);
std::optional<Refusal> check_pass_grid(const std::string& pass, size_t index, const std::array<uint64_t, 3>& grid,
                                       const DeviceInfo&);

/// A run keeps each tensor between two guards, which find writes outside it.
inline constexpr uint64_t kBufferGuard = 256;
/// What a buffer of `bytes` takes: whole words and both guards.
constexpr uint64_t guarded_bytes(uint64_t bytes) { return (bytes + 3) / 4 * 4 + 2 * kBufferGuard; }

/// Each buffer of a run against the range and allocation limits, then the sum against the device's memory.
/// A tensor that a kernel wants in another form than the problem's is there in both.
std::optional<Refusal> check_buffers(const Problem&, const TensorForms&, const std::vector<PlanScratch>&,
                                     const DeviceInfo&);

}  // namespace attnscope
