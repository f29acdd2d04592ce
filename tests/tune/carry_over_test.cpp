// What a tuned config's gain at one problem is worth at another.
#include <gtest/gtest.h>

#include "engine/tune/carry_over.hpp"

namespace attnscope::tune {
namespace {

TunedMatch match(TunedMatch::How how, double away, double gain) {
  TunedMatch m;
  m.how = how;
  m.away = away;
  m.entry.median_ns = 1000;
  m.entry.default_ns = gain * 1000;
  return m;
}
using How = TunedMatch::How;

TEST(CarryOver, TheProblemItselfAlways) {
  EXPECT_EQ(too_little_to_carry(match(How::exact, 0, 1)), "");
  EXPECT_EQ(too_little_to_carry(match(How::exact, 0, 0)), "") << "nor need it have raced";
}

TEST(CarryOver, TheFartherTheMoreItHasToGain) {
  EXPECT_EQ(too_little_to_carry(match(How::same_class, 0.1, 1.04)), "");
  EXPECT_NE(too_little_to_carry(match(How::same_class, 0.5, 1.04)), "");
  EXPECT_NE(too_little_to_carry(match(How::neighbour, 1, 1.15)), "");
  EXPECT_EQ(too_little_to_carry(match(How::neighbour, 1, 1.2)), "");
  EXPECT_NE(too_little_to_carry(match(How::neighbour, 4, 1.7)), "");
  EXPECT_EQ(too_little_to_carry(match(How::neighbour, 4, 2)), "") << "a kernel whose defaults are far off";
  EXPECT_NE(too_little_to_carry(match(How::neighbour, 1, 0.5)).find("it was 0 % faster"), std::string::npos);
}

TEST(CarryOver, WhatNeverRacedHasNoGain) {
  EXPECT_NE(too_little_to_carry(match(How::same_class, 0.1, 0)).find("never measured"), std::string::npos);
}

TEST(CarryOver, WhereTheManifestsChooseOtherwiseTheProblemsDiffer) {
  const Untuned a{"coopmat", {{"BLOCK_N", 64}}}, b{"coopmat", {{"BLOCK_N", 32}}}, c{"decode", {{"BLOCK_N", 64}}};
  EXPECT_EQ(differs_untuned(a, a), "");
  EXPECT_NE(differs_untuned(a, b).find("another config"), std::string::npos);
  EXPECT_NE(differs_untuned(a, c).find("coopmat runs there and decode here"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::tune
