// Protocols, and the rules that end a measurement.
#include "engine/measure/stopping.hpp"
#include "tests/has.hpp"

namespace attnscope::stopping_test {

struct Fed {
  uint32_t samples = 0;
  double elapsed_ms = 0;
};
/// Feeds samples, each taking its own time, until the rule has finished; a hundred thousand samples are "never".
template <class Rule>
Fed feed(Rule& rule, const std::function<double(const Fed&)>& sample_ns) {
  Fed run;
  while (!rule.finished() && run.samples < 100000) {
    const double ns = sample_ns(run);
    run.elapsed_ms += ns * 1e-6;
    ++run.samples;
    rule.add(ns, run.elapsed_ms);
  }
  EXPECT_TRUE(rule.finished());
  return run;
}

TEST(Warmup, EndsWhenTimesAreSteadyOrAtTheCap) {
  struct Case {
    const char* name;
    std::function<double(const Fed&)> sample_ns;
    double cap_ms, least_ms, most_ms;
    bool capped;
  };
  for (const Case& c : std::vector<Case>{
           {"steady", [](const Fed&) { return 1e6; }, Protocol().warmup_cap_ms, 25, 60, false},
           {"five times faster within 400 ms",
            [](const Fed& r) { return 640e3 * (r.elapsed_ms < 400 ? 5 - r.elapsed_ms / 100 : 1); },
            Protocol().warmup_cap_ms, 400, 600, false},
           {"ever slower", [](const Fed& r) { return 1e6 * (1 + r.elapsed_ms / 100); }, 500, 500, 510, true},
           {"two long samples", [](const Fed&) { return 900e6; }, Protocol().warmup_cap_ms, 1800, 1800, false}}) {
    const Protocol protocol{.warmup_cap_ms = c.cap_ms};
    WarmupRule rule(protocol);
    const Fed run = feed(rule, c.sample_ns);
    EXPECT_GE(run.elapsed_ms, c.least_ms) << c.name;
    EXPECT_LE(run.elapsed_ms, c.most_ms) << c.name;
    EXPECT_EQ(rule.capped(), c.capped) << c.name;
  }
}

TEST(Sampling, TakesTheLeastTimeAndCountWhenQuietAndMoreWhenNoisyOrDrifting) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(1e6, 1e5);
  Protocol protocol;
  SamplingRule rule(protocol);
  const Fed run = feed(rule, [&](const Fed&) { return normal(random); });
  // 10 % of deviation needs about (0.1 x 1.25 / 0.005)^2 = 630 samples.
  EXPECT_GT(run.samples, 300u);
  EXPECT_LT(run.samples, 1300u);
  EXPECT_FALSE(rule.capped());
  // Three times faster after 80 ms: by the least of 100 ms the samples look steady only if they are.
  rule = SamplingRule(Protocol{});
  EXPECT_GT(feed(rule, [](const Fed& r) { return r.elapsed_ms < 80 ? 3e6 : 1e6; }).elapsed_ms, 110);
  EXPECT_FALSE(rule.capped());
  for (const auto& [ns, samples] : {std::pair{1e6, 100u}, {50e6, 10u}}) {
    SamplingRule quiet({.max_ms = 1e9});
    EXPECT_EQ(feed(quiet, [time = ns](const Fed&) { return time; }).samples, samples);
    EXPECT_FALSE(quiet.capped());
  }
}

TEST(Sampling, StopsAtEachCap) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> wild(1e5, 1e7);
  SamplingRule time_rule({.max_ms = 300});
  const Fed timed = feed(time_rule, [&](const Fed&) { return wild(random); });
  EXPECT_GE(timed.elapsed_ms, 300);
  EXPECT_LE(timed.elapsed_ms, 311);
  EXPECT_TRUE(time_rule.capped());
  SamplingRule count_rule({.max_ms = 1e9, .max_samples = 37});
  EXPECT_EQ(feed(count_rule, [&](const Fed&) { return wild(random); }).samples, 37u);
  EXPECT_TRUE(count_rule.capped());
  SamplingRule none({.max_ms = 0, .max_samples = 0});
  EXPECT_EQ(feed(none, [](const Fed&) { return 1e6; }).samples, 1u) << "whatever its cap";
}

