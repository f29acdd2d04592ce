// The clock that rises in steps, as plain numbers: what an H200 did, 33 us, 22.6 us and 15.9 us for the same work.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/measure/clock.hpp"

namespace attnscope {
namespace {

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

TEST(ClockRule, AStepIsNotTheTop) {
  ClockRule rule;
  const double ms = wait_for(rule, steps);
  EXPECT_TRUE(rule.risen());
  EXPECT_GE(ms, 220 + ClockRule::kTopMs - 5);
  EXPECT_DOUBLE_EQ(rule.slowdown(), 1);
}

TEST(ClockRule, WhatIsKnownIsSeenAtOnce) {
  ClockRule rule;
  wait_for(rule, steps);
  EXPECT_EQ(wait_for(rule, steps, 1000), 1);
  EXPECT_TRUE(rule.risen());
}

TEST(ClockRule, AClockThatFellIsWaitedFor) {
  ClockRule rule;
  wait_for(rule, steps);
  EXPECT_GT(wait_for(rule, steps, 150), 60) << "the second step, then the top";
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

TEST(ClockRule, AClockThatCreepsIsNotAtItsTop) {
  ClockRule rule;
  // 1.5 % a probe, less than a step, for half a second.
  const auto creeping = [](double ms) { return ms < 500 ? 300e3 * std::pow(0.985, ms / 12) : 160e3; };
  EXPECT_GE(wait_for(rule, creeping), 500 + ClockRule::kTopMs - 20);
  EXPECT_TRUE(rule.risen());
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

}  // namespace
}  // namespace attnscope
