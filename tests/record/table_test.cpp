// Tables of text on a terminal, in Markdown and CSV, with the units of their numbers; text that a terminal would obey.
#include "engine/record/report.hpp"
#include "engine/record/results.hpp"
#include "engine/visible.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::table_test {

Record plain_record() {
  Record r = timed("2x8x64x64:f16", "tiled", {{"BLOCK_M", 64}}, 12345);
  r.resources.workgroups = 16;
  return r;
}

/// The fields of each line of a CSV text.
std::vector<std::vector<std::string>> fields(const std::string& text) {
  std::vector<std::vector<std::string>> out;
  bool quoted = false, ended = true;
  for (const char c : text) {
    if (std::exchange(ended, false)) out.emplace_back(1);
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.back().emplace_back();
    else if (c == '\n' && !quoted)
      ended = true;
    else
      out.back().back() += c;
  }
  return out;
}

TEST(Table, LinesUp) {
  Record slow = plain_record();
  slow.variant = "a_longer_name";
  slow.statistics->median = 999999;
  const auto text = lines_of(render_terminal(record_table(std::vector{plain_record(), slow})));
  ASSERT_EQ(text.size(), 6u) << "two records, and what they add in";
  EXPECT_TRUE(text[0].starts_with("variant        config      problem        verdict  rows   max abs"));
  EXPECT_TRUE(has(text[0], "median µs"));
  EXPECT_TRUE(has(text[2], "12.35", "11.73–12.96"));
  EXPECT_EQ(display_width(text[1]), display_width(text[0]));
  EXPECT_LE(display_width(text[2]), display_width(text[0]));
}

TEST(Table, SaysInWhatTypeEachVariantAdds) {
  Record half = plain_record();
  half.variant = "halves";
  half.precision = {DType::f16, DType::f16};
  const auto notes = record_table(std::vector{plain_record(), half}).notes;
  EXPECT_NE(std::ranges::find(notes, "Sums in f32: " + plain_record().variant + "."), notes.end());
  EXPECT_NE(std::ranges::find(notes, "Sums in f16, P in f16: halves."), notes.end());
  Record trial = plain_record();
  trial.resources.workgroups = 0;
  EXPECT_FALSE(has(render_markdown(record_table(std::vector{trial})), "Sums in")) << "it has no plan";
}

TEST(Table, LeavesOutEmptyColumns) {
  Record r = plain_record();
  r.resources.compile = Compile::measured;
  const std::string unreported = render_terminal(record_table(std::vector{r}));
  EXPECT_FALSE(has(unreported, "regs"));
  EXPECT_TRUE(has(unreported, "not reported"));
  r.resources.registers = 96;
  r.resources.spill_bytes = 0;
  const std::string reported = render_terminal(record_table(std::vector{r}));
  EXPECT_TRUE(has(reported, "regs", "spill B"));
  EXPECT_FALSE(has(reported, "not reported"));
}

TEST(Table, TheWholeOneSaysInItsRowsWhatWasCompared) {
  Record sampled = plain_record(), refused = plain_record();
  sampled.verdict->rows_checked = 10;
  sampled.verdict->rows_total = 1024;
  refused.verdict.reset();
  refused.statistics.reset();
  refused.outcome = Outcome::refused;
  refused.message = "needs 64 KB of shared memory; the device has 32 KB.";
  EXPECT_EQ(rows_text(sampled), "10 of 1,024");
  EXPECT_EQ(rows_text(plain_record()), "all");
  EXPECT_EQ(rows_text(refused), "") << "it has compared nothing";
  const std::string text = render_terminal(record_table(std::vector{plain_record(), sampled, refused}));
  EXPECT_TRUE(has(text, "1 of 3 verdicts compare a random sample", "10 of 1,024", "refused", "needs 64 KB"));
}

