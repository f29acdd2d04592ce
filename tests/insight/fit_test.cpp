// Launch and tiles in plain numbers; and advice: each rule speaks of one record measured on an H200 and is silent on
// another, where only the ceilings are round numbers.
#include "engine/record/advice.hpp"
#include "engine/record/results.hpp"
#include "engine/record/run.hpp"
#include "tests/insight/peaks_of_h200.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope::fit_test {

DeviceInfo h200() {
  return {.vendor_id = 0x10de, .limits = {.subgroup_size = 32, .core_count = 132, .warps_per_core = 64}};
}

TEST(Fit, CountsWavesAndWhatEndsUnevenAndSaysNothingOfWhatIsNotReported) {
  LaunchFacts l{
      .problem = *parse_problem("1x16x4096x128:f16"), .workgroups = 1056, .invocations = 128, .registers = 128};
  const LaunchFit even = fit_of(l, h200());
  EXPECT_EQ(even.resident, 4u);  // 65,536 / (128 x 32) = 16 subgroups, 4 a workgroup
  EXPECT_EQ(even.occupancy_limit, "registers");
  EXPECT_DOUBLE_EQ(even.occupancy, 0.25);
  EXPECT_DOUBLE_EQ(even.waves, 2);
  EXPECT_DOUBLE_EQ(even.last_wave, 1);
  EXPECT_DOUBLE_EQ(even.balance, 1);
  l.workgroups = 529;
  const LaunchFit tail = fit_of(l, h200());
  EXPECT_NEAR(tail.last_wave, 1.0 / 528, 1e-9);
  EXPECT_NEAR(tail.balance, 529.0 / 132 / 5, 1e-9);
  const LaunchFit fit = fit_of({.problem = *parse_problem("1x1x64x64"), .workgroups = 8, .invocations = 64}, {});
  EXPECT_EQ(std::tuple(fit.cores, fit.resident, fit.waves), std::tuple(0u, 0u, 0));
  EXPECT_FALSE(fit.padding);
  EXPECT_FALSE(fit.masked);
  EXPECT_EQ(to_tflops(1, 0) + to_gbps(1, 0), 0) << "of no time";
}

TEST(Fit, PaddingIsTheShareOfTheTilesAreaAndMaskedCountsTilesThatAreVisited) {
  const auto padding = [](const char* problem, double query, double key) {
    return *fit_of({.problem = *parse_problem(problem), .query_tile = query, .key_tile = key}, {}).padding;
  };
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 128, 64), 0.5);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 128, 128), 0.75);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 64, 32), 0);
  EXPECT_DOUBLE_EQ(padding("2x8x64x64", 0, 128), 0.5) << "one tile alone";
  EXPECT_DOUBLE_EQ(padding("varlen=64,32:8x64", 64, 64), 1 - (64.0 * 64 + 32 * 32) / (2 * 64 * 64));
  const auto masked = [](const char* problem, double query, double key) {
    return fit_of({.problem = *parse_problem(problem), .query_tile = query, .key_tile = key}, {}).masked;
  };
  EXPECT_FALSE(masked("1x1x64x64", 16, 16));
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 1, 1), 0);
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 64, 64), 1 - 65.0 / 128);
  // Two tiles of 32 rows: 32 x 32 and 32 x 64 scores are visited, and 64 x 65 / 2 are seen.
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal", 32, 32), 1 - 64 * 65 / 2.0 / (32 * 32 + 32 * 64));
  // A window skips the tiles before it too: each tile of queries but the first visits two.
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal:window=8", 1, 1), 0);
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:causal:window=16", 16, 16), 1 - (64 * 16 - 120) / (7.0 * 16 * 16));
  EXPECT_DOUBLE_EQ(*masked("1x2x64x64:window=8", 1, 1), 0);
  EXPECT_FALSE(masked("1x1x1073741824x64:causal", 1, 1)) << "too many to count";
}

