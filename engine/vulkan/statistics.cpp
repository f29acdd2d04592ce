// What drivers' statistics mean. Only names whose unit is certain are normalised.
#include <algorithm>
#include <optional>

#include "engine/vulkan/pipeline.hpp"

namespace attnscope::vulkan {
namespace {

// NVIDIA's local memory is never below this; only what is above was spilled.
constexpr uint64_t kNvidiaLocalBase = 256;
constexpr uint64_t kRegisterBytes = 4;  // of one lane

void raise(std::optional<uint64_t>& to, uint64_t value) { to = std::max(to.value_or(0), value); }

}  // namespace

PipelineStatistics normalize_statistics(std::vector<PipelineStatistic> raw) {
  PipelineStatistics out;
  for (const auto& s : raw) {
    const auto value = s.value > 0 ? static_cast<uint64_t>(s.value) : 0;
    if (s.name == "Register Count") {  // NVIDIA
      raise(out.registers, value);
    } else if (s.name == "Local Memory Size") {
      // A 64-bit number with flags above: the low half is the bytes of one invocation.
      const uint64_t bytes = value & 0xffffffffu;
      raise(out.spill_bytes, bytes > kNvidiaLocalBase ? bytes - kNvidiaLocalBase : 0);
    } else if (s.name == "Shared Memory Size") {
      raise(out.shared_bytes, value & 0xffffffffu);
    } else if (s.name == "Binary Size") {
      raise(out.code_bytes, value);
    } else if (s.name == "VGPRs" || s.name == "numUsedVgprs") {  // Mesa's RADV; AMD's own driver
      raise(out.registers, value);
    } else if (s.name == "Spilled VGPRs") {  // RADV: a register is 4 bytes of each lane
      raise(out.spill_bytes, value * kRegisterBytes);
    } else if (s.name == "LDS size" || s.name == "ldsUsageSizeInBytes") {
      raise(out.shared_bytes, value);
    } else if (s.name == "Code size") {  // RADV, in bytes
      raise(out.code_bytes, value);
    }
    // Raw only: Intel's "Spill count" (instructions, not bytes) and "Scratch Memory Size" (a thread's, not an
    // invocation's), RADV's "Scratch size" (a subgroup's), SGPRs (shared by a subgroup), instruction counts.
  }
  out.raw = std::move(raw);
  return out;
}

}  // namespace attnscope::vulkan
