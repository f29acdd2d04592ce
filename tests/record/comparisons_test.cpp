// Records against records: which can be compared, what recorded runs of a real GPU say of one another, two sets row by
// row (what is matched with what, the words, the gate, the documents), and grids of them.
#include "engine/record/results.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::comparisons_test {

Record steady(double ns, int64_t block_n) { return attnscope::steady(ns, "1x8x512x64:f16", {{"BLOCK_N", block_n}}); }
Record steady(double ns) { return steady(ns, 16); }
Record with(Record r, Outcome outcome) {
  r.outcome = outcome;
  if (outcome != Outcome::measured) {
    r.samples_ns.clear();
    r.statistics.reset();
  }
  return r;
}
Record failed(Record r, const char* why) {
  r.verdict->pass = false;
  r.verdict->reason = why;
  return with(std::move(r), Outcome::failed_verdict);
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
  // Of several alike the first goes with the first.
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
  EXPECT_EQ(no_longer_passing(files), std::vector{sentence_of(files.rows[3])});
  EXPECT_TRUE(has(sentence_of(files.rows[3]), "NaN in row 3"));
  EXPECT_TRUE(sentence_of(files.rows[0]).starts_with("tiled BLOCK_N=1 on 1x8x512x64:f16: 1.1000 (1.0"))
      << sentence_of(files.rows[0]);
  EXPECT_EQ(words_text(files.rows), "1 FASTER, 2 SLOWER, 1 SAME, 1 UNSURE");
  const Json json = Json::parse(comparison_json(files));
  EXPECT_EQ(json.at("counts").at("SLOWER"), 2);
  EXPECT_EQ(*must(decode<std::vector<RowComparison>>(json.at("comparisons"), "rows")), files.rows);
}

TEST(Comparisons, TheGateFailsWhateverPassedAndNoLongerDoes) {
  const Record was = steady(1e5);
  const auto failures = [](std::vector<Record> a, std::vector<Record> b) {
    a.push_back(steady(1e5, 2));
    b.push_back(steady(1e5, 2));
    return no_longer_passing(compare_matched(match_records(a, b), 0.02)).size();
  };
  EXPECT_EQ(failures({was}, {was}), 0u);
  for (const Outcome outcome : {Outcome::error, Outcome::refused, Outcome::cancelled, Outcome::failed_verdict}) {
    EXPECT_EQ(failures({was}, {with(was, outcome)}), 1u) << to_text(outcome);
    EXPECT_EQ(failures({with(was, Outcome::verified)}, {with(was, outcome)}), 1u) << "of verify: " << to_text(outcome);
    EXPECT_EQ(failures({with(was, outcome)}, {with(was, outcome)}), 0u) << to_text(outcome);
  }
  EXPECT_EQ(failures({was}, {}), 1u) << "missing";
  EXPECT_EQ(failures({was, was}, {was}), 0u) << "measured again in A alone";
  EXPECT_EQ(failures({was}, {with(was, Outcome::verified)}), 1u) << "no longer timed";
  EXPECT_EQ(failures({}, {was}), 0u);
  Record stopped = steady(2e5);
  stopped.outcome = Outcome::cancelled;
  EXPECT_EQ(compare_matched(match_records(std::vector{was}, std::vector{stopped}), 0.02).rows[0].comparison.relation,
            Relation::unsure);
  Record broken = steady(1.1e5);
  broken.samples_ns[7] = 0;
  EXPECT_EQ(failures({was}, {broken}), 1u);
  EXPECT_EQ(failures({broken}, {was}), 1u);
  Record unjudged = was, of_no_rows = was;
  unjudged.verdict.reset();
  of_no_rows.verdict->rows_checked = 0;
  for (const Record& r : {unjudged, of_no_rows}) {
    EXPECT_EQ(failures({was}, {r}), 1u);
    EXPECT_EQ(failures({r}, {r}), 0u);
  }
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
  EXPECT_EQ(std::tuple(t.rows[0].front(), t.rows[0].back(), t.rows[1].back()), std::tuple("tiled", "SLOWER", "UNSURE"));
  EXPECT_EQ(t.rows[1][5], "") << "times that cannot be compared have no ratio";
  const std::string text = render_markdown(t);
  EXPECT_TRUE(has(text, "A: old.json", "two drivers", "Only in A: tiled BLOCK_N=32 on",
                  "Only in B: tiled BLOCK_N=64 on", "1 more rows were measured in neither", "1.1000", "110"));
}

