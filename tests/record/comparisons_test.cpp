// Two sets of records row by row: what is matched with what, the words, the gate, and the documents.
#include "engine/record/comparisons.hpp"
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

}  // namespace attnscope::comparisons_test
