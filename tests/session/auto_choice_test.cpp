// "auto": the tuning cache, what ships, the manifests; over a session of made-up answers.
#include "engine/session/auto_choice.hpp"
#include "engine/session/session.hpp"
#include "tests/has.hpp"
#include "tests/tune/tuned_entry.hpp"

namespace attnscope::auto_choice_test {

struct RankedSession final : Session {
  std::set<std::string> illegal;  ///< variants of which no config is legal
  std::vector<VariantRank> ranks{{"fast", 8, ""}, {"middle", 5, ""}, {"none", 9, "it takes no f32"}};
  Result<Inspection> inspect(const Problem&, const std::string& variant, const Config&) override {
    Inspection i;
    if (illegal.contains(variant)) i.why_not = "too large";
    return i;
  }
  Result<ConfigChoice> choose_config(const Problem&, const std::string& variant, const std::string&) override {
    if (illegal.contains(variant)) return ConfigChoice{{}, "default", ConfigChoice::How::as_asked, "too large"};
    return ConfigChoice{{{"A", 1}}, "default", ConfigChoice::How::as_asked, {}};
  }
  Result<std::vector<VariantRank>> rank_variants(const Problem&) override { return ranks; }
};

struct AutoChoiceTest : testing::Test {
  using From = AutoChoice::From;
  AutoChoiceTest() {
    for (const std::string name : {"fast", "middle", "none"})
      variants_.push_back({.name = name, .hash = name + "-1", .parameters = {{"A", "", {1, 2}, 1}}});
  }
  tune::TunedEntry entry(const std::string& variant, double ns, const std::string& problem = kHere) const {
    tune::TunedEntry e = tune::tuned_entry(problem, variant, ns);
    e.config = {{"A", 2}};
    return e;
  }
  /// Measured beside what runs untuned, the default of "fast".
  tune::TunedEntry beside_fast(const std::string& variant, double ns, double untuned_ns) const {
    tune::TunedEntry e = entry(variant, ns);
    e.default_ns = untuned_ns;
    e.default_variant = "fast";
    e.default_config = {{"A", 1}};
    return e;
  }
  /// Of four problems: microseconds of each variant's config.
  tune::CostModel calibrated(const std::vector<std::tuple<std::string, ConfigWork, double>>& times) const {
    tune::CostModel model{.device = device_.name, .driver = "driver 0", .cores = 4};
    for (const char* text : {"1x2x100x32:f16", "1x2x128x32:f16", "1x2x256x32:f16", "1x2x512x32:f16"})
      for (const auto& [variant, work, us] : times) model.add(*parse_problem(text), variant, variant + "-1", work, us);
    return model;
  }
  Result<AutoChoice> choose(const std::string& problem = kHere) {
    return choose_auto(session_, device_, variants_, tables_, *parse_problem(problem));
  }
  /// Whether it is this variant, by that, and every part is in the reason.
  template <class... Part>
  testing::AssertionResult chooses(const std::string& variant, From from, const std::string& problem,
                                   const Part&... part) {
    const auto c = must(choose(problem));
    if (c->variant != variant || c->from != from)
      return testing::AssertionFailure() << c->variant << ": " << c->because;
    return has(c->because, part...);
  }
  testing::AssertionResult chooses(const std::string& variant, From from) { return chooses(variant, from, kHere); }

  static constexpr const char* kHere = "1x2x64x32";

