// What the tables show, without drawing them: names, units, which variants are listed.

#include "app/gui/model/labels.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::tables_test {

VariantInfo tiled() {
  return {.name = "tiled",
          .hash = "new",
          .parameters = {{"BLOCK_M", "", {16, 32, 64}, 32}, {"BLOCK_N", "", {16, 32, 64}, 32}},
          .configs = {{"small", "", {{"BLOCK_M", 16}, {"BLOCK_N", 16}}}}};
}

DeviceState known() {
  DeviceState k;
  k.list_variants({tiled()});
  k.list_variants({{.name = "tiled", .error = "no shader"}});  // its configs keep their names
  return k;
}

Record record(int64_t m, int64_t n, const char* problem = "1x4x32x32") {
  return made({.problem = problem,
               .config = {{"BLOCK_M", m}, {"BLOCK_N", n}},
               .samples = 0,
               .hash = "new",
               .device = "llvmpipe (LLVM 15.0.6, 256 bits)",
               .time = "2026-11-21T10:00:00Z"});
}

std::vector<std::string> labels(const std::vector<Record>& records) {
  return labels_of(mapped(records, [](const Record& r) { return &r; }), known());
}
using Names = std::vector<std::string>;

TEST(Labels, KeepTheValuesWhereTheNamesAreCut) {
  EXPECT_EQ(with_initials("row LANES=4,BLOCK_N=2 take 2 H200"), "row L=4,BN=2 take 2 H200");
}

TEST(Labels, SayTheModesDevicesAndShadersOfRecordsThatDifferInThem) {
  Record cold = record(32, 32), other = record(32, 32), third = other;
  cold.protocol.cache = CacheMode::cold;
  EXPECT_EQ(labels({record(32, 32), cold}), (Names{"tiled default hot", "tiled default cold"}));
  cold.protocol.launch = LaunchMode::back_to_back;
  EXPECT_EQ(labels({record(32, 32), cold}), (Names{"tiled default hot isolated", "tiled default cold back-to-back"}));
  other.environment.device.name = "NVIDIA H200";
  EXPECT_EQ(labels({record(32, 32), other}), (Names{"tiled default llvmpipe", "tiled default NVIDIA H200"}));
  third.environment.device = other.environment.device;
  third.environment.device.index = 1;
  const Names two = labels({other, third});
  EXPECT_NE(two[0], two[1]) << "two devices of one name";
  // On two machines both are the first of theirs.
  other.environment.device.device_uuid = "0123456789abcdef";
  third.environment.device.device_uuid = "fedcba9876543210";
  third.environment.device.index = 0;
  EXPECT_EQ(labels({other, third}),
            (Names{"tiled default NVIDIA H200 01234567", "tiled default NVIDIA H200 fedcba98"}));
  third.environment.device.device_uuid = "01234567ffffffff";
  EXPECT_FALSE(has(labels({other, third})[1], "take 2"));
  // The same one, listed at another place since.
  third.environment.device.device_uuid = other.environment.device.device_uuid;
  third.environment.device.index = 1;
  EXPECT_EQ(labels({other, third}), (Names{"tiled default", "tiled default take 2"}));
  Record old = record(32, 32);
  old.environment.shader_hash = "0123456789";
  EXPECT_EQ(labels({old, record(32, 32)})[0], "tiled default 0123456");
}

TEST(Labels, TheSameRunAgainIsAnotherTakeAndNoTwoRowsOfAMixedTableReadTheSame) {
  Record seeded = record(32, 32);
  seeded.seed = 7;
  EXPECT_EQ(labels({record(32, 32), record(32, 32)}), (Names{"tiled default", "tiled default take 2"}));
  // The newest first: each keeps its number when another is made.
  Record old = record(32, 32), newer = old, newest = old;
  old.environment.time_utc = "2026-11-20T10:00:00Z";
  newer.environment.time_utc = "2026-11-21T10:00:00Z";
  newest.environment.time_utc = "2026-11-22T10:00:00Z";
  EXPECT_EQ(labels({newest, newer, old}), (Names{"tiled default take 3", "tiled default take 2", "tiled default"}));
  const Names seeds = labels({record(32, 32), seeded});
  EXPECT_NE(seeds[0], seeds[1]);
  EXPECT_TRUE(has(seeds[1], "seed 7"));
  std::vector<Record> all;
  for (const int64_t m : {16, 32})
    for (const CacheMode cache : {CacheMode::hot, CacheMode::cold})
      for (const char* hash : {"new", "old"})
        for (const char* device : {"A", "B"})
          for (int take = 0; take < 2; ++take) {
            Record r = record(m, 32);
            r.protocol.cache = cache;
            r.environment.shader_hash = hash;
            r.environment.device.name = device;
            all.push_back(r);
          }
  const Names names = labels(all);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), all.size());
}

