// Rates and occupancy: plain numbers in, plain numbers out.
#pragma once

#include "engine/device_info.hpp"

namespace attnscope {

/// FLOP per byte.
double arithmetic_intensity(double flops, double bytes);

/// Rates from a time in nanoseconds: 10^12 FLOP/s, and 10^9 bytes/s. 0 when the time is not positive.
double to_tflops(double flops, double ns);
double to_gbps(double bytes, double ns);

/// The needs of one workgroup of a pass.
struct WorkgroupNeeds {
  uint64_t invocations = 0;
  std::optional<uint64_t> registers;  ///< per invocation
  uint64_t shared_bytes = 0;
};
/// The capacity of one core (SM, compute unit).
struct CoreCapacity {
  uint32_t warps = 0;  ///< resident subgroups
  uint32_t warp_size = 0;
  uint64_t registers = 0;     ///< 32-bit registers of the register file; 0 = unknown
  uint64_t shared_bytes = 0;  ///< of all resident workgroups together; 0 = unknown
};
/// From what the device reports; nullopt when it does not report its resident subgroups. Vulkan has no query for the
/// register file: NVIDIA's holds 65,536 registers a core since Kepler (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"), others stay unknown. Nor for the shared memory of a core, as opposed to a
/// workgroup's: unknown.
std::optional<CoreCapacity> core_capacity(const DeviceInfo&);

struct Occupancy {
  uint32_t workgroups = 0;  ///< resident on a core
  uint32_t warps = 0;
  double fraction = 0;                                                        ///< of the core's resident subgroups
  enum class Limit { warps, registers, shared_memory } limit = Limit::warps;  ///< what allows no more
};
/// An upper bound: workgroups = min over the known limits of floor(core's amount / workgroup's amount), registers being
/// handed out to whole subgroups in steps of 256. nullopt when nothing is known or one workgroup does not fit.
std::optional<Occupancy> estimate_occupancy(const WorkgroupNeeds&, const CoreCapacity&);

}  // namespace attnscope
