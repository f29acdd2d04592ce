#include "engine/record/preset.hpp"
#include "engine/record/results.hpp"
#include "tests/files.hpp"
#include "tests/has.hpp"

namespace attnscope::backend_ops_test {

/// As it is printed, with colours: two orders of one case, an older form, types and masks that no problem says.
constexpr std::string_view kPrinted =
    "Backend 1/2: Vulkan0\n"
    "  FLASH_ATTN_EXT(hsk=192,hsv=128,nh=4,nr23=[4,3],kv=512,nb=35,mask=1,sinks=1,max_bias=0.000000,"
    "logit_softcap=10.000000,prec=f32,type_K=f16,type_V=f16,permute=[0,1,2,3]):  131040 runs -     8.01 us/run - "
    "0.52 GFLOP/run - \033[1;34m65.02 TFLOPS\033[0m\n"
    "  FLASH_ATTN_EXT(hsk=192,hsv=128,nh=4,nr23=[4,3],kv=512,nb=35,mask=1,sinks=1,max_bias=0.000000,"
    "logit_softcap=10.000000,prec=f32,type_K=f16,type_V=f16,permute=[0,2,1,3]): 1 runs - 16.5 us/run - 1 GFLOP/run\n"
    "  FLASH_ATTN_EXT(hs=64,nh=32,nr=2,kv=1024,nb=1,mask=0,max_bias=0.000000,logit_softcap=0.000000,type_KV=q8_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=1,sinks=0,max_bias=8.000000,"
    "logit_softcap=0.000000,prec=f32,type_K=bf16,type_V=bf16,permute=[0,1,2,3]): not supported [Vulkan0]\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=tq1_0,type_V=tq1_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=tq1_0,type_V=tq1_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=q8_0,type_V=f16): OK\n"
    "  FLASH_ATTN_EXT(hsk=576,hsv=512,nh=1,nr23=[16,1],kv=512,nb=1,mask=0,type_K=f16,type_V=f16,permute=[0,1,2,3],"
    "kv_view=0,v_is_view_of_k=1): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=0,nb=3,mask=0,type_K=f16,type_V=f16): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,";

TEST(BackendOps, CasesAreProblemsWithTheirTimes) {
  const BackendOps ops = parse_backend_ops(kPrinted);
  ASSERT_EQ(ops.cases.size(), 6u);
  EXPECT_EQ(to_text(ops.cases[0].problem), "3x16x512x192:q=35:kv=4:dv=128:softcap=10:sinks:mask=batch:f16");
  EXPECT_DOUBLE_EQ(ops.cases[0].ns, 8010);
  EXPECT_EQ(std::tuple(ops.cases[1].permute, ops.cases[1].problem, to_text(ops.cases[2].problem), ops.cases[2].ns,
                       to_text(ops.cases[3].problem), to_text(ops.cases[4].problem)),
            std::tuple("0213", ops.cases[0].problem, "1x64x1024x64:q=1:kv=32:kvtype=q8_0:f16", 0,
                       "1x4x512x64:q=3:mask=alibi:bf16", "1x4x512x64:q=3:ktype=q8_0:f16"));
  EXPECT_EQ(to_text(ops.cases[5].problem), "1x16x512x576:q=1:kv=1:dv=512:mla:f16") << "V is a view of K";
  EXPECT_EQ(ops.left_out.at("type_K=tq1_0"), 2u);
  EXPECT_EQ(ops.left_out.at("a line that is cut off"), 1u);
  EXPECT_EQ(ops.left_out.size(), 3u) << "no keys are no problem";
}

TEST(BackendOps, AreAPresetAndABaseline) {
  const TempDir dir;
  write_file(dir / "cases.txt", std::string(kPrinted));
  const auto preset = must(load_preset("nowhere", (dir / "cases.txt").string()));  // named by its path
  EXPECT_EQ(preset->problems.size(), 5u) << "each once";
  EXPECT_TRUE(has(preset->left_out, "4 cases are left out", "2 of type_K=tq1_0"));

  const auto results = must(results_from_json(kPrinted, "log.txt"));
  ASSERT_EQ(results->records.size(), 2u) << "those with a time";
  EXPECT_DOUBLE_EQ(results->records[0].statistics->median, 8010);
  EXPECT_EQ(results->records[1].config_name, "permute=0213");
  EXPECT_EQ(must(results_from_json(results_to_json(*results), "again"))->records, results->records);

  const std::string_view no_time = "FLASH_ATTN_EXT(hs=64,nh=1,kv=8,nb=1,mask=0,type_KV=f16): OK";
  EXPECT_TRUE(fails(results_from_json(no_time, "log.txt"), ErrorKind::bad_input, "perf -o FLASH_ATTN_EXT"));
  EXPECT_TRUE(fails(parse_preset("FLASH_ATTN_EXT(hs=64,type_KV=tq1_0): OK"), ErrorKind::bad_input, "type_K=tq1_0"));
}

}  // namespace attnscope::backend_ops_test
