// Records against records: what can be compared, and what recorded runs of a real GPU say of one another.
#include "engine/record/comparisons.hpp"
#include "engine/record/results.hpp"
#include "sample_record.hpp"
#include "tests/files.hpp"
#include "tests/has.hpp"

namespace attnscope::compare_records_test {

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
  EXPECT_TRUE(taken_of(a, twice).shared_cpu);
  EXPECT_FALSE(taken_of(a, twice).interleaved);
  EXPECT_EQ(compare_records(a, twice).relation, Relation::unsure);
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

}  // namespace attnscope::compare_records_test
