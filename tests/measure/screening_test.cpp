// How long a candidate is measured when only the best matters.
#include "engine/measure/screening.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace attnscope {
namespace {

TEST(Screening, OneSampleDropsNobody) {
  EXPECT_EQ(screen({}, 100), Screening::more);
  EXPECT_EQ(screen(std::vector<double>{1000}, 100), Screening::more);
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
}

TEST(Screening, DisturbedSamplesDropNobody) {
  EXPECT_EQ(screen(std::vector<double>{900, 101, 800, 700, 650}, 100), Screening::more);
}

TEST(Screening, WithoutABestItEndsWhenTheMedianIsKnown) {
  EXPECT_EQ(screen(std::vector<double>(16, 50.0), 0), Screening::enough);
  std::mt19937 random(1);
  std::lognormal_distribution<double> spread(0, 0.3);
  std::vector<double> samples;
  while (screen(samples, 0) == Screening::more) samples.push_back(100 * spread(random));
  EXPECT_EQ(samples.size(), kScreeningMost);
}

}  // namespace
}  // namespace attnscope
