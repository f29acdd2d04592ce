#include "engine/insight/fit.hpp"

namespace attnscope {
namespace {

constexpr uint32_t kBanks = 32, kBankBytes = 4;
constexpr double kMostSteps = 1e6;  ///< of a count over query tiles

/// Sums over the sequences of a problem.
template <class F>
void for_each_sequence(const Problem& p, const F& f) {
  if (p.varlen.empty()) return f(double(p.seq_q), double(p.seq_kv), double(p.batch));
  for (const uint32_t length : p.varlen) f(double(length), double(length), 1.0);
}

double tiles(double size, double tile) { return std::ceil(size / tile) * tile; }

std::optional<double> padding(const Problem& p, double query_tile, double key_tile) {
  if (query_tile <= 0 && key_tile <= 0) return std::nullopt;
  double area = 0, used = 0;
  for_each_sequence(p, [&](double queries, double keys, double times) {
    area +=
        times * (query_tile > 0 ? tiles(queries, query_tile) : queries) * (key_tile > 0 ? tiles(keys, key_tile) : keys);
    used += times * queries * keys;
  });
  return 1 - used / area;
}

std::optional<double> masked(const Problem& p, double query_tile, double key_tile) {
  if ((!p.sees_no_future() && p.window == 0) || query_tile <= 0 || key_tile <= 0) return std::nullopt;
  double visited = 0, steps = 0;
  for_each_sequence(p, [&](double queries, double keys, double times) {
    const double reach = p.sees_no_future() ? 1 : p.window;
    const auto visible = [&](double row) { return std::clamp(row + reach + keys - queries, 0.0, keys); };
    const auto first = [&](double row) {
      return p.window == 0 ? 0.0 : std::clamp(row + 1 + keys - queries - p.window, 0.0, keys);
    };
    for (double row = 0; row < queries && steps < kMostSteps; row += query_tile, ++steps) {
      const double last = std::min(row + query_tile, queries) - 1;
      const double begin = std::floor(first(row) / key_tile) * key_tile;
      visited += times * (last - row + 1) * std::max(std::min(tiles(visible(last), key_tile), keys) - begin, 0.0);
    }
  });
  if (visited <= 0 || steps >= kMostSteps) return std::nullopt;
  return 1 - problem_pairs(p) / p.heads_q / visited;
}

constexpr uint32_t kNvidia = 0x10de;
constexpr uint64_t kNvidiaRegisters = 65536;
constexpr uint64_t kRegisterStep = 256;

uint64_t round_up(uint64_t x, uint64_t step) { return (x + step - 1) / step * step; }

}  // namespace

double padding_of(double size, double tile) { return size > 0 && tile > 0 ? 1 - size / tiles(size, tile) : 0; }

LaunchFit fit_of(const LaunchFacts& l, const DeviceInfo& device) {
  LaunchFit fit;
  fit.workgroups = l.workgroups;
  fit.cores = device.limits.core_count;
  if (const auto occupancy = estimate_occupancy(device, l.invocations, l.registers)) {
    fit.resident = occupancy->workgroups;
    fit.occupancy = occupancy->fraction;
    fit.occupancy_limit = occupancy->by_registers ? "registers" : "subgroups";
  }
  if (fit.cores > 0 && l.workgroups > 0) {
    const double a_core = double(l.workgroups) / fit.cores;
    fit.balance = a_core / std::ceil(a_core);
    if (fit.resident > 0) {
      fit.waves = a_core / fit.resident;
      fit.last_wave = fit.waves - (std::ceil(fit.waves) - 1);
    }
  }
  fit.padding = padding(l.problem, l.query_tile, l.key_tile);
  fit.masked = masked(l.problem, l.query_tile, l.key_tile);
  if (l.bytes > 0) fit.reread = l.extra_bytes / l.bytes;
  return fit;
}

uint32_t bank_turns(uint64_t stride, uint64_t bytes) {
  if (bytes == 0 || bytes % kBankBytes != 0 || stride % bytes != 0 || bytes > 16) return 1;
  const uint32_t words = uint32_t(bytes / kBankBytes), lanes = kBanks / words;
  std::array<uint32_t, kBanks> uses{};
  // Equal addresses are one read.
  if (stride == 0) return 1;
  uint32_t most = 1;
  for (uint32_t lane = 0; lane < lanes; ++lane) most = std::max(most, ++uses[lane * stride / kBankBytes % kBanks]);
  return most;
}

double to_tflops(double flops, double ns) { return ns > 0 ? flops / ns * 1e-3 : 0; }
double to_gbps(double bytes, double ns) { return ns > 0 ? bytes / ns : 0; }

std::optional<Occupancy> estimate_occupancy(const DeviceInfo& device, uint64_t invocations,
                                            const std::optional<uint64_t>& registers) {
  const uint64_t most = device.limits.warps_per_core, size = device.limits.subgroup_size;
  if (invocations == 0 || most == 0 || size == 0) return std::nullopt;
  const uint64_t subgroups = (invocations + size - 1) / size;
  const bool known = device.vendor_id == kNvidia && registers.value_or(0) > 0;
  const uint64_t fit = most / subgroups,
                 by_registers = known ? kNvidiaRegisters / round_up(*registers * size, kRegisterStep) / subgroups : fit;
  const uint64_t workgroups = std::min(fit, by_registers);
  if (workgroups == 0) return std::nullopt;
  return Occupancy{uint32_t(workgroups), double(workgroups * subgroups) / double(most), by_registers < fit};
}

}  // namespace attnscope
