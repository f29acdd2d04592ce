#include "engine/insight/peaks.hpp"

#include "engine/words.hpp"

namespace attnscope {

std::string_view to_text(CeilingKind kind) {
  return word_of(kind, {"copy", "cache", "fma", "matrix", "exp2", "shared", "launch", "barrier"});
}

std::string_view unit_of(CeilingKind kind) {
  return word_of(kind, {"GB/s", "GB/s", "TFLOP/s", "TFLOP/s", "Gexp2/s", "GB/s", "µs", "µs"});
}

std::string to_text(const Ceiling& c) {
  if (c.kind == CeilingKind::fma) return "fma " + c.type;
  if (c.kind == CeilingKind::matrix) return fmt::format("matrix {}x{}x{} {} {}", c.m, c.n, c.k, c.type, c.accumulate);
  return word_of(c.kind, {"copy, device memory", "copy, caches", "fma", "matrix", "exp2 f32", "shared memory reads",
                          "launch", "barrier"});
}

std::optional<double> ceiling(const Peaks& peaks, CeilingKind kind, std::string_view type,
                              std::string_view accumulate) {
  std::optional<double> most;
  for (const Ceiling& c : peaks.ceilings)
    if (c.kind == kind && c.value && (type.empty() || c.type == type) &&
        (accumulate.empty() || c.accumulate == accumulate))
      most = std::max(most.value_or(0), *c.value);
  return most;
}

std::optional<ComputeRoof> compute_roof(const Peaks& peaks, DType dtype, const Precision& precision) {
  const auto matrix = [&](std::string_view type, std::string_view sums, double share) -> std::optional<ComputeRoof> {
    const auto rate = ceiling(peaks, CeilingKind::matrix, type, sums);
    if (!rate) return std::nullopt;
    return ComputeRoof{*rate * share, fmt::format("matrix {} {}{}", type, sums, share < 1 ? ", three products" : "")};
  };
  const std::string_view type = to_text(dtype), sums = to_text(precision.accumulate);
  std::optional<ComputeRoof> roof;
  if (dtype == DType::f32) {
    if (precision.f16_pairs) roof = matrix("f16", "f32", 1.0 / 3);
  } else {
    roof = matrix(type, sums, 1);
    if (!roof) roof = matrix(type, "f32", 1);
  }
  if (roof) return roof;
  const bool half = dtype == DType::f16 && precision.accumulate == DType::f16;
  if (half)
    if (const auto rate = ceiling(peaks, CeilingKind::fma, "f16 pairs")) return ComputeRoof{*rate, "fma f16 pairs"};
  if (const auto rate = ceiling(peaks, CeilingKind::fma, "f32")) return ComputeRoof{*rate, "fma f32"};
  return std::nullopt;
}

std::string roof_text(std::string_view roof) {
  const auto named = [](std::string_view type) {
    return type == "f32" ? "FP32" : type == "f16" ? "FP16" : type == "bf16" ? "BF16" : std::string(type);
  };
  if (roof.starts_with("fma ")) return named(roof.substr(4, 3)) + " FMA";
  constexpr std::string_view kMatrix = "matrix ";
  const size_t sums = roof.find(' ', kMatrix.size());
  if (!roof.starts_with(kMatrix) || sums == roof.npos) return std::string(roof);
  const size_t rest = std::min(roof.find(','), roof.size());
  return fmt::format("{} matrix, {} accumulate{}", named(roof.substr(kMatrix.size(), sums - kMatrix.size())),
                     named(roof.substr(sums + 1, rest - sums - 1)), roof.substr(rest));
}

std::optional<Floor> floor_of(const Demand& demand, double median_us, const Peaks& peaks) {
  const auto compute = compute_roof(peaks, demand.dtype, demand.precision);
  const auto copy = ceiling(peaks, CeilingKind::copy);
  if (!(median_us > 0 && demand.flops > 0 && demand.bytes > 0) || !compute || !copy) return std::nullopt;
  const auto cache = ceiling(peaks, CeilingKind::cache);
  // A copy within caches may be the slower one, where caches do not help.
  const bool cached = demand.cache == CacheMode::hot && cache && *cache > *copy && demand.bytes <= kCacheBytes;
  Floor floor;
  floor.compute_us = demand.flops / compute->tflops * 1e-6;
  floor.memory_us = demand.bytes / (cached ? *cache : *copy) * 1e-3;
  floor.launch_us = ceiling(peaks, CeilingKind::launch).value_or(0);
  if (demand.launch == LaunchMode::isolated) floor.launch_us += ceiling(peaks, CeilingKind::barrier).value_or(0);
  const double work = std::max(floor.compute_us, floor.memory_us);
  floor.us = work + floor.launch_us;
  floor.roof = floor.launch_us > work               ? "launch"
               : floor.compute_us > floor.memory_us ? compute->name
               : cached                             ? "caches"
                                                    : "device memory";
  floor.fraction = floor.us / median_us;
  return floor;
}

}  // namespace attnscope
