#include "tests/history/history_test.hpp"
#include "engine/history/database.hpp"

namespace attnscope::history_test {

TEST_F(HistoryTest, EveryFieldComesBack) {
  History history = open();
  const auto check = [&](const Record& record) {
    const auto before = must(history.list({}, 100));
    ASSERT_EQ(added(history.add(std::span(&record, 1))), 1u);
    const auto page = must(history.list({}, 100));
    ASSERT_EQ(page->entries.size(), before->entries.size() + 1);
    const auto back = must(history.read(std::ranges::max(page->entries, {}, &HistoryEntry::id).id));
    expect_same_fields(*back, record);
    expect_same_fields(back->environment, record.environment);
  };
  check(Record{});
  check(sample_record());
  check(another(Record{}));
  // Field by field, so that none rides on another one.
  std::apply(
      [&](const auto&... rows) {
        const auto one = [&](const auto& row) {
          SCOPED_TRACE(row.name);
          Record record;
          record.*row.member = another(record.*row.member);
          check(record);
        };
        (one(rows), ...);
      },
      fields_of<Record>);
}

TEST_F(HistoryTest, OtherProgramsParametersAndWhatIsNotFiniteAreAsInJson) {
  History history = open();
  Record record = sample_record();
  record.config = {{"a,b", 1}, {"=", 2}, {"", 3}};
  record.message = std::string("nul \0 in it", 11);
  record.verdict->max_abs = std::nan("");
  record.verdict->worst->got = std::numeric_limits<double>::infinity();
  const auto by_json = must(decode<Record>(encode(record), "record"));
  added(history.add(std::span(&record, 1)));
  expect_same_fields(all(history).at(0), *by_json);
  EXPECT_EQ(added(history.add(std::span(&*by_json, 1))), 0u) << "the same record, read from a file";
}

TEST_F(HistoryTest, TheSameRecordIsKeptOnceAndAnotherOneIsNot) {
  History history = open();
  std::vector<Record> records{run(1), run(2), run(1)};
  EXPECT_EQ(added(history.add(records)), 2u);
  EXPECT_EQ(added(history.add(records)), 0u);
  records[0].samples_ns.back() += 1e-9;
  EXPECT_EQ(added(history.add(records)), 1u);
  SQLite::Database db(path().string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM environments").getInt(), 1) << "what they share is kept once";
}

TEST_F(HistoryTest, ListsTheNewestFirstAPageAtATime) {
  History history = open();
  added(history.add(std::vector{run(3), run(1), run(5), run(2), run(4)}));
  auto page = must(history.list({}, 2));
  ASSERT_EQ(page->entries.size(), 2u);
  EXPECT_TRUE(page->more);
  EXPECT_EQ(page->entries[0].record.environment.time_utc, run(5).environment.time_utc);
  EXPECT_EQ(page->entries[1].record.environment.time_utc, run(4).environment.time_utc);
  EXPECT_TRUE(page->entries[0].record.samples_ns.empty()) << "a list does not read the samples";
  EXPECT_TRUE(page->entries[0].record.statistics);
  page = must(history.list({}, 2, 4));
  EXPECT_EQ(page->entries.size(), 1u);
  EXPECT_FALSE(page->more);
}

TEST_F(HistoryTest, FiltersByAnyField) {
  History history = open();
  Record a = run(1, 1000, "1x2x64x64:f16:causal"), b = run(2, 9000, "1x2x128x64:f32"), c = run(3);
  b.variant = "row";
  b.config = {{"ROWS", 2}};
  b.config_name = "wide";
  b.environment.device.name = "Another 100%_GPU";
  c.resources.registers.reset();
  c.seed = std::numeric_limits<uint64_t>::max();
  c.settled = true;
  added(history.add(std::vector{a, b, c}));
  EXPECT_EQ(std::tuple(count(history, {}), count(history, {"variant=row"}), count(history, {"variant!=row"}),
                       count(history, {"seq_kv>=128"}), count(history, {"seq_kv=64", "causal=true"})),
            std::tuple(3u, 1u, 2u, 1u, 1u));
  EXPECT_EQ(count(history, {"problem=1x2x64x64:causal:f16"}), 1u) << "options in any order";
  EXPECT_EQ(count(history, {"median_ns<2e3"}), 2u);
  EXPECT_EQ(count(history, {"device~gpu"}), 3u);
  EXPECT_EQ(count(history, {"device~100%_"}), 1u) << "no wildcards";
  EXPECT_EQ(
      std::tuple(count(history, {"device=Some GPU"}), count(history, {"registers="}), count(history, {"registers!="}),
                 count(history, {"settled=true"}), count(history, {"seed=18446744073709551615"}),
                 count(history, {"ROWS=2"}), count(history, {"BLOCK_M=64"}), count(history, {"BLOCK_M=6"}),
                 count(history, {"BLOCK_M!=64"}), count(history, {"config=wide"}), count(history, {"config=ROWS=2"}),
                 count(history, {"variant=x' OR '1'='1"})),
      std::tuple(2u, 1u, 2u, 1u, 1u, 1u, 2u, 0u, 1u, 1u, 1u, 0u));
}

TEST_F(HistoryTest, FiltersByDate) {
  History history = open();
  added(history.add(std::vector{run(1), run(1441), run(2881)}));
  EXPECT_EQ(all(history, {.since = "2026-11-02"}).size(), 2u);
  EXPECT_EQ(all(history, {.until = "2026-11-02"}).size(), 2u) << "that day is within";
  EXPECT_EQ(all(history, {.since = "2026-11-02", .until = "2026-11-02"}).size(), 1u);
  EXPECT_EQ(all(history, {.since = "2027"}).size(), 0u);
  for (const char* bad : {"", "yesterday", "2026-", "2026-11-2x", "2026-11-21 05:46", "2026-11-21T05:46:00Zz",
                          "2026-13", "2026-02-30", "2026-11-21T24", "2026-11-21T05:60", "2026-1"})
    EXPECT_FALSE(parse_date(bad)) << bad;
}

TEST(HistoryConditions, WhatIsNoneSaysWhatThereIs) {
  for (const char* bad : {"", "variant", "=x", "colour=red", "head_dim=wide", "causal=maybe", "problem=1x2",
                          "BLOCK_M<3", "BLOCK_M=x", "BLOCK_M=", "head_dim<"})
    EXPECT_TRUE(fails(parse_condition(bad), ErrorKind::bad_input)) << bad;
  EXPECT_TRUE(fails(parse_condition("colour=red"), "head_dim"));
}

TEST(WorthKeeping, IsWhatWasMeasuredOrJudged) {
  Record r = sample_record();
  r.outcome = Outcome::refused;
  EXPECT_FALSE(worth_keeping(r));
  r.outcome = Outcome::failed_verdict;
  EXPECT_TRUE(worth_keeping(r));
  r.outcome = Outcome::measured;
  r.protocol = {};
  r.dispatches_per_sample = 1;
  r.samples_ns.assign(9, 1e9);
  EXPECT_TRUE(worth_keeping(r));
  EXPECT_FALSE(worth_keeping(r, true)) << "nine samples of a slider passing by";
  r.samples_ns.assign(10, 1e7);
  EXPECT_TRUE(worth_keeping(r, true));
  r.samples_ns.assign(10, 9e6);
  EXPECT_FALSE(worth_keeping(r, true)) << "90 ms of 100";
  r.outcome = Outcome::cancelled;
  r.samples_ns.clear();
  EXPECT_FALSE(worth_keeping(r));
}

TEST_F(HistoryTest, SamplesComeBackToTheBit) {
  History history = open();
  Record record = run(1), none = run(2);
  record.samples_ns = {2994848, 50449.2 / 99, 1e300, -0.0};
  none.samples_ns.clear();
  added(history.add(std::vector{record, none}));
  const std::vector<Record> back = all(history);
  ASSERT_EQ(back.at(0).samples_ns.size(), record.samples_ns.size());
  EXPECT_EQ(std::memcmp(back[0].samples_ns.data(), record.samples_ns.data(), 4 * sizeof(double)), 0);
  EXPECT_TRUE(back.at(1).samples_ns.empty());
  EXPECT_FALSE(samples_of("\x01zz"));
}

}  // namespace attnscope::history_test
