// Words about sets taken in turn, of synthetic runs with what real ones have, where nothing or 1 % differs.
#include "engine/measure/compare.hpp"
#include "tests/has.hpp"

namespace attnscope::paired_test {

using Random = std::mt19937_64;
struct Side {
  std::vector<double> samples;
  std::vector<uint32_t> turns;
  operator InTurn() const { return {samples, turns}; }
};
struct Race {
  Side a, b;
};

/// What the n-th sample of a whole run is multiplied by, whoever's it is.
using Disturbance = std::function<double(size_t at, size_t of)>;

/// `turns` of `length` samples each, there and back; B takes `ratio` times as long.
Race race(Random& random, double ratio, const Disturbance& disturbance, size_t turns = 200, size_t length = 8,
          double white = 0.005) {
  std::normal_distribution<double> normal;
  Race r;
  size_t at = 0;
  for (size_t t = 0; t < turns; ++t)
    for (const bool first : {true, false}) {
      const bool is_a = first == (t % 2 == 0);
      Side& side = is_a ? r.a : r.b;
      for (size_t i = 0; i < length; ++i)
        side.samples.push_back(5e5 * (is_a ? 1 : ratio) * std::exp(white * normal(random)) *
                               disturbance(at++, 2 * turns * length));
      side.turns.push_back(static_cast<uint32_t>(length));
    }
  return r;
}

struct Noise {
  const char* name;
  std::function<Disturbance(Random&)> make;
};
std::vector<Noise> noises() {
  return {
      {"none", [](Random&) -> Disturbance { return [](size_t, size_t) { return 1.0; }; }},
      {"drift of 3 %",
       [](Random&) -> Disturbance { return [](size_t at, size_t of) { return 1 + 0.03 * double(at) / double(of); }; }},
      {"two clocks, 4 % apart",
       [](Random& random) -> Disturbance {
         return [&random, low = false](size_t, size_t) mutable {
           if (std::uniform_real_distribution<double>()(random) < 1.0 / 150) low = !low;
           return low ? 1.04 : 1.0;
         };
       }},
      {"outliers",
       [](Random& random) -> Disturbance {
         return [&random](size_t, size_t) {
           std::uniform_real_distribution<double> uniform;
           return uniform(random) < 0.05 ? 1.1 + uniform(random) : 1.0;
         };
       }},
      {"wandering by 1 %",
       [](Random& random) -> Disturbance {
         return [&random, state = 0.0](size_t, size_t) mutable {
           const double keep = std::exp(-1.0 / 300);
           state = keep * state + std::sqrt(1 - keep * keep) * std::normal_distribution<double>()(random);
           return std::exp(0.01 * state);
         };
       }},
      {"the second of a pair slower by half a percent",
       [](Random&) -> Disturbance { return [](size_t at, size_t) { return (at / 8) % 2 == 1 ? 1.005 : 1.0; }; }},
  };
}

int count(Relation word, double ratio, const Noise& noise, int tries) {
  int n = 0;
  for (int i = 0; i < tries; ++i) {
    Random random(uint64_t(i) * 7919 + 1);
    const Race r = race(random, ratio, noise.make(random));
    n += compare_turns(r.a, r.b).relation == word;
  }
  return n;
}

TEST(Paired, TheWordIsRightWhateverDisturbsBoth) {
  for (const Noise& noise : noises()) {
    EXPECT_GE(count(Relation::same, 1, noise, 100), 99) << noise.name;
    EXPECT_GE(count(Relation::slower, 1.01, noise, 100), 95) << noise.name;
    EXPECT_GE(count(Relation::faster, 1 / 1.01, noise, 100), 95) << noise.name;
    EXPECT_LE(count(Relation::slower, 1 + kInterleavedTolerance, noise, 100), 2) << noise.name << ", on the boundary";
  }
}

TEST(Paired, TheIntervalHoldsTheRatioAtLeast98TimesIn100) {
  for (const Noise& noise : noises()) {
    int holds = 0;
    for (int i = 0; i < 500; ++i) {
      Random random(uint64_t(i) + 10'000);
      const Race r = race(random, 1.02, noise.make(random), 40, 8);
      const Comparison c = compare_turns(r.a, r.b);
      holds += c.low <= 1.02 && 1.02 <= c.high;
      EXPECT_LE(c.low, c.ratio);
      EXPECT_GE(c.high, c.ratio);
    }
    EXPECT_GE(holds, 490) << noise.name;
  }
}

TEST(Paired, ThatTheClockChangesHalfWayDoesNotMatter) {
  // A has one turn more before the change: the medians of all samples are 4 % apart, no turn is.
  Side a, b;
  for (int t = 0; t < 41; ++t)
    for (Side* side : {&a, &b}) {
      const bool slow = t >= (side == &a ? 21 : 20);
      for (int i = 0; i < 9; ++i) side->samples.push_back((slow ? 1.04e5 : 1e5) + 10 * i);
      side->turns.push_back(9);
    }
  const Comparison c = compare_turns(a, b);
  EXPECT_EQ(c.relation, Relation::same);
  EXPECT_NEAR(c.ratio, 1, 1e-9);
}

TEST(Paired, FewTurnsAreFewObservationsHoweverManySamplesTheyHave) {
  // Turns that differ by 1 %, their samples hardly: equal sides are called apart at most once in a hundred.
  int wrong = 0;
  for (int i = 0; i < 300; ++i) {
    Random random(uint64_t(i) + 77);
    std::uniform_real_distribution<double> uniform(0, 1);
    Side a, b;
    for (int t = 0; t < 6; ++t)
      for (Side* side : {&a, &b}) {
        const double turn = 1e6 * (1 + 0.02 * (uniform(random) - 0.5));
        for (int s = 0; s < 20; ++s) side->samples.push_back(turn + uniform(random));
        side->turns.push_back(20);
      }
    const Relation r = compare_raced(a, b, false).relation;
    wrong += r == Relation::faster || r == Relation::slower;
  }
  EXPECT_LE(wrong, 6);
  // What is twice as slow is told by five.
  Side a, b;
  for (int t = 0; t < 5; ++t)
    for (auto& [side, ns] : {std::pair(&a, 5e6), {&b, 1e7}}) {
      side->samples.push_back(ns + t);
      side->turns.push_back(1);
    }
  EXPECT_EQ(compare_raced(a, b, false).relation, Relation::slower);
}

TEST(Paired, WhatCannotBeToldIsUnsureAndSaysWhy) {
  Random random(1);
  const Disturbance none = [](size_t, size_t) { return 1.0; };
  const Race few = race(random, 2, none, 15);
  EXPECT_EQ(compare_turns(few.a, few.b).relation, Relation::unsure);
  EXPECT_EQ(compare_turns(few.a, few.b).reason, "too few turns: 15 of each, where 16 are the least");
  const Race enough = race(random, 2, none, 16);
  EXPECT_EQ(compare_turns(enough.a, enough.b).relation, Relation::slower);
  EXPECT_EQ(compare_turns(enough.b, enough.a).relation, Relation::faster);
  const Race wide = race(random, 1, none, 20, 1, 0.3);
  EXPECT_EQ(compare_turns(wide.a, wide.b).reason, "the samples scatter too widely");
  const Race near = race(random, 1 + kInterleavedTolerance, none);
  EXPECT_EQ(compare_turns(near.a, near.b).reason, "the difference is too near 0.5 %");
  EXPECT_EQ(compare_turns(Side{}, enough.b).reason, "no samples");
  Race zero = enough;
  zero.b.samples[3] = 0;
  EXPECT_EQ(compare_turns(zero.a, zero.b).reason, "samples that are not times");
  // Turns that promise more samples than there are.
  Race cut = enough;
  cut.b.samples.resize(cut.b.samples.size() / 2);
  EXPECT_EQ(compare_turns(cut.a, cut.b).relation, Relation::unsure);
}

TEST(Paired, ATimerThatShowsNoDifferenceClaimsNone) {
  // Every sample reads 1000 or 1010, and B's turns always the latter: within half a step of either, there is nothing.
  Side a, b;
  for (int t = 0; t < 40; ++t)
    for (Side* side : {&a, &b}) {
      for (int i = 0; i < 5; ++i) side->samples.push_back(side == &b || i == 0 ? 1010 : 1000);
      side->turns.push_back(5);
    }
  EXPECT_EQ(compare_turns(a, b).relation, Relation::unsure);
}

TEST(Paired, TheCentreIsThatOfTheTables) {
  // Hollander, Wolfe and Chicken, table A.4: of n = 8 a lower tail of 0.005 is P(T <= 0) = 0.0039; of n = 10 it is
  // P(T <= 3) = 0.0049, so the interval runs from the 4th to the 4th last of the averages.
  const auto expect = [](const std::vector<double>& x, double estimate, double low, double high) {
    const Centre c = signed_rank_centre(x);
    EXPECT_EQ(std::tuple(c.estimate, c.low, c.high), std::tuple(estimate, low, high));
  };
  expect({1, 2, 3, 4, 5, 6, 7, 8}, 4.5, 1, 8);
  expect({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5, 2, 9);  // from 1, 1.5, 2, 2, …
  // Counted out or normal: the same to a few parts in a hundred.
  std::vector<double> many;
  for (int i = 0; i < 41; ++i) many.push_back(i * i);
  const Centre normal = signed_rank_centre(many);
  many.pop_back();
  EXPECT_NEAR(normal.low / signed_rank_centre(many).low, 1, 0.1);
}

}  // namespace attnscope::paired_test
