#include "tests/variant/variant_test.hpp"

namespace attnscope::plan_test {

using namespace testing;

struct PlanTest : VariantTest {
  Result<Plan> plan(const std::string& p, const std::string& config = "default", const DeviceInfo& d = big_gpu()) {
    return make_plan(variant, problem(p), *parse_config(variant, config), d, compiler);
  }
  template <class... Part>
  void expect_refusal(const std::string& p, const std::string& config, const DeviceInfo& device, const Part&... says) {
    EXPECT_TRUE(fails(plan(p, config, device), says...)) << p << " " << config;
  }
};

TEST_F(PlanTest, BindsEverythingByName) {
  load(toy());
  const auto plan = must(this->plan("2x4x100x80", "BLOCK_M=64"));
  const PlanPass& pass = only(plan->passes);
  EXPECT_EQ(pass.constants, (SpecValues{{0, 256}, {1, 64}, {2, 32}, {3, 80}}));
  EXPECT_EQ(std::tuple(pass.grid, pass.facts.local_size[0], pass.facts.shared_bytes),
            std::tuple((std::array<uint32_t, 3>{2, 8, 1}), 256u, 64u * 32 * 4));
  EXPECT_EQ(pass.slots, (std::vector<Slot>{{0, binding_q, ""}, {8, std::nullopt, "partial"}}));
  ASSERT_EQ(pass.push.size(), 8u);
  EXPECT_EQ(word(pass.push, 0), 100u);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(word(pass.push, 4)), 1 / std::sqrt(80.0f));
  EXPECT_EQ(std::tuple(only(plan->scratch).bytes, plan->scratch_bytes, plan->extra_bytes, plan->config.at("BLOCK_N")),
            std::tuple(4u * 2 * 4 * 100 * 100, plan->scratch[0].bytes, 20, 32));
}

TEST_F(PlanTest, RefusesEachLimitWithBothNumbers) {
  load(toy());
  expect_refusal("1x1x64x64", "BLOCK_M=128,BLOCK_N=128", big_gpu(), "shared memory", "65,536", "49,152", "Big GPU",
                 "BLOCK_M=128,BLOCK_N=128", "Lower BLOCK_M or BLOCK_N");
  expect_refusal("1x1x64x64", "BLOCK_M=128,BLOCK_N=16", small_gpu(), "512", "256", "invocations", "Lower BLOCK_M");
  expect_refusal("1x1x64x64", "BLOCK_M=16,BLOCK_N=64", big_gpu(), "BLOCK_N=64 is more than twice BLOCK_M=16");
  expect_refusal("1x1x64x512", "default", big_gpu(), "head_dim is 512, and 256 is the most");
  expect_refusal("1x1x64x64:bf16", "default", big_gpu(), "no bf16", "f32, f16");
  const Problem p = problem("1x1x64x64");
  EXPECT_TRUE(fails(make_plan(variant, p, {{"BLOCK_M", 48}}, big_gpu(), compiler), "16, 32, 64, 128"));
  EXPECT_FALSE(make_plan(variant, p, {{"NOSUCH", 1}}, big_gpu(), compiler));
  // Scores of 4 * 32 * 4096 * 4096 bytes.
  expect_refusal("1x32x4096x64", "default", small_gpu(), "scratch 'partial'", "2 GiB", "128 MiB");
  expect_refusal("1x32x16384x128", "default", small_gpu(), "Q", "256 MiB", "128 MiB", "storage buffer");
  const auto with = [&](const auto& change, const char* problem, const auto&... says) {
    DeviceInfo device = big_gpu();
    change(device);
    expect_refusal(problem, "default", device, says...);
  };
  with([](DeviceInfo& d) { d.limits.max_workgroup_size = {64, 64, 64}; }, "1x1x64x64", "128", "64", "along x");
  with([](DeviceInfo& d) { d.limits.max_workgroup_count.fill(3); }, "1x1x512x64", "grid", "16 workgroups along x",
       "allows 3");
  with([](DeviceInfo& d) { d.limits.max_push_constant_bytes = 4; }, "1x1x64x64", "push constants", "8 bytes",
       "allows 4");
  with([](DeviceInfo& d) { d.limits.device_memory_bytes = 1 << 20; }, "1x16x512x64", "device memory", "1 MiB");
  with([](DeviceInfo& d) { d.limits.max_allocation_bytes = 1 << 20; }, "1x16x512x64", "allocation", "2 MiB", "1 MiB");
  with([](DeviceInfo& d) { d.features.clear(); }, "1x1x64x64:f16", "storage_16bit", "lacks");
}

