// What is kept, and what may become of the file: another version's, damaged, foreign, not writable, written by several
// at once.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <csignal>

#include "engine/history/database.hpp"
#include "engine/history/history.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::database_test {

/// A history in a folder of the test's own.
struct HistoryTest : testing::Test {
  fs::path path() const { return dir_.path() / "deep" / "history.sqlite"; }
  History open() { return *must(History::open(path())); }
  /// Done to the file by somebody else.
  void change(const std::string& sql) const { SQLite::Database(path().string(), SQLite::OPEN_READWRITE).exec(sql); }
  /// A measured run; `minute` sets it apart and in order.
  static Record run(int minute, double ns = 1000, const char* problem = "1x2x64x64:f16") {
    Record r = sample_record();
    r.problem = *parse_problem(problem);
    r.verdict->pass = true;
    r.outcome = Outcome::measured;
    r.environment.time_utc =
        fmt::format("2026-11-{:02}T{:02}:{:02}:00Z", 1 + minute / 1440, minute / 60 % 24, minute % 60);
    r.samples_ns.clear();
    for (int i = 0; i < 200; ++i) r.samples_ns.push_back(ns * (1 + 0.001 * (i * 37 % 11)));
    r.dispatches_per_sample = 1;
    r.statistics = summarize(r.samples_ns);
    return r;
  }
  static size_t added(const Result<size_t>& result) { return *must(result); }
  std::vector<Record> all(History& history, const HistoryFilter& filter = {}) {
    std::vector<Record> records;
    added(history.for_each(filter, [&](const Record& r) {
      records.push_back(r);
      return true;
    }));
    return records;
  }
  size_t count(History& history, std::initializer_list<const char*> words) {
    HistoryFilter filter;
    for (const char* word : words) filter.conditions.push_back(*must(parse_condition(word), word));
    return all(history, filter).size();
  }
  const TempDir dir_;
};

TEST_F(HistoryTest, AFileOfAnOlderVersionGetsTheNewColumns) {
  added(open().add(std::vector{run(1)}));
  for (const char* column :
       {"runs DROP COLUMN settled", "runs DROP COLUMN worst_got", "environments DROP COLUMN host_os"})
    change(std::string("ALTER TABLE ") + column);
  History history = open();
  EXPECT_EQ(history.note(), "");
  added(history.add(std::vector{run(2)}));
  const auto records = all(history);
  ASSERT_EQ(records.size(), 2u);
  expect_same_fields(records[0], run(1));
  expect_same_fields(records[1], run(2));
  EXPECT_EQ(count(history, {"host_os=Linux"}), 2u) << "filled from what was kept of the environment whole";
}

TEST_F(HistoryTest, AFileOfANewerVersionIsLeftAloneAndOneOfAnEarlierSchemaSetAside) {
  added(open().add(std::vector{run(1)}));
  change("PRAGMA user_version = 99");
  EXPECT_TRUE(fails(History::open(path()), "schema 99"));
  EXPECT_FALSE(History::open_to_read(path()));
  EXPECT_FALSE(fs::exists(path().string() + ".aside-1"));
  change("PRAGMA user_version = 1");
  EXPECT_TRUE(fails(History::open_to_read(path()), "an earlier attnscope wrote it"));
  History history = open();
  EXPECT_TRUE(has(history.note(), "an earlier attnscope wrote it", ".aside-1"));
  EXPECT_EQ(added(history.add(std::vector{run(1)})), 1u);
  // Columns of a newer version are no obstacle.
  change("ALTER TABLE runs ADD COLUMN of_tomorrow");
  EXPECT_EQ(added(open().add(std::vector{run(2)})), 1u);
}