  RankedSession session_;
  DeviceInfo device_ = tune::tuned_device();
  std::vector<VariantInfo> variants_;
  tune::TunedTables tables_;
};

TEST_F(AutoChoiceTest, WithoutATuningTheHighestRankThatCanRun) {
  EXPECT_TRUE(chooses("fast", From::manifest, kHere,
                      "auto: fast, by its manifest (rank 8; next middle, 5); it was not tuned here"));
  EXPECT_EQ(choose()->config_name, "default");
  session_.illegal = {"fast"};
  EXPECT_TRUE(chooses("middle", From::manifest, kHere, "fast, ranked higher, has no legal config here"));
  session_.illegal = {"fast", "middle"};
  EXPECT_TRUE(fails(choose(), "it takes no f32", "too large"));
}

TEST_F(AutoChoiceTest, AModelOfTheDeviceComesBeforeAnyRankAndAfterWhatWasTuned) {
  const char* const near = "1x2x200x32:f16";
  ConfigWork first{"default", {{"A", 1}}, 1, 4, 2, 2}, second{"quick", {{"A", 2}}, 1, 4, 2, 2};
  session_.ranks[0].configs = {first};
  session_.ranks[1].configs = {second};
  const tune::CostModel model = calibrated({{"fast", first, 12}, {"middle", second, 10}});
  tables_.models = {model};
  EXPECT_TRUE(chooses("middle", From::model, near, "10", "predicted", "next fast default", "12",
                      "calibrated with driver driver 0"));
  EXPECT_EQ(choose(near)->config_name, "quick");
  EXPECT_TRUE(chooses("fast", From::manifest, "1x2x200x32:f32")) << "the model does not reach it";
  session_.illegal = {"middle"};
  EXPECT_TRUE(chooses("fast", From::model, near)) << "the next one that is legal";
  session_.illegal = {"fast", "middle"};
  EXPECT_FALSE(choose(near));
  session_.illegal = {};
  tables_.user.entries = {entry("fast", 5, near), entry("middle", 9, near)};
  EXPECT_TRUE(chooses("fast", From::tuned, near));
  tables_ = {};
  tables_.models = {model};
  device_.name = "another GPU";
  EXPECT_TRUE(chooses("fast", From::manifest, near));
  tables_.models[0].vendor_id = device_.vendor_id = 7;
  tables_.models[0].subgroup_size = device_.limits.subgroup_size;
  EXPECT_TRUE(chooses("middle", From::model, near, "by the model of " + tables_.models[0].device, "predicted there",
                      "calibrate"))
      << "a related device's model";
}

TEST_F(AutoChoiceTest, ARunIsToldWhatTheModelPredictsOfIt) {
  ConfigWork work{"quick", {{"A", 1}}, 1, 4, 2, 2};
  session_.ranks[0].configs = {work};
  tune::CostModel model = calibrated({{"fast", work, 12}});
  model.time_utc = "2026-11-24T04:00:00Z";
  Predictor predictor;
  const auto of = [&](const char* problem, const VariantInfo& variant, const Config& config) {
    return predictor.of(session_, device_, std::span(&model, 1), variant, *parse_problem(problem), config);
  };
  const auto known = of("1x2x200x32:f16", variants_[0], {});
  EXPECT_NEAR(must(known)->ns, 12'000, 600) << "A is 1 by default";
  EXPECT_EQ(known->model, "2026-11-24T04:00:00Z, with driver driver 0");
  EXPECT_FALSE(of("1x2x200x32:f16", variants_[0], {{"A", 2}})) << "a config that was not calibrated";
  EXPECT_FALSE(of("1x2x200x32:f16", variants_[1], {}));
  EXPECT_FALSE(of("1x2x200x32:f16:mask", variants_[0], {})) << "the model does not reach it";
  EXPECT_FALSE(of("1x2x200x32:f16:softcap=9", variants_[0], {})) << "a time without its softcap";
  model.device = "another GPU";
  EXPECT_FALSE(of("1x2x300x32:f16", variants_[0], {}));
  const RunRequest request{.problem = *parse_problem("1x2x200x32"), .predicted = known};
  EXPECT_EQ(make_record(request, variants_[0], device_).predicted, known);
}

TEST_F(AutoChoiceTest, WhatIsNotKnownToBeFasterThanWhatRunsUntunedIsNotTaken) {
  // As a search of one variant left it before it was said beside what it was measured.
  tables_.user.entries = {entry("middle", 400)};
  tables_.user.entries[0].default_ns = 600;
  EXPECT_TRUE(chooses("fast", From::manifest, kHere, "not known to be faster than fast"));
  tables_.user.entries.push_back(entry("fast", 100));
  EXPECT_EQ(choose()->variant, "fast");
  tables_.user.entries = {beside_fast("middle", 400, 600)};
  EXPECT_TRUE(chooses("middle", From::tuned));
  tables_.user.entries[0].too_close = true;
  EXPECT_TRUE(chooses("fast", From::manifest, kHere, "too close to call against fast"));
  // Measured beside what runs, and slower than that.
  tables_.user.entries = {beside_fast("middle", 400, 100)};
  EXPECT_TRUE(chooses("fast", From::manifest, kHere, "it took 300 % longer than fast, which runs untuned"));
}

TEST_F(AutoChoiceTest, TheFastestThatWasTunedComesBeforeAnyRankAndServesNoOtherProblem) {
  tables_.user.entries = {entry("fast", 112), entry("middle", 100)};
  EXPECT_TRUE(chooses("middle", From::tuned, kHere, "auto: middle, tuned for 1x2x64x32:f32"));
  EXPECT_EQ(choose()->config, (Config{{"A", 2}}));
  EXPECT_TRUE(chooses("fast", From::manifest, "1x2x60x32", "it was not tuned here"));
}

TEST_F(AutoChoiceTest, OnlyWhatLoadsIsLegalAndUnchanged) {
  tables_.user.entries = {beside_fast("middle", 400, 600)};
  EXPECT_EQ(choose()->variant, "middle");
  session_.illegal = {"middle"};
  EXPECT_EQ(choose()->variant, "fast");
  session_.illegal.clear();
  variants_[1].hash = "edited since";
  EXPECT_EQ(choose()->variant, "fast") << "what is tuned is of another source";
  variants_[1].hash = "middle-1";
  variants_[1].error = "it does not compile";
  EXPECT_EQ(choose()->variant, "fast");
}

}  // namespace attnscope::auto_choice_test