TEST(RowNames, TellPinsRunsAndWhatIsAskedApart) {
  Pins pins;
  SessionLog tried;
  const uint64_t first = pins.add(record(32, 32)).id, second = pins.add(record(64, 32)).id;
  tried.note(record(16, 16));
  using Named = std::map<uint64_t, std::string>;
  EXPECT_EQ(pin_names(record(64, 64), pins, known()),
            (Named{{0, "tiled BLOCK_M=64,BLOCK_N=64"}, {first, "tiled default"}, {second, "tiled BLOCK_M=64"}}));
  EXPECT_EQ(run_names(tried, known()), (Named{{1, "tiled small"}}));
  Record cold = record(32, 32, "1x4x64x32");
  cold.protocol.cache = CacheMode::cold;
  EXPECT_EQ(pin_names(cold, pins, known()).at(0), "tiled default cold");
  EXPECT_EQ(pin_names(record(32, 32), pins, known()).at(0), "tiled default")
      << "more samples of a pinned run are no second take";
}

TEST(MetricText, HasTheUnitThatSuitsTheSize) {
  EXPECT_EQ(metric_text(Metric::tflops, 0.000855), "855 MFLOP/s");
  EXPECT_EQ(metric_text(Metric::tflops, 431.6), "432 TFLOP/s");
  EXPECT_EQ(metric_text(Metric::gbps, 0.0289), "28.9 MB/s");
  EXPECT_EQ(metric_text(Metric::time, 12.345), time_text(12345));
  for (double value = 1e-9; value < 1e6; value *= 1.7)
    for (const Metric m : {Metric::time, Metric::tflops, Metric::gbps})
      EXPECT_TRUE((m == Metric::time && value < 1e-3) || metric_text(m, value).find('e') == std::string::npos)
          << metric_text(m, value);
}

TEST(CatalogueTest, FoldsWhatCannotRunAndShowsFirstWhatIsBroken) {
  DeviceState k;
  k.list_variants({tiled(),
                   {.name = "matrix", .why_not = "It needs coopmat."},
                   {.name = "decode", .title = "For one query"},
                   {.name = "broken", .error = "broken/a.comp:3: error"}});
  const Problem problem = *parse_problem("1x4x32x32");
  k.check("decode", problem, {"It takes one query row.", false});
  Catalogue c;
  const auto names = [&](const std::vector<Catalogue::Row>& rows) {
    return mapped(rows, [&](const Catalogue::Row& r) { return k.variants[r.variant].name; });
  };
  const auto open = [&](const char* chosen, const char* words = "") {
    c.step(k, problem, chosen, words);
    return names(c.open());
  };
  EXPECT_EQ(open("tiled"), (Names{"broken", "tiled"}));
  EXPECT_EQ(names(c.folded()), (Names{"matrix", "decode"}));
  EXPECT_EQ(c.folded()[1].why.text, "It takes one query row.");
  EXPECT_EQ(open("decode"), (Names{"broken", "tiled", "decode"})) << "the chosen one is in sight";
  EXPECT_EQ(open("tiled", "ONE QUERY"), Names{});
  EXPECT_EQ(names(c.folded()), Names{"decode"});
  k.check("decode", problem, {});
  EXPECT_EQ(open("tiled"), (Names{"broken", "tiled", "decode"})) << "it follows what becomes known";
  k.check("decode", problem, {"decode.comp:3: error", true});
  EXPECT_EQ(open("tiled"), (Names{"decode", "broken", "tiled"})) << "what does not compile is not folded away";
  EXPECT_TRUE(c.open()[1].why.broken);
  VariantInfo begins = tiled(), has = tiled();
  begins.name = "tiled_2";
  has.name = "mytiled";
  k.list_variants({has, begins, tiled()});
  EXPECT_EQ(open("mytiled", "tiled"), (Names{"tiled", "tiled_2", "mytiled"})) << "who types a name means that one";
}

}  // namespace attnscope::gui::tables_test