TEST(Sampling, WhatItDecidedStandsHoweverLongSamplesGoOn) {
  SamplingRule rule({.max_samples = 50});
  double ms = 0;
  const auto add = [&](double ns) { rule.add(ns, ms += ns * 1e-6); };
  for (int i = 0; i < 50; ++i) add(i % 2 == 0 ? 1e6 : 9e6);
  ASSERT_TRUE(rule.capped());
  for (int i = 0; i < 20000; ++i) add(1e6);
  EXPECT_TRUE(rule.capped()) << "it looks at no more of them";
}

TEST(Sampling, WithPatienceAStepOfTheClockBecomesASmallPart) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 200);
  const auto stepping = [&](const Fed& r) { return (r.elapsed_ms < 25 ? 1.008e5 : 1e5) + noise(random); };
  SamplingRule at_once(Protocol{}), patient(Protocol{}, 5);
  EXPECT_LT(feed(at_once, stepping).elapsed_ms, 105);
  const Fed run = feed(patient, stepping);
  EXPECT_GT(run.elapsed_ms, 180) << "the first of eight stretches is otherwise a step apart";
  EXPECT_LT(run.elapsed_ms, 510);
  EXPECT_FALSE(patient.capped());
  // What never settles costs the patience and no more, and what is steady none.
  const auto slope = [&](const Fed& r) { return 1e5 * (1 + r.elapsed_ms / 20000) + noise(random); };
  patient = SamplingRule(Protocol{}, 5);
  EXPECT_LT(feed(patient, slope).elapsed_ms, 560);
  patient = SamplingRule(Protocol{}, 5);
  EXPECT_LT(feed(patient, [&](const Fed&) { return 1e5 + noise(random); }).elapsed_ms, 105);
}

TEST(Screening, TheSlowerTheSooner) {
  const auto samples_until_dropped = [](double ns) {
    std::vector<double> samples;
    while (samples.size() < 100) {
      samples.push_back(ns);
      if (screen(samples, 100) == Screening::drop) return samples.size();
      if (screen(samples, 100) == Screening::enough) return size_t{0};
    }
    return size_t{0};
  };
  EXPECT_EQ(samples_until_dropped(160), 3u);
  EXPECT_EQ(samples_until_dropped(125), 6u);
  EXPECT_EQ(samples_until_dropped(110), 12u);
  EXPECT_EQ(samples_until_dropped(103), 0u) << "a race decides that";
  EXPECT_EQ(samples_until_dropped(90), 0u);
  for (const std::vector<double>& samples : {std::vector<double>{}, {1000}, {900, 101, 800, 700, 650}})
    EXPECT_EQ(screen(samples, 100), Screening::more) << "one sample or disturbed ones drop nobody";
  // Without a best it ends when the median is known.
  EXPECT_EQ(screen(std::vector<double>(16, 50.0), 0), Screening::enough);
  std::mt19937 random(1);
  std::lognormal_distribution<double> spread(0, 0.3);
  std::vector<double> samples;
  while (screen(samples, 0) == Screening::more) samples.push_back(100 * spread(random));
  EXPECT_EQ(samples.size(), kScreeningMost);
}

/// Feeds one wait with `ns_at(ms)`, a probe each 5 ms; when it ended, in ms.
template <typename Times>
double wait_for(ClockRule& rule, Times ns_at, double from_ms = 0) {
  rule.begin();
  for (double ms = 1;; ms += 5) {
    rule.add(ns_at(from_ms + ms), ms);
    if (rule.finished()) return ms;
  }
}
double steps(double ms) { return ms < 100 ? 33e3 : ms < 220 ? 22.6e3 : 15.9e3; }

TEST(ClockRule, NeitherAStepNorACreepingClockIsAtTheTopAndOneThatFellIsWaitedFor) {
  ClockRule rule;
  EXPECT_GE(wait_for(rule, steps), 220 + ClockRule::kTopMs - 5);
  EXPECT_TRUE(rule.risen());
  EXPECT_DOUBLE_EQ(rule.slowdown(), 1);
  EXPECT_EQ(wait_for(rule, steps, 1000), 1) << "what is known is seen at once";
  EXPECT_TRUE(rule.risen());
  EXPECT_GT(wait_for(rule, steps, 150), 60) << "the second step, then the top";
  EXPECT_TRUE(rule.risen());
  // 1.5 % a probe, less than a step, for half a second.
  rule = ClockRule();
  const auto creeping = [](double ms) { return ms < 500 ? 300e3 * std::pow(0.985, ms / 12) : 160e3; };
  EXPECT_GE(wait_for(rule, creeping), 500 + ClockRule::kTopMs - 20);
  EXPECT_TRUE(rule.risen());
}

