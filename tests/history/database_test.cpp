// What may become of the file: another version's, damaged, foreign, not writable, written by several at once.
#include <sys/resource.h>
#include <sys/wait.h>
#include <csignal>

#include "engine/history/database.hpp"
#include "tests/history/history_test.hpp"

namespace attnscope::database_test {

TEST_F(HistoryTest, ReadingWhereThereIsNoneMakesNone) {
  auto history = must(History::open_to_read(path()));
  EXPECT_TRUE(history->list({}, 10)->entries.empty());
  EXPECT_FALSE(history->read(1));
  EXPECT_FALSE(fs::exists(path().parent_path()));
}

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

}  // namespace attnscope::database_test