TEST_F(PlanTest, RefusesMissingFeaturesSubgroupSizesAndNumbersThatCannotBe) {
  const auto with = [](const std::string& before, const std::string& line) {
    return changed(toy(), before, line + "\n" + before);
  };
  load(with("summary = ", "features = [\"coopmat\"]"));
  EXPECT_TRUE(fails(plan("1x1x64x64"), ErrorKind::unsupported, "needs coopmat, which Big GPU lacks"));

  load(with("[[config]]", "subgroup_size = \"16\""));
  expect_refusal("1x1x64x64", "default", big_gpu(), "subgroup size", "asks for 16", "32 to 32");
  DeviceInfo flexible = big_gpu();
  flexible.limits.min_subgroup_size = 8;
  EXPECT_EQ(must(plan("1x1x64x64", "default", flexible))->passes[0].subgroup_size, 16u);

  load(with("[[config]]", "subgroup_size = \"4294967304\""));
  expect_refusal("1x1x64x64", "default", flexible, "subgroup_size", "4,294,967,304", "from 0 to 4,294,967,295");
  for (const auto& [was, now, says] : {std::tuple{"\"tiles * 10\"", "\"-1e18\"", "below 0"},
                                       {"grid = [\"tiles\"", "grid = [\"2^60\"", "from 0 to 9,007,199,254,740,991"},
                                       {"grid = [\"tiles\"", "grid = [\"-4\"", "-4, not a whole number from 0"}}) {
    load(changed(toy(), was, now));
    expect_refusal("1x1x64x64", "default", big_gpu(), says);
  }
}

TEST(Options, AreRefusedUnlessTheManifestNamesThem) {
  Compiler compiler;
  VariantSource source = toy();
  const auto why = [&](const std::string& text) {
    return why_not(*must(load_variant(source, compiler)), problem(text), big_gpu());
  };
  EXPECT_EQ(why("1x2x64x64"), "");
  EXPECT_TRUE(has(why("1x2x64x64:sinks"), "does not take 'sinks' (it takes plain attention only)",
                  "leave it out of the problem, or use a variant"));
  source = changed(source, "title = ", "options = [\"window\", \"mask\", \"packed_kv\"]\ntitle = ");
  EXPECT_EQ(why("1x2x64x64:window=3:mask=batch:kvtype=q8_0"), "");
  EXPECT_EQ(why("1x2x64x64:ktype=f8e4m3:vtype=q5_1"), "");
  EXPECT_TRUE(has(why("1x2x64x64:window=3:softcap=2"), "'softcap=' (it takes window, mask, packed_kv)"));
  for (const std::string option : {"mask=alibi", "topk=", "mla"})
    EXPECT_TRUE(has(why("1x2x64x64:" + option + (option == "topk=" ? "9" : "")), "does not take '" + option + "'"));
}

