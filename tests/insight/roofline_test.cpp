#include "engine/insight/roofline.hpp"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(Roofline, FollowsTheLowerRoof) {
  const Roofs peaks{100, 1000};  // the ridge lies at 100 FLOP/byte
  const auto memory = roofline(1e9, 1e8, 2e5, peaks);
  ASSERT_TRUE(memory);
  EXPECT_DOUBLE_EQ(memory->intensity, 10);
  EXPECT_TRUE(memory->memory_bound);
  EXPECT_DOUBLE_EQ(memory->ceiling_tflops, 10);
  EXPECT_DOUBLE_EQ(memory->achieved, 0.5);
  EXPECT_DOUBLE_EQ(memory->memory_fraction, 0.5);
  EXPECT_DOUBLE_EQ(memory->floor_ns, 1e5);
  const auto compute = roofline(1e12, 1e8, 2e7, peaks);
  ASSERT_TRUE(compute);
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
  const auto full = estimate_occupancy({256, 32, 0}, core);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->workgroups, 8u);
  EXPECT_DOUBLE_EQ(full->fraction, 1);
  EXPECT_EQ(full->limit, Occupancy::Limit::warps);
  const auto registers = estimate_occupancy({256, 255, 0}, core);
  ASSERT_TRUE(registers);
  EXPECT_EQ(registers->workgroups, 1u);
  EXPECT_EQ(registers->warps, 8u);
  EXPECT_EQ(registers->limit, Occupancy::Limit::registers);
  const auto shared = estimate_occupancy({128, 32, 40000}, core);
  ASSERT_TRUE(shared);
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
