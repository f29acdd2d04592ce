// What the tuning tables know over all variants.
#include "engine/tune/cache.hpp"
#include "tests/has.hpp"
#include "tests/tune/tuned_entry.hpp"

namespace attnscope::tune::fastest_test {

TunedQuery query(const std::string& problem) {
  TunedQuery q;
  q.device = tuned_device();
  q.problem = *parse_problem(problem);
  q.variants = {{"a", "a-1"}, {"b", "b-1"}, {"c", "c-2"}};
  return q;
}

std::string order(const TunedTables& tables, const std::string& problem) {
  std::string text;
  for (const TunedMatch& m : find_fastest(tables, query(problem)))
    text += (text.empty() ? "" : " ") + m.entry.variant + (m.shipped ? "!" : "");
  return text;
}

TEST(Fastest, TheProblemItselfThenItsClassThenTheNearest) {
  TunedTables t;
  t.user.entries = {tuned_entry("1x16x4096x128:f16", "a", 400), tuned_entry("1x16x4096x128:f16", "b", 300),
                    tuned_entry("1x16x4000x128:f16", "a", 100), tuned_entry("1x16x8192x128:f16", "a", 10),
                    tuned_entry("1x16x131072x128:f16", "c", 1)};
  t.user.entries.back().shader_hash = "c-2";
  EXPECT_EQ(order(t, "1x16x4096x128:f16"), "b a a a") << "the fastest of the problem; 131072 is too far away";
  EXPECT_EQ(order(t, "1x16x4200x128:f16"), "a b a a") << "of one class what takes the least for the work";
  EXPECT_EQ(find_fastest(t, query("1x16x4200x128:f16"))[0].entry.median_ns, 100);
  EXPECT_EQ(find_fastest(t, query("1x16x16384x128:f16"))[0].entry.median_ns, 10) << "the nearest";
  EXPECT_EQ(order(t, "1x16x4096x64:f16"), "") << "another head dim";
}

TEST(Fastest, TheUsersBeforeWhatShipsAndNoChangedSource) {
  TunedTables t;
  t.user.entries = {tuned_entry("1x16x8192x128:f16", "a", 900), tuned_entry("1x16x4096x128:f16", "c", 1)};
  t.shipped.entries = {tuned_entry("1x16x4096x128:f16", "b", 300), tuned_entry("1x16x4096x128:f16", "c", 200)};
  EXPECT_EQ(order(t, "1x16x4096x128:f16"), "a c! b!");
  const auto found = find_fastest(t, query("1x16x4096x128:f16"));
  EXPECT_TRUE(has(found[1].remark, "source has changed")) << "a table that ships says so";
}

TEST(Fastest, SaysWhyAnEntryForJustThisProblemIsNotUsed) {
  TunedTables t;
  t.user.entries = {tuned_entry("1x16x4096x128:f16", "c", 1), tuned_entry("1x16x8192x128:f16", "a", 1)};
  const TunedQuery q = query("1x16x4096x128:f16");
  EXPECT_EQ(why_unused(t, q), "its tuned config is of another version of c's shader");
  t.user.entries[0].variant = "gone";
  EXPECT_EQ(why_unused(t, q), "its tuned config is of gone, which is not here or cannot run");
  t.user.entries[0] = tuned_entry("1x16x4096x128:f16", "a", 1);
  EXPECT_EQ(why_unused(t, q), "") << "that one is used";
  t.user.entries[0].driver = "NVIDIA 570.1";
  EXPECT_EQ(why_unused(t, q), "its tuned config was tuned with NVIDIA 570.1");
  t.user.entries[0].device_uuid = "another";
  EXPECT_EQ(why_unused(t, q), "");
}

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

TEST(CarryOver, TheFartherTheMoreItHasToGain) {
  EXPECT_EQ(too_little_to_carry(match(How::same_class, 0.1, 1.04)), "");
  EXPECT_NE(too_little_to_carry(match(How::same_class, 0.5, 1.04)), "");
  EXPECT_NE(too_little_to_carry(match(How::neighbour, 1, 1.15)), "");
  EXPECT_EQ(too_little_to_carry(match(How::neighbour, 1, 1.2)), "");
  EXPECT_NE(too_little_to_carry(match(How::neighbour, 4, 1.7)), "");
  EXPECT_EQ(too_little_to_carry(match(How::neighbour, 4, 2)), "") << "a kernel whose defaults are far off";
  EXPECT_TRUE(has(too_little_to_carry(match(How::neighbour, 1, 0.5)), "it was 0 % faster"));
  TunedMatch trial = match(How::same_class, 0.1, 2);
  trial.entry.raced = false;
  EXPECT_NE(too_little_to_carry(trial), "") << "two short looks";
}

}  // namespace attnscope::tune::fastest_test
