#include "engine/measure/compare.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

std::vector<double> draw(uint64_t seed, double center, double deviation, size_t n) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(center, deviation);
  std::vector<double> samples(n);
  for (double& x : samples) x = std::max(1.0, normal(random));
  return samples;
}

TEST(Compare, TwoRunsOfTheSameAreTheSame) {
  int same = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Comparison c = compare_samples(draw(2 * seed, 1e5, 3e3, 200), draw(2 * seed + 1, 1e5, 3e3, 200));
    same += c.relation == Relation::same;
    EXPECT_NE(c.relation, Relation::faster);
    EXPECT_NE(c.relation, Relation::slower);
  }
  EXPECT_GE(same, 38);
}

TEST(Compare, ASetIsTheSameAsItself) {
  const auto a = draw(1, 1e5, 2e3, 100);
  const Comparison c = compare_samples(a, a);
  EXPECT_EQ(c.relation, Relation::same);
  EXPECT_EQ(c.ratio, 1);
}

TEST(Compare, SeesAShiftEitherWay) {
  const auto a = draw(1, 1e5, 2e3, 200), quicker = draw(2, 9e4, 2e3, 200), slower = draw(3, 1.1e5, 2e3, 200);
  const Comparison fast = compare_samples(a, quicker), slow = compare_samples(a, slower);
  EXPECT_EQ(fast.relation, Relation::faster);
  EXPECT_NEAR(fast.ratio, 0.9, 0.01);
  EXPECT_LE(fast.low, fast.ratio);
  EXPECT_GE(fast.high, fast.ratio);
  EXPECT_EQ(slow.relation, Relation::slower);
  EXPECT_NEAR(slow.ratio, 1.1, 0.01);
}

TEST(Compare, IsUnsureWhenNoisy) {
  EXPECT_EQ(compare_samples(draw(1, 1e5, 3e4, 20), draw(2, 1.02e5, 3e4, 20)).relation, Relation::unsure);
}

TEST(Compare, IsUnsureOnTheBoundary) {
  EXPECT_EQ(compare_samples(draw(1, 1e5, 2e3, 300), draw(2, 1.02e5, 2e3, 300)).relation, Relation::unsure);
}

TEST(Compare, WidensForSlowSwings) {
  // The same samples, once shuffled in time and once in slow waves: waves leave fewer independent stretches.
  std::vector<double> waves;
  for (int i = 0; i < 400; ++i) waves.push_back(1e5 + 4e3 * std::sin(i / 25.0));
  auto shuffled = waves;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(4));
  const Comparison slow = compare_samples(waves, waves), quick = compare_samples(shuffled, shuffled);
  EXPECT_GT(slow.high - slow.low, 1.5 * (quick.high - quick.low));
}

TEST(Compare, UsesExtremesOfFewSamples) {
  const std::vector<double> a{100, 101}, b{200, 210, 190}, c{100, 102, 101};
  EXPECT_EQ(compare_samples(a, b).relation, Relation::slower);
  EXPECT_EQ(compare_samples(b, a).relation, Relation::faster);
  EXPECT_EQ(compare_samples(a, c, 0.05).relation, Relation::same);
  EXPECT_EQ(compare_samples(a, std::vector<double>{90, 120}).relation, Relation::unsure);
}

TEST(Compare, OfNothingIsUnsureAndFinite) {
  const std::vector<double> a{100, 101}, zeros(10, 0.0);
  for (const Comparison& c : {compare_samples({}, a), compare_samples(a, {}), compare_samples(a, zeros)}) {
    EXPECT_EQ(c.relation, Relation::unsure);
    EXPECT_TRUE(std::isfinite(c.ratio) && std::isfinite(c.low) && std::isfinite(c.high));
  }
}

TEST(Compare, GivesTheSameAnswerEachTime) {
  const auto a = draw(1, 1e5, 2e3, 3000), b = draw(2, 1e5, 2e3, 3000);
  EXPECT_EQ(compare_samples(a, b), compare_samples(a, b));
}

}  // namespace
}  // namespace attnscope