TEST(Comparisons, AcrossConfigsDefaultGoesWithTuned) {
  const std::vector a{steady(2e5, 16)}, b{steady(1e5, 32)};
  EXPECT_TRUE(match_records(a, b).pairs.empty());
  const FileComparison files = compare_matched(match_records(a, b, {.config = true}), 0.02);
  EXPECT_EQ(only(files.rows).comparison.relation, Relation::faster);
  std::vector other = a;
  other[0].variant = "row";
  EXPECT_TRUE(match_records(a, other, {.config = true}).pairs.empty());
  EXPECT_EQ(match_records(a, other, {.variant = true}).pairs.size(), 1u);
}

TEST(Comparisons, AcrossDriversTimesAreCompared) {
  std::vector a{steady(2e5, 16)}, b{steady(1e5, 16)};
  b[0].environment.device.driver = "Some 1.2.4";
  b[0].environment.device.pipeline_uuid = "another";
  const auto relation = [&](MatchAcross across) {
    return compare_matched(match_records(a, b, across), 0.02).rows.at(0).comparison.relation;
  };
  EXPECT_EQ(relation({}), Relation::unsure);
  EXPECT_EQ(relation({.driver = true}), Relation::faster);
  // Of several of a config the last on each side: the newest, as the history exports them.
  a.insert(a.begin(), steady(5e4, 16));
  b.push_back(steady(4e5, 16));
  EXPECT_EQ(relation({.driver = true}), Relation::slower);
  const MatchedRecords newest = match_records(a, b, {.driver = true});
  EXPECT_EQ(newest.pairs.size(), 1u);
  EXPECT_TRUE(newest.only_a.empty() && newest.only_b.empty()) << "the earlier ones are not one side's alone";
}

TEST(Comparisons, TheSameNameOnBothSidesSaysWhatDiffers) {
  std::vector a{steady(1e5, 16)}, b{steady(1e5, 16)};
  a[0].environment.device.device_id = 1;
  b[0].environment.device.device_id = 2;
  const FileComparison files = compare_matched(match_records(a, b), 0.02);
  EXPECT_TRUE(has(only(files.only_a), "with device_id 0x1"));
  EXPECT_TRUE(has(files.only_b[0], "with device_id 0x2"));
  b.push_back(steady(1e5, 16));
  b[1].protocol.cache = CacheMode::cold;
  EXPECT_EQ(least_difference(match_records(a, b)), (std::vector<std::string>{"device_id (0x1 and 0x2)"}));
  b = {a[0], a[0]};
  EXPECT_TRUE(compare_matched(match_records(a, b), 0.02).only_b.at(0).ends_with(" measured once more"));
}

TEST(Comparisons, OfTwoConfigsTheTableNamesBoth) {
  RowComparison row = row_of(steady(1e5, 16), steady(1e5, 32));
  row.comparison = {Relation::same, 1, 0.999, 1.001, ""};
  const TextTable t = comparison_table(std::vector{row}, 0.005);
  EXPECT_EQ(std::tuple(t.columns[0].title, t.rows[0][0], t.rows[0][1]),
            std::tuple("A", "tiled BLOCK_N=16", "tiled BLOCK_N=32"));
  EXPECT_TRUE(has(t.notes[0], "0.5 %"));
  row.comparison = {Relation::unsure, 0, 0, 0, "B is failed: NMSE"};
  EXPECT_TRUE(
      has(comparison_table(std::vector{row}, 0.005, {"main", "branch"}).notes.back(), "branch is failed: NMSE"));
}

Record row(const char* gpu, int64_t block, uint64_t registers, std::optional<uint64_t> spills) {
  return {.problem = *parse_problem("1x1x32x32"),
          .variant = "tiled",
          .config = {{"BLOCK_M", block}},
          .outcome = Outcome::compiled,
          .resources = {.registers = registers, .spills = spills},
          .environment = {.device = {.name = gpu}}};
}

size_t failures(const std::vector<Record>& records, const CompileGate& gate) {
  return must(failed_gates(records, gate))->size();
}

