#include "engine/history/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace attnscope {
namespace {

void expect_back(const std::vector<double>& samples, uint32_t dispatches) {
  const auto back = unpack_samples(pack_samples(samples, dispatches));
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->size(), samples.size());
  if (samples.empty()) return;
  EXPECT_EQ(std::memcmp(back->data(), samples.data(), samples.size() * sizeof(double)), 0) << "to the bit";
}

TEST(PackedSamples, ComeBackToTheBit) {
  expect_back({}, 1);
  expect_back({2994848, 2997440, 2965728}, 1);
  expect_back({50449.2 / 99, 50630.4 / 99, 1.0 / 3}, 99);
  expect_back({12345.678901234567, 2e9, 3}, 7);
  expect_back({0.5f, 1e30f, -2}, 3);
  expect_back({1e300, -1e-300, 0, -0.0}, 1);
  const double inf = std::numeric_limits<double>::infinity();
  expect_back({inf, -inf, std::nan(""), 1}, 1);
  expect_back({1, 2, 3}, 0);
}

TEST(PackedSamples, TakeTwoBytesWhereATimerCounted) {
  std::vector<double> samples;
  for (int i = 0; i < 5000; ++i) samples.push_back((252'256 + 32 * (i * 7919 % 61)) / 495.0);
  expect_back(samples, 495);
  EXPECT_LT(pack_samples(samples, 495).size(), 2.1 * 5000);
}

TEST(PackedSamples, BytesThatAreNoneAreRefused) {
  for (const std::string& bytes : {std::string(), std::string("\x09"), std::string("\0abc", 4), std::string("\x01zz"),
                                   std::string("\x02"), std::string("\x02\0\x05", 3), std::string("\x02\x01\xff"),
                                   std::string("\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    SCOPED_TRACE(bytes.size());
    EXPECT_FALSE(unpack_samples(bytes));
  }
}

}  // namespace
}  // namespace attnscope
