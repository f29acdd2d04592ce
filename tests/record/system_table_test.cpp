#include <fmt/ranges.h>

#include "engine/record/results.hpp"
#include "engine/record/system_table.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::system_table_test {

Record measured(const char* problem, double median_ns) {
  Record r = timed(problem, "some", {{"TILE", 32}}, median_ns);
  Statistics& s = *r.statistics;
  s.min = median_ns / 2, s.max = median_ns * 4;
  r.verdict->max_abs = 1.5e-6;
  r.verdict->mean_abs = 2.5e-7;
  r.flops = 4000;
  r.bytes = 1000;
  r.extra_bytes = 3000;
  r.scratch_bytes = 512;
  r.resources.registers = 96;
  r.resources.spill_bytes = 0;
  r.resources.shared_bytes = 4096;
  r.resources.compile_ms = 1;
  r.resources.compile = Compile::measured;
  r.environment.device.name = "Some GPU";
  r.environment.device.driver = "1.2";
  return r;
}
Record refused(const char* problem, const char* why) { return attnscope::refused(problem, "", {}, why); }
Record baseline(const char* problem, const char* launch, double median_ns) {
  Record r = measured(problem, median_ns);
  r.variant = "peer";
  r.config.clear();
  r.config_name = launch;
  return r;
}

/// The table of a preset file of these lines.
SystemTable table_of(const std::string& lines) {
  return must(must(parse_preset("title = \"T\"\nproblems = [\"1x1x8x8\"]\n" + lines))->table).value();
}

/// The cell of a row under a column; columns of equal titles are told apart by `nth`.
std::string at(const TextTable& table, size_t row, const std::string& title, size_t nth = 0) {
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].title == title && nth-- == 0) return row < table.rows.size() ? table.rows[row][c] : "no row";
  return "no column";
}
/// The cells of a row.
std::string row(const TextTable& table, size_t at) { return fmt::format("{}", fmt::join(table.rows.at(at), " | ")); }
bool noted(const TextTable& table, const std::string& text) {
  return std::ranges::any_of(table.notes, [&](const auto& n) { return bool(has(n, text)); });
}

TEST(SystemTable, OneLineAProblemShowsWhoseItIsOtherRowsAndMeans) {
  const SystemTable spec = table_of(
      "[table]\nunit = \"ns\"\nproblems = [{ whose = \"GPT\", problem = \"1x1x8x8\" }, "
      "\"1x1x9x8:q=1\"]\ncolumns = [{ title = \"whose\", value = \"whose\" }, { title = \"ours\", value = "
      "\"median\" }, { title = \"variant\", value = \"variant\" }, { title = \"config\", value = \"config\" }, "
      "{ title = \"peer\", value = \"time\", of = \"peer\" }, { title = \"ratio\", value = \"speedup\", over = "
      "\"peer\" }]\nmeans = [{ title = \"mean\" }, { title = \"decode\", where = \"seq_q == 1\" }, { title = "
      "\"bf\", where = \"dtype == bf16\" }]\n[[row]]\nname = \"ours\"\nvariant = \"auto\"\n[[row]]\nname = "
      "\"peer\"\nbaseline = \"peer\"\nconfig = \"graph\"\nshown = false\n");
  const Record a = measured("1x1x8x8", 100), b = measured("1x1x9x8:q=1", 200);
  const std::vector<Record> base{baseline("1x1x8x8", "graph", 400), baseline("1x1x9x8:q=1", "graph", 200)};
  const TextTable t = system_table(spec, "T", {{&a, &b}, {}}, base);
  ASSERT_EQ(t.rows.size(), 6u) << "two problems, and two lines for each mean that has any";
  EXPECT_EQ(row(t, 0), "GPT | 100.0 | some | TILE=32 | 400.0 | 4.00x");
  EXPECT_EQ(row(t, 1), " | 200.0 | some | TILE=32 | 200.0 | 1.00x");
  EXPECT_EQ(row(t, 2), "mean |  |  |  |  | 2.00x") << "geometric";
  EXPECT_EQ(row(t, 3), "… the least |  |  |  |  | 1.00x");
  EXPECT_EQ(row(t, 4), "decode |  |  |  |  | 1.00x");
}

constexpr const char* kPublished = R"(
[table]
device = "Old GPU"
source = "a study"
problems = ["1x1x8x8", "1x1x16x8"]
mark_best = true
baselines = ["peer"]
columns = [
  { title = "version", value = "name" },
  { title = "time", value = "median" },
  { title = "slowest", value = "max" },
  { title = "vs", value = "baseline" },
  { title = "old time", published = "times" },
  { title = "old ratio", published = "ratio" },
]
[[row]]
name = "v1"
variant = "some"
published = { times = ["0.0107", 0.5], ratio = "2.05x" }
[[row]]
name = "v2"
variant = "some"
config = "TILE=64"
[[row]]
name = "peer"
baseline = "peer"
config = "bench"
published = { ratio = 1 }
)";