TEST(CompileGate, SpillsAndRegisters) {
  const std::vector<Record> rows{row("A", 32, 96, 0), row("A", 64, 200, 7), row("B", 64, 120, std::nullopt)};
  EXPECT_EQ(failures(rows, {}), 0u);
  EXPECT_EQ(failures(rows, {.spill = true}), 1u) << "not reported is no spill";
  EXPECT_EQ(failures(rows, {.registers = 120}), 1u);
  EXPECT_EQ(failures(rows, {.registers = 119}), 2u);
  Record bytes = row("A", 16, 10, std::nullopt);
  bytes.resources.spill_bytes = 16;
  EXPECT_EQ(failures({bytes}, {.spill = true}), 1u) << "NVIDIA's driver reports bytes alone";
}

TEST(CompileGate, WorseThanTheBaseline) {
  const std::vector<Record> before{row("A", 32, 96, 0), row("A", 64, 200, 7), row("A", 128, 50, 0)};
  EXPECT_EQ(failures(before, {.baseline = before}), 0u);
  EXPECT_EQ(failures({row("A", 32, 97, 1), row("A", 64, 100, 0)}, {.baseline = before}), 2u) << "both of one row";
  Record refused = row("A", 32, 0, std::nullopt);
  refused.outcome = Outcome::refused;
  EXPECT_EQ(failures({refused}, {.baseline = before}), 1u);
  EXPECT_FALSE(failed_gates(std::vector<Record>{row("B", 32, 96, 0)}, {.baseline = before})) << "another GPU";
}

TEST(CompareRecords, OfTheSameDeviceProblemAndModesGetAWord) {
  const Record a = steady(1e5), b = steady(1.2e5);
  EXPECT_EQ(compare_records(a, b).relation, Relation::slower);
  EXPECT_EQ(compare_records(b, a).relation, Relation::faster);
  EXPECT_EQ(compare_records(a, b).ratio, b.statistics->median / a.statistics->median);
  EXPECT_EQ(compare_records(a, b),
            compare_records(a, make_sample_summary(a.samples_ns), b, make_sample_summary(b.samples_ns)));
  Record other = b;
  other.variant = "naive";
  other.config = {};
  other.seed = 3;
  other.environment.shader_hash = "another";
  EXPECT_EQ(compare_records(a, other).relation, Relation::slower) << "that is what one compares";
}

TEST(CompareRecords, OfAnythingElseAreUnsureAndSayWhy) {
  const Record a = steady(1e5);
  const std::vector<std::pair<const char*, std::function<void(Record&)>>> changes{
      {"two devices", [](Record& r) { r.environment.device.name = "Another GPU"; }},
      {"two devices", [](Record& r) { r.environment.device.device_id = 7; }},
      {"two drivers", [](Record& r) { r.environment.device.driver = "Some 1.2.4"; }},
      {"two drivers", [](Record& r) { r.environment.device.driver = ""; }},
      {"two problems", [](Record& r) { r.problem.seq_kv *= 2; }},
      {"two cache modes", [](Record& r) { r.protocol.cache = CacheMode::hot; }},
      {"two launch modes", [](Record& r) { r.protocol.launch = LaunchMode::isolated; }},
      {"two lengths of a sample", [](Record& r) { r.protocol.min_sample_us = 0; }},
      {"no samples", [](Record& r) { r.samples_ns.clear(); }},
      {"too few samples", [](Record& r) { r.samples_ns.resize(4); }},
  };
  for (const auto& [why, change] : changes) {
    Record b = steady(1.2e5);
    change(b);
    for (const Comparison& c : {compare_records(a, b), compare_records(b, a)}) {
      EXPECT_EQ(c.relation, Relation::unsure) << why;
      EXPECT_TRUE(has(c.reason, why));
    }
  }
}

TEST(CompareRecords, RunsOfASoftwareDeviceNeedMoreThanTwiceTheTime) {
  Record a = steady(1e5), twice = steady(2e5), more = steady(4e5);
  for (Record* r : {&a, &twice, &more}) r->environment.device.type = DeviceType::software;
  EXPECT_EQ(compare_records(a, twice).reason, "not taken interleaved, on a device that shares its CPU");
  EXPECT_EQ(compare_records(a, more).relation, Relation::slower);
  more.environment.host_os = "Another 6.1";
  EXPECT_TRUE(has(compare_records(a, more).reason, "two hosts"));
  more.environment.host_os = "";
  EXPECT_EQ(compare_records(a, more).relation, Relation::slower) << "a host that is not known is not another one";
}

