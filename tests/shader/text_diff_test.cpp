// Differences of two assemblies, and SPIR-V as text.
#include "engine/shader/text_diff.hpp"
#include "engine/shader/compiler.hpp"
#include "tests/has.hpp"

namespace attnscope::text_diff_test {

using Side = DiffLine::Side;

TEST(TextDiff, TheFewestLines) {
  EXPECT_EQ(unified_diff("a\n", "a\n"), "");
  EXPECT_EQ(unified_diff("a\nb\nc\nd\n", "a\nc\nx\nd"), "@@ -1 +1 @@\n a\n-b\n c\n+x\n d\n");
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nx\n"), "@@ -3 +3 @@\n 3\n 4\n 5\n-6\n+x\n");
}

TEST(TextDiff, RegistersAndLabelsMakeNoDifference) {
  const char* first =
      "BB1:\n v_add_f32 v1, v2, s[4:5] ; a0\n ds_load_b64 v[1:2], v3\n r1..3 = ld [r0] // x\n s_nop 0\n";
  const char* second = "BB12:\n v_add_f32 v10, v2, s[2:3] ; b1\n ds_load_b32 v1, v3\n r8..10 = ld [r7]\n s_nop 1\n";
  std::vector<std::string> changed;
  for (const DiffLine& line : diff_code(first, second))
    if (line.side != Side::both) changed.emplace_back(line.text);
  EXPECT_EQ(changed,
            (std::vector<std::string>{" ds_load_b64 v[1:2], v3", " ds_load_b32 v1, v3", " s_nop 0", " s_nop 1"}));
  EXPECT_EQ(diff_code("v1\nc[0x1]\n", "v2\nc[0x1]\n")[0].text, "v2");
  EXPECT_EQ(diff_code("f2f.f16 r1", "f2f.f32 r1").size(), 2u) << "a type is no register";
}

TEST(TextDiff, BothSidesComeOutWhole) {
  std::mt19937 random(1);
  for (int round = 0; round < 301; ++round) {
    std::string texts[2];
    // The last two are too long for the fewest lines.
    for (std::string& text : texts)
      for (auto i = round < 300 ? random() % 30 : 9000; i > 0; --i) text += std::string(1, "abc"[random() % 3]) + "\n";
    std::string first, second;
    for (const DiffLine& line : diff_code(texts[0], texts[1])) {
      if (line.side != Side::second) first += std::string(line.text) + "\n";
      if (line.side != Side::first) second += std::string(line.text) + "\n";
    }
    ASSERT_EQ(first, texts[0]);
    ASSERT_EQ(second, texts[1]);
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

}  // namespace attnscope::text_diff_test
