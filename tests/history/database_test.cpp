// What may become of the file: another version's, damaged, foreign, not writable, written by several at once.
#include "tests/history/history_test.hpp"

#include <cmath>
#include <csignal>

#include <sys/resource.h>

#include <fmt/format.h>

#include "engine/history/database.hpp"

namespace attnscope {
namespace {

TEST_F(HistoryTest, ReadingWhereThereIsNoneMakesNone) {
  auto history = History::open_to_read(path());
  ASSERT_TRUE(history);
  EXPECT_TRUE(history->list({}, 10)->entries.empty());
  EXPECT_FALSE(history->read(1));
  EXPECT_FALSE(std::filesystem::exists(path().parent_path()));
}

TEST_F(HistoryTest, AFileOfAnOlderVersionGetsTheNewColumns) {
  {
    History history = open();
    must(history.add(std::vector{run(1)}));
    SQLite::Database db(path().string(), SQLite::OPEN_READWRITE);
    db.exec("ALTER TABLE runs DROP COLUMN settled");
    db.exec("ALTER TABLE runs DROP COLUMN worst_got");
    db.exec("ALTER TABLE environments DROP COLUMN host_os");
  }
  History history = open();
  EXPECT_EQ(history.note(), "");
  must(history.add(std::vector{run(2)}));
  const auto records = all(history);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_TRUE(records[0].settled) << "what was not kept is at its default";
  EXPECT_EQ(records[0].samples_ns, run(1).samples_ns);
  expect_same_fields(records[1], run(2));
  EXPECT_EQ(count(history, {"host_os=Linux"}), 2u) << "filled from what was kept of the environment whole";
}

TEST_F(HistoryTest, AFileOfANewerVersionIsLeftAlone) {
  {
    History history = open();
    must(history.add(std::vector{run(1)}));
    SQLite::Database(path().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  }
  const auto history = History::open(path());
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().message.find("schema 99"), std::string::npos) << history.error().message;
  EXPECT_FALSE(History::open_to_read(path()));
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".unreadable"));
}

TEST_F(HistoryTest, ColumnsOfANewerVersionAreNoObstacle) {
  {
    History history = open();
    SQLite::Database(path().string(), SQLite::OPEN_READWRITE).exec("ALTER TABLE runs ADD COLUMN of_tomorrow");
  }
  History history = open();
  EXPECT_EQ(must(history.add(std::vector{run(1)})), 1u);
}

TEST_F(HistoryTest, WhatIsNoDatabaseIsSetAside) {
  write_file(path(), std::string(10'000, 'x'));
  EXPECT_FALSE(History::open_to_read(path())) << "reading changes nothing";
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".unreadable"));
  for (const char* aside : {".unreadable", ".unreadable.2"}) {
    write_file(path(), std::string(10'000, 'x'));
    History history = open();
    EXPECT_NE(history.note().find(path().string() + aside), std::string::npos) << history.note();
    EXPECT_EQ(read_file(path().string() + aside), std::string(10'000, 'x'));
    EXPECT_EQ(must(history.add(std::vector{run(1)})), 1u);
  }
}

TEST_F(HistoryTest, AnotherProgramsDatabaseIsSetAside) {
  std::filesystem::create_directories(path().parent_path());
  SQLite::Database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE runs(id, theirs)");
  History history = open();
  EXPECT_NE(history.note().find("another program's"), std::string::npos) << history.note();
  EXPECT_TRUE(SQLite::Database(path().string() + ".unreadable").tableExists("runs"));
  EXPECT_EQ(must(history.add(std::vector{run(1)})), 1u);
}

TEST_F(HistoryTest, AFileDamagedWithinIsSetAsideWhenThatShows) {
  {
    History history = open();
    std::vector<Record> records;
    for (int i = 0; i < 200; ++i) records.push_back(run(i));
    must(history.add(records));
  }
  SQLite::Database(path().string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = read_file(path());
  // The first page has the schema, the others what is looked up.
  for (size_t i = 2 * 4096; i < bytes.size(); ++i) bytes[i] = char(i * 31);
  write_file(path(), bytes);
  History history = open();
  EXPECT_EQ(history.note(), "");
  EXPECT_EQ(must(history.add(std::vector{run(1000)})), 1u);
  EXPECT_NE(history.note().find(".unreadable"), std::string::npos) << history.note();
  EXPECT_EQ(all(history).size(), 1u);
}

TEST_F(HistoryTest, WhereNothingCanBeWrittenIsAnError) {
  const auto history = History::open("/dev/null/deep/history.sqlite");
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().message.find("/dev/null/deep"), std::string::npos) << history.error().message;
  EXPECT_FALSE(History::open("/proc/history.sqlite"));
}

/// Runs `work` in a child process and gives its exit code.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST_F(HistoryTest, AFullDiskIsAnErrorAndLosesNothing) {
  must(open().add(std::vector{run(1)}));
  // The child fills what it may; a limit on the size of its files stands for the end of the disk.
  const int code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto history = History::open(path());
    if (!history) return 2;
    for (int i = 2; i < 10'000; ++i) {
      Record r = run(i);
      for (double& s : r.samples_ns) s = std::sqrt(s + i);  // of the kind that takes 8 bytes
      if (!history->add(std::span(&r, 1))) return 0;
    }
    return 3;
  });
  EXPECT_EQ(code, 0);
  History history = open();
  EXPECT_EQ(history.note(), "");
  expect_same_fields(all(history).at(0), run(1));
  EXPECT_EQ(must(history.add(std::vector{run(20'000)})), 1u);
}

TEST_F(HistoryTest, TwoProcessesMakeAndWriteItAtOnce) {
  constexpr int kEach = 60, kProcesses = 3;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto history = History::open(path());
      int failed = history ? 0 : 100;
      for (int i = 0; history && i < kEach; ++i) {
        const Record r = run(p * kEach + i);
        if (!history->add(std::span(&r, 1))) ++failed;
      }
      ::_exit(failed);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  }
  History history = open();
  EXPECT_EQ(all(history).size(), size_t{kEach * kProcesses});
}

TEST_F(HistoryTest, TwoProcessesSetADamagedFileAsideOnce) {
  for (int round = 0; round < 5; ++round) {
    write_file(path(), std::string(10'000, 'x'));
    std::vector<pid_t> children;
    for (int p = 0; p < 3; ++p) {
      const pid_t child = ::fork();
      if (child == 0) {
        auto history = History::open(path());
        const Record r = run(p);
        ::_exit(history && history->add(std::span(&r, 1)) ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    History history = open();
    EXPECT_EQ(all(history).size(), 3u) << "the new file was not set aside as well";
    std::filesystem::remove_all(path().parent_path());
  }
}

}  // namespace
}  // namespace attnscope
