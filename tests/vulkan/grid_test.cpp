// Without a device: cutting grids, reading matrix layouts of real hardware, what drivers tell of a device.
#include "engine/vulkan/execution.hpp"
#include "engine/vulkan/instance.hpp"
#include "engine/vulkan/matrix_layout.hpp"
#include "engine/vulkan/state.hpp"
#include "tests/has.hpp"

namespace attnscope::vulkan::grid_test {

TEST(CutGrid, CoversEveryWorkgroupOnceAndCutsAlongZFirst) {
  for (const auto& grid :
       std::vector<std::array<uint32_t, 3>>{{1, 1, 1}, {7, 1, 1}, {5, 3, 2}, {16, 9, 4}, {1, 1, 13}, {2, 31, 1}})
    for (uint32_t pieces : {0u, 1u, 2u, 3u, 5u, 8u, 64u, 1000u}) {
      std::vector<int> hits(size_t{grid[0]} * grid[1] * grid[2]);
      const auto cut = cut_grid(grid, pieces);
      for (const auto& p : cut)
        for (uint32_t z = 0; z < p.count[2]; ++z)
          for (uint32_t y = 0; y < p.count[1]; ++y)
            for (uint32_t x = 0; x < p.count[0]; ++x)
              ++hits.at(((p.base[2] + z) * size_t{grid[1]} + p.base[1] + y) * grid[0] + p.base[0] + x);
      EXPECT_TRUE(std::ranges::all_of(hits, [](int n) { return n == 1; }))
          << grid[0] << "x" << grid[1] << "x" << grid[2] << " in " << pieces;
      EXPECT_LE(cut.size(), 2 * std::max(pieces, 1u));
      EXPECT_GE(cut.size(), std::min<size_t>(pieces, hits.size()) / 2);
    }
  EXPECT_EQ(cut_grid({4, 4, 2}, 2), (std::vector<GridPiece>{{{0, 0, 0}, {4, 4, 1}}, {{0, 0, 1}, {4, 4, 1}}}));
  EXPECT_EQ(cut_grid({4, 2, 1}, 2), (std::vector<GridPiece>{{{0, 0, 0}, {4, 1, 1}}, {{0, 1, 0}, {4, 1, 1}}}));
  EXPECT_TRUE(cut_grid({0, 1, 1}, 2).empty());
}

// NVIDIA since Volta: a lane has two columns of four 8x8 quarters.
MatrixCells quarters() {
  MatrixCells c{.m = 16, .n = 16, .k = 16, .lanes = 32, .elements = 8};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i)
      c.accumulator.push_back((lane / 4 + 8 * (i / 4)) * 16 + 2 * (lane % 4) + i % 2 + 8 * (i / 2 % 2));
  c.a = c.accumulator;
  return c;
}
// RDNA 3 at wave32: a lane has one column, every other row of it.
MatrixCells columns() {
  MatrixCells c{.m = 16, .n = 16, .k = 16, .lanes = 32, .elements = 8};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i) c.accumulator.push_back((2 * i + lane / 16) * 16 + lane % 16);
  return c;
}

TEST(MatrixLayout, ReadsQuartersAndColumns) {
  const auto layout = must(read_layout(quarters()));
  EXPECT_EQ(
      std::tuple(layout->row_shift, layout->lane_mask, layout->element_rows, layout->element_cols, layout->row_lanes),
      std::tuple(2u, 3u, 0x88880000u, 0x98109810u, 4u));
  EXPECT_TRUE(layout->a_like_accumulator);
  const auto other = must(read_layout(columns()));
  EXPECT_EQ(std::tuple(other->row_shift, other->lane_mask, other->element_cols, other->row_lanes),
            std::tuple(0u, 15u, 0u, 0u));
  EXPECT_FALSE(other->a_like_accumulator);
}

TEST(MatrixLayout, KnowsWhereHalfTheColumnsLie) {
  MatrixCells half{.m = 16, .n = 8, .k = 16, .lanes = 32, .elements = 4};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) half.accumulator.push_back((lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2);
  const auto layout = must(read_layout(quarters()));
  EXPECT_TRUE(halves_columns(*layout, quarters(), half));
  EXPECT_FALSE(halves_columns(*must(read_layout(columns())), columns(), half));
  std::swap(half.accumulator[4], half.accumulator[5]);
  EXPECT_FALSE(halves_columns(*layout, quarters(), half));
}