TEST(Fit, BanksTakeTurnsByStride) {
  EXPECT_EQ(bank_turns(4, 4), 1u);
  EXPECT_EQ(bank_turns(8, 4), 2u);
  EXPECT_EQ(bank_turns(128, 4), 32u);
  EXPECT_EQ(bank_turns(132, 4), 1u) << "one more word a row";
  EXPECT_EQ(bank_turns(16, 16), 1u);
  EXPECT_EQ(bank_turns(128, 16), 8u);
  EXPECT_EQ(bank_turns(144, 16), 1u);
  EXPECT_EQ(bank_turns(0, 4), 1u) << "one address is one read";
}

TEST(Occupancy, IsTheTightestLimitAndAbsentWhenUnknown) {
  const auto full = must(estimate_occupancy(h200(), 256, 32));
  EXPECT_EQ(std::tuple(full->workgroups, full->fraction, full->by_registers), std::tuple(8u, 1.0, false));
  const auto registers = must(estimate_occupancy(h200(), 256, 255));
  EXPECT_EQ(std::tuple(registers->workgroups, registers->fraction, registers->by_registers),
            std::tuple(1u, 8 / 64.0, true));
  DeviceInfo other = h200();
  other.vendor_id = 0;
  EXPECT_EQ(estimate_occupancy(other, 256, 255)->workgroups, 8u) << "its registers are unknown";
  EXPECT_FALSE(estimate_occupancy({}, 256, 32));
  EXPECT_FALSE(estimate_occupancy(h200(), 0, {}));
  EXPECT_FALSE(estimate_occupancy(h200(), 1024, 255)) << "does not fit at all";
}

Demand demand(const char* text, Precision precision = {}) {
  const Problem p = *parse_problem(text);
  return {problem_flops(p), problem_bytes(p), p.dtype, precision, CacheMode::hot, LaunchMode::isolated};
}

TEST(Floor, IsThatOfTheArithmeticWhichTheTypeAllows) {
  const Peaks peaks = peaks_of_h200();
  EXPECT_EQ(compute_roof(peaks, DType::f16, {})->name, "matrix f16 f32");
  EXPECT_EQ(compute_roof(peaks, DType::f16, {DType::f16, DType::f16})->name, "matrix f16 f16");
  EXPECT_EQ(compute_roof(peaks, DType::bf16, {})->name, "fma f32") << "no bf16 matrix was measured";
  EXPECT_EQ(compute_roof(peaks, DType::f32, {})->name, "fma f32");
  const auto pairs = compute_roof(peaks, DType::f32, {.f16_pairs = true});
  EXPECT_EQ(pairs->name, "matrix f16 f32, three products");
  EXPECT_DOUBLE_EQ(pairs->tflops, 200);
  EXPECT_FALSE(compute_roof({}, DType::f32, {}));
}

TEST(Floor, NamesTheRoofThatLimits) {
  const Peaks peaks = peaks_of_h200();
  const auto compute = must(floor_of(demand("1x16x4096x128:f16"), 440, peaks));
  EXPECT_EQ(compute->roof, "matrix f16 f32");
  EXPECT_NEAR(compute->us, 4.0 * 16 * 4096 * 4096 * 128 / 600e6 + 3, 1e-6);
  EXPECT_NEAR(compute->fraction, compute->us / 440, 1e-12);

  const auto memory = floor_of(demand("1x32x131072x128:q=1:kv=8:f16"), 137.6, peaks);
  EXPECT_EQ(memory->roof, "device memory");
  EXPECT_NEAR(memory->fraction, 0.95, 0.01);

  const auto caches = floor_of(demand("1x64x4096x64:q=1:kv=8:f16"), 20, peaks);
  EXPECT_EQ(caches->roof, "launch") << "8 MB from the caches take less time than a launch";
  Demand cold = demand("1x64x4096x64:q=1:kv=8:f16");
  cold.cache = CacheMode::cold;
  EXPECT_EQ(floor_of(cold, 20, peaks)->memory_us, cold.bytes / 4200 * 1e-3);

  EXPECT_EQ(floor_of(demand("2x8x64x64:f16"), 4.5, peaks)->roof, "launch");
  Demand overlapping = demand("2x8x64x64:f16");
  overlapping.launch = LaunchMode::back_to_back;
  EXPECT_DOUBLE_EQ(floor_of(overlapping, 4.5, peaks)->launch_us, 1) << "no barrier between";
  EXPECT_FALSE(floor_of(demand("1x16x4096x128:f16"), 0, peaks)) << "of no time";
  EXPECT_FALSE(floor_of(demand("1x16x4096x128:f16"), 440, {}));
}

