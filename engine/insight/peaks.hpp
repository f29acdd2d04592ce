// A device's measured ceilings (engine/peaks), and the lower bound (floor) of a problem's time that follows from them.
#pragma once

#include "engine/attention/reference.hpp"
#include "engine/measure/protocol.hpp"

namespace attnscope {

enum class CeilingKind {
  copy,     ///< device memory, far beyond any cache: bytes read and bytes written, GB/s
  cache,    ///< the same within 16 MiB in all
  fma,      ///< fused multiply-adds of all invocations, TFLOP/s
  matrix,   ///< cooperative matrices, TFLOP/s
  exp2,     ///< 10^9 a second
  shared,   ///< reads of shared memory without bank conflicts, all cores, GB/s
  launch,   ///< a dispatch that does nothing, after another without a barrier between, µs
  barrier,  ///< what a full memory barrier between two such dispatches adds, µs
};
std::string_view to_text(CeilingKind);  ///< "copy", "cache", "fma", "matrix", "exp2", "shared", "launch", "barrier"
std::string_view unit_of(CeilingKind);  ///< "GB/s", "TFLOP/s", "Gexp2/s", "µs"

struct Ceiling {
  CeilingKind kind = CeilingKind::copy;
  std::string type{};             ///< fma: "f32", "f16", "f16 pairs"; matrix: of A and B, by MatrixShape's names
  std::string accumulate{};       ///< matrix: of C
  uint32_t m = 0, n = 0, k = 0;   ///< matrix
  std::optional<double> value{};  ///< in unit_of(kind): the median of the samples
  double spread = 0;              ///< of the samples: (p80 - p20) / median
  std::string why_not{};          ///< where there is no value
  bool operator==(const Ceiling&) const = default;
};
/// "fma f16 pairs", "matrix 16x16x16 f16 f32", "shared memory"
std::string to_text(const Ceiling&);

struct Peaks {
  std::string device, device_uuid, driver;
  std::string kernels;  ///< hash of what measured them
  std::string time_utc;
  std::vector<Ceiling> ceilings;
  bool operator==(const Peaks&) const = default;
};
/// The highest value among the ceilings of this kind, of these types where not empty; nullopt if there is none.
std::optional<double> ceiling(const Peaks&, CeilingKind, std::string_view type = {}, std::string_view accumulate = {});

/// The work of a problem, however it is computed, and the modes of the run.
struct Demand {
  double flops = 0, bytes = 0;  ///< each of Q, K, V read once and O written once
  DType dtype = DType::f32;
  Precision precision;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
};
/// The arithmetic of a floor. f16 and bf16: the fastest matrix multiply-add with sums of `precision.accumulate` (or
/// f32), else fused multiply-adds. f32: fused multiply-adds, or for operands split into two f16 parts a third of the
/// f16 matrix rate (three products).
struct ComputeRoof {
  double tflops = 0;
  std::string name;  ///< "matrix f16 f32"
};
std::optional<ComputeRoof> compute_roof(const Peaks&, DType, const Precision&);

/// No less time than this, as far as the ceilings go.
struct Floor {
  double us = 0;        ///< the larger of FLOPs over the compute roof and bytes over the memory roof; plus a launch
  std::string roof;     ///< which is the limit: "matrix f16 f32", "device memory", "caches", "launch"
  double fraction = 0;  ///< floor over the measured time: 1 = nothing left
  double compute_us = 0, memory_us = 0, launch_us = 0;  ///< what it is made of
  bool operator==(const Floor&) const = default;
};
/// Floor::roof for a person: "FP32 FMA", "FP16 matrix, FP32 accumulate", "device memory".
std::string roof_text(std::string_view roof);
/// nullopt where the time or a roof is not known. The memory roof is device memory's, or the cache's for hot
/// back-to-back executions within its 16 MiB. A launch costs the launch, and the barrier where isolated.
std::optional<Floor> floor_of(const Demand&, double median_us, const Peaks&);

/// The size of both buffers with which `cache` was measured.
inline constexpr double kCacheBytes = 16 * 1048576.0;

}  // namespace attnscope
