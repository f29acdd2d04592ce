// What a tuned config's gain at one problem is worth at another.
#include <gtest/gtest.h>

#include "engine/tune/carry_over.hpp"

namespace attnscope::tune {
namespace {

TunedMatch match(TunedMatch::How how, double away, double gain) {
  TunedMatch m;
  m.how = how;
  m.away = away;
  m.entry.variant = "coopmat";
  m.entry.raced = true;
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
  TunedMatch trial = match(How::same_class, 0.1, 2);
  trial.entry.raced = false;
  EXPECT_NE(too_little_to_carry(trial), "") << "two short looks";
}

TEST(CarryOver, WhereTheManifestsChooseOtherwiseTheProblemsDiffer) {
  const Untuned a{"coopmat", {{"BLOCK_N", 64}}}, b{"coopmat", {{"BLOCK_N", 32}}}, c{"decode", {{"BLOCK_N", 64}}};
  EXPECT_EQ(differs_untuned(a, a), "");
  EXPECT_NE(differs_untuned(a, b).find("another config"), std::string::npos);
  EXPECT_NE(differs_untuned(a, c).find("coopmat runs there and decode here"), std::string::npos);
}

TEST(CarryOver, AGainIsOneOverWhatRunsUntuned) {
  const Untuned untuned{"coopmat", {{"BLOCK_N", 64}}};
  TunedMatch m = match(How::same_class, 0.1, 1.5);
  EXPECT_NE(not_over_untuned(m, untuned).find("does not say"), std::string::npos) << "whose default that was";
  m.shipped = true;
  EXPECT_EQ(not_over_untuned(m, untuned), "") << "those tables are made by searches of all variants";
  m.entry.default_variant = "wide_row";
  EXPECT_NE(not_over_untuned(m, untuned).find("beside wide_row, and untuned coopmat runs"), std::string::npos);
  m.shipped = false;
  m.entry.default_variant = "coopmat";
  EXPECT_NE(not_over_untuned(m, untuned).find("another config of coopmat"), std::string::npos);
  m.entry.default_config = untuned.config;
  EXPECT_EQ(not_over_untuned(m, untuned), "");
}

TEST(CarryOver, AtTheVeryProblemItHasToBeNoSlowerThanWhatRunsUntuned) {
  const Untuned untuned{"coopmat", {{"BLOCK_N", 64}}};
  TunedMatch own = match(How::exact, 0, 0), other = own;
  EXPECT_EQ(no_better_than_untuned(own, {}, untuned), "") << "the best of the variant that runs anyway";
  other.entry.variant = "wide_row";
  EXPECT_NE(no_better_than_untuned(other, {}, untuned).find("not known to be faster than coopmat"), std::string::npos);
  EXPECT_EQ(no_better_than_untuned(other, {}, {}), "") << "nothing runs untuned";
  // Beside its own default it says nothing of coopmat.
  other.entry.default_ns = 5000;
  other.entry.default_variant = "wide_row";
  EXPECT_NE(no_better_than_untuned(other, {}, untuned), "");
  // The time of what runs untuned, or of the best of its variant, is known by another entry.
  own.entry.median_ns = 1001;
  EXPECT_EQ(no_better_than_untuned(other, std::vector{own}, untuned), "");
  own.entry.median_ns = 999;
  EXPECT_NE(no_better_than_untuned(other, std::vector{own}, untuned), "");
  own.entry.median_ns = 1001;
  own.how = How::same_class;
  EXPECT_NE(no_better_than_untuned(other, std::vector{own}, untuned), "") << "of another problem";
  // Measured beside it.
  other.entry.default_variant = untuned.variant;
  other.entry.default_config = untuned.config;
  EXPECT_EQ(no_better_than_untuned(other, {}, untuned), "");
  other.entry.default_ns = 800;
  EXPECT_NE(no_better_than_untuned(other, {}, untuned).find("took 25 % longer than coopmat"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::tune
