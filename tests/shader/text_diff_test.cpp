// Differences of two texts, and SPIR-V as text.
#include <gtest/gtest.h>

#include <random>

#include "engine/shader/compiler.hpp"
#include "engine/shader/shader_text.hpp"
#include "engine/shader/text_diff.hpp"

namespace attnscope {
namespace {

using Side = DiffLine::Side;

TEST(TextDiff, TheFewestLines) {
  EXPECT_TRUE(diff_lines("", "").empty());
  const auto d = diff_lines("a\nb\nc\nd\n", "a\nc\nx\nd");
  const std::vector<DiffLine> wanted{
      {Side::both, "a"}, {Side::first, "b"}, {Side::both, "c"}, {Side::second, "x"}, {Side::both, "d"}};
  EXPECT_EQ(d, wanted);
  EXPECT_EQ(unified_diff("a\n", "a\n"), "");
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nx\n"), "@@ -3 +3 @@\n 3\n 4\n 5\n-6\n+x\n");
}

TEST(TextDiff, BothSidesComeOutWhole) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string texts[2];
    for (std::string& text : texts)
      for (auto i = random() % 30; i > 0; --i) text += std::string(1, "abc"[random() % 3]) + "\n";
    for (const size_t most : {size_t{4000}, size_t{2}}) {
      std::string first, second;
      for (const DiffLine& line : diff_lines(texts[0], texts[1], most)) {
        if (line.side != Side::second) first += std::string(line.text) + "\n";
        if (line.side != Side::first) second += std::string(line.text) + "\n";
      }
      ASSERT_EQ(first, texts[0]);
      ASSERT_EQ(second, texts[1]);
    }
  }
}

TEST(Disassemble, NamesTheInstructions) {
  Compiler compiler;
  const auto spirv =
      compiler.compile({"x.comp", "#version 460\nlayout(local_size_x = 8) in;\nvoid main() {}\n", {}, {}});
  ASSERT_TRUE(spirv);
  const auto text = disassemble(*spirv);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("EntryPoint GLCompute"), std::string::npos) << *text;
  EXPECT_FALSE(disassemble(std::make_shared<const std::vector<uint32_t>>(3, 7u)));
}

}  // namespace
}  // namespace attnscope
