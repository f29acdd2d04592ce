// Measures a device's ceilings by kernels that do one thing each; their results are checked.
#pragma once

#include "engine/insight/peaks.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope::peaks {

/// Peaks measured by other kernels than these do not count.
extern const vulkan::KernelTexts kernels;

/// How long to take.
struct Effort {
  double warmup_ms = 100;  ///< of GPU time, before the samples of each ceiling
  double target_ms = 2;    ///< of one dispatch: work grows until it takes this long, and the rate no longer rises
  uint32_t samples = 15;   ///< of each ceiling
  uint64_t copy_bytes = 1u << 30;  ///< of each of the two buffers that are copied; less where memory is scarce
};
/// On a software device, whose clock and caches are the CPU's, little is enough.
Effort usual_effort(const DeviceInfo&);

/// Measures all, one after another; `stage` is told what comes next. What a device cannot do, or does wrong, is absent
/// with the reason; the error: cancelled or device lost. `time_utc` is the caller's.
Result<Peaks> measure(const vulkan::Device&, const Effort&, const std::function<void(const std::string&)>& stage,
                      const vulkan::Wait&);

}  // namespace attnscope::peaks
