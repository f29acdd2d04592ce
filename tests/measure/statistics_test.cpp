#include "engine/measure/statistics.hpp"
#include "tests/has.hpp"

namespace attnscope::statistics_test {

TEST(Statistics, OfNothingOfOneSampleAndOfZeros) {
  EXPECT_FALSE(summarize({}));
  EXPECT_EQ(*summarize(std::vector{7.0}), (Statistics{1, 7, 7, 7, 7, 7, 7, 0, 0, 0}));
  EXPECT_EQ(*summarize(std::vector(10, 0.0)), (Statistics{10, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Statistics, OfAKnownSetAndQuantilesInterpolateAsType7) {
  // First third {50, 10}, last third {30, 60}: a drift of 45 / 30.
  const auto s = must(summarize(std::vector{50.0, 10.0, 40.0, 20.0, 30.0, 60.0}));
  EXPECT_EQ(std::tuple(s->count, s->median, s->min, s->max, s->mean, s->p20, s->p80, s->drift),
            std::tuple(6u, 35, 10, 60, 35, 20, 50, 0.5));
  EXPECT_DOUBLE_EQ(s->stddev, std::sqrt(350.0));
  const std::vector<double> sorted{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 8);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.8), 4 + 0.4 * 4);
}

TEST(Statistics, NoiseIsTheStandardErrorOfTheMedianAndIgnoresAFewOutliers) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1000, 30);
  // The spread of many medians, each of 200 samples, against what one summary says.
  double sum = 0, squares = 0, noise = 0;
  constexpr int sets = 400;
  for (int i = 0; i < sets; ++i) {
    std::vector<double> samples(200);
    for (double& x : samples) x = normal(random);
    const auto s = summarize(samples);
    sum += s->median;
    squares += s->median * s->median;
    noise += s->noise / sets;
  }
  const double mean = sum / sets, spread = std::sqrt(squares / sets - mean * mean) / mean;
  EXPECT_NEAR(noise / spread, 1, 0.12);
  std::vector<double> samples(100, 100.0);
  for (size_t i = 0; i < 100; ++i) samples[i] += double(i * 37 % 100) * 0.1;
  const double before = summarize(samples)->noise;
  samples[50] = 1e9;
  EXPECT_NEAR(summarize(samples)->noise, before, before * 0.1);
}

TEST(Statistics, DriftHasASign) {
  std::vector<double> rising, falling;
  for (int i = 0; i < 90; ++i) {
    rising.push_back(100 + i * 0.2);
    falling.push_back(120 - i * 0.2);
  }
  EXPECT_GT(summarize(rising)->drift, kDriftWarning);
  EXPECT_LT(summarize(falling)->drift, -kDriftWarning);
  EXPECT_DOUBLE_EQ(summarize(std::vector<double>(90, 5.0))->drift, 0);
  std::vector<double> fell(40, 583.0);
  fell.insert(fell.end(), 80, 70.0);
  EXPECT_DOUBLE_EQ(summarize(fell)->drift, 70.0 / 583 - 1) << "nothing gets faster by more than all of it";
}

}  // namespace attnscope::statistics_test