TEST(SystemTable, PublishedFiguresAndBaselinesStandBesideOurs) {
  const SystemTable spec = table_of(kPublished);
  const Record a = measured("1x1x8x8", 1e6), b = measured("1x1x16x8", 3e6), c = measured("1x1x8x8", 2e6);
  const Record no = refused("1x1x16x8", "it needs 64 KB.\nSecond line.");
  const std::vector<Record> base{baseline("1x1x8x8", "bench", 3e6), baseline("1x1x8x8", "graph", 1e6),
                                 baseline("1x1x16x8", "bench", 5e6), baseline("1x1x16x8", "graph", 4e6),
                                 baseline("1x1x99x8", "other", 1)};
  const TextTable t = system_table(spec, "T", {{&a, &b}, {&c, &no}, {}}, base);
  ASSERT_EQ(t.rows.size(), 6u);
  EXPECT_EQ(row(t, 0), "v1 (best) | 1.000 | 4.000 | 3.00x | 1.00x | 0.0107 | 2.05x");
  EXPECT_EQ(row(t, 2), "peer | 3.000 | 12.00 | 1.00x | 0.33x |  | 1") << "of the baseline's file";
  EXPECT_EQ(row(t, 3), "v1 (best) | 3.000 | 12.00 | 1.67x | 1.33x | 0.5 | 2.05x");
  EXPECT_EQ(row(t, 4), "v2 | refused | refused |  |  |  | ") << "it lacks a time, so it is not ranked";
  EXPECT_EQ(at(t, 0, "vs peer bench"), "3.00x");
  EXPECT_EQ(at(t, 0, "vs peer other"), "no column") << "no problem of the table";
  EXPECT_TRUE(noted(t, "v2 on 1x1x16x8:f32: it needs 64 KB.")) << render_terminal(t);
  EXPECT_FALSE(noted(t, "Second line"));
  EXPECT_TRUE(noted(t, "above 1.00x is faster"));
  ASSERT_EQ(t.heading.size(), 3u);
  EXPECT_TRUE(has(t.heading[0], "Ours: Some GPU, driver 1.2; hot cache, isolated"));
  EXPECT_EQ(t.heading[1], "Published: Old GPU; a study.");
}

TEST(SystemTable, WithoutABaselineItsColumnsAreLeftOutAndItsRowsSayHowToGetThem) {
  const Record a = measured("1x1x8x8", 1e6);
  const TextTable t = system_table(table_of(kPublished), "T", {{&a, nullptr}, {}, {}}, {});
  EXPECT_EQ(at(t, 0, "vs peer bench"), "no column");
  EXPECT_EQ(row(t, 0), "v1 (best) | 1.000 | 4.000 | 0.0107 | 2.05x");
  EXPECT_EQ(row(t, 2), "peer |  |  |  | 1");
  EXPECT_EQ(t.rows.size(), 3u) << "nothing was run on the second problem";
  EXPECT_TRUE(noted(t, "--baseline FILE"));
}

constexpr const char* kLong = R"(
[table]
source = "words"
unit = "µs"
problems = ["1x1x8x8", "1x1x16x8", "1x1x32x8"]
mark_best = true
columns = [
  { title = "form", value = "name" },
  { title = "problem", value = "problem" },
  { parameter = "TILE" },
  { title = "time", value = "median" },
  { title = "vs A", value = "speedup", over = "A" },
  { title = "moved", value = "bytes_moved" },
  { title = "scratch", value = "scratch" },
  { title = "intensity", value = "intensity" },
  { title = "of moved", value = "intensity_moved" },
  { title = "registers", value = "registers" },
  { title = "spill", value = "spill" },
  { title = "shared", value = "shared" },
  { title = "diff", value = "mean_abs" },
  { title = "rows", value = "kv_rows_in_48k" },
]
[[row]]
name = "A"
variant = "some"
[[row]]
name = "B"
variant = "some"
config = "b"
)";

