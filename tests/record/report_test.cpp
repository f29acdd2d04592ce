#include "engine/record/report.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::report_test {

size_t column(const TextTable& t, const std::string& title) {
  for (size_t c = 0; c < t.columns.size(); ++c)
    if (t.columns[c].title == title) return c;
  ADD_FAILURE() << "no column " << title;
  return 0;
}
size_t notes_with(const TextTable& t, const std::string& part) {
  return size_t(
      std::ranges::count_if(t.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; }));
}

const Config kDefault{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, kSmall{{"BLOCK_M", 16}, {"BLOCK_N", 64}};
const ReportOptions kOptions{{{"tiled", kDefault}}};

TEST(Report, TheBestIsTheFastestThatPassed) {
  Record wrong = timed("1x4x32x32", "tiled", kDefault, 1e3);
  wrong.verdict->pass = false;
  wrong.outcome = Outcome::failed_verdict;
  const std::vector<Record> records{
      timed("1x4x32x32", "tiled", kDefault, 3e6), timed("1x4x32x32", "tiled", kSmall, 2e6), wrong,
      timed("2x8x64x64:f16", "row", {{"LANES", 8}}, 40e9), refused("1x1x8x8", "tiled", kSmall, "no.")};
  const TextTable t = best_table(records, kOptions);
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(t.rows[0], (std::vector<std::string>{"1x4x32x32:f32", "tiled BLOCK_M=16", "2.000 ms", "1.900–2.100",
                                                 "262.1 MFLOP/s", "32.77 MB/s", "2"}));
  EXPECT_EQ(std::tuple(t.rows[1][1], t.rows[1][2], t.rows[2][1]),
            std::tuple("row LANES=8", "40.00 s", "nothing passed and was timed"));
  EXPECT_TRUE(best_table(std::span(records).last(1), kOptions).rows.empty());

  // By another statistic, when asked.
  std::vector<Record> two{timed("1x4x32x32", "a", {}, 2e6), timed("1x4x32x32", "b", {}, 3e6)};
  two[1].statistics->min = 1;
  EXPECT_EQ(best_table(two, {}).rows[0][1], "a");
  EXPECT_EQ(best_table(two, {{}, &Statistics::min}).rows[0][1], "b");
}

TEST(Report, APredictedTimeHasAColumnWhereThereIsOne) {
  Record known = timed("1x4x32x32", "tiled", kDefault, 3e6), other = timed("1x4x32x32", "tiled", kSmall, 2e6);
  EXPECT_FALSE(has(render_terminal(short_table(std::vector{known, other}, kOptions)), "predicted"));
  known.predicted = PredictedTime{2.5e6, "2026-11-24T04:17:41Z"};
  const TextTable t = short_table(std::vector{known, other}, kOptions);
  EXPECT_EQ(t.rows[0][column(t, "predicted ms")], "2.500");
  EXPECT_EQ(t.rows[1][column(t, "predicted ms")], "");
  EXPECT_EQ(std::tuple(t.rows[0][column(t, "median ms")], t.rows[0][column(t, "MFLOP/s")]),
            std::tuple("3.000", "174.8"));
  EXPECT_TRUE(has(render_terminal(t), "predicted ms"));
  EXPECT_EQ(predicted_text(*known.predicted), "predicted 2.50 ms by the model of 2026-11-24");
  EXPECT_EQ(predicted_text({410e3, "2026-11-24T04:17:41Z, driver 1.2"}),
            "predicted 410 µs by the model of 2026-11-24, driver 1.2");
}

TEST(Report, EachKindOfRemarkIsThereOnce) {
  std::vector<Record> records;
  for (int i = 0; i < 6; ++i) {
    Record r = timed("1x4x32x32", "tiled", {{"BLOCK_M", 16 + i}, {"BLOCK_N", 64}}, 3e6);
    r.statistics->drift = i == 2 ? -0.9 : 0.2;
    r.settled = i == 5;
    r.protocol.warmup_cap_ms = 300;
    r.protocol.min_samples = i < 2 ? 51 : 10;
    r.resources.compile_ms = 1;
    r.resources.compile = Compile::measured;
    r.message = i == 0 ? "A remark." : "";
    records.push_back(r);
  }
  for (int i = 0; i < 5; ++i) {
    records.push_back(refused("1x4x32x32", "tiled", {{"BLOCK_M", 128 + i}, {"BLOCK_N", 64}}, "needs 64 KB."));
    records.push_back(timed("1x4x32x32", "tiled", {{"BLOCK_M", 1000 + i}, {"BLOCK_N", 64}}, 1));
    records.back().verdict->pass = false;
    records.back().verdict->reason = "NMSE 1 is over the allowed 0.";
    records.back().statistics.reset();
  }
  for (const char* problem : {"1x4x32x32", "2x4x64x32"})
    records.push_back(refused(problem, "packed", {}, "packed: it takes packed sequences only."));
  const TextTable t = short_table(records, kOptions);
  EXPECT_EQ(t.rows.size(), 11u) << "refusals are no rows";
  EXPECT_EQ(notes_with(t, "6 of 6: the samples drift by more than 5 %, most by -90 % (tiled BLOCK_M=18 on"), 1u);
  EXPECT_EQ(notes_with(t, "5 of 6: the times had not settled within 300 ms of warm-up"), 1u);
  EXPECT_EQ(notes_with(t, "2 of 6: fewer samples than were asked for"), 1u);
  EXPECT_EQ(notes_with(t, "tiled BLOCK_M=16 on 1x4x32x32:f32: A remark."), 1u);
  EXPECT_EQ(notes_with(t, "NMSE 1 is over"), 3u) << "failures are said, as far as they are few";
  EXPECT_EQ(notes_with(t, "2 more did not succeed."), 1u);
  EXPECT_EQ(notes_with(t, "Refused: 5 configs of tiled, the first tiled BLOCK_M=128 on 1x4x32x32:f32: needs 64 KB."),
            1u);
  EXPECT_EQ(notes_with(t, "Refused: packed on 1x4x32x32:f32, 2x4x64x32:f32: it takes packed sequences only."), 1u);
  EXPECT_EQ(notes_with(t, "Registers and spills: not reported by this driver."), 1u);
  EXPECT_LE(t.notes.size(), 12u);
}

Record with(Outcome outcome, const std::string& message) {
  Record r = sample_record();
  r.outcome = outcome;
  r.message = message;
  r.verdict.reset();
  return r;
}

TEST(JUnit, EachRecordIsACaseTheCountsAgreeAndWhatXmlMayNotHoldIsShown) {
  Record failed = with(Outcome::failed_verdict, "");
  failed.verdict = Verdict{};
  failed.verdict->reason = "3 NaN <in> \"row\" 5 & more";
  const Record ok = with(Outcome::verified, ""), refused = with(Outcome::refused, "head_dim 520"),
               broken = with(Outcome::error, "the worker died"), cancelled = with(Outcome::cancelled, "");
  Record elsewhere = ok;
  elsewhere.environment.device.name = "Another GPU";
  const std::string xml = to_junit(std::vector<JUnitCase>{{&ok, "default", false, 0.25},
                                                          {&failed, "A", false, 0.5},
                                                          {&refused, "B", true, 0},
                                                          {&refused, "C", false, 0},
                                                          {&broken, "D", false, 1},
                                                          {&cancelled, "E", false, 0},
                                                          {&elsewhere, "default", false, 2}});
  EXPECT_TRUE(
      has(xml, R"(<testsuites name="attnscope verify" tests="7" failures="1" errors="2" skipped="2" time="3.750">)"))
      << xml;
  EXPECT_TRUE(has(xml, R"(<testsuite name="Some GPU" tests="6" failures="1" errors="2" skipped="2" time="1.750")",
                  R"(<testsuite name="Another GPU" tests="1" failures="0")", R"(timestamp="2026-11-21T00:00:00")",
                  R"(<failure message="3 NaN &lt;in&gt; &quot;row&quot; 5 &amp; more" type="failed">)",
                  R"(<skipped message="head_dim 520"/>)", R"(<error message="head_dim 520" type="refused">)",
                  R"(<error message="the worker died" type="error">)", R"(<skipped message="cancelled"/>)",
                  R"(<testcase classname="tiled" name="default 1x8x64x64)"));
  EXPECT_EQ(xml_escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&apos;c");
  EXPECT_EQ(xml_escaped(std::string("\x1b[31m\0x", 7)), "\\x1b[31m\\x00x");
  EXPECT_EQ(xml_escaped("two\nlines\tand\r"), "two&#10;lines&#9;and&#13;");
  EXPECT_EQ(xml_escaped("µ and \xff and \xef\xbf\xbe and \xef\xbf\xbf"), "µ and \\xff and \\ufffe and \\uffff");
  EXPECT_EQ(xml_escaped("\xe2\x80\xae"), "\\u202e");
}

TEST(Report, TelemetryHasARowForEachRecordThatHasIt) {
  std::vector<Record> records(3, sample_record());
  for (size_t i = 0; i < records.size(); ++i) records[i].outcome = Outcome::measured;
  records[0].environment.telemetry.reset();
  records[2].environment.telemetry.emplace().watts = 245;
  const TextTable t = telemetry_table(records, {});
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_TRUE(has(render_markdown(t), "500.5", "0.1250", "1980", "3201", "61.00", "power (25 %)", "245.0"));
  EXPECT_TRUE(telemetry_table(std::span(records).first(1), {}).rows.empty());
  const std::vector<std::string> names(records.size(), "tiled"), notes = grouped_notes(records, names);
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "1 of 3 throttled: power, most in 25 % of the readings (tiled on " +
                           to_text(records[1].problem) + ")."),
            1);
}

using Labels = std::vector<std::string>;

TEST(Labels, SayWhatDiffersFromTheDefaultsOrWithoutThemTellTheConfigsApart) {
  const Config d{{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"STAGES", 1}};
  const std::vector<ConfigName> blocks{{"tiled", d, "default", d},
                                       {"tiled", {{"BLOCK_M", 16}, {"BLOCK_N", 32}, {"STAGES", 1}}, "", d},
                                       {"tiled", {{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"STAGES", 2}}, "", d}};
  EXPECT_EQ(short_labels(blocks), (Labels{"tiled default", "tiled BLOCK_M=16,BLOCK_N=32", "tiled STAGES=2"}));
  EXPECT_EQ(short_config_labels(blocks).front(), "default");
  const Config a{{"A", 1}};
  const std::vector<ConfigName> named{
      {"v", {{"A", 2}}, "fast", a}, {"v", a, "", a}, {"peer", {}, "graph", {}}, {"peer", {}, "", {}}};
  EXPECT_EQ(short_labels(named), (Labels{"v fast", "v default", "peer graph", "peer"}));
  const std::vector<ConfigName> two{{"v", {{"A", 1}, {"B", 1}, {"C", 3}}}, {"v", {{"A", 1}, {"B", 2}, {"C", 3}}}};
  EXPECT_EQ(short_config_labels(two), (Labels{"B=1", "B=2"}));
  EXPECT_EQ(short_config_labels(std::span(two).first(1)), Labels{"A=1,B=1,C=3"});
  // Two result files of different versions: what "default" was has changed.
  const std::vector<ConfigName> ties{{"v", {{"A", 1}, {"B", 1}}, "default"}, {"v", {{"A", 2}, {"B", 1}}, "default"}};
  EXPECT_EQ(short_config_labels(ties), (Labels{"A=1,B=1", "A=2,B=1"}));
}

}  // namespace attnscope::report_test
