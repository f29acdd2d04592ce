// What drivers report of a pipeline, made comparable: a recorded answer of each.
#include "engine/vulkan/pipeline.hpp"
#include "tests/has.hpp"

namespace attnscope::vulkan::statistics_test {

using Said = std::vector<std::pair<const char*, double>>;

PipelineStatistics of(std::string_view driver, const Said& said) {
  const auto one = [](const auto& s) { return PipelineStatistic{"cs", s.first, "", s.second}; };
  return normalize_statistics(mapped(said, one), driver);
}

std::string text_of(const PipelineStatistics& s) {
  std::string text;
  const auto add = [&](const std::string& name, std::optional<uint64_t> value) {
    if (value) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(*value);
  };
  add("registers", s.registers), add("spills", s.spills), add("spill_bytes", s.spill_bytes);
  add("stack_bytes", s.stack_bytes), add("shared_bytes", s.shared_bytes), add("code_bytes", s.code_bytes);
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
    const PipelineStatistics s = of(driver, said);
    ASSERT_EQ(s.raw.size(), said.size());
    for (size_t i = 0; i < said.size(); ++i)
      EXPECT_EQ(s.raw[i].value, said[i].second) << "raw stays as the driver said";
    EXPECT_EQ(text_of(s), meant);
  }
  const auto s = normalize_statistics({{"SIMD8", "Spills", "", 1321}, {"SIMD16", "Spills", "", 593}},
                                      "Intel open-source Mesa driver");
  EXPECT_EQ(s.spills, 1321u) << "the largest of several executables";
}

}  // namespace attnscope::vulkan::statistics_test
