// Searching and walking config spaces: nearest legal ones, batches, budgets, and which config stands for a text.
#include "engine/variant/space.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope::space_test {

using namespace testing;

struct SpaceTest : VariantTest {
  Nearest nearest(const char* p, const Config& config, const DeviceInfo& device,
                  const SearchBudget& budget = {.ms = 60'000}) {
    return nearest_legal(Planner(variant, problem(p), device, compiler), config, budget);
  }
  std::string nearest_text(const Config& config, const DeviceInfo& device) {
    const Nearest n = nearest("1x1x64x64", config, device);
    EXPECT_EQ(n.end, Nearest::End::found) << n.why.message;
    return to_text(n.config);
  }
  /// All batches of at most `budget` candidates each.
  SpaceBatch walk(const char* p, const DeviceInfo& device, SpaceRequest request = {.budget_ms = 60'000}) {
    SpaceBatch all;
    for (;;) {
      const SpaceBatch b = plan_space(variant, problem(p), device, compiler, request);
      uint64_t pruned = 0;
      for (const auto& r : b.pruned) pruned += r.count;
      EXPECT_EQ(b.first, request.first);
      EXPECT_EQ(b.legal.size() + pruned, b.next - b.first) << "every config is counted once";
      EXPECT_LE(b.legal.size(), std::max<uint64_t>(request.max_legal, 1));
      all.legal.insert(all.legal.end(), b.legal.begin(), b.legal.end());
      all.refused.insert(all.refused.end(), b.refused.begin(), b.refused.end());
      add_reasons(all.pruned, b.pruned);
      all.size = b.size;
      if (b.done) return all;
      EXPECT_GT(b.next, b.first) << "a batch decides on something";
      if (b.next <= b.first) return all;
      request.first = b.next;
    }
  }
};

/// Nothing to constrain, and eight parameters of eight values each, as a user may write them: 16.7 million configs.
VariantSource vast(const std::string& constraint) {
  VariantSource source = toy();
  std::string& manifest = source.files["manifest.toml"];
  std::string constants, sum = "0";
  for (const char c : std::string("ABCDEFGH")) {
    const std::string name(1, c);
    manifest += "\n[[parameter]]\nname = \"" + name + "\"\nmeaning = \"m\"\nvalues = [0, 1, 2, 3, 4, 5, 6, 7]\n";
    constants += "layout(constant_id = " + std::to_string(10 + c - 'A') + ") const uint " + name + " = 0;\n";
    sum += " + " + name;
  }
  manifest += "\n[[constraint]]\nrequire = \"" + constraint + "\"\nbecause = \"it is so\"\n";
  source = changed(source, "layout(push_constant)", constants + "layout(push_constant)", "toy.comp");
  return changed(source, "tile[0];\n", "tile[0] + float(" + sum + ");\n", "toy.comp");
}

TEST(ConfigProduct, AddressesEveryConfigOnce) {
  const std::vector<Parameter> parameters{{"A", "", {1, 2}, 1}, {"B", "", {7}, 7}, {"C", "", {0, 5, 9}, 0}};
  const ConfigProduct product(parameters);
  ASSERT_EQ(product.size(), 6u);
  std::vector<std::string> all;
  for (uint64_t i = 0; i < product.size(); ++i) all.push_back(to_text(product.at(i)));
  EXPECT_EQ(all, (std::vector<std::string>{"A=1,B=7,C=0", "A=1,B=7,C=5", "A=1,B=7,C=9", "A=2,B=7,C=0", "A=2,B=7,C=5",
                                           "A=2,B=7,C=9"}));
  EXPECT_EQ(ConfigProduct({}).size(), 1u);
  const std::vector<Parameter> many(40, {"X", "", {0, 1, 2, 3, 4, 5, 6, 7}, 0});
  EXPECT_EQ(ConfigProduct(many).size(), uint64_t{1} << 63) << "8^40 does not wrap";
}

TEST_F(SpaceTest, NearestLegalChangesAsLittleAsItCan) {
  load(toy());
  EXPECT_EQ(nearest_text({{"BLOCK_M", 32}, {"BLOCK_N", 32}}, big_gpu()), "BLOCK_M=32,BLOCK_N=32");
  // Of two that are one step away, the one that changes the earlier parameter.
  EXPECT_EQ(nearest_text({{"BLOCK_M", 16}, {"BLOCK_N", 64}}, big_gpu()), "BLOCK_M=32,BLOCK_N=64");
  EXPECT_EQ(nearest_text({{"BLOCK_M", 48}, {"BLOCK_N", 32}}, big_gpu()), "BLOCK_M=32,BLOCK_N=32");
  DeviceInfo strict = small_gpu();
  strict.limits.max_shared_bytes = 2048;
  EXPECT_EQ(nearest_text({{"BLOCK_M", 64}, {"BLOCK_N", 64}}, strict), "BLOCK_M=16,BLOCK_N=32");
  strict.limits.max_shared_bytes = 512;
  const Nearest none = nearest("1x1x64x64", default_config(variant), strict);
  EXPECT_EQ(none.end, Nearest::End::none_exists);
  EXPECT_EQ(none.tried, 16u) << "each of the space";
  EXPECT_TRUE(has(none.why.message, "512"));
}

TEST_F(SpaceTest, WhatNoParameterChangesIsRefusedWithoutASearch) {
  load(vast("A + B >= 0"));
  DeviceInfo d = big_gpu();
  d.limits.max_workgroup_count = {65535, 3, 65535};
  const Nearest grid = nearest("1x4x64x64", default_config(variant), d);
  EXPECT_EQ(grid.end, Nearest::End::none_exists);
  EXPECT_EQ(grid.tried, 0u);
  EXPECT_TRUE(has(grid.why.message, "4 workgroups along y", "allows 3", "No config changes that"));
  const SpaceBatch batch = walk("1x4x64x64", d);
  EXPECT_EQ(only(batch.pruned).count, uint64_t{16} << 24);

  // Scratch whose size no parameter changes; a grid that depends on one is searched.
  EXPECT_EQ(nearest("1x32x4096x64", default_config(variant), small_gpu()).tried, 0u);
  load(changed(toy(), "[[config]]", "when = \"BLOCK_M > 16\"\n[[config]]"));
  EXPECT_EQ(nearest("1x32x4096x64", default_config(variant), small_gpu()).tried, 16u) << "a pass that may not run";
  load(vast("A + B >= 0"));
  DeviceInfo low = big_gpu();
  low.limits.max_workgroup_count = {2, 65535, 65535};
  const Nearest larger = nearest("1x1x256x64", default_config(variant), low);
  ASSERT_EQ(larger.end, Nearest::End::found) << larger.why.message;
  EXPECT_EQ(larger.config.at("BLOCK_M"), 128);
  load(changed(vast("rows_needed <= 100"), "[let]\n", "[let]\nrows_needed = \"2 * seq_q\"\n"));
  const Nearest none = nearest("1x1x64x64", default_config(variant), big_gpu());
  EXPECT_EQ(std::tuple(none.end, none.tried), std::tuple(Nearest::End::none_exists, 0u));
  EXPECT_TRUE(has(none.why.message, "it is so (requires rows_needed <= 100)"));
  EXPECT_EQ(nearest("1x1x32x64", default_config(variant), big_gpu()).end, Nearest::End::found);
}

TEST_F(SpaceTest, ASearchEndsWithItsBudgetAndSaysSo) {
  load(vast("A + B + C + D + E + F + G + H > 100"));
  const Nearest n = nearest("1x1x64x64", default_config(variant), big_gpu(), {.candidates = 5000, .ms = 60'000});
  EXPECT_EQ(n.end, Nearest::End::out_of_budget);
  EXPECT_EQ(n.tried, 5000u);
  EXPECT_TRUE(has(n.why.message, "none of the 5,000 configs", "farther ones were not tried"));
  EXPECT_EQ(nearest("1x1x64x64", default_config(variant), big_gpu(), {.candidates = ~0ull, .ms = 0}).end,
            Nearest::End::out_of_budget);
  const std::atomic<bool> cancelled{true};
  const Nearest c = nearest_legal(Planner(variant, problem("1x1x64x64"), big_gpu(), compiler), default_config(variant),
                                  {}, &cancelled);
  EXPECT_EQ(c.end, Nearest::End::cancelled);
  // What is legal only far away is found when the budget reaches there.
  load(vast("A + B + C >= 9"));
  const Nearest far = nearest("1x1x64x64", default_config(variant), big_gpu());
  ASSERT_EQ(far.end, Nearest::End::found) << far.why.message;
  EXPECT_EQ(to_text(far.config), "A=2,B=7,BLOCK_M=32,BLOCK_N=32,C=0,D=0,E=0,F=0,G=0,H=0");
}

TEST_F(SpaceTest, AWalkFindsWhatPlanningEachConfigFinds) {
  load(toy());
  for (const DeviceInfo& device : {big_gpu(), small_gpu()})
    for (const SpaceRequest& request :
         {SpaceRequest{.budget_ms = 60'000}, SpaceRequest{.budget_candidates = 1, .budget_ms = 60'000},
          SpaceRequest{.budget_ms = 60'000, .max_legal = 2, .keep_refused = 3},
          SpaceRequest{.budget_ms = 0, .max_legal = 0}}) {
      const SpaceBatch all = walk("1x1x64x64", device, request);
      std::vector<Config> legal;
      const ConfigProduct product(variant.parameters);
      for (uint64_t i = 0; i < product.size(); ++i)
        if (make_plan(variant, problem("1x1x64x64"), product.at(i), device, compiler)) legal.push_back(product.at(i));
      EXPECT_EQ(all.legal, legal);
      EXPECT_EQ(all.size, 16u);
    }
}

TEST_F(SpaceTest, ReasonsGroupAndKeepOneSentence) {
  load(toy());
  const SpaceBatch all = walk("1x1x64x64", small_gpu(), {.budget_ms = 60'000, .keep_refused = 100});
  // 16 x {64, 128} and 32 x 128 are too narrow; 128 rows are 512 invocations, and one of them 64 KB as well.
  ASSERT_EQ(all.pruned.size(), 3u);
  std::map<std::string, uint64_t> counts;
  for (const auto& r : all.pruned) counts[r.reason] = r.count;
  EXPECT_EQ(counts["BLOCK_N <= 2 * BLOCK_M"], 3u);
  EXPECT_EQ(counts["workgroup size of pass 'main'"] + counts["shared memory of pass 'main'"], 4u);
  for (const auto& r : all.pruned) {
    const auto plan = make_plan(variant, problem("1x1x64x64"), r.config, small_gpu(), compiler);
    ASSERT_FALSE(plan) << "the example is one of them";
    EXPECT_TRUE(plan.error().message.starts_with(r.example)) << r.example << "\n" << plan.error().message;
  }
  EXPECT_EQ(all.refused.size(), 7u);
}

TEST_F(SpaceTest, PointsAreDecidedOneByOneInTheOrderGiven) {
  load(vast("G != 3"));
  const Problem p = problem("1x1x64x64");
  const ConfigProduct product(variant.parameters);
  const std::vector<uint64_t> points{9, 24, 25, 0, product.size()};
  const SpaceBatch batch = plan_space(variant, p, big_gpu(), compiler, {.budget_ms = 60'000, .points = points});
  EXPECT_EQ(batch.legal, (std::vector<Config>{product.at(points[0]), product.at(points[3])}));
  EXPECT_EQ(only(batch.pruned).count, 2u) << "not the whole sub-tree";
  EXPECT_EQ(batch.next, 0u);
  EXPECT_FALSE(batch.done);
  EXPECT_EQ(plan_space(variant, p, big_gpu(), compiler, {.max_legal = 1, .points = points}).legal.size(), 1u);
}

TEST_F(SpaceTest, AWalkHeedsBudgetAndCancelAndPassesOverWhatOneConstraintRulesOut) {
  load(vast("H != 3"));
  const Problem p = problem("1x1x64x64");
  const SpaceBatch few = plan_space(variant, p, big_gpu(), compiler, {.budget_candidates = 10, .budget_ms = 60'000});
  EXPECT_EQ(few.next, 10u);
  EXPECT_FALSE(few.done);
  EXPECT_EQ(few.legal.size(), 9u);
  const std::atomic<bool> cancelled{true};
  const SpaceBatch none = plan_space(variant, p, big_gpu(), compiler, {.first = 7}, &cancelled);
  EXPECT_EQ(none.first, 7u);
  EXPECT_EQ(none.next, 7u);
  EXPECT_FALSE(none.done);
  const SpaceBatch past = plan_space(variant, p, big_gpu(), compiler, {.first = ~0ull});
  EXPECT_TRUE(past.done);
  EXPECT_EQ(past.legal.size(), 0u);
  // Only A and B decide: 64 sub-trees of 16 * 8^6 configs, all but a few of which fall at once.
  load(vast("A + B >= 100"));
  EXPECT_EQ(plan_space(variant, p, big_gpu(), compiler, {.first = 5, .budget_candidates = 1}).next, uint64_t{1} << 18)
      << "the rest of a sub-tree, from its middle on";
  const SpaceBatch all =
      plan_space(variant, p, big_gpu(), compiler, {.budget_candidates = 20'000, .budget_ms = 60'000});
  EXPECT_TRUE(all.done);
  EXPECT_EQ(all.size, uint64_t{16} << 24);
  ASSERT_EQ(all.pruned.size(), 2u);
  EXPECT_EQ(all.pruned[0].reason, "A + B >= 100");
  EXPECT_EQ(all.pruned[0].count + all.pruned[1].count, all.size);
}

TEST_F(SpaceTest, RulesAgreeWithEvaluatingEachConstraint) {
  for (const Variant& one : shipped_variants()) {
    variant = one;
    const DeviceInfo device = matrix_gpu();
    const Names known = problem_names(problem("2x6x129x64:kv=2:f16"), device);
    Rules rules(variant, known);
    const ConfigProduct product(variant.parameters);
    uint64_t index = 12345;
    for (int i = 0; i < 300; ++i) {
      index = index * 6364136223846793005u + 1442695040888963407u;
      const Config config = product.at((index >> 11) % product.size());
      Names names = known;
      for (const auto& [name, value] : config) names[name] = static_cast<double>(value);
      const bool lets = static_cast<bool>(resolve(variant.manifest.let, names, "let"));
      std::optional<size_t> first;
      for (size_t c = 0; lets && !first && c < variant.manifest.constraints.size(); ++c)
        if (const auto value = evaluate(variant.manifest.constraints[c].require, names); !value || *value == 0)
          first = c;
      rules.set(config);
      if (lets) {
        EXPECT_EQ(rules.unmet(), first) << variant.name << " " << to_text(config);
      }
      Names filled = known;
      EXPECT_EQ(rules.add_values(filled), lets) << variant.name << " " << to_text(config);
      if (lets) {
        EXPECT_EQ(filled, names) << variant.name << " " << to_text(config);
      }
    }
  }
}

TEST_F(SpaceTest, OnePolicyFromTextToConfig) {
  VariantSource source = toy();
  // The first that suits does not fit the device.
  source.files["manifest.toml"] +=
      "\n[[config]]\nname = \"large\"\npurpose = \"p\"\nvalues = { BLOCK_M = 128, BLOCK_N = 128 }\nsuits = \"seq_q > "
      "100\"\n"
      "[[config]]\nname = \"long\"\npurpose = \"long sequences\"\nvalues = { BLOCK_N = 64 }\nsuits = \"seq_q > "
      "100 || threads == 0\"\n";
  load(source);
  const auto choose = [&](const char* p, const char* text, const DeviceInfo& device) {
    auto choice = choose_config(Planner(variant, problem(p), device, compiler), text);
    EXPECT_TRUE(choice) << choice.error().message;
    return choice ? *choice : ConfigChoice{};
  };
  using How = ConfigChoice::How;
  const ConfigChoice plain = choose("1x1x64x64", "default", big_gpu());
  EXPECT_EQ(std::tuple(plain.how, plain.name, plain.because), std::tuple(How::as_asked, "default", ""));
  for (const char* text : {"default", "", " default "}) {
    const ConfigChoice suited = choose("1x1x200x64", text, big_gpu());
    EXPECT_EQ(std::tuple(suited.how, suited.name, to_text(suited.config)),
              std::tuple(How::suited, "long", "BLOCK_M=32,BLOCK_N=64"));
    EXPECT_TRUE(has(suited.because, "long sequences"));
  }
  EXPECT_EQ(suited_config(Planner(variant, problem("1x1x200x512"), big_gpu(), compiler)), "")
      << "none serves this head dim";
  // What is named is taken, whether something else suits better or it is legal at all.
  EXPECT_EQ(choose("1x1x200x64", "wide", big_gpu()).name, "wide");
  const ConfigChoice illegal = choose("1x1x64x64", "BLOCK_M=16,BLOCK_N=64", big_gpu());
  EXPECT_EQ(illegal.how, How::as_asked);
  EXPECT_EQ(to_text(illegal.config), "BLOCK_M=16,BLOCK_N=64");
  DeviceInfo strict = small_gpu();
  strict.limits.max_shared_bytes = 2048;
  const ConfigChoice nearest = choose("1x1x64x64", "default", strict);
  EXPECT_EQ(nearest.how, How::nearest);
  EXPECT_EQ(to_text(nearest.config), "BLOCK_M=16,BLOCK_N=32");
  EXPECT_TRUE(has(nearest.because, "4,096"));
  strict.limits.max_shared_bytes = 512;
  const ConfigChoice none = choose("1x1x64x64", "default", strict);
  EXPECT_EQ(none.how, How::as_asked);
  EXPECT_TRUE(has(none.because, "no config of toy is legal"));
  const std::vector<Parameter> parameters = std::exchange(variant.parameters, {});
  const std::string alone = choose("1x1x64x64", "default", strict).because;
  EXPECT_FALSE(alone.empty() || has(alone, "were tried")) << alone << ": there is no other config";
  variant.parameters = parameters;
  EXPECT_TRUE(fails(choose_config(Planner(variant, problem("1x1x64x64"), big_gpu(), compiler), "BLOCK_M=17"),
                    "16, 32, 64, 128"));
}

}  // namespace attnscope::space_test
