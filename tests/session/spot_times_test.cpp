// What spot checks say of an execution's time, in plain numbers.
#include <gtest/gtest.h>

#include "engine/session/judge.hpp"

namespace attnscope {
namespace {

TEST(SpotTimes, OneInterruptedExecutionHidesNothing) {
  // A kernel that keeps results: 1 where it has them, 10 where it works; another program took 200.
  EXPECT_DOUBLE_EQ(spot_times({{{1, 1, 200, 1}, 10}}).known_ns, 1);
  EXPECT_DOUBLE_EQ(spot_times({{{1, 200, 1, 1}, 10}, {{1, 1, 1, 1}, 10}, {{200, 1, 1, 1}, 10}}).known_ns, 1);
}

TEST(SpotTimes, WorkLeftOutNowAndThenShows) {
  const SpotTimes every_second = spot_times({{{1, 10, 1, 10}, 10}, {{10, 1, 10, 1}, 10}});
  EXPECT_LT(1.5 * every_second.known_ns, every_second.fresh_ns);
  const SpotTimes honest = spot_times({{{10, 11, 10, 9}, 10}, {{10, 10, 12, 10}, 11}, {{10, 9, 10, 10}, 10}});
  EXPECT_NEAR(honest.known_ns, honest.fresh_ns, 0.5);
}

TEST(SpotTimes, TheMedianStandsForFreshExecutions) {
  EXPECT_DOUBLE_EQ(spot_times({{{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 900}}).fresh_ns, 5);
}

}  // namespace
}  // namespace attnscope