std::vector<Record> recorded(std::initializer_list<const char*> files) {
  std::vector<Record> all;
  for (const char* file : files) {
    const auto read = must(read_results(shipped("docs/results") / file));
    all.insert(all.end(), read->records.begin(), read->records.end());
  }
  return all;
}
std::vector<Record> runs() { return recorded({"2026-11-22c-h200-runs.json"}); }
std::vector<Record> recorded() {
  return recorded({"2026-11-21-h200-speed.json", "2026-11-21-h200-dvtile.json", "2026-11-21-h200-systems.json",
                   "2026-11-21-h200-first-variants.json", "2026-11-22c-h200-runs.json"});
}

// Runs of one config in different processes on an H200, whose medians are up to 2.7 % apart.
TEST(CompareRecords, RecordedRunsOfTheSameConfigAreNeverFasterOrSlower) {
  const std::vector<Record> records = recorded();
  size_t pairs = 0;
  for (size_t i = 0; i < records.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Record &a = records[i], &b = records[j];
      if (a.variant != b.variant || a.config != b.config || a.environment.shader_hash != b.environment.shader_hash ||
          !why_not_comparable(a, b).empty())
        continue;
      const Comparison c = compare_records(a, b);
      EXPECT_TRUE(c.relation == Relation::same || c.relation == Relation::unsure)
          << a.variant << " " << to_text(a.config) << " on " << to_text(a.problem) << ": " << c.ratio << " (" << c.low
          << " to " << c.high << ")";
      ++pairs;
    }
  EXPECT_GE(pairs, 20u + 4 * 45);
}

// Each is a run of its own, as it was sampled: no factor is put on anything.
TEST(CompareRecords, RecordedRunsOfAShaderWithExtraWorkAreTold) {
  const auto file = runs();
  ASSERT_EQ(file.size(), 40u);
  const auto slower = [&](size_t shipped, size_t more_work) {
    int told = 0;
    for (size_t i = 0; i < 10; ++i)
      for (size_t j = 0; j < 10; ++j) {
        const Relation word = compare_records(file[shipped + i], file[more_work + j]).relation;
        EXPECT_NE(word, Relation::faster);
        told += word == Relation::slower;
      }
    return told;
  };
  EXPECT_GE(slower(0, 10), 95) << "of 100 with 3.7 % more in the median";
  EXPECT_GE(slower(20, 30), 60) << "of 100 with 2.6 %, some of them not beyond 2 %";
}

Record made(const char* problem, double ns, uint64_t registers, const char* variant = "tiled") {
  Record r = attnscope::steady(ns, problem, {{"BLOCK_M", 64}});
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

TEST(Grid, ACellHasAsManyValuesAsTheHeadingAlsoByOneField) {
  std::vector<Record> a{made("1x8x512x64:f16", 1e5, 1)};
  a[0].resources.registers.reset();
  const Compared same(a, a);
  const auto by_two = must(comparison_grids(same.files, {{"head_dim", "seq_kv"}, {"time", "registers", "median"}}));
  EXPECT_EQ(by_two->front().rows[0][1], "same | – | 100.0 µs");
  const auto by_one = must(comparison_grids(same.files, {{"head_dim"}, {"time", "registers"}}));
  EXPECT_EQ(by_one->front().rows[0], (std::vector<std::string>{"64", "same", "–"}));
  const Compared c({made("1x8x512x64:f16", 1e5, 204)}, {made("1x8x512x64:f16", 2e5, 204)});
  const auto tables = must(comparison_grids(c.files, {{"BLOCK_M"}, {"time", "registers", "median", "spill"}}));
  EXPECT_EQ(tables->front().columns[0].title, "BLOCK_M");
  EXPECT_EQ(tables->front().rows,
            (std::vector<std::vector<std::string>>{{"64", "+100 %", "204", "100.0 → 200.0 µs", "0"}}));
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

}  // namespace attnscope::comparisons_test
