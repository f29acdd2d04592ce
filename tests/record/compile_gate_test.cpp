// Gates on what was compiled.
#include <gtest/gtest.h>

#include "engine/record/compile_gate.hpp"

namespace attnscope {
namespace {

Record row(const char* gpu, int64_t block, uint64_t registers, std::optional<uint64_t> spills) {
  Record r;
  r.problem = *parse_problem("1x1x32x32");
  r.variant = "tiled";
  r.config = {{"BLOCK_M", block}};
  r.outcome = Outcome::compiled;
  r.environment.device.name = gpu;
  r.resources.registers = registers;
  r.resources.spills = spills;
  return r;
}

size_t failures(const std::vector<Record>& records, const CompileGate& gate) {
  const auto failed = failed_gates(records, gate);
  EXPECT_TRUE(failed);
  return failed ? failed->size() : 0;
}

TEST(CompileGate, SpillsAndRegisters) {
  const std::vector<Record> rows{row("A", 32, 96, 0), row("A", 64, 200, 7), row("B", 64, 120, std::nullopt)};
  EXPECT_EQ(failures(rows, {}), 0u);
  EXPECT_EQ(failures(rows, {.spill = true}), 1u) << "not reported is no spill";
  EXPECT_EQ(failures(rows, {.registers = 120}), 1u);
  EXPECT_EQ(failures(rows, {.registers = 119}), 2u);
  Record bytes = row("A", 16, 10, std::nullopt);
  bytes.resources.spill_bytes = 16;
  EXPECT_EQ(failures({bytes}, {.spill = true}), 1u) << "NVIDIA's driver reports bytes alone";
}

TEST(CompileGate, WorseThanTheBaseline) {
  const std::vector<Record> before{row("A", 32, 96, 0), row("A", 64, 200, 7), row("A", 128, 50, 0)};
  EXPECT_EQ(failures(before, {.baseline = before}), 0u);
  EXPECT_EQ(failures({row("A", 32, 97, 1), row("A", 64, 100, 0)}, {.baseline = before}), 2u) << "both of one row";
  Record refused = row("A", 32, 0, std::nullopt);
  refused.outcome = Outcome::refused;
  EXPECT_EQ(failures({refused}, {.baseline = before}), 1u);
  EXPECT_FALSE(failed_gates(std::vector<Record>{row("B", 32, 96, 0)}, {.baseline = before})) << "another GPU";
}

}  // namespace
}  // namespace attnscope