TEST(Floor, IsARecordsWhereItsEnvironmentHasPeaks) {
  Record run{.problem = *parse_problem("1x16x4096x128:f16")};
  Record without = make_record(run);
  without.samples_ns = {440e3, 441e3, 439e3};
  conclude(without, Outcome::measured);
  EXPECT_FALSE(without.floor);
  run.environment.peaks = peaks_of_h200();
  Record record = make_record(run);
  record.samples_ns = without.samples_ns;
  conclude(record, Outcome::measured);
  EXPECT_EQ(must(record.floor)->roof, "matrix f16 f32");
  record.samples_ns.clear();
  conclude(record, Outcome::measured);
  EXPECT_FALSE(record.floor) << "of no time there is no fraction";
}

/// The record of docs/results with these words, as explain() leaves it.
Record explained(const std::string& file, const std::string& variant, const std::string& problem,
                 const std::string& config, LaunchMode launch = LaunchMode::isolated) {
  static std::map<std::string, Results> files;
  if (!files.contains(file))
    files[file] = *must(read_results(shipped("docs/results") / ("2026-11-21-h200-" + file + ".json")));
  for (Record record : files[file].records) {
    if (record.variant != variant || to_text(record.problem) != problem || record.config_name != config ||
        record.protocol.launch != launch)
      continue;
    // A later version of the variant may have more parameters; those that it had are enough.
    Config known = default_config(testing::shipped_variant(variant));
    for (const auto& [name, value] : record.config)
      if (known.contains(name)) known[name] = value;
    static Compiler compiler(testing::module_cache());
    const auto around = must(plan_neighbours(
        Planner(testing::shipped_variant(variant), record.problem, record.environment.device, compiler), known));
    record.environment.peaks = peaks_of_h200();
    rate(record);
    explain(record, *around);
    return record;
  }
  throw std::runtime_error("no such record: " + variant + " " + problem + " " + config);
}
const Advice* said(const Record& r, const std::string& rule) { return find_by(r.advice, rule, &Advice::rule); }
#define EXPECT_SAID(advice, part) \
  ASSERT_NE(advice, nullptr);     \
  EXPECT_NE(advice->text.find(part), std::string::npos) << advice->text

TEST(Advice, Spills) {
  const Record record = explained("systems", "dvtile", "1x32x1024x128:f32", "G");
  const Advice* a = said(record, "spills");
  EXPECT_SAID(a, "48 B of each invocation's values do not fit into its 255 registers");
  EXPECT_EQ(a->parameter, "DV_TILE") << a->text;
  EXPECT_EQ(a->value, 64);
  EXPECT_EQ(said(explained("systems", "dvtile", "1x32x1024x128:f32", "F"), "spills"), nullptr);
  Record counted = record;  // as Mesa's drivers for Intel do
  counted.resources.spill_bytes.reset();
  counted.resources.spills = 30;
  counted.resources.may_spill = "rows are wide";
  explain(counted, {});
  EXPECT_SAID(said(counted, "spills"), "30 times");
  EXPECT_SAID(said(counted, "spills"), "through memory: rows are wide.");
}

struct RecordName {
  const char *file, *variant, *problem, *config;
};
constexpr RecordName kCoopmat{"speed", "coopmat", "1x16x4096x128:f16", "default"},
    kSimt{"speed", "simt", "1x16x4096x128:f16", "default"},
    kDecode{"speed", "decode", "1x32x131072x128:q=1:kv=8:f16", "default"},
    kDvtile{"systems", "dvtile", "1x32x1024x128:f32", "F"}, kTiled{"systems", "tiled", "2x8x512x64:f32", "v1"};