TEST(MatrixLayout, RefusesWhatIsNotRegularAndKeepsItsShape) {
  auto swapped = quarters();
  std::swap(swapped.accumulator[3], swapped.accumulator[8 * 5 + 6]);
  EXPECT_FALSE(read_layout(swapped));
  auto twice = quarters();
  twice.accumulator[1] = twice.accumulator[0];
  EXPECT_FALSE(read_layout(twice));
  auto unseen = quarters();
  unseen.accumulator.pop_back();
  EXPECT_FALSE(read_layout(unseen));
  EXPECT_FALSE(read_layout(MatrixCells{}));
  swapped.k = 8;
  EXPECT_EQ(layout_or_shape(swapped), (MatrixLayout{.m = 16, .n = 16, .k = 8}));
  EXPECT_EQ(layout_or_shape({.m = 64, .n = 64, .k = 16, .lanes = 64}), (MatrixLayout{.m = 64, .n = 64, .k = 16}));
  EXPECT_EQ(layout_or_shape(quarters()), *read_layout(quarters()));
}

TEST(CountCores, HarvestedUnitsDoNotCount) {
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm{};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{};
  VkPhysicalDeviceShaderCoreProperties2AMD amd2{};
  EXPECT_EQ(count_cores(sm, amd, amd2), 0u);
  // A Radeon RX 6800: 4 engines of 2 arrays of 10 units, of which 60 work.
  amd.shaderEngineCount = 4;
  amd.shaderArraysPerEngineCount = 2;
  amd.computeUnitsPerShaderArray = 10;
  EXPECT_EQ(count_cores(sm, amd, amd2), 80u) << "all that a driver without the second extension tells";
  amd2.activeComputeUnitCount = 60;
  EXPECT_EQ(count_cores(sm, amd, amd2), 60u);
  sm.shaderSMCount = 132;
  EXPECT_EQ(count_cores(sm, amd, amd2), 132u);
}

std::vector<DeviceInfo> machine() {
  const auto make = [](uint32_t index, const char* name, DeviceType type, uint64_t memory) {
    return DeviceInfo{.index = index, .name = name, .type = type, .limits = {.device_memory_bytes = memory}};
  };
  auto list = std::vector<DeviceInfo>{make(0, "llvmpipe (LLVM 15)", DeviceType::software, 64u << 20),
                                      make(1, "Small Discrete", DeviceType::discrete_gpu, 8u << 20),
                                      make(2, "Big Discrete", DeviceType::discrete_gpu, 80u << 20),
                                      make(3, "Integrated Graphics", DeviceType::integrated_gpu, 90u << 20),
                                      make(4, "Old Discrete", DeviceType::discrete_gpu, 95u << 20)};
  list[4].unsuitable = "it has Vulkan 1.1, and 1.3 is needed";
  return list;
}

TEST(ChooseDevice, TheFastestRealGpuIsTheDefaultOrItIsFoundByIndexCpuAndName) {
  auto list = machine();
  EXPECT_EQ(*choose_device(list, ""), 2u) << "discrete before integrated, then memory; an unsuitable one never";
  list[1].unsuitable = list[2].unsuitable = "broken";
  EXPECT_EQ(*choose_device(list, ""), 3u);
  list.resize(1);
  EXPECT_EQ(*choose_device(list, ""), 0u) << "software when there is nothing else";
  list = machine();
  EXPECT_EQ(*choose_device(list, "1"), 1u);
  EXPECT_EQ(*choose_device(list, "cpu"), 0u);
  EXPECT_EQ(*choose_device(list, "CPU"), 0u);
  EXPECT_EQ(*choose_device(list, "integrated"), 3u);
  EXPECT_EQ(*choose_device(list, "DISCRETE"), 2u) << "the fastest that matches";
}

TEST(ChooseDevice, ErrorsSayWhatThereIs) {
  const auto list = machine();
  for (const auto& [selector, says] : {std::pair{"99", "2 (Big Discrete)"},
                                       {"99999999999999999999999", "99999999999999999999999"},
                                       {"voodoo", "voodoo"},
                                       {"old", "1.3 is needed"}})
    EXPECT_TRUE(fails(choose_device(list, selector), ErrorKind::unsupported, says)) << selector;
  EXPECT_TRUE(fails(choose_device({}, ""), ErrorKind::unsupported));
  EXPECT_TRUE(fails(choose_device({list[1]}, "cpu"), ErrorKind::unsupported));
}

}  // namespace attnscope::vulkan::grid_test
