// Differences of two texts, SPIR-V as text, and what an assembly is made of.
#include "engine/shader/text_diff.hpp"
#include "engine/shader/compiler.hpp"
#include "engine/shader/instruction_mix.hpp"
#include "tests/has.hpp"

namespace attnscope::text_diff_test {

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

// Lines of RADV 25.0, NVK 25.0, ANV 25.0 and SPIR-V as they are.
TEST(InstructionMix, KindsOfLines) {
  using K = InstructionKind;
  const std::pair<const char*, K> lines[] = {
      {"\tscratch_load_b32 v10, off, s32 offset:16                    ; dc510010", K::spill},
      {"\tv_wmma_f32_16x16x16_f16 v[1:8], v[9:16], v[17:24], v[1:8]  ; cc404001", K::matrix},
      {"\tv_fmac_f32_e32 v1, v2, v3", K::vector},
      {"\ts_lshl_b32 s12, s12, 5", K::scalar},
      {"\ts_load_b32 s3, s[0:1], 0x3c", K::memory},
      {"\tds_load_b128 v[1:4], v5", K::shared_memory},
      {"\tbuffer_store_b16 v1, v2, s[4:7], 0 offen", K::memory},
      {"\ts_waitcnt vmcnt(0)", K::control},
      {"BB69:", K::none},
      {"send(16)        nullUD          g109UD          g108UD          0x42000504                a0.2<0>UD", K::none},
      {"      ugm MsgDesc: ( store, a32, d32, V1, L1STATE_L3MOCS dst_len = 0, ss )  surface_state_index 0  { }",
       K::spill},
      {"      ugm MsgDesc: ( load, a32, d32, V2, dst_len = 2, bti )  BTI 1  base_offset 0  { align1 1Q $9 };",
       K::memory},
      {"(+f0.0) if(8)   JIP:  LABEL8          UIP:  LABEL7              { align1 1Q };", K::control},
      {"dpas.8x8(16)    g16<1>F g16<8,8,1>F g2<1,1,0>HF g4<1,1,0>HF { align1 1H };", K::matrix},
      {"", K::none},
      {"\t v1: %18 = v_cvt_f32_u32 %4", K::vector},
      {"      r5        = fmul.ftz r67 r7                                  // delay=1", K::vector},
      {"                  st.global.a64.strong.sys.b64 [r12..14] r14..16   // delay=2 rd:0", K::memory},
      {"@!p0              bra L96                                          // delay=1", K::control},
      {"      r1..3     = ld.local.b64 [r0]  // delay=1", K::spill},
      {"block 73 L99 [72] -> {", K::none},
      {"} -> [73, 86]", K::none},
      {"   900:   91 CooperativeMatrixMulAddKHR 7 8 9 None", K::matrix},
  };
  for (const auto& [line, kind] : lines) EXPECT_EQ(instruction_kind(line), kind) << line;
  const ShaderText assembly{"main", "compute", "NAK assembly", "",
                            "block 0 L1 [] -> {\n r0 = fadd r0 r1 // x\n exit\n}"};
  const auto mix = instruction_mix(assembly);
  ASSERT_TRUE(mix);
  EXPECT_EQ(total(*mix), 2u);
  EXPECT_FALSE(instruction_mix({"main", "", "SPIR-V", "", "FAdd"}));
}

}  // namespace attnscope::text_diff_test
