#include "engine/insight/roofline.hpp"

namespace attnscope {

namespace {

constexpr uint32_t kNvidia = 0x10de;
constexpr uint64_t kNvidiaRegisters = 65536;
constexpr uint64_t kRegisterStep = 256;

uint64_t round_up(uint64_t x, uint64_t step) { return (x + step - 1) / step * step; }

}  // namespace

double arithmetic_intensity(double flops, double bytes) { return bytes > 0 ? flops / bytes : 0; }

double to_tflops(double flops, double ns) { return ns > 0 ? flops / ns * 1e-3 : 0; }
double to_gbps(double bytes, double ns) { return ns > 0 ? bytes / ns : 0; }

std::optional<CoreCapacity> core_capacity(const DeviceInfo& device) {
  if (device.limits.warps_per_core == 0 || device.limits.subgroup_size == 0) return std::nullopt;
  return CoreCapacity{device.limits.warps_per_core, device.limits.subgroup_size,
                      device.vendor_id == kNvidia ? kNvidiaRegisters : 0, 0};
}

std::optional<Occupancy> estimate_occupancy(const WorkgroupNeeds& needs, const CoreCapacity& core) {
  if (needs.invocations == 0 || core.warps == 0 || core.warp_size == 0) return std::nullopt;
  const uint64_t warps = (needs.invocations + core.warp_size - 1) / core.warp_size;
  uint64_t workgroups = core.warps / warps;
  Occupancy out;
  const auto limit_by = [&](Occupancy::Limit limit, uint64_t fits) {
    if (fits >= workgroups) return;
    workgroups = fits;
    out.limit = limit;
  };
  if (core.registers > 0 && needs.registers && *needs.registers > 0)
    limit_by(Occupancy::Limit::registers,
             core.registers / round_up(*needs.registers * core.warp_size, kRegisterStep) / warps);
  if (core.shared_bytes > 0 && needs.shared_bytes > 0)
    limit_by(Occupancy::Limit::shared_memory, core.shared_bytes / needs.shared_bytes);
  if (workgroups == 0) return std::nullopt;
  out.workgroups = uint32_t(workgroups);
  out.warps = uint32_t(workgroups * warps);
  out.fraction = double(out.warps) / core.warps;
  return out;
}

}  // namespace attnscope