TEST(Markdown, IsATablePerDevice) {
  Record other = plain_record();
  other.environment.device.name = "Other GPU";
  other.message = "a | b <i>";
  const std::string text = to_markdown(std::vector{plain_record(), other});
  EXPECT_TRUE(has(text, "## Unknown device", "## Other GPU", "| tiled | BLOCK_M=64 | 2x8x64x64:f16 | pass |", "| --- |",
                  "a \\| b \\<i>"));
}

/// The cell of a line of these records' CSV, the header being line 0.
struct Csv {
  std::vector<std::vector<std::string>> lines;
  explicit Csv(const std::vector<Record>& records) : lines(fields(to_csv(records))) {
    EXPECT_EQ(lines.size(), records.size() + 1);
    for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  }
  std::string at(size_t line, const char* name) const {
    const auto column = std::ranges::find(lines[0], name);
    return column == lines[0].end() ? "no column" : lines[line][size_t(column - lines[0].begin())];
  }
};

TEST(Csv, HasOneCellForEachColumn) {
  Record r = sample_record();
  r.message = "one line, \"quoted\"";
  const Record empty{.variant = "tiled"};
  const Csv csv({plain_record(), r, empty});
  EXPECT_EQ(csv.lines[0], fields(csv_header())[0]);
  const std::vector<std::tuple<size_t, const char*, const char*>> cells{
      {1, "problem", "2x8x64x64:f16"},
      {1, "median_ns", "12345"},
      {1, "registers", ""},
      {1, "pass", "true"},
      {2, "spill_bytes", "0"},
      {2, "rows_total", "18446744073709551615"},
      {2, "seed", "18446744073709551614"},
      {2, "config", "BLOCK_M=64,BLOCK_N=-5000000000000000001"},
      {2, "message", "one line, quoted"}};
  for (const auto& [line, name, text] : cells) EXPECT_EQ(csv.at(line, name), text) << name;
  for (size_t i = 0; i < csv.lines[0].size(); ++i) EXPECT_NE(csv.lines[2][i], "") << "it has all: " << csv.lines[0][i];
  for (const char* name :
       {"pass", "worst_batch", "median_ns", "tflops", "gbps", "registers", "workgroups", "compile_ms"})
    EXPECT_EQ(csv.at(3, name), "") << name;
  for (const char* name : {"flops", "scratch_bytes", "shared_bytes"}) EXPECT_EQ(csv.at(3, name), "0") << name;
}

TEST(Numbers, ThatAreNotFiniteAreEmptyCells) {
  Record r = plain_record(), none = plain_record();
  r.verdict->nmse = r.verdict->max_abs = r.tflops = std::numeric_limits<double>::quiet_NaN();
  r.statistics->noise = r.gbps = std::numeric_limits<double>::infinity();
  none.statistics.reset();
  none.tflops = none.gbps = 0;
  const std::vector<Record> records{r, none};
  const std::string table = render_terminal(short_table(records, {}));
  for (const std::string& text : {lines_of(to_csv(records))[1], table, render_terminal(best_table(records, {}))})
    for (const char* hole : {"nan", "inf"}) EXPECT_FALSE(has(text, hole));
  EXPECT_TRUE(has(table, "no accepted samples"));
}

