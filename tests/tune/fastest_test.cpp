// What the tuning tables know over all variants.
#include <gtest/gtest.h>

#include "engine/tune/fastest.hpp"

namespace attnscope::tune {
namespace {

TunedEntry entry(const std::string& problem, const std::string& variant, double ns) {
  TunedEntry e;
  e.device = "NVIDIA H200";
  e.device_uuid = "00ff";
  e.driver = "NVIDIA 580.159.04";
  e.problem = *parse_problem(problem);
  e.variant = variant;
  e.shader_hash = variant + "-1";
  e.median_ns = ns;
  e.verified = e.raced = true;
  return e;
}

FastestQuery query(const std::string& problem) {
  FastestQuery q;
  q.device.name = "NVIDIA H200";
  q.device.device_uuid = "00ff";
  q.device.driver = "NVIDIA 580.159.04";
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
  t.user.entries = {entry("1x16x4096x128:f16", "a", 400), entry("1x16x4096x128:f16", "b", 300),
                    entry("1x16x4000x128:f16", "a", 100), entry("1x16x8192x128:f16", "a", 10)};
  EXPECT_EQ(order(t, "1x16x4096x128:f16"), "b a a a") << "the fastest of the problem, however fast others are";
  EXPECT_EQ(order(t, "1x16x4200x128:f16"), "a b a a") << "of one class what takes the least for the work";
  EXPECT_EQ(find_fastest(t, query("1x16x4200x128:f16"))[0].entry.median_ns, 100);
  EXPECT_EQ(find_fastest(t, query("1x16x16384x128:f16"))[0].entry.median_ns, 10) << "the nearest";
  EXPECT_EQ(order(t, "1x16x4096x64:f16"), "") << "another head dim";
}

TEST(Fastest, TheUsersBeforeWhatShipsAndNoChangedSource) {
  TunedTables t;
  t.user.entries = {entry("1x16x8192x128:f16", "a", 900), entry("1x16x4096x128:f16", "c", 1)};
  t.shipped.entries = {entry("1x16x4096x128:f16", "b", 300), entry("1x16x4096x128:f16", "c", 200)};
  EXPECT_EQ(order(t, "1x16x4096x128:f16"), "a c! b!");
  const auto found = find_fastest(t, query("1x16x4096x128:f16"));
  EXPECT_NE(found[1].remark.find("source has changed"), std::string::npos) << "a table that ships says so";
}

TEST(Fastest, SaysWhyAnEntryForJustThisProblemIsNotUsed) {
  TunedTables t;
  t.user.entries = {entry("1x16x4096x128:f16", "c", 1), entry("1x16x8192x128:f16", "a", 1)};
  const FastestQuery q = query("1x16x4096x128:f16");
  EXPECT_EQ(why_unused(t, q), "what was tuned for it is of another version of c's shader");
  t.user.entries[0].variant = "gone";
  EXPECT_EQ(why_unused(t, q), "what was tuned for it is gone, which is not here or cannot run");
  t.user.entries[0] = entry("1x16x4096x128:f16", "a", 1);
  EXPECT_EQ(why_unused(t, q), "") << "that one is used";
  t.user.entries[0].driver = "NVIDIA 570.1";
  EXPECT_EQ(why_unused(t, q), "what was tuned for it was with NVIDIA 570.1");
  t.user.entries[0].device_uuid = "another";
  EXPECT_EQ(why_unused(t, q), "");
}

TEST(Fastest, SaysHowItStandsBesideOthersHonestly) {
  TunedTables t;
  t.user.entries = {entry("1x16x4096x128:f16", "a", 336), entry("1x16x4096x128:f16", "b", 300),
                    entry("1x16x4000x128:f16", "a", 1)};
  auto found = find_fastest(t, query("1x16x4096x128:f16"));
  EXPECT_EQ(beside_others(found, 0, {}), "12 % faster than a there");
  const std::string why[] = {"cannot run here", ""};
  EXPECT_EQ(beside_others(found, 1, why), "b is faster there, but cannot run here");
  EXPECT_EQ(beside_others(found, 1, {}), "b is faster there") << "nobody knows why it was not taken";
  t.user.entries.erase(t.user.entries.begin());
  found = find_fastest(t, query("1x16x4096x128:f16"));
  EXPECT_EQ(beside_others(found, 0, {}), "no other variant was tuned for it") << "a was, but for another problem";
  t.user.entries.push_back(entry("1x16x4096x128:f16", "a", 300.5));
  found = find_fastest(t, query("1x16x4096x128:f16"));
  EXPECT_EQ(beside_others(found, 0, {}), "as fast as a there");
}

}  // namespace
}  // namespace attnscope::tune
