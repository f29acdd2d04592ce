// Two sets of records row by row: what is matched with what, the words, the gate, and the documents.
#include "engine/record/comparisons.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/record/fields_compared.hpp"
#include "engine/record/json_fields.hpp"
#include "tests/record/field_round_trip.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace {

Record steady(double ns, int64_t block_n = 16, const char* problem = "1x8x512x64:f16") {
  Record r = sample_record();
  r.problem = *parse_problem(problem);
  r.config = {{"BLOCK_N", block_n}};
  r.config_name = "";
  r.message = "";
  r.outcome = Outcome::measured;
  r.samples_ns.clear();
  for (int i = 0; i < 60; ++i) r.samples_ns.push_back(ns * (1 + 1e-3 * ((i * 7) % 11 - 5)));
  r.statistics = summarize(r.samples_ns);
  return r;
}
Record failed(Record r, const char* why) {
  r.outcome = Outcome::failed_verdict;
  r.verdict->pass = false;
  r.verdict->reason = why;
  r.samples_ns.clear();
  r.statistics.reset();
  return r;
}

TEST(Comparisons, RowsAreMatchedByDeviceProblemVariantConfigAndModes) {
  const Record base = steady(1e5);
  Record alike = base;
  alike.seed = 7;
  alike.environment.shader_hash = "edited";
  alike.config_name = "named since";
  EXPECT_EQ(match_records(std::vector{base}, std::vector{alike}).pairs.size(), 1u);
  const std::vector<std::pair<const char*, void (*)(Record&)>> others{
      {"device", [](Record& r) { r.environment.device.name = "Another GPU"; }},
      {"problem", [](Record& r) { r.problem.seq_kv *= 2; }},
      {"variant", [](Record& r) { r.variant = "row"; }},
      {"config", [](Record& r) { r.config["BLOCK_N"] = 32; }},
      {"cache", [](Record& r) { r.protocol.cache = CacheMode::hot; }},
      {"launch", [](Record& r) { r.protocol.launch = LaunchMode::isolated; }}};
  for (const auto& [what, change] : others) {
    Record other = base;
    change(other);
    const std::vector a{base}, b{other};
    const MatchedRecords m = match_records(a, b);
    EXPECT_TRUE(m.pairs.empty()) << what;
    EXPECT_EQ(m.only_a, std::vector{&a[0]}) << what;
    EXPECT_EQ(m.only_b, std::vector{&b[0]}) << what;
  }
}

TEST(Comparisons, OfSeveralAlikeTheFirstGoesWithTheFirst) {
  const std::vector a{steady(1), steady(2), steady(3, 32)}, b{steady(4, 32), steady(5), steady(6), steady(7)};
  const MatchedRecords m = match_records(a, b);
  using Pair = std::pair<const Record*, const Record*>;
  EXPECT_EQ(m.pairs, (std::vector{Pair(&a[0], &b[1]), Pair(&a[1], &b[2]), Pair(&a[2], &b[0])}));
  EXPECT_TRUE(m.only_a.empty());
  EXPECT_EQ(m.only_b, std::vector{&b[3]});
}

TEST(Comparisons, TheGateFailsWhatIsSurelySlowerAndWhatIsNoLongerRight) {
  const std::vector a{steady(1e5, 1), steady(1e5, 2), steady(1e5, 4), steady(1e5, 8), steady(1e5, 16)};
  std::vector b{steady(1.1e5, 1), steady(1.035e5, 2), steady(1e5, 4), failed(steady(1, 8), "NaN in row 3"),
                steady(0.9e5, 16)};
  const FileComparison files = compare_matched(match_records(a, b), 0.02);
  ASSERT_EQ(files.rows.size(), 5u);
  EXPECT_EQ(files.rows[1].comparison.relation, Relation::slower) << "by more than 2 %, but not surely by more than 3";
  EXPECT_LT(files.rows[1].comparison.low, 1.03);
  EXPECT_EQ(surely_slower(files.rows, 0.03), std::vector{&files.rows[0]});
  EXPECT_EQ(surely_slower(files.rows, 0.01).size(), 2u);
  EXPECT_EQ(newly_failed(files.rows), std::vector{&files.rows[3]});
  EXPECT_NE(sentence_of(files.rows[3]).find("NaN in row 3"), std::string::npos);
  EXPECT_TRUE(sentence_of(files.rows[0]).starts_with("tiled BLOCK_N=1 on 1x8x512x64:f16: 1.1000 (1.0"))
      << sentence_of(files.rows[0]);
  EXPECT_EQ(words_text(files.rows), "1 FASTER, 2 SLOWER, 1 SAME, 1 UNSURE");
}

TEST(Comparisons, TheTableHasEachRowAndSaysWhatIsInOneFileOnly) {
  std::vector a{steady(1e5, 1), steady(1e5, 2), steady(1e5, 32)}, b{steady(1.1e5, 1), steady(1e5, 2), steady(1, 64)};
  b[1].environment.device.driver = "Some 1.2.4";
  a.push_back(failed(steady(1, 128), "x"));
  b.push_back(a.back());
  FileComparison files = compare_matched(match_records(a, b), 0.02);
  files.a = "old.json";
  files.b = "new.json";
  EXPECT_EQ(files.unmeasured, 1u);
  const TextTable t = comparison_table(files);
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.rows[0].front(), "tiled");
  EXPECT_EQ(t.rows[0].back(), "SLOWER");
  EXPECT_EQ(t.rows[1].back(), "UNSURE");
  EXPECT_EQ(t.rows[1][5], "") << "times that cannot be compared have no ratio";
  const std::string text = render_markdown(t);
  for (const char* part : {"A: old.json", "two drivers", "Only in A: tiled BLOCK_N=32 on",
                           "Only in B: tiled BLOCK_N=64 on", "1 more rows were measured in neither", "1.1000", "110"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Comparisons, OfTwoConfigsTheTableNamesBoth) {
  RowComparison row = row_of(steady(1e5, 16), steady(1e5, 32));
  row.comparison = {Relation::same, 1, 0.999, 1.001, ""};
  const TextTable t = comparison_table(std::vector{row}, 0.005);
  EXPECT_EQ(t.columns[0].title, "A");
  EXPECT_EQ(t.rows[0][0], "tiled BLOCK_N=16");
  EXPECT_EQ(t.rows[0][1], "tiled BLOCK_N=32");
  EXPECT_NE(t.notes[0].find("0.5 %"), std::string::npos);
}

TEST(Comparisons, DocumentsHaveEveryNumberAndNoNaN) {
  const std::vector a{steady(1e5, 1), steady(1e5, 2)}, b{steady(1.1e5, 1), failed(steady(1, 2), "a \"b\", c")};
  const FileComparison files = compare_matched(match_records(a, b), 0.02);
  const Json json = Json::parse(comparison_json(files));
  EXPECT_EQ(json.at("counts").at("SLOWER"), 1);
  const auto rows = decode<std::vector<RowComparison>>(json.at("comparisons"), "rows");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows, files.rows);
  const std::string csv = comparison_csv(files.rows);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find(",SLOWER,1.1,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"B is failed: a \"\"b\"\", c\""), std::string::npos) << csv;
  EXPECT_EQ(csv.find("nan"), std::string::npos);
}

TEST(Comparisons, FieldsRoundTrip) {
  expect_every_field_travels<ComparedSide>();
  expect_every_field_travels<RowComparison>();
}

}  // namespace
}  // namespace attnscope