TEST(ClockRule, EachWaitInVainHalvesTheNext) {
  ClockRule rule;
  wait_for(rule, steps);
  const auto hot = [](double) { return 19e3; };
  const double first = wait_for(rule, hot), second = wait_for(rule, hot);
  EXPECT_TRUE(rule.given_up());
  EXPECT_NEAR(rule.slowdown(), 19 / 15.9, 1e-9);
  EXPECT_GE(first, ClockRule::kPatienceMs);
  EXPECT_LE(second, first / 2 + 5);
  for (int i = 0; i < 20; ++i) wait_for(rule, hot);
  EXPECT_LE(wait_for(rule, hot), ClockRule::kLeastPatienceMs + 5);
  wait_for(rule, steps, 1000);
  EXPECT_TRUE(rule.risen());
  EXPECT_GE(wait_for(rule, hot), ClockRule::kPatienceMs) << "patient again, once it rose";
}

TEST(ClockRule, OneFastMomentIsForgotten) {
  ClockRule rule;
  wait_for(rule, [](double ms) { return ms < 300 ? 14e3 : 15.9e3; });
  const auto lasting = [](double) { return 15.9e3; };
  int in_vain = 0;
  for (int i = 0; i < 40; ++i) {
    wait_for(rule, lasting);
    in_vain += rule.given_up();
  }
  EXPECT_LE(in_vain, ClockRule::kForgetAfter);
  EXPECT_TRUE(rule.risen());
  EXPECT_DOUBLE_EQ(rule.slowdown(), 1);
}

TEST(Numbers, AreWholeFiniteAndInRangeOrRefused) {
  const NumberRange<double> any{-1e300, 1e300};
  EXPECT_EQ(*parse_number("-2.5e3", any), -2500);
  for (const char* text : {"nan", "inf", "-inf", "infinity", "0x10", "1e999", "", " 1", "1 ", "1,5", "+1", "one"})
    EXPECT_FALSE(parse_number<double>(text, any)) << text;
  const NumberRange<uint32_t> small{1, 100};
  EXPECT_EQ(*parse_number("100", small), 100u);
  for (const char* text : {"0", "101", "-1", "4294967297", "4294967304", "99999999999999999999", "1.5", "1e1"})
    EXPECT_FALSE(parse_number<uint32_t>(text, small)) << text;
  const auto refused = parse_number("-1", NumberRange<uint64_t>{0, std::numeric_limits<uint64_t>::max()});
  EXPECT_TRUE(fails(refused, "'-1' is not a whole number from 0 to 18446744073709551615"));
}

TEST(Protocols, SayWhichFieldCannotBe) {
  EXPECT_TRUE(check_protocol(Protocol()));
  const auto with = [](auto Protocol::*member, auto value) {
    Protocol p;
    p.*member = value;
    return check_protocol(p);
  };
  EXPECT_TRUE(fails(with(&Protocol::max_ms, 0.0),
                    "max_ms of the protocol is 0; it has to be a number from 0.001 to 86400000."));
  EXPECT_TRUE(fails(with(&Protocol::min_ms, -1.0), "min_ms"));
  EXPECT_TRUE(fails(with(&Protocol::warmup_ms, std::nan("")), "warmup_ms"));
  EXPECT_TRUE(fails(with(&Protocol::target_noise, double(INFINITY)), "target_noise"));
  EXPECT_TRUE(fails(with(&Protocol::max_samples, 0u), "max_samples"));
  EXPECT_TRUE(with(&Protocol::max_ms, 0.5));
  EXPECT_TRUE(fails(with(&Protocol::max_samples, 5u), "min_samples")) << "10 of at most 5";
  ProtocolChange change{.max_samples = 5};
  EXPECT_TRUE(check_protocol(changed(Protocol(), change))) << "a bound that is given moves the other one";
  change.min_ms = 5000;
  EXPECT_EQ(changed(Protocol(), change).max_ms, 5000);
}

}  // namespace attnscope::stopping_test