TEST(SystemTable, ALineForEachProblemKeepsWhatIsComparedTogether) {
  const Record a8 = measured("1x1x8x8", 4e3), a16 = measured("1x1x16x8", 8e3), b16 = measured("1x1x16x8", 2e3);
  const Record b8 = refused("1x1x8x8", "too wide.");
  const TextTable t = system_table(table_of(kLong), "T", {{&a8, &a16}, {&b8, &b16}}, {});
  ASSERT_EQ(t.rows.size(), 4u) << "nothing was run on the third problem";
  EXPECT_EQ(
      row(t, 0),
      "A (best) | 1x1x8x8:f32 | 32 | 4.000 | 1.00x | 3.9 KiB | 512 B | 4.000 | 1.000 | 96 | 0 | 4096 | 2.50e-07 | 768");
  EXPECT_EQ(row(t, 1), "B | 1x1x8x8:f32 |  | refused |  |  |  |  |  |  |  |  |  | 768") << "48 KB over 16 floats";
  EXPECT_EQ(std::tuple(at(t, 2, "form"), at(t, 3, "form") + at(t, 3, "vs A"), t.heading.back()),
            std::tuple("A", "B (best)4.00x", "Published: words."));
}

TEST(SystemTable, FailuresAreNeverTimesNorTheBest) {
  Record wrong = measured("1x1x8x8", 1);
  wrong.outcome = Outcome::failed_verdict;
  wrong.statistics.reset();
  wrong.verdict->pass = false;
  wrong.verdict->reason = "NMSE 1 is over 0.";
  Record empty = measured("1x1x16x8", 1);
  empty.statistics.reset();
  const Record good = measured("1x1x8x8", 5e3);
  const TextTable t = system_table(table_of(kLong), "T", {{&wrong, &empty}, {&good, nullptr}}, {});
  EXPECT_EQ(at(t, 0, "form") + ", " + at(t, 0, "time"), "A, FAIL");
  EXPECT_EQ(at(t, 1, "form") + at(t, 1, "vs A"), "B (best)");
  EXPECT_EQ(at(t, 2, "time"), "no samples");
  EXPECT_TRUE(noted(t, "A on 1x1x8x8:f32: NMSE 1 is over 0."));
  const Record a = refused("1x1x8x8", "no."), b = refused("1x1x16x8", "no.");
  const TextTable refusals = system_table(table_of(kLong), "T", {{&a, &b}, {&a, &b}}, {});
  EXPECT_TRUE(noted(refusals, "A, B on 1x1x8x8:f32, 1x1x16x8:f32: no."));
  EXPECT_EQ(refusals.notes.size(), 1u) << "one reason is said once";
  // The best is that by the statistic asked for.
  Record spiky = measured("1x1x8x8", 6e3);
  spiky.statistics->min = 1;
  const TableRecords records{{&good}, {&spiky}};
  EXPECT_EQ(at(system_table(table_of(kLong), "T", records, {}), 0, "form"), "A (best)");
  EXPECT_EQ(at(system_table(table_of(kLong), "T", records, {}, &Statistics::min), 1, "form"), "B (best)");
}

// The shipped presets against the shipped variants: what a row names is there.
TEST(SystemPresets, NameVariantsConfigsAndParametersThatThereAre) {
  const fs::path root = ATTNSCOPE_SOURCE_DIR;
  const auto sources = must(read_variant_sources({root / "shaders"}));
  std::map<std::string, Manifest> manifests;
  for (const VariantSource& source : *sources) manifests[source.name] = *must(parse_manifest(source));
  for (const char* name : {"system-A", "system-B", "system-C", "system-D", "system-E"}) {
    const auto preset = must(load_preset(root / "assets/presets", name));
    ASSERT_TRUE(preset->table) << name;
    for (const TableRow& row : preset->table->rows) {
      for (const Problem& p : row.problems)
        EXPECT_NE(std::ranges::find(preset->problems, p), preset->problems.end())
            << name << " does not offer " << to_text(p);
      if (row.from_baseline) continue;
      ASSERT_TRUE(manifests.contains(row.variant)) << name << " " << row.variant;
      const Manifest& m = manifests[row.variant];
      EXPECT_TRUE(row.config.empty() || row.config == "default" ||
                  std::ranges::any_of(m.configs, [&](const NamedConfig& c) { return c.name == row.config; }))
          << name << " " << row.variant << " " << row.config;
      for (const TableColumn& c : preset->table->columns)
        EXPECT_TRUE(c.value != "parameter" ||
                    std::ranges::any_of(m.parameters, [&](const ParameterDecl& p) { return p.name == c.key; }))
            << name << " " << c.key;
    }
    // A software device finishes something of each.
    const double limit = preset->table->software_gflop > 0 ? preset->table->software_gflop * 1e9 : 1e12;
    const auto& row = preset->table->rows.front();
    EXPECT_TRUE(std::ranges::any_of(row.problems, [&](const Problem& p) { return problem_flops(p) <= limit; })) << name;
  }
}

}  // namespace attnscope::system_table_test
