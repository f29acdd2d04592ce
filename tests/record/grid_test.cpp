// Grids of recorded runs: what goes in which cell, how tables are split, and what is refused.
#include "tests/record/sample_record.hpp"

namespace attnscope::grid_test {

Record made(const char* problem, double ns, uint64_t registers, const char* variant = "tiled") {
  Record r = steady(ns, problem, {{"BLOCK_M", 64}});
  r.variant = variant;
  r.resources.registers = registers;
  r.resources.compile_ms = ns / 1e4;
  return r;
}

struct Compared {
  std::vector<Record> a, b;
  FileComparison files;
  Compared(std::vector<Record> x, std::vector<Record> y) : a(std::move(x)), b(std::move(y)) {
    files = compare_matched(match_records(a, b), 0.02);
    files.a = "before.json";
    files.b = "after.json";
  }
};

TEST(Grid, HasRowsByOneFieldAndColumnsByAnother) {
  const Compared c({made("1x8x1024x64:f16", 4e5, 204), made("1x8x512x64:f16", 1e5, 204),
                    made("1x8x512x128:f16", 2e5, 255), made("1x8x1024x128:f16", 8e5, 255)},
                   {made("1x8x1024x64:f16", 4e5, 204), made("1x8x512x64:f16", 0.72e5, 146),
                    made("1x8x512x128:f16", 2.09e5, 255), made("1x8x1024x128:f16", 8.16e5, 200)});
  const auto tables = must(comparison_grids(c.files, {{"head_dim", "seq_kv"}, {"time", "registers", "compile"}}));
  ASSERT_EQ(tables->size(), 1u);
  const TextTable& t = tables->front();
  ASSERT_EQ(t.columns.size(), 3u);
  EXPECT_EQ(t.columns[0].title, "head_dim ↓ seq_kv →");
  EXPECT_EQ(t.columns[1].title, "512");
  EXPECT_EQ(t.columns[2].title, "1024") << "by size, not by letters";
  EXPECT_EQ(t.rows[0],
            (std::vector<std::string>{"64", "−28 % | 204 → 146 | 10.00 → 7.200 ms", "same | 204 | 40.00 ms"}));
  EXPECT_EQ(t.rows[1][1], "+4.5 % | 255 | 20.00 → 20.90 ms");
  EXPECT_EQ(t.rows[1][2], "+2.0 % ? | 255 → 200 | 80.00 → 81.60 ms") << "at the boundary nothing is claimed";
  EXPECT_EQ(t.notes, std::vector<std::string>{"From cell to cell these differ, too: v_dim, seq_q."});
  const std::string text = render_markdown(t);
  EXPECT_TRUE(has(text, "| 64 | −28 % \\| 204 → 146 \\| 10.00 → 7.200 ms |", "| ---: | ---: | ---: |",
                  "B (after.json) against A (before.json), 1 FASTER, 1 SLOWER, 1 SAME, 1 UNSURE."));
}

TEST(Grid, ByOneFieldEachValueHasAColumn) {
  const Compared c({made("1x8x512x64:f16", 1e5, 204)}, {made("1x8x512x64:f16", 2e5, 204)});
  const auto tables = must(comparison_grids(c.files, {{"BLOCK_M"}, {"time", "registers", "median", "spill"}}));
  EXPECT_EQ(tables->front().columns[0].title, "BLOCK_M");
  EXPECT_EQ(tables->front().rows,
            (std::vector<std::vector<std::string>>{{"64", "+100 %", "204", "100.0 → 200.0 µs", "0"}}));
}

TEST(Grid, ACellHasAsManyValuesAsTheHeading) {
  std::vector<Record> a{made("1x8x512x64:f16", 1e5, 1)};
  a[0].resources.registers.reset();
  const Compared c(a, a);
  const auto tables = must(comparison_grids(c.files, {{"head_dim", "seq_kv"}, {"time", "registers", "median"}}));
  EXPECT_EQ(tables->front().rows[0][1], "same | – | 100.0 µs");
  const auto by_one = must(comparison_grids(c.files, {{"head_dim"}, {"time", "registers"}}));
  EXPECT_EQ(by_one->front().rows[0], (std::vector<std::string>{"64", "same", "–"}));
}

TEST(Grid, RowsThatWouldShareACellAreToldApart) {
  const Compared c(
      {made("1x8x512x64:f16", 1e5, 1), made("1x8x512x64:f16", 1e5, 1, "row"), made("1x8x512x64:causal:f16", 1e5, 1)},
      {made("1x8x512x64:f16", 1e5, 1), made("1x8x512x64:f16", 2e5, 1, "row"), made("1x8x512x64:causal:f16", 1e5, 1)});
  const auto tables = must(comparison_grids(c.files, {{"head_dim", "seq_kv"}, {"time"}}));
  ASSERT_EQ(tables->size(), 3u);
  EXPECT_EQ((*tables)[0].title, "variant tiled, causal no");
  EXPECT_EQ(std::tuple((*tables)[1].title, (*tables)[1].rows[0][1], (*tables)[2].title),
            std::tuple("variant row, causal no", "+100 %", "variant tiled, causal yes"));
}

TEST(Grid, WhatIsNotThereIsRefusedWithWhatIs) {
  const Compared c({made("1x8x512x64:f16", 1e5, 1)}, {made("1x8x512x64:f16", 1e5, 1)});
  EXPECT_TRUE(fails(comparison_grids(c.files, {{"head_dims"}, {"time"}}), "--by head_dims", "parameters: BLOCK_M"));
  EXPECT_TRUE(fails(comparison_grids(c.files, {{"head_dim"}, {"times"}}), "registers"));
  EXPECT_FALSE(comparison_grids(c.files, {{"batch", "head_dim", "seq_kv"}, {"time"}}));
}

}  // namespace attnscope::grid_test
