#include "engine/record/table.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/record/csv.hpp"
#include "engine/record/markdown.hpp"
#include "engine/record/terminal.hpp"
#include "engine/record/units.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace {

Record plain_record() {
  Record r;
  r.problem = *parse_problem("2x8x64x64:f16");
  r.variant = "tiled";
  r.config = {{"BLOCK_M", 64}};
  r.verdict.emplace();
  r.verdict->pass = true;
  r.verdict->rows_checked = r.verdict->rows_total = 1024;
  r.verdict->max_abs = 3.2e-5;
  r.statistics = Statistics{100, 12345, 12000, 20000, 13000, 12100, 12500, 10, 0.001, 0.0};
  r.samples_ns = {12345};
  r.tflops = 1.234567;
  r.gbps = 98.7;
  return r;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}
/// Fields of one CSV line without line breaks inside quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line)
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

TEST(Table, LinesUp) {
  Record slow = plain_record();
  slow.variant = "a_longer_name";
  slow.statistics->median = 999999;
  const auto text = lines(render_terminal(record_table(std::vector{plain_record(), slow})));
  ASSERT_EQ(text.size(), 6u) << "two records, and what they add in";
  EXPECT_TRUE(text[0].starts_with("variant        config      problem        verdict  rows   max abs"));
  EXPECT_NE(text[0].find("median µs"), std::string::npos);
  EXPECT_NE(text[2].find("12.35"), std::string::npos) << text[2];
  EXPECT_NE(text[2].find("12.10–12.50"), std::string::npos) << text[2];
  EXPECT_EQ(display_width(text[1]), display_width(text[0]));
  EXPECT_LE(display_width(text[2]), display_width(text[0]));
}

TEST(Table, SaysInWhatTypeEachVariantAdds) {
  Record half = plain_record();
  half.variant = "halves";
  half.precision = {DType::f16, DType::f16};
  const auto notes = record_table(std::vector{plain_record(), half}).notes;
  const std::string plain = "Sums in f32: " + plain_record().variant + ".";
  EXPECT_NE(std::find(notes.begin(), notes.end(), plain), notes.end());
  EXPECT_NE(std::find(notes.begin(), notes.end(), "Sums in f16, P in f16: halves."), notes.end());
}

