#include "engine/measure/stopping.hpp"

#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

struct Fed {
  uint32_t samples = 0;
  double elapsed_ms = 0;
};
/// Feeds samples, each taking its own time, until the rule has finished; a hundred thousand samples are "never".
Fed feed(StoppingRule& rule, const std::function<double(const Fed&)>& sample_ns) {
  Fed run;
  rule.initialize();
  while (!rule.finished() && run.samples < 100000) {
    const double ns = sample_ns(run);
    run.elapsed_ms += ns * 1e-6;
    ++run.samples;
    rule.add(ns, run.elapsed_ms);
  }
  EXPECT_TRUE(rule.finished());
  return run;
}

TEST(Warmup, EndsSoonWhenTimesAreSteady) {
  const auto rule = make_warmup_rule({});
  const Fed run = feed(*rule, [](const Fed&) { return 1e6; });
  EXPECT_GE(run.elapsed_ms, 25);
  EXPECT_LE(run.elapsed_ms, 60);
  EXPECT_FALSE(rule->capped());
}

TEST(Warmup, WaitsUntilARisingClockHasRisen) {
  const auto rule = make_warmup_rule({});
  // A kernel that gets five times faster within 400 ms.
  const Fed run = feed(*rule, [](const Fed& r) { return 640e3 * (r.elapsed_ms < 400 ? 5 - r.elapsed_ms / 100 : 1); });
  EXPECT_GE(run.elapsed_ms, 400);
  EXPECT_LE(run.elapsed_ms, 600);
  EXPECT_FALSE(rule->capped());
}

TEST(Warmup, GivesUpAtTheCap) {
  Protocol protocol;
  protocol.warmup_cap_ms = 500;
  const auto rule = make_warmup_rule(protocol);
  const Fed run = feed(*rule, [](const Fed& r) { return 1e6 * (1 + r.elapsed_ms / 100); });
  EXPECT_GE(run.elapsed_ms, 500);
  EXPECT_LE(run.elapsed_ms, 510);
  EXPECT_TRUE(rule->capped());
}

TEST(Warmup, SettlesOnFewLongSamples) {
  const auto rule = make_warmup_rule({});
  const Fed run = feed(*rule, [](const Fed&) { return 900e6; });
  EXPECT_EQ(run.samples, 2u);
  EXPECT_FALSE(rule->capped());
}

TEST(Warmup, CanBeUsedAgain) {
  const auto rule = make_warmup_rule({});
  const Fed first = feed(*rule, [](const Fed&) { return 1e6; });
  const Fed second = feed(*rule, [](const Fed&) { return 1e6; });
  EXPECT_EQ(first.samples, second.samples);
}

TEST(Sampling, TakesTheLeastWhenQuiet) {
  const auto rule = make_sampling_rule({});
  const Fed run = feed(*rule, [](const Fed&) { return 1e6; });
  EXPECT_EQ(run.samples, 100u);
  EXPECT_FALSE(rule->capped());
}

TEST(Sampling, TakesTheLeastCountOfLongSamples) {
  Protocol protocol;
  protocol.max_ms = 1e9;
  const auto rule = make_sampling_rule(protocol);
  EXPECT_EQ(feed(*rule, [](const Fed&) { return 50e6; }).samples, 10u);
  EXPECT_FALSE(rule->capped());
}

TEST(Sampling, TakesMoreWhenNoisy) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(1e6, 1e5);
  Protocol protocol;
  const auto rule = make_sampling_rule(protocol);
  const Fed run = feed(*rule, [&](const Fed&) { return normal(random); });
  // 10 % of deviation needs about (0.1 x 1.25 / 0.005)^2 = 630 samples.
  EXPECT_GT(run.samples, 300u);
  EXPECT_LT(run.samples, 1300u);
  EXPECT_FALSE(rule->capped());
}

TEST(Sampling, StopsAtEachCap) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> wild(1e5, 1e7);
  Protocol by_time;
  by_time.max_ms = 300;
  const auto time_rule = make_sampling_rule(by_time);
  const Fed timed = feed(*time_rule, [&](const Fed&) { return wild(random); });
  EXPECT_GE(timed.elapsed_ms, 300);
  EXPECT_LE(timed.elapsed_ms, 311);
  EXPECT_TRUE(time_rule->capped());
  Protocol by_count;
  by_count.max_samples = 37;
  by_count.max_ms = 1e9;
  const auto count_rule = make_sampling_rule(by_count);
  EXPECT_EQ(feed(*count_rule, [&](const Fed&) { return wild(random); }).samples, 37u);
  EXPECT_TRUE(count_rule->capped());
}

TEST(Sampling, WhatItDecidedStandsHoweverLongSamplesGoOn) {
  Protocol protocol;
  protocol.max_samples = 50;
  const auto rule = make_sampling_rule(protocol);
  rule->initialize();
  double ms = 0;
  const auto add = [&](double ns) { rule->add(ns, ms += ns * 1e-6); };
  for (int i = 0; i < 50; ++i) add(i % 2 == 0 ? 1e6 : 9e6);
  ASSERT_TRUE(rule->capped());
  for (int i = 0; i < 20000; ++i) add(1e6);
  EXPECT_TRUE(rule->capped()) << "it looks at no more of them";
}

TEST(Sampling, WithPatienceAStepOfTheClockBecomesASmallPart) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 200);
  const auto stepping = [&](const Fed& r) { return (r.elapsed_ms < 25 ? 1.008e5 : 1e5) + noise(random); };
  const auto at_once = make_sampling_rule({}), patient = make_sampling_rule({}, 5);
  EXPECT_LT(feed(*at_once, stepping).elapsed_ms, 105);
  const Fed run = feed(*patient, stepping);
  EXPECT_GT(run.elapsed_ms, 180) << "the first of eight stretches is otherwise a step apart";
  EXPECT_LT(run.elapsed_ms, 510);
  EXPECT_FALSE(patient->capped());
  // What never settles costs the patience and no more, and what is steady none.
  const auto slope = [&](const Fed& r) { return 1e5 * (1 + r.elapsed_ms / 20000) + noise(random); };
  EXPECT_LT(feed(*patient, slope).elapsed_ms, 560);
  EXPECT_LT(feed(*patient, [&](const Fed&) { return 1e5 + noise(random); }).elapsed_ms, 105);
}

TEST(Sampling, GoesOnWhileTimesDrift) {
  // Three times faster after 150 ms: by the least of 100 ms the samples look steady only if they are.
  const auto rule = make_sampling_rule({});
  const Fed run = feed(*rule, [](const Fed& r) { return r.elapsed_ms < 80 ? 3e6 : 1e6; });
  EXPECT_GT(run.elapsed_ms, 110);
  EXPECT_FALSE(rule->capped());
}

}  // namespace
}  // namespace attnscope