TEST_F(HistoryTest, WhatIsDamagedIsSetAsideAndWhatIsSomebodyElsesStaysAsItIs) {
  for (const std::string& theirs : {std::string("a letter"), std::string(10'000, 'x')}) {
    write_file(path(), theirs);
    EXPECT_FALSE(History::open_to_read(path()));
    EXPECT_FALSE(History::open(path()));
    EXPECT_EQ(read_file(path()), theirs);
  }
  const std::string damaged = "SQLite format 3" + std::string(10'000, 'x');
  write_file(path(), damaged);
  EXPECT_TRUE(fails(History::open_to_read(path()), "Move it away")) << "reading changes nothing";
  EXPECT_FALSE(fs::exists(path().string() + ".aside-1"));
  for (const char* aside : {".aside-1", ".aside-2"}) {
    write_file(path(), damaged);
    History history = open();
    EXPECT_TRUE(has(history.note(), path().string() + aside));
    EXPECT_EQ(read_file(path().string() + aside), damaged);
    EXPECT_EQ(added(history.add(std::vector{run(1)})), 1u);
  }
  // Another program's database.
  fs::remove(path());
  SQLite::Database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE runs(id, theirs)");
  EXPECT_TRUE(fails(History::open(path()), "another program's"));
  EXPECT_TRUE(SQLite::Database(path().string()).tableExists("runs"));
}

TEST_F(HistoryTest, AFileDamagedWithinIsSetAsideWhenThatShows) {
  std::vector<Record> records;
  for (int i = 0; i < 200; ++i) records.push_back(run(i));
  added(open().add(records));
  change("PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = read_file(path());
  // The first page has the schema, the others what is looked up.
  for (size_t i = 2 * 4096; i < bytes.size(); ++i) bytes[i] = char(i * 31);
  write_file(path(), bytes);
  History history = open();
  EXPECT_EQ(history.note(), "");
  EXPECT_EQ(added(history.add(std::vector{run(1000)})), 1u);
  EXPECT_TRUE(has(history.note(), ".aside-1"));
  EXPECT_EQ(all(history).size(), 1u);
}

TEST_F(HistoryTest, WhereNothingCanBeWrittenIsAnErrorAndARelativeNameIsInTheFolderWeAreIn) {
  auto none = must(History::open_to_read(path()));
  EXPECT_TRUE(none->list({}, 10)->entries.empty());
  EXPECT_FALSE(none->read(1));
  EXPECT_FALSE(fs::exists(path().parent_path()));
  EXPECT_TRUE(fails(History::open("/dev/null/deep/history.sqlite"), "/dev/null/deep"));
  for (const char* other : {"/proc/history.sqlite", "/dev/null", "/tmp"}) EXPECT_FALSE(History::open(other)) << other;
  EXPECT_FALSE(History::open_to_read("/dev/null"));
  const fs::path before = fs::current_path();
  fs::create_directories(path().parent_path());
  fs::current_path(path().parent_path());
  const auto history = History::open("rel.sqlite");
  fs::current_path(before);
  EXPECT_TRUE(history);
  EXPECT_TRUE(fs::exists(path().parent_path() / "rel.sqlite"));
}

TEST_F(HistoryTest, AFileThatLacksATableIsSetAside) {
  for (const char* spoil : {"DROP TABLE details", "DROP TABLE runs", "DROP TABLE environments",
                            "ALTER TABLE details RENAME COLUMN content TO contents"}) {
    fs::remove_all(path().parent_path());
    added(open().add(std::vector{run(1)}));
    change(fmt::format("PRAGMA foreign_keys = OFF; {}", spoil));
    EXPECT_FALSE(History::open_to_read(path())) << spoil;
    auto history = must(History::open(path()));
    EXPECT_TRUE(has(history->note(), ".aside-1")) << spoil;
    EXPECT_TRUE(fs::exists(path().string() + ".aside-1")) << spoil;
    EXPECT_EQ(added(history->add(std::vector{run(2)})), 1u) << spoil;
  }
}

TEST_F(HistoryTest, ALockIsWaitedForInWordsUntilTheInterrupt) {
  added(open().add(std::vector{run(1)}));
  SQLite::Database other(path().string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  std::atomic<bool> cancel{false};
  std::vector<std::string> said;
  const auto say = [&](const std::string& sentence) {
    said.push_back(sentence);
    cancel = true;
  };
  auto opened = must(History::open(path(), {say, &cancel}));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(opened->add(std::vector{run(2)}));
  EXPECT_LT(std::chrono::steady_clock::now() - began, kHistoryBusy);
  EXPECT_TRUE(has(only(said), path().string()));
  other.exec("COMMIT");
  EXPECT_EQ(added(opened->add(std::vector{run(2)})), 1u);
}

/// Runs `work(i)` in as many processes at once and gives their exit codes.
template <class Work>
std::vector<int> in_children(int count, const Work& work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(i));
    children.push_back(child);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
  }
  return codes;
}

TEST_F(HistoryTest, AFullDiskIsAnErrorAndLosesNothing) {
  added(open().add(std::vector{run(1)}));
  // The child fills what it may; a limit on the size of its files stands for the end of the disk.
  const std::vector<int> codes = in_children(1, [&](int) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto history = History::open(path());
    if (!history) return 2;
    for (int i = 2; i < 10'000; ++i) {
      Record r = run(i);
      if (!history->add(std::span(&r, 1))) return 0;
    }
    return 3;
  });
  EXPECT_EQ(codes, std::vector<int>(1, 0));
  History history = open();
  EXPECT_EQ(history.note(), "");
  expect_same_fields(all(history).at(0), run(1));
  EXPECT_EQ(added(history.add(std::vector{run(20'000)})), 1u);
}

TEST_F(HistoryTest, SeveralProcessesMakeAndWriteItAtOnce) {
  constexpr int kEach = 60, kProcesses = 3;
  const std::vector<int> failed = in_children(kProcesses, [&](int p) {
    auto history = History::open(path());
    int failures = history ? 0 : 100;
    for (int i = 0; history && i < kEach; ++i) {
      const Record r = run(p * kEach + i);
      if (!history->add(std::span(&r, 1))) ++failures;
    }
    return failures;
  });
  EXPECT_EQ(failed, std::vector<int>(kProcesses, 0));
  History whole = open();
  EXPECT_EQ(all(whole).size(), size_t{kEach * kProcesses});
  // And set a damaged file aside once.
  for (int round = 0; round < 5; ++round) {
    write_file(path(), "SQLite format 3" + std::string(10'000, 'x'));
    const std::vector<int> codes = in_children(3, [&](int p) {
      auto history = History::open(path());
      const Record r = run(p);
      return history && history->add(std::span(&r, 1)) ? 0 : 1;
    });
    EXPECT_EQ(codes, std::vector<int>(3, 0));
    History anew = open();
    EXPECT_EQ(all(anew).size(), 3u) << "the new file was not set aside as well";
    fs::remove_all(path().parent_path());
  }
}

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
  const auto one = [&](const auto& row) {
    SCOPED_TRACE(row.name);
    Record record;
    record.*row.member = another(record.*row.member);
    check(record);
  };
  std::apply([&](const auto&... rows) { (one(rows), ...); }, fields_of<Record>);
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

}  // namespace attnscope::database_test