TEST(Table, SaysWhenThereAreNoSamples) {
  Record r = plain_record();
  r.statistics.reset();
  r.samples_ns.clear();
  r.tflops = 0;
  const std::string text = render_terminal(record_table(std::vector{r}));
  EXPECT_NE(text.find("no accepted samples"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Table, LeavesOutEmptyColumnsAndSaysWhatIsNotReported) {
  Record r = plain_record();
  r.resources.compile_ms = 3;
  r.resources.compile = Compile::measured;
  const std::string text = render_terminal(record_table(std::vector{r}));
  EXPECT_EQ(text.find("regs"), std::string::npos);
  EXPECT_NE(text.find("Registers and spills: not reported by this driver."), std::string::npos);
  r.resources.registers = 96;
  r.resources.spill_bytes = 0;
  const std::string reported = render_terminal(record_table(std::vector{r}));
  EXPECT_NE(reported.find("regs"), std::string::npos);
  EXPECT_NE(reported.find("spill B"), std::string::npos);
  EXPECT_EQ(reported.find("not reported"), std::string::npos);
}

TEST(Table, NotesFailuresDriftAndSampling) {
  Record failed = plain_record(), drifting = plain_record(), refused = plain_record();
  failed.verdict->pass = false;
  failed.verdict->reason = "NMSE 1 is over the allowed 0.";
  drifting.statistics->drift = -0.25;
  drifting.settled = false;
  drifting.verdict->rows_checked = 10;
  refused.verdict.reset();
  refused.statistics.reset();
  refused.outcome = Outcome::refused;
  refused.message = "needs 64 KB of shared memory; the device has 32 KB.";
  const std::string text = render_terminal(record_table(std::vector{failed, drifting, refused}));
  EXPECT_NE(text.find("FAIL"), std::string::npos);
  EXPECT_NE(text.find("NMSE 1 is over"), std::string::npos);
  EXPECT_NE(text.find("drift by -25.0 %"), std::string::npos);
  EXPECT_NE(text.find("the times had not settled within"), std::string::npos);
  EXPECT_NE(text.find("1 of 3 verdicts compare a seeded sample"), std::string::npos);
  // The whole table says it in its row; the one that was refused has compared nothing.
  EXPECT_EQ(rows_text(drifting), "10 of 1,024");
  EXPECT_EQ(rows_text(failed), "all");
  EXPECT_EQ(rows_text(refused), "");
  EXPECT_NE(text.find("10 of 1,024"), std::string::npos);
  EXPECT_NE(text.find("refused"), std::string::npos);
  EXPECT_NE(text.find("needs 64 KB"), std::string::npos);
}

TEST(Markdown, IsATablePerDevice) {
  Record other = plain_record();
  other.environment.device.name = "Other GPU";
  other.message = "a | b";
  const std::string text = to_markdown(std::vector{plain_record(), other});
  EXPECT_NE(text.find("## Unknown device"), std::string::npos);
  EXPECT_NE(text.find("## Other GPU"), std::string::npos);
  EXPECT_NE(text.find("| tiled | BLOCK_M=64 | 2x8x64x64:f16 | pass |"), std::string::npos) << text;
  EXPECT_NE(text.find("| --- |"), std::string::npos);
  EXPECT_NE(text.find("a \\| b"), std::string::npos);
}

TEST(Csv, HasOneCellForEachColumn) {
  Record r = sample_record();
  r.message = "one line, \"quoted\"";
  const auto text = lines(to_csv(std::vector{plain_record(), r}));
  ASSERT_EQ(text.size(), 3u);
  EXPECT_EQ(text[0], csv_header());
  const auto header = fields(text[0]);
  ASSERT_EQ(fields(text[1]).size(), header.size());
  ASSERT_EQ(fields(text[2]).size(), header.size());
  const auto at = [&](size_t line, const char* name) {
    const auto column = std::find(header.begin(), header.end(), name);
    EXPECT_NE(column, header.end()) << name;
    return fields(text[line])[size_t(column - header.begin())];
  };
  EXPECT_EQ(at(1, "problem"), "2x8x64x64:f16");
  EXPECT_EQ(at(1, "median_ns"), "12345");
  EXPECT_EQ(at(1, "registers"), "");
  EXPECT_EQ(at(1, "pass"), "true");
  EXPECT_EQ(at(2, "spill_bytes"), "0");
  EXPECT_EQ(at(2, "rows_total"), "18446744073709551615");
  EXPECT_EQ(at(2, "seed"), "18446744073709551614");
  EXPECT_EQ(at(2, "config"), "BLOCK_M=64,BLOCK_N=-5000000000000000001");
  EXPECT_EQ(at(2, "message"), "one line, quoted");
}

TEST(Csv, HasEveryNumberOfARecordThatHasThemAll) {
  Record r = sample_record();
  r.message = "one line";
  const auto text = lines(to_csv(std::vector{r}));
  ASSERT_EQ(text.size(), 2u);
  const auto header = fields(text[0]), cells = fields(text[1]);
  ASSERT_EQ(cells.size(), header.size());
  for (size_t i = 0; i < header.size(); ++i) EXPECT_NE(cells[i], "") << header[i];
}

TEST(Csv, LeavesWhatWasNotMeasuredEmpty) {
  Record r;
  r.variant = "tiled";
  const auto text = lines(to_csv(std::vector{r}));
  const auto header = fields(text[0]), cells = fields(text[1]);
  for (const char* name :
       {"pass", "worst_batch", "median_ns", "tflops", "gbps", "registers", "workgroups", "compile_ms"})
    EXPECT_EQ(cells[size_t(std::find(header.begin(), header.end(), name) - header.begin())], "") << name;
  for (const char* name : {"flops", "scratch_bytes", "shared_bytes"})
    EXPECT_EQ(cells[size_t(std::find(header.begin(), header.end(), name) - header.begin())], "0") << name;
}

TEST(Csv, HeaderIsStable) {
  EXPECT_TRUE(csv_header().starts_with(
      "variant,config,config_name,problem,batch,heads_q,heads_kv,seq_q,seq_kv,head_dim,v_dim,dtype,causal,accumulate,"
      "probabilities,outcome,message,pass,rows_checked,rows_total,nan_count,unwritten_count,guard_intact,max_abs,mean_"
      "abs,"
      "nmse,allowed_max_abs,allowed_nmse,median_ns,min_ns,max_ns,mean_ns,p20_ns,p80_ns,stddev_ns,samples,noise,drift,"
      "tflops,gbps,flops,bytes,extra_bytes,scratch_bytes,registers,spill_bytes,shared_bytes_driver,code_bytes,"
      "shared_bytes,private_bytes,workgroup_invocations,workgroups,compile_ms,cache,launch,dispatches_per_sample,"
      "settled,"
      "seed,device,driver,shader_hash,program_version,time_utc,f16_pairs,reason,worst_batch,worst_head,worst_query,"
      "worst_dim,worst_got,worst_expected,warmup_ms,warmup_cap_ms,protocol_min_ms,protocol_max_ms,min_samples,"
      "max_samples,target_noise,min_sample_us,host_os,compile"));
}

TEST(Csv, NeverHoldsNan) {
  Record r = plain_record();
  r.verdict->nmse = std::numeric_limits<double>::quiet_NaN();
  r.statistics->noise = std::numeric_limits<double>::infinity();
  r.tflops = std::numeric_limits<double>::quiet_NaN();
  const std::string text = to_csv(std::vector{r});
  EXPECT_EQ(lines(text)[1].find("nan"), std::string::npos);
  EXPECT_EQ(lines(text)[1].find("inf"), std::string::npos);
}

TEST(Units, KeepFourDigitsAndOneUnit) {
  EXPECT_EQ(four_digits(0), "0");
  EXPECT_EQ(four_digits(12.3449), "12.34");
  EXPECT_EQ(four_digits(999.96), "1000");
  EXPECT_EQ(four_digits(0.0123456), "0.01235");
  EXPECT_EQ(four_digits(123456), "123456");
  EXPECT_EQ(four_digits(1.5e-6), "1.500e-06");
  EXPECT_EQ(four_digits(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_STREQ(choose_time_unit(std::vector{900.0}).name, "ns");
  EXPECT_STREQ(choose_time_unit(std::vector{900.0, 1e4, 1e5}).name, "µs");
  EXPECT_STREQ(choose_time_unit(std::vector{5e6}).name, "ms");
  EXPECT_STREQ(choose_time_unit(std::vector<double>{}).name, "µs");
  EXPECT_EQ(bytes_text(96), "96 B");
  EXPECT_EQ(bytes_text(1.5e9), "1.5 GB");
  EXPECT_EQ(bytes_text(999999), "1 MB");
}

TEST(Units, FollowTheSizeOfWhatTheyMeasure) {
  EXPECT_EQ(flops_text(2.31e8), "231.0 MFLOP/s");
  EXPECT_EQ(flops_text(2e9), "2.000 GFLOP/s") << "and not 0.002 TFLOP/s";
  EXPECT_EQ(flops_text(999.96e9), "1.000 TFLOP/s");
  EXPECT_EQ(flops_text(3.13e14), "313.0 TFLOP/s");
  EXPECT_EQ(flops_text(0.5), "0.5000 FLOP/s");
  EXPECT_EQ(bytes_rate_text(7419), "7.419 kB/s");
  EXPECT_EQ(bytes_rate_text(3.902e12), "3.902 TB/s");
  EXPECT_EQ(time_text(2.27e6), "2.270 ms");
  EXPECT_EQ(time_text(999.96e3), "1.000 ms");
  EXPECT_EQ(time_text(38), "38.00 ns");
  EXPECT_EQ(time_text(4e12), "4000 s");
  for (const double nothing :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(flops_text(nothing), "");
    EXPECT_EQ(bytes_rate_text(nothing), "");
    EXPECT_EQ(time_text(nothing), "");
  }
}

TEST(Units, AColumnOfRatesHasOneThatShowsTheLeast) {
  const auto unit = [](std::vector<double> rates) { return choose_rate_unit(rates, "FLOP/s").name; };
  EXPECT_EQ(unit({2e9}), "GFLOP/s");
  EXPECT_EQ(unit({1.5e12, 1.6e12, 2e9}), "GFLOP/s") << "else the last were 0.002";
  EXPECT_EQ(unit({1.5e12, 1.6e12, 2e10}), "TFLOP/s");
  EXPECT_EQ(unit({3e6, 4e8, 5e8}), "MFLOP/s");
  EXPECT_EQ(unit({5}), "FLOP/s");
  EXPECT_EQ(unit({}), "GFLOP/s");
  EXPECT_EQ(unit({0, std::numeric_limits<double>::quiet_NaN(), 7e12}), "TFLOP/s")
      << "what was not measured does not count";
  EXPECT_DOUBLE_EQ(choose_rate_unit(std::vector{5e7}, "B/s").size, 1e6);
}

}  // namespace
}  // namespace attnscope
