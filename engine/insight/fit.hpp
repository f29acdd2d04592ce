// How a launch fits the device and how tiles fit the problem: plain numbers in, plain numbers out (docs/insight.md).
#pragma once

#include "engine/attention/problem.hpp"
#include "engine/device_info.hpp"

namespace attnscope {

/// Rates from a time in nanoseconds: 10^12 FLOP/s, and 10^9 bytes/s. 0 when the time is not positive.
double to_tflops(double flops, double ns);
double to_gbps(double bytes, double ns);

struct Occupancy {
  uint32_t workgroups = 0;    ///< resident on a core (SM, compute unit)
  double fraction = 0;        ///< of the core's resident subgroups
  bool by_registers = false;  ///< registers allow no more; else the number of subgroups
};
/// An upper bound for workgroups of so many invocations with so many registers each: registers are handed out to whole
/// subgroups in steps of 256. Vulkan has no query for the register file: NVIDIA's holds 65,536 registers a core since
/// Kepler (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), others are unknown. Nor for
/// the shared memory of a core, as opposed to a workgroup's. nullopt when the device does not report its resident
/// subgroups, or one workgroup does not fit.
std::optional<Occupancy> estimate_occupancy(const DeviceInfo&, uint64_t invocations,
                                            const std::optional<uint64_t>& registers);

/// The launch. A tile of 0 is unknown.
struct LaunchFacts {
  Problem problem{};
  uint64_t workgroups = 0, invocations = 0;  ///< of the pass with most workgroups; a workgroup's
  std::optional<uint64_t> registers{};       ///< of an invocation
  double query_tile = 0, key_tile = 0;
  double bytes = 0, extra_bytes = 0;
};
/// Zero or absent where the device or the manifest does not say what it takes.
struct LaunchFit {
  uint64_t workgroups = 0;
  uint32_t cores = 0;
  uint32_t resident = 0;          ///< workgroups that a core holds at once, an upper bound (estimate_occupancy)
  double occupancy = 0;           ///< subgroups of those, of what a core can hold
  std::string occupancy_limit;    ///< what allows no more: "subgroups", "registers"
  double waves = 0;               ///< workgroups / (cores x resident)
  double last_wave = 0;           ///< how full the last wave is, 0 to 1
  double balance = 0;             ///< workgroups a core / that of the core with most: 1 = all cores end together
  std::optional<double> padding;  ///< share of the tiles' area beyond the last query and key
  std::optional<double> masked;   ///< of a causal problem: share of scores masked in tiles that are not wholly masked
  double reread = 0;              ///< extra traffic / bytes that the problem needs
  bool operator==(const LaunchFit&) const = default;
};
LaunchFit fit_of(const LaunchFacts&, const DeviceInfo&);

/// Share of ceil(size / tile) tiles of this size that lies past the end.
double padding_of(double size, double tile);

/// How many turns shared memory takes to serve neighbouring invocations that read `bytes` (4, 8 or 16) each, `stride`
/// bytes apart: 1 = no two in one bank. 32 banks of 4 bytes; wider reads are served for half or a quarter of 32
/// invocations at a time (CUDA C++ Programming Guide, "Shared Memory"; AMD's LDS has 32 such banks as well).
uint32_t bank_turns(uint64_t stride, uint64_t bytes);

}  // namespace attnscope
