// Launch and tiles in plain numbers.
#include "engine/insight/fit.hpp"
#include "engine/insight/roofline.hpp"
#include "tests/has.hpp"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

DeviceInfo h200() {
  DeviceInfo d;
  d.vendor_id = 0x10de;
  d.limits.core_count = 132;
  d.limits.warps_per_core = 64;
  d.limits.subgroup_size = 32;
  return d;
}

TEST(Fit, CountsWavesAndWhatEndsUneven) {
  Launched l{.problem = *parse_problem("1x16x4096x128:f16"), .workgroups = 1056, .invocations = 128, .registers = 128};
  const LaunchFit even = fit_of(l, h200());
  EXPECT_EQ(even.resident, 4u);  // 65,536 / (128 x 32) = 16 subgroups, 4 a workgroup
  EXPECT_EQ(even.occupancy_limit, "registers");
  EXPECT_DOUBLE_EQ(even.occupancy, 0.25);
  EXPECT_DOUBLE_EQ(even.waves, 2);
  EXPECT_DOUBLE_EQ(even.last_wave, 1);
  EXPECT_DOUBLE_EQ(even.balance, 1);
  l.workgroups = 529;
  const LaunchFit tail = fit_of(l, h200());
  EXPECT_NEAR(tail.last_wave, 1.0 / 528, 1e-9);
  EXPECT_NEAR(tail.balance, 529.0 / 132 / 5, 1e-9);
}

TEST(Fit, SaysNothingOfWhatIsNotReported) {
  const LaunchFit fit = fit_of({.problem = *parse_problem("1x1x64x64"), .workgroups = 8, .invocations = 64}, {});
  EXPECT_EQ(fit.cores, 0u);
  EXPECT_EQ(fit.resident, 0u);
  EXPECT_EQ(fit.waves, 0);
  EXPECT_FALSE(fit.padding);
  EXPECT_FALSE(fit.masked);
}

TEST(Fit, PaddingIsTheShareOfTheTilesArea) {
  const auto padding = [](const char* problem, double query, double key) {
    return *fit_of({.problem = *parse_problem(problem), .query_tile = query, .key_tile = key}, {}).padding;
  };
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 128, 64), 0.5);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 128, 128), 0.75);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 64, 32), 0);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 0, 128), 0.5) << "one tile alone";
  EXPECT_DOUBLE_EQ(padding("varlen=64,32:8x64", 64, 64), 1 - (64.0 * 64 + 32 * 32) / (2 * 64 * 64));
}

TEST(Fit, MaskedCountsTilesThatAreVisited) {
  const auto masked = [](const char* problem, double query, double key) {
    return fit_of({.problem = *parse_problem(problem), .query_tile = query, .key_tile = key}, {}).masked;
  };
  EXPECT_FALSE(masked("1x1x64x64", 16, 16));
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 1, 1), 0);
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 64, 64), 1 - 65.0 / 128);
  // Two tiles of 32 rows: 32 x 32 and 32 x 64 scores are visited, and 64 x 65 / 2 are seen.
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 32, 32), 1 - 64 * 65 / 2.0 / (32 * 32 + 32 * 64));
  // A window skips the tiles before it too: each tile of queries but the first visits two.
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal:window=8", 1, 1), 0);
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal:window=16", 16, 16), 1 - (64 * 16 - 120) / (7.0 * 16 * 16));
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:window=8", 1, 1), 0);
  EXPECT_FALSE(masked("1x1x1073741824x64:causal", 1, 1)) << "too many to count";
}

TEST(Fit, BanksTakeTurnsByStride) {
  EXPECT_EQ(bank_turns(4, 4), 1u);
  EXPECT_EQ(bank_turns(8, 4), 2u);
  EXPECT_EQ(bank_turns(128, 4), 32u);
  EXPECT_EQ(bank_turns(132, 4), 1u) << "one more word a row";
  EXPECT_EQ(bank_turns(16, 16), 1u);
  EXPECT_EQ(bank_turns(128, 16), 8u);
  EXPECT_EQ(bank_turns(144, 16), 1u);
  EXPECT_EQ(bank_turns(0, 4), 1u) << "one address is one read";
}

TEST(Roofline, FollowsTheLowerRoof) {
  const Roofs peaks{100, 1000};  // the ridge lies at 100 FLOP/byte
  const auto memory = must(roofline(1e9, 1e8, 2e5, peaks));
  EXPECT_DOUBLE_EQ(memory->intensity, 10);
  EXPECT_TRUE(memory->memory_bound);
  EXPECT_DOUBLE_EQ(memory->ceiling_tflops, 10);
  EXPECT_DOUBLE_EQ(memory->achieved, 0.5);
  EXPECT_DOUBLE_EQ(memory->memory_fraction, 0.5);
  EXPECT_DOUBLE_EQ(memory->floor_ns, 1e5);
  const auto compute = must(roofline(1e12, 1e8, 2e7, peaks));
  EXPECT_FALSE(compute->memory_bound);
  EXPECT_DOUBLE_EQ(compute->ceiling_tflops, 100);
  EXPECT_DOUBLE_EQ(compute->achieved, 0.5);
  EXPECT_DOUBLE_EQ(compute->floor_ns, 1e7);
}

TEST(Roofline, OfNothingIsNothing) {
  EXPECT_FALSE(roofline(0, 1, 1, {1, 1}));
  EXPECT_FALSE(roofline(1, 1, 0, {1, 1}));
  EXPECT_FALSE(roofline(1, 1, 1, {1, 0}));
  EXPECT_EQ(to_tflops(1, 0), 0);
  EXPECT_DOUBLE_EQ(to_tflops(2e12, 1e9), 2);
  EXPECT_DOUBLE_EQ(to_gbps(3e9, 1e9), 3);
}

TEST(Occupancy, IsTheTightestLimit) {
  const CoreCapacity core{64, 32, 65536, 100000};
  const auto full = must(estimate_occupancy({256, 32, 0}, core));
  EXPECT_EQ(full->workgroups, 8u);
  EXPECT_DOUBLE_EQ(full->fraction, 1);
  EXPECT_EQ(full->limit, Occupancy::Limit::warps);
  const auto registers = must(estimate_occupancy({256, 255, 0}, core));
  EXPECT_EQ(registers->workgroups, 1u);
  EXPECT_EQ(registers->warps, 8u);
  EXPECT_EQ(registers->limit, Occupancy::Limit::registers);
  const auto shared = must(estimate_occupancy({128, 32, 40000}, core));
  EXPECT_EQ(shared->workgroups, 2u);
  EXPECT_EQ(shared->limit, Occupancy::Limit::shared_memory);
}

TEST(Occupancy, IsAbsentWhenUnknown) {
  EXPECT_FALSE(estimate_occupancy({256, 32, 0}, {}));
  EXPECT_FALSE(estimate_occupancy({}, {64, 32, 65536, 0}));
  EXPECT_FALSE(estimate_occupancy({1024, 255, 0}, {64, 32, 65536, 0})) << "does not fit at all";
  DeviceInfo device;
  EXPECT_FALSE(core_capacity(device));
  device.limits.warps_per_core = 64;
  device.limits.subgroup_size = 32;
  ASSERT_TRUE(core_capacity(device));
  EXPECT_EQ(core_capacity(device)->registers, 0u);
  device.vendor_id = 0x10de;
  EXPECT_EQ(core_capacity(device)->registers, 65536u);
}

}  // namespace
}  // namespace attnscope