TEST(Units, KeepFourDigitsFollowTheSizeAndShowTheLeastOfAColumn) {
  EXPECT_EQ(four_digits(0), "0");
  EXPECT_EQ(four_digits(999.96), "1000");
  EXPECT_EQ(four_digits(0.0123456), "0.01235");
  EXPECT_EQ(four_digits(1.5e-6), "1.500e-06");
  EXPECT_EQ(four_digits(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_STREQ(choose_time_unit(std::vector{900.0, 1e4, 1e5}).name, "µs");
  EXPECT_STREQ(choose_time_unit(std::vector<double>{}).name, "µs");
  EXPECT_EQ(bytes_text(1.5 * (1 << 30)), "1.5 GiB");
  EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(32768), "32 KiB");
  EXPECT_EQ(flops_text(2e9), "2.000 GFLOP/s") << "and not 0.002 TFLOP/s";
  EXPECT_EQ(flops_text(999.96e9), "1.000 TFLOP/s");
  EXPECT_EQ(flops_text(0.5), "0.5000 FLOP/s");
  EXPECT_EQ(bytes_rate_text(7419), "7.419 kB/s");
  EXPECT_EQ(time_text(999.96e3), "1.000 ms");
  EXPECT_EQ(time_text(999.7e3, 3), "1.00 ms");
  EXPECT_EQ(time_text(4e12), "4000 s");
  for (const double nothing :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(flops_text(nothing), "");
    EXPECT_EQ(bytes_rate_text(nothing), "");
    EXPECT_EQ(time_text(nothing), "");
  }
  const auto unit = [](std::vector<double> rates) { return choose_rate_unit(rates, "FLOP/s").name; };
  EXPECT_EQ(unit({1.5e12, 1.6e12, 2e9}), "GFLOP/s") << "else the last were 0.002";
  EXPECT_EQ(unit({1.5e12, 1.6e12, 2e10}), "TFLOP/s");
  EXPECT_EQ(unit({}), "GFLOP/s");
  EXPECT_EQ(unit({0, std::numeric_limits<double>::quiet_NaN(), 7e12}), "TFLOP/s")
      << "what was not measured does not count";
  EXPECT_DOUBLE_EQ(choose_rate_unit(std::vector{5e7}, "B/s").size, 1e6);
}

TextTable letters() {
  return {.columns = {{"name", false, 0, 8}, {"µ", true}, {"second", true, 2}, {"third", true, 1}},
          .rows = {{"a name of some length", "12.5", "abcdefghij", "x"}, {"ä–ö–ü", "1", "k", "abcdefghijklmnopqrst"}}};
}

TEST(Terminal, ColumnsGiveUpRoomThenGoByRank) {
  const auto widths = [](size_t width) {
    const TextTable t = letters();
    const std::vector<size_t> natural{21, 4, 10, 20};
    return fit_columns(t.columns, natural, width);
  };
  using Columns = std::vector<FittedColumn>;
  EXPECT_EQ(widths(61).columns, (Columns{{0, 21}, {1, 4}, {2, 10}, {3, 20}}));
  EXPECT_EQ(widths(50).columns, (Columns{{0, 10}, {1, 4}, {2, 10}, {3, 20}})) << "the name is cut first";
  EXPECT_EQ(widths(47).columns, (Columns{{0, 19}, {1, 4}, {3, 20}})) << "then the second goes, and the name has room";
  EXPECT_EQ(widths(47).left_out, std::vector<size_t>{2});
  EXPECT_EQ(widths(20).columns, (Columns{{0, 14}, {1, 4}}));
  EXPECT_EQ(widths(20).left_out, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(widths(12).columns, (Columns{{0, 12}})) << "of those that are equally expendable the last goes";
}

TEST(Terminal, SaysWhatHasNoRoomAndCutsAtCharactersAndNotAtBytes) {
  const std::string text = render_terminal(letters(), 30);
  EXPECT_FALSE(has(text, "abcdefghij"));
  EXPECT_TRUE(has(text, "Hidden columns: second, third."));
  EXPECT_FALSE(has(render_terminal(letters()), "Hidden"));
  EXPECT_EQ(cut_to("12.10–12.50", 11), "12.10–12.50");
  EXPECT_EQ(cut_to("12.10–12.50", 7), "12.10–…");
  EXPECT_EQ(cut_to("µµµ", 2), "µ…");
  EXPECT_EQ(cut_to("µ", 0) + cut_to("", 3), "");
  EXPECT_EQ(wrapped("one two three", 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("a\nb", 8), "a b\n");
  EXPECT_EQ(wrapped("abcdefghijkl µµµµµµµµµ", 8), "abcdefgh\n  ijkl\n  µµµµµµ\n  µµµ\n");
  EXPECT_EQ(wrapped("", 8), "");
}

// Cells, titles, notes of every length and with every kind of character: never wider than asked, nothing but spaces
// lost of the notes.
TEST(Terminal, NoLineIsEverTooWide) {
  const std::vector<std::string> words{"µs",  "12.10–12.50", "1x8x64x64:kv=2:causal:f32", "a b c",
                                       "ééé", "…",           std::string(300, 'x'),       "line\nbreak"};
  uint32_t state = 7;
  const auto random = [&](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  const auto text_of = [&](uint32_t most) {
    std::string text;
    for (uint32_t i = random(most + 1); i > 0; --i)
      text += words[random(uint32_t(words.size()))] + (random(2) ? " " : "");
    return text;
  };
  for (int round = 0; round < 150; ++round) {
    TextTable t{.title = text_of(4), .heading = {text_of(9)}, .notes = {text_of(20), text_of(3)}};
    for (uint32_t c = 1 + random(15); c > 0; --c)
      t.columns.push_back({text_of(1), random(2) == 1, int(random(4)), random(2) * random(30)});
    for (uint32_t r = random(4); r > 0; --r) {
      std::vector<std::string> row;
      for (size_t c = 0; c < t.columns.size(); ++c) row.push_back(text_of(2));
      t.rows.push_back(row);
    }
    for (size_t width = 20; width <= 200; width += 1 + width / 9)
      for (const std::string& line : lines_of(render_terminal(t, width)))
        EXPECT_LE(display_width(line), width) << line << "\nround " << round;
  }
}

TEST(Visible, WhatATerminalWouldObeyOrIsNoUtf8IsShownAndTablesObeyNothing) {
  const std::string letters = "µs – ä ß 日本語 עברית العربية 👩‍🔬 ×\n\tindented";
  for (const auto& [text, shown] : std::vector<std::pair<std::string, std::string>>{
           {"\x1b]0;owned\a", "\\x1b]0;owned\\x07"},
           {"\x1b[2Jgone\x7f\b", "\\x1b[2Jgone\\x7f\\x08"},
           {"over\rwritten", "over\\x0dwritten"},
           {"C1: \u009b31m, raw: \x9b-", "C1: \\x9b31m, raw: \\x9b-"},
           {"\u202eevil\u2066 \u200f \u061c", "\\u202eevil\\u2066 \\u200f \\u061c"},
           {"tag \U000e0041", "tag \\U000e0041"},
           {std::string("a\0b", 3), "a\\x00b"},
           {letters, letters},
           {"line\r\nline", "line\nline"},
           {"\xff\xc3", "\\xff\\xc3"},
           {"\xc0\x9b", "\\xc0\\x9b"},           // too long a form of ESC and its like
           {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // half a surrogate
           {"\xe2\x80", "\\xe2\\x80"}})          // cut off
    EXPECT_EQ(visible(text), shown);
  EXPECT_EQ(visible_line("a\nb\tc\rd"), "a b c d");
  const TextTable t{.title = "t\x1b[31m",
                    .columns = {{"n\x1b"}, {"v"}},
                    .rows = {{"a\x1b[2J\nb", "x"}},
                    .notes = {"note \x1b]52;c;\a"}};
  for (const std::string& text : {render_terminal(t, 80), render_markdown(t)})
    EXPECT_FALSE(has(text.substr(text.find('\n')), '\x1b'));
  EXPECT_TRUE(has(render_terminal(t, 80), "a\\x1b[2J b"));
}

TEST(Visible, JsonEscapesThemByItsOwnRules) {
  const std::string hostile = "\x1b \u009b \u202e \U000e0041 \x7f µ";
  for (const std::string& text : {dump_line(Json{{"k", hostile}}), dump_pretty(Json{{hostile, {hostile}}})}) {
    split_controls(
        text, [&](uint32_t c, size_t, size_t) { EXPECT_EQ(c, uint32_t{'\n'}) << text; }, [](std::string_view) {});
    EXPECT_TRUE(has(must(parse_json(text, "it"))->dump(), "µ"));
  }
  EXPECT_EQ(parse_json(dump_line(Json(hostile)), "it")->get<std::string>(), hostile);
}

}  // namespace attnscope::table_test
