// Each rule speaks of one record measured on an H200 and is silent on another; only the ceilings are round numbers.
#include "engine/insight/advice.hpp"
#include "engine/record/results.hpp"
#include "engine/record/run.hpp"
#include "tests/insight/peaks_of_h200.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope::advice_test {

const Variant& shipped(const std::string& name) {
  const auto& all = testing::shipped_variants();
  return *std::ranges::find(all, name, &Variant::name);
}

/// The record of docs/results with these words, as explain() leaves it.
Record explained(const std::string& file, const std::string& variant, const std::string& problem,
                 const std::string& config, LaunchMode launch = LaunchMode::isolated) {
  static std::map<std::string, Results> files;
  if (!files.contains(file))
    files[file] =
        *must(read_results(fs::path(ATTNSCOPE_SOURCE_DIR) / "docs/results" / ("2026-11-21-h200-" + file + ".json")));
  for (Record record : files[file].records) {
    if (record.variant != variant || to_text(record.problem) != problem || record.config_name != config ||
        record.protocol.launch != launch)
      continue;
    // A later version of the variant may have more parameters; those that it had are enough.
    Config known = default_config(shipped(variant));
    for (const auto& [name, value] : record.config)
      if (known.contains(name)) known[name] = value;
    static Compiler compiler(testing::module_cache());
    const auto around =
        must(plan_neighbours(Planner(shipped(variant), record.problem, record.environment.device, compiler), known));
    record.environment.peaks = peaks_of_h200();
    record.floor = floor_of({record.flops, record.bytes, record.problem.dtype, record.precision, record.protocol.cache,
                             record.protocol.launch},
                            record.statistics->median * 1e-3, *record.environment.peaks);
    explain(record, *around);
    return record;
  }
  throw std::runtime_error("no such record: " + variant + " " + problem + " " + config);
}
const Advice* said(const Record& r, const std::string& rule) {
  const auto it = std::ranges::find_if(r.advice, [&](const Advice& a) { return a.rule == rule; });
  return it == r.advice.end() ? nullptr : &*it;
}
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
  const auto all = advise({.problem = *parse_problem("2x8x64x64"), .median_us = 10, .around = &around});
  EXPECT_EQ(only(all).rule, "bank conflicts");
  EXPECT_EQ(all[0].parameter, "PAD");
  EXPECT_TRUE(has(all[0].text, "256 B apart, so 32 of them"));
  EXPECT_EQ(said(explained(kTiled), "bank conflicts"), nullptr);
  // Without a time it is silent.
  Record record;
  record.problem = *parse_problem("1x1x64x64");
  around.shape.workgroups = 1;
  explain(record, around);
  EXPECT_TRUE(record.advice.empty());
  EXPECT_TRUE(record.fit);
}

TEST(Advice, HasEveryRuleInTheDocumentation) {
  const std::string text = read_file(fs::path(ATTNSCOPE_SOURCE_DIR) / "docs/insight.md");
  for (const std::string_view rule : advice_rules()) EXPECT_TRUE(has(text, "| " + std::string(rule) + " |")) << rule;
}

}  // namespace attnscope::advice_test
