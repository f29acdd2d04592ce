// What drivers report of a pipeline, made comparable.
#include <gtest/gtest.h>

#include "engine/vulkan/pipeline.hpp"

namespace attnscope::vulkan {
namespace {

TEST(NormalizeStatistics, Nvidia) {
  const double flagged = 68719476736.0;  // bit 36, which the driver sets in sizes
  const auto s = normalize_statistics({{"main", "Register Count", "", 242},
                                       {"main", "Binary Size", "", 12800},
                                       {"main", "Local Memory Size", "", flagged + 256},
                                       {"main", "Shared Memory Size", "", flagged + 32768}});
  EXPECT_EQ(s.registers, 242u);
  EXPECT_EQ(s.code_bytes, 12800u);
  EXPECT_EQ(s.spill_bytes, 0u) << "256 bytes are the driver's base";
  EXPECT_EQ(s.shared_bytes, 32768u);
  EXPECT_EQ(s.raw.size(), 4u);
  EXPECT_EQ(s.raw[2].value, flagged + 256) << "raw stays as the driver said";
  EXPECT_EQ(normalize_statistics({{"main", "Local Memory Size", "", flagged + 1392}}).spill_bytes, 1136u);
}

TEST(NormalizeStatistics, Radv) {
  const auto s = normalize_statistics({{"cs", "SGPRs", "", 32},
                                       {"cs", "VGPRs", "", 96},
                                       {"cs", "Spilled VGPRs", "", 3},
                                       {"cs", "Code size", "", 4096},
                                       {"cs", "LDS size", "", 8192},
                                       {"cs", "Scratch size", "", 999}});
  EXPECT_EQ(s.registers, 96u);
  EXPECT_EQ(s.spill_bytes, 12u);
  EXPECT_EQ(s.code_bytes, 4096u);
  EXPECT_EQ(s.shared_bytes, 8192u);
}

TEST(NormalizeStatistics, UnknownNamesStayRaw) {
  const auto s = normalize_statistics({{"x", "Spill count", "", 7}, {"x", "Instruction Count", "", 70}});
  EXPECT_FALSE(s.registers || s.spill_bytes || s.shared_bytes || s.code_bytes) << "absent, never a zero";
  EXPECT_EQ(s.raw.size(), 2u);
}

}  // namespace
}  // namespace attnscope::vulkan
