// What drivers report of a pipeline, made comparable: a recorded answer of each.
#include <gtest/gtest.h>

#include "engine/vulkan/pipeline.hpp"

namespace attnscope::vulkan {
namespace {

PipelineStatistics of(std::string_view driver, const std::vector<std::pair<const char*, double>>& said) {
  std::vector<PipelineStatistic> raw;
  for (const auto& [name, value] : said) raw.push_back({"cs", name, "", value});
  return normalize_statistics(std::move(raw), driver);
}

TEST(NormalizeStatistics, Nvidia) {
  const double flagged = 68719476736.0;  // bit 36, which the driver sets in sizes
  const auto s = of("NVIDIA 580.159.04", {{"Register Count", 242},
                                          {"Binary Size", 12800},
                                          {"Local Memory Size", flagged + 256},
                                          {"Shared Memory Size", flagged + 32768}});
  EXPECT_EQ(s.registers, 242u);
  EXPECT_EQ(s.code_bytes, 12800u);
  EXPECT_EQ(s.spill_bytes, 0u) << "256 bytes are the driver's base";
  EXPECT_FALSE(s.spills) << "it counts bytes alone";
  EXPECT_EQ(s.shared_bytes, 32768u);
  EXPECT_EQ(s.raw.size(), 4u);
  EXPECT_EQ(s.raw[2].value, flagged + 256) << "raw stays as the driver said";
  EXPECT_EQ(of("NVIDIA 580", {{"Local Memory Size", flagged + 1392}}).spill_bytes, 1136u);
}

TEST(NormalizeStatistics, Radv) {
  const auto s = of("radv Mesa 22.3.6", {{"SGPRs", 32},
                                         {"VGPRs", 96},
                                         {"Spilled VGPRs", 3},
                                         {"Code size", 4096},
                                         {"LDS size", 8192},
                                         {"Scratch size", 1024},
                                         {"Subgroups per SIMD", 12},
                                         {"Instructions", 900},
                                         {"Branches", 7},
                                         {"Latency", 5000},
                                         {"VMEM", 40}});
  EXPECT_EQ(s.registers, 96u);
  EXPECT_EQ(s.spills, 3u);
  EXPECT_EQ(s.spill_bytes, 12u);
  EXPECT_EQ(s.code_bytes, 4096u);
  EXPECT_EQ(s.shared_bytes, 8192u);
  EXPECT_EQ(s.stack_bytes, 1024u);
  EXPECT_EQ(s.subgroups, 12u);
  EXPECT_EQ(s.cycles, 5000u);
  EXPECT_EQ(s.mix, (std::map<std::string, uint64_t>{{"all", 900}, {"branches", 7}, {"vector memory", 40}}));
}

TEST(NormalizeStatistics, Anv) {
  const auto old = of("Intel open-source Mesa driver Mesa 25.0.7", {{"Instruction Count", 4000},
                                                                    {"SEND Count", 300},
                                                                    {"Cycle Count", 90000},
                                                                    {"Spill Count", 730},
                                                                    {"Fill Count", 1150},
                                                                    {"Scratch Memory Size", 32768},
                                                                    {"Max live registers", 180},
                                                                    {"Workgroup Memory Size", 16384}});
  const auto now = of("Intel open-source Mesa driver Mesa 26.2.6", {{"Instructions", 4000},
                                                                    {"SENDs", 300},
                                                                    {"Cycles", 90000},
                                                                    {"Spills", 730},
                                                                    {"Fills", 1150},
                                                                    {"Scratch Memory Size", 32768},
                                                                    {"Max live registers", 180},
                                                                    {"Workgroup Memory Size", 16384}});
  for (const auto& s : {old, now}) {
    EXPECT_EQ(s.registers, 180u);
    EXPECT_EQ(s.spills, 730u);
    EXPECT_FALSE(s.spill_bytes) << "instructions are no bytes";
    EXPECT_EQ(s.stack_bytes, 32768u);
    EXPECT_EQ(s.shared_bytes, 16384u);
    EXPECT_EQ(s.cycles, 90000u);
    EXPECT_EQ(s.mix, (std::map<std::string, uint64_t>{{"all", 4000}, {"fills", 1150}, {"sends", 300}}));
  }
}

TEST(NormalizeStatistics, NvkTurnipHoneykrisp) {
  const auto nvk = of("NVK Mesa 26.2.6", {{"Number of GPRs", 208},
                                          {"SLM Size", 64},
                                          {"Max warps/SM", 8},
                                          {"Static cycle count", 7000},
                                          {"Spills to memory", 4},
                                          {"Code Size", 9000}});
  EXPECT_EQ(nvk.registers, 208u);
  EXPECT_EQ(nvk.stack_bytes, 64u);
  EXPECT_EQ(nvk.subgroups, 8u);
  EXPECT_EQ(nvk.cycles, 7000u);
  EXPECT_EQ(nvk.spills, 4u);
  EXPECT_EQ(nvk.code_bytes, 9000u);

  const auto turnip = of(
      "turnip Mesa driver Mesa 26.2.6",
      {{"Registers used", 48}, {"STP Count", 83}, {"LDP Count", 133}, {"Max Waves Per Core", 4}, {"Code size", 1000}});
  EXPECT_EQ(turnip.registers, 48u);
  EXPECT_EQ(turnip.spills, 83u);
  EXPECT_EQ(turnip.mix.at("fills"), 133u);
  EXPECT_EQ(turnip.subgroups, 4u);
  EXPECT_EQ(turnip.code_bytes, 4000u) << "it counts words";

  const auto apple = of("Honeykrisp Mesa 26.2.6",
                        {{"GPRs", 256}, {"Spills", 468}, {"Fills", 489}, {"Threads", 384}, {"Code size", 5000}});
  EXPECT_EQ(apple.registers, 256u);
  EXPECT_EQ(apple.spills, 468u);
  EXPECT_FALSE(apple.subgroups) << "threads are no subgroups";
  EXPECT_EQ(apple.code_bytes, 5000u);
}

TEST(NormalizeStatistics, UnknownNamesStayRaw) {
  const auto s = of("another driver", {{"Spill count", 7}, {"Register Count", 70}});
  EXPECT_FALSE(s.registers || s.spills || s.spill_bytes || s.shared_bytes || s.code_bytes) << "absent, never a zero";
  EXPECT_TRUE(s.mix.empty());
  EXPECT_EQ(s.raw.size(), 2u);
}

TEST(NormalizeStatistics, TheLargestOfSeveralExecutables) {
  const auto s = normalize_statistics({{"SIMD8", "Spills", "", 1321}, {"SIMD16", "Spills", "", 593}},
                                      "Intel open-source Mesa driver");
  EXPECT_EQ(s.spills, 1321u);
}

}  // namespace
}  // namespace attnscope::vulkan