Record explained(const RecordName& n) { return explained(n.file, n.variant, n.problem, n.config); }

TEST(Advice, EachRuleSpeaksOfOneRecordAndIsSilentOnOthers) {
  struct Case {
    const char* rule;
    RecordName record;
    std::vector<const char*> says;
    std::vector<RecordName> silent;
  };
  for (const Case& c : std::vector<Case>{
           {"few workgroups",
            {"systems", "dvtile", "1x8x128x128:f32", "F"},
            {"16 workgroups for 132 cores: 88 % of the device idles. BLOCK_M=32 (now 64) makes 32."},
            {kDvtile}},
           {"tail", kCoopmat, {"256 workgroups on 132 cores are 1.94 a core: some have 2"}, {kDecode}},
           {"padding",
            {"first-variants", "fmha", "1x4x32x32:f32", "default"},
            {"75 % of the tiles' area lies past the last of 32 queries and 32 keys (tiles of 64 x 64). BLOCK_",
             "=32 (now 64) leaves 50 %."},
            {kCoopmat}},
           {"near the limit", kDecode, {"Little left", "device memory"}, {kSimt}},
           {"re-reads",
            {"systems", "dvtile", "1x32x1024x128:f16", "H"},
            {"Traffic 72.5 × minimum", "beyond the 32 MiB that the problem needs"},
            {kDecode}},
           // Decode's arithmetic is a quarter of the time and hides behind the keys and values that have to be loaded.
           {"idle matrix units", kSimt, {"ends at 60 TFLOP/s, and matrices of f16 reach 600"}, {kCoopmat, kDecode}},
           {"launch-bound", {"speed", "coopmat", "2x8x64x64:f16", "tiny"}, {"1 launch and 1 barrier"}, {kCoopmat}},
           {"unexplained", kTiled, {"no rule here names what takes the rest"}, {kSimt, kCoopmat}}}) {
    const Record record = explained(c.record);
    const Advice* a = said(record, c.rule);
    ASSERT_NE(a, nullptr) << c.rule;
    for (const char* part : c.says) EXPECT_TRUE(has(a->text, part));
    for (const RecordName& other : c.silent) EXPECT_EQ(said(explained(other), c.rule), nullptr) << c.rule;
  }
  EXPECT_NEAR(said(explained({"systems", "dvtile", "1x8x128x128:f32", "F"}), "few workgroups")->gain, 1 - 16.0 / 132,
              1e-9);
  EXPECT_EQ(explained(kSimt).advice.front().rule, "idle matrix units") << "most to win first";
}

TEST(Advice, BankConflicts) {
  // No shipped variant has any: what a row of 64 floats without padding would be.
  NeighbourPlans around;
  around.shape.tiles = {64, 64, 0, 256, 4};
  around.neighbours = {{"PAD", 4, around.shape}};
  around.neighbours[0].shape.tiles.lane_stride = 260;
  const auto all = advise(
      {.problem = *parse_problem("2x8x64x64"), .statistics = Statistics{.median = 1e4}, .fit = LaunchFit()}, around);
  EXPECT_EQ(only(all).rule, "bank conflicts");
  EXPECT_EQ(all[0].parameter, "PAD");
  EXPECT_TRUE(has(all[0].text, "256 B apart, so 32 of them"));
  EXPECT_EQ(said(explained(kTiled), "bank conflicts"), nullptr);
  // Without a time it is silent.
  Record record{.problem = *parse_problem("1x1x64x64")};
  around.shape.workgroups = 1;
  explain(record, around);
  EXPECT_TRUE(record.advice.empty());
  EXPECT_TRUE(record.fit);
}

TEST(Advice, HasEveryRuleInTheDocumentation) {
  const std::string text = read_file(fs::path(ATTNSCOPE_SOURCE_DIR) / "docs/insight.md");
  for (const std::string_view rule : advice_rules()) EXPECT_TRUE(has(text, "| " + std::string(rule) + " |")) << rule;
}

}  // namespace attnscope::fit_test
