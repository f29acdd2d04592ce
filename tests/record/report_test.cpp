#include "engine/record/report.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/record/terminal.hpp"
#include "engine/record/units.hpp"

namespace attnscope {
namespace {

Record timed(const char* problem, const char* variant, const Config& config, double median_ns) {
  Record r;
  r.problem = *parse_problem(problem);
  r.variant = variant;
  r.config = config;
  r.verdict.emplace();
  r.verdict->pass = true;
  r.verdict->rows_checked = r.verdict->rows_total = 64;
  r.verdict->max_abs = 3.2e-5;
  r.statistics = Statistics{
      50,    median_ns, 0.9 * median_ns, 2 * median_ns, 1.1 * median_ns, 0.95 * median_ns, 1.05 * median_ns, 10,
      0.001, 0.0};
  r.samples_ns = {median_ns};
  r.flops = problem_flops(r.problem);
  r.bytes = problem_bytes(r.problem);
  r.tflops = r.flops / median_ns / 1e3;
  r.gbps = r.bytes / median_ns;
  return r;
}
Record refused(const char* problem, const char* variant, const Config& config, const char* why) {
  Record r;
  r.problem = *parse_problem(problem);
  r.variant = variant;
  r.config = config;
  r.outcome = Outcome::refused;
  r.message = why;
  return r;
}
size_t column(const TextTable& t, const std::string& title) {
  for (size_t c = 0; c < t.columns.size(); ++c)
    if (t.columns[c].title == title) return c;
  ADD_FAILURE() << "no column " << title;
  return 0;
}
size_t notes_with(const TextTable& t, const std::string& part) {
  return size_t(std::count_if(t.notes.begin(), t.notes.end(),
                              [&](const std::string& n) { return n.find(part) != std::string::npos; }));
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
  EXPECT_EQ(t.rows[0], (std::vector<std::string>{"1x4x32x32:f32", "tiled M=16", "2.000 ms", "1.900–2.100",
                                                 "262.1 MFLOP/s", "32.77 MB/s", "2"}));
  EXPECT_EQ(t.rows[1][1], "row LANES=8");
  EXPECT_EQ(t.rows[1][2], "40.00 s");
  EXPECT_EQ(t.rows[2][1], "nothing passed and was timed");
  EXPECT_TRUE(best_table(std::span(records).last(1), kOptions).rows.empty());

  // By another statistic, when asked.
  std::vector<Record> two{timed("1x4x32x32", "a", {}, 2e6), timed("1x4x32x32", "b", {}, 3e6)};
  two[1].statistics->min = 1;
  EXPECT_EQ(best_table(two, {}).rows[0][1], "a");
  EXPECT_EQ(best_table(two, {{}, &Statistics::min}).rows[0][1], "b");
}

TEST(Report, UnitsFollowTheSize) {
  const TextTable slow = short_table(std::vector{timed("1x4x32x32", "tiled", kDefault, 3e6)}, kOptions);
  EXPECT_EQ(slow.rows[0][column(slow, "median ms")], "3.000");
  EXPECT_EQ(slow.rows[0][column(slow, "MFLOP/s")], "174.8");
  EXPECT_EQ(slow.rows[0][column(slow, "MB/s")], "21.85");
  const TextTable fast = short_table(std::vector{timed("1x16x4096x128:f16", "tiled", kDefault, 439e3)}, kOptions);
  EXPECT_EQ(fast.rows[0][column(fast, "median µs")], "439.0");
  EXPECT_EQ(fast.rows[0][column(fast, "TFLOP/s")], "313.1");
  column(fast, "GB/s");
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
  EXPECT_EQ(notes_with(t, "6 of 6: the samples drift by more than 5 %, most by -90 % (tiled M=18 on"), 1u);
  EXPECT_EQ(notes_with(t, "5 of 6: the times had not settled within 300 ms of warm-up"), 1u);
  EXPECT_EQ(notes_with(t, "2 of 6: fewer samples than were asked for"), 1u);
  EXPECT_EQ(notes_with(t, "tiled M=16 on 1x4x32x32:f32: A remark."), 1u);
  EXPECT_EQ(notes_with(t, "NMSE 1 is over"), 3u) << "failures are said, as far as they are few";
  EXPECT_EQ(notes_with(t, "2 more did not succeed."), 1u);
  EXPECT_EQ(notes_with(t, "Refused: 5 configs of tiled, the first tiled M=128 on 1x4x32x32:f32: needs 64 KB."), 1u);
  EXPECT_EQ(notes_with(t, "Refused: packed on 1x4x32x32:f32, 2x4x64x32:f32: it takes packed sequences only."), 1u);
  EXPECT_EQ(notes_with(t, "Registers and spills: not reported by this driver."), 1u);
  EXPECT_EQ(notes_with(t, "M is BLOCK_M"), 1u);
  EXPECT_LE(t.notes.size(), 13u);
}

TEST(Report, NeverHoldsNan) {
  Record r = timed("1x4x32x32", "tiled", kDefault, 3e6);
  r.verdict->nmse = r.verdict->max_abs = r.tflops = std::numeric_limits<double>::quiet_NaN();
  r.gbps = std::numeric_limits<double>::infinity();
  Record none = timed("1x4x32x32", "tiled", kSmall, 3e6);
  none.statistics.reset();
  none.tflops = none.gbps = 0;
  const std::vector<Record> records{r, none};
  for (const TextTable& t : {best_table(records, kOptions), short_table(records, kOptions)}) {
    const std::string text = render_terminal(t);
    for (const char* hole : {"nan", "inf"}) EXPECT_EQ(text.find(hole), std::string::npos) << text;
  }
  EXPECT_NE(render_terminal(short_table(records, kOptions)).find("no accepted samples"), std::string::npos);
}

TEST(Report, FitsEveryTerminal) {
  std::vector<Record> records;
  const char* problems[] = {"1x4x32x32", "1x8x64x64:kv=2:causal:f32",
                            "varlen=37,512,90,1,2,3,4,5:32x256:kv=2:causal:f16"};
  for (const char* problem : problems)
    for (const char* variant : {"tiled", "a_rather_long_name_of_a_variant"})
      for (const int m : {16, 64}) {
        Record r = timed(problem, variant, {{"BLOCK_M", m}, {"BLOCK_N", 64}, {"SOMETHING_ELSE", m * m}}, 3.5e6 * m);
        r.resources.registers = 255;
        r.resources.spill_bytes = 1024;
        r.resources.shared_bytes = 49152;
        r.statistics->drift = 0.3;
        records.push_back(r);
      }
  records[1].verdict->pass = false;
  records[1].verdict->reason = "NMSE 1.2e-3 is over the allowed 5.0e-04, and\nmore: " + std::string(150, 'x');
  for (size_t width = 60; width <= 200; ++width)
    for (const TextTable& t : {best_table(records, kOptions), short_table(records, kOptions)}) {
      const std::string text = render_terminal(t, width);
      EXPECT_NE(text.find(" 56.00"), std::string::npos) << "the median is always there\n" << text;
      std::istringstream in(text);
      for (std::string line; std::getline(in, line);) EXPECT_LE(display_width(line), width) << line;
    }
}

}  // namespace
}  // namespace attnscope
