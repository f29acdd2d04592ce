// Without a device: cutting grids, reading matrix layouts of real hardware, what drivers tell of a device and, by a
// recorded answer of each, of a pipeline.
#include "engine/vulkan/execution.hpp"
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

using Said = std::vector<std::pair<const char*, double>>;

Resources of(std::string_view driver, const Said& said) {
  const auto one = [](const auto& s) { return RawResource{"cs", s.first, "", s.second}; };
  return normalize_statistics(mapped(said, one), driver);
}

std::string text_of(const Resources& s) {
  std::string text;
  const auto add = [&](const std::string& name, std::optional<uint64_t> value) {
    if (value) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(*value);
  };
  add("registers", s.registers), add("spills", s.spills), add("spill_bytes", s.spill_bytes);
  add("stack_bytes", s.stack_bytes), add("shared_bytes", s.shared_bytes_driver), add("code_bytes", s.code_bytes);
  add("subgroups", s.subgroups), add("cycles", s.cycles);
  for (const auto& [kind, count] : s.mix) add(kind, count);
  return text;
}

constexpr double kFlagged = 68719476736.0;  // bit 36, which NVIDIA's driver sets in sizes

TEST(NormalizeStatistics, OfEachDriverAreInOurTerms) {
  const struct {
    const char* driver;
    Said said;
    const char* meant;
  } cases[] = {
      // It counts bytes of spills alone, and they are all of the local memory.
      {"NVIDIA 580.159.04",
       {{"Register Count", 242},
        {"Binary Size", 12800},
        {"Local Memory Size", kFlagged},
        {"Shared Memory Size", kFlagged + 32768}},
       "registers=242 spill_bytes=0 shared_bytes=32768 code_bytes=12800"},
      {"NVIDIA 580", {{"Local Memory Size", kFlagged + 80}}, "spill_bytes=80"},
      {"radv Mesa 22.3.6",
       {{"SGPRs", 32},
        {"VGPRs", 96},
        {"Spilled VGPRs", 3},
        {"Code size", 4096},
        {"LDS size", 8192},
        {"Scratch size", 1024},
        {"Subgroups per SIMD", 12},
        {"Instructions", 900},
        {"Branches", 7},
        {"Latency", 5000},
        {"VMEM", 40}},
       "registers=96 spills=3 spill_bytes=12 stack_bytes=1024 shared_bytes=8192 code_bytes=4096 subgroups=12 "
       "cycles=5000 all=900 branches=7 vector memory=40"},
      // Spills are instructions, which are no bytes; newer versions have other names.
      {"Intel open-source Mesa driver Mesa 25.0.7",
       {{"Instruction Count", 4000},
        {"SEND Count", 300},
        {"Cycle Count", 90000},
        {"Spill Count", 730},
        {"Fill Count", 1150},
        {"Scratch Memory Size", 32768},
        {"Max live registers", 180},
        {"Workgroup Memory Size", 16384}},
       "registers=180 spills=730 stack_bytes=32768 shared_bytes=16384 cycles=90000 all=4000 fills=1150 sends=300"},
      {"Intel open-source Mesa driver Mesa 26.2.6",
       {{"Instructions", 4000}, {"SENDs", 300}, {"Cycles", 90000}, {"Spills", 730}, {"Fills", 1150}},
       "spills=730 cycles=90000 all=4000 fills=1150 sends=300"},
      {"NVK Mesa 26.2.6",
       {{"Number of GPRs", 208},
        {"SLM Size", 64},
        {"Max warps/SM", 8},
        {"Static cycle count", 7000},
        {"Spills to memory", 4},
        {"Code Size", 9000}},
       "registers=208 spills=4 stack_bytes=64 code_bytes=9000 subgroups=8 cycles=7000"},
      // It counts words of code.
      {"turnip Mesa driver Mesa 26.2.6",
       {{"Registers used", 48}, {"STP Count", 83}, {"LDP Count", 133}, {"Max Waves Per Core", 4}, {"Code size", 1000}},
       "registers=48 spills=83 code_bytes=4000 subgroups=4 fills=133"},
      // Threads are no subgroups.
      {"Honeykrisp Mesa 26.2.6",
       {{"GPRs", 256}, {"Spills", 468}, {"Fills", 489}, {"Threads", 384}, {"Code size", 5000}},
       "registers=256 spills=468 code_bytes=5000 fills=489"},
      // What is not known is absent, never a zero.
      {"another driver", {{"Spill count", 7}, {"Register Count", 70}}, ""},
  };
  for (const auto& [driver, said, meant] : cases) {
    SCOPED_TRACE(driver);
    const Resources s = of(driver, said);
    ASSERT_EQ(s.raw.size(), said.size());
    for (size_t i = 0; i < said.size(); ++i)
      EXPECT_EQ(s.raw[i].value, said[i].second) << "raw stays as the driver said";
    EXPECT_EQ(text_of(s), meant);
  }
  const auto s = normalize_statistics({{"SIMD8", "Spills", "", 1321}, {"SIMD16", "Spills", "", 593}},
                                      "Intel open-source Mesa driver");
  EXPECT_EQ(s.spills, 1321u) << "the largest of several executables";
}

}  // namespace attnscope::vulkan::grid_test