/// What a problem does not ask for must leave no trace: the module is the very one of a plain problem.
TEST(Options, DefineWhatIsAskedAlone) {
  const PassDecl pass{.shader = "toy.comp"};
  const auto defines = [&](const std::string& text) {
    std::string all;
    const Names names = problem_names(problem(text), big_gpu());
    const auto request = module_request(toy(), pass, DType::f16, names);
    EXPECT_TRUE(request);
    for (const auto& [name, value] : request->compile.defines) all += name + " ";
    return all;
  };
  EXPECT_EQ(defines("1x2x64x64"), "DTYPE_F16 ");
  EXPECT_EQ(defines("1x2x64x64:window=64"), "DTYPE_F16 ");
  EXPECT_EQ(defines("1x2x64x64:window=3:sinks"), "DTYPE_F16 OPTION_WINDOW OPTION_SINKS ");
  EXPECT_EQ(defines("1x2x64x64:softcap=3:mask=alibi"), "DTYPE_F16 OPTION_SOFTCAP OPTION_MASK OPTION_ALIBI ");
  EXPECT_EQ(defines("1x2x64x64:mask:kvtype=q8_0"), "DTYPE_F16 OPTION_MASK OPTION_PACKED_KV K_TYPE V_TYPE ");
  EXPECT_EQ(defines("1x2x64x64:mla:topk=7"), "DTYPE_F16 OPTION_MLA OPTION_TOPK ");
}

TEST(Options, AreNamesOfExpressions) {
  const auto names = [](const char* text) { return problem_names(problem(text), big_gpu()); };
  const Names mixed = names("1x8x100x64:kv=2:dv=32:ktype=q8_0:vtype=q4_0:f16");
  EXPECT_EQ(std::tuple(mixed.at("ktype"), mixed.at("vtype"), mixed.at("kvtype")),
            std::tuple(mixed.at("q8_0"), mixed.at("q4_0"), -1));
  EXPECT_DOUBLE_EQ(mixed.at("kv_bytes"), (68.0 + 18.0) / 96);
  const Names mla = names("1x8x100x64:kv=2:dv=32:mla:topk=9:f16");
  EXPECT_EQ(std::tuple(mla.at("v_row"), mla.at("v_batch"), mla.at("topk")), std::tuple(64, mla.at("k_batch"), 9));
  EXPECT_DOUBLE_EQ(mla.at("kv_bytes"), 128.0 / 96);
}

TEST_F(PlanTest, WhenAndDefines) {
  VariantSource source =
      changed(toy(), "constants = { WORKGROUP = \"threads\" }",
              "constants = { WORKGROUP = \"threads\" }\nwhen = \"seq_q > 8\"\ndefines = { SIZE = \"head_dim / 2\" }");
  source.common["size.glsl"] = "";
  load(source);
  const auto a = must(plan("1x1x64x64")), b = must(plan("1x1x64x32"));
  EXPECT_NE(*a->passes[0].spirv, *b->passes[0].spirv);
  expect_refusal("1x1x64x64:q=8", "default", big_gpu(), "no pass");
  expect_refusal("1x1x64x33", "default", big_gpu(), "'SIZE'", "not an integer");
}

TEST_F(PlanTest, ChoicesAroundAConfig) {
  load(toy());
  const auto choices = parameter_choices(Planner(variant, problem("1x1x64x64"), small_gpu(), compiler),
                                         *parse_config(variant, "BLOCK_M=64,BLOCK_N=64"));
  ASSERT_EQ(choices.size(), 2u);
  ASSERT_EQ(choices[0].why_not.size(), 4u);
  EXPECT_TRUE(has(choices[0].why_not[0], "more than twice"));
  EXPECT_TRUE(has(choices[0].why_not[3], "512"));
  EXPECT_EQ(std::tuple(choices[0].name, choices[0].why_not[1], choices[0].why_not[2], choices[1].why_not),
            std::tuple("BLOCK_M", "", "", std::vector<std::string>(4)));
  // With a hopeless problem, every value says why.
  for (const auto& c :
       parameter_choices(Planner(variant, problem("1x1x64x512"), small_gpu(), compiler), default_config(variant)))
    for (const auto& why : c.why_not) EXPECT_TRUE(has(why, "256 is the most"));
}

}  // namespace attnscope::plan_test
