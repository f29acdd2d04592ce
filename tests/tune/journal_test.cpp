// Journals: whatever ends a process, and whatever else lies there.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "engine/input/file.hpp"
#include "engine/tune/journal.hpp"
#include "engine/tune/merge.hpp"
#include "tests/tune/temp_dir.hpp"

namespace attnscope::tune {
namespace {

JournalKey key(const std::string& driver = "NVIDIA 580.1") {
  DeviceInfo device;
  device.name = "Some GPU";
  device.device_uuid = "00ff";
  device.driver = driver;
  return journal_key(device, *parse_problem("1x2x64x32:f16"), Protocol(), 1);
}

JournalLine line(int64_t m, double ns = 1000) {
  Trial trial;
  trial.config = {{"BLOCK_M", m}};
  trial.outcome = ns > 0 ? Outcome::measured : Outcome::failed_verdict;
  trial.message = ns > 0 ? "" : "a \"wrong\" one\nin two lines";
  trial.median_ns = ns;
  trial.samples_ns = {ns, ns + 0.25};
  return journal_line("tiled", "abc", trial, "2026-11-21T00:00:00Z");
}

void fill(const std::filesystem::path& path, const std::vector<JournalLine>& lines, const JournalKey& k = key()) {
  Result<Journal> journal = Journal::open(path, k);
  ASSERT_TRUE(journal) << journal.error().message;
  for (const JournalLine& l : lines) ASSERT_TRUE(journal->append(l));
}

TEST(Journal, GivesBackWhatWasTold) {
  const Folder dir;
  const auto path = dir / "a/b.jsonl";
  fill(path, {line(16), line(32, 0)});
  const Result<Journal> again = Journal::open(path, key());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->earlier(), (std::vector{line(16), line(32, 0)}));
  EXPECT_EQ(again->note(), "");
  const Trial trial = trial_of(again->earlier()[0]);
  EXPECT_EQ(trial.config, (Config{{"BLOCK_M", 16}}));
  EXPECT_EQ(trial.median_ns, 1000);
}

TEST(Journal, ATornLastLineCostsItselfAlone) {
  const Folder dir;
  const auto path = dir / "t.jsonl";
  fill(path, {line(16), line(32)});
  const std::string whole = contents(path);
  // Cut anywhere in the last line, as the end of a process can.
  const size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t cut = last; cut < whole.size(); cut += 7) {
    put(path, whole.substr(0, cut));
    {
      Result<Journal> journal = Journal::open(path, key());
      ASSERT_TRUE(journal);
      ASSERT_EQ(journal->earlier().size(), 1u) << cut;
      ASSERT_TRUE(journal->append(line(64)));
    }
    const Result<Journal> after = Journal::open(path, key());
    ASSERT_TRUE(after);
    EXPECT_EQ(after->earlier(), (std::vector{line(16), line(64)})) << cut;
  }
}

TEST(Journal, OtherKeysSayNothingAndTheLaterLineCounts) {
  const Folder dir;
  const auto path = dir / "k.jsonl";
  fill(path, {line(16)}, key("NVIDIA 570.1"));
  fill(path, {line(32, 0)});
  fill(path, {line(32, 700)});
  const Result<Journal> journal = Journal::open(path, key());
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->earlier(), (std::vector{line(32, 700)}));
  const Result<Journal> older = Journal::open(path, key("NVIDIA 570.1"));
  ASSERT_TRUE(older);
  EXPECT_EQ(older->earlier(), (std::vector{line(16)}));
}

TEST(Journal, GivesItsTrialsInTheOrderTheyWereMade) {
  const Folder dir;
  const auto path = dir / "o.jsonl";
  fill(path, {line(64), line(16), line(32)});
  EXPECT_EQ(Journal::look(path, key()).earlier(), (std::vector{line(64), line(16), line(32)}));
  fill(path, {line(128), line(64, 700)});
  EXPECT_EQ(Journal::look(path, key()).earlier(), (std::vector{line(16), line(32), line(128), line(64, 700)}))
      << "what was made again stands where it was made last";
}

TEST(Journal, WhatIsNoneIsSetAside) {
  const Folder dir;
  const auto path = dir / "f.jsonl";
  put(path, "my shopping list\n");
  Result<Journal> journal = Journal::open(path, key());
  ASSERT_TRUE(journal);
  EXPECT_NE(journal->note().find("was set aside"), std::string::npos) << journal->note();
  EXPECT_EQ(contents(path.string() + ".aside-1"), "my shopping list\n");
  EXPECT_TRUE(journal->append(line(16)));
  // Asked to begin anew, what is a journal is kept too.
  Result<Journal> fresh = Journal::open(path, key(), true);
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(fresh->earlier().empty());
  EXPECT_NE(contents(path.string() + ".aside-2").find("BLOCK_M"), std::string::npos);
  EXPECT_FALSE(Journal::open("/proc/no/such.jsonl", key()));
}

TEST(Journal, BeginsWithItsFirstTrial) {
  const Folder dir;
  const auto path = dir / "a/b.jsonl";
  {
    Result<Journal> journal = Journal::open(path, key());
    ASSERT_TRUE(journal);
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(journal->append(line(16)));
  }
  // One that is there is not added to before there is anything to add.
  const std::string before = contents(path);
  EXPECT_TRUE(Journal::open(path, key("other 1")));
  EXPECT_EQ(contents(path), before);
  EXPECT_EQ(Journal::look(path, key()).earlier(), std::vector{line(16)});
  EXPECT_TRUE(Journal::look(path, key("other 1")).earlier().empty());
  EXPECT_EQ(contents(path), before);
}

TEST(Journal, HasNoLengthAtWhichItIsLost) {
  const Folder dir;
  const auto path = dir / "l.jsonl";
  fill(path, {line(16)});
  // Longer than what is read whole; a hole costs no room.
  std::filesystem::resize_file(path, kMaxResultBytes + 1);
  std::ofstream(path, std::ios::app) << '\n';
  fill(path, {line(32)});
  const Result<Journal> journal = Journal::open(path, key());
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->earlier(), (std::vector{line(16), line(32)})) << journal->note();
  EXPECT_NE(journal->note().find("1 lines of"), std::string::npos) << "the hole: " << journal->note();
}

TEST(Journal, SeveralWritersLoseNothing) {
  const Folder dir;
  const auto path = dir / "w.jsonl";
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      Result<Journal> journal = Journal::open(path, key());
      ASSERT_TRUE(journal);
      for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append(line(1000 * w + i)));
    });
  for (std::thread& writer : writers) writer.join();
  const Result<JournalFile> file = read_journal(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->damaged, 0u);
  const Result<Journal> journal = Journal::open(path, key());
  EXPECT_EQ(journal->earlier().size(), 400u);
}

TEST(Merge, JournalsWithoutDuplicates) {
  std::vector<JournalSection> all{{key(), {line(16), line(32, 0)}}};
  const std::vector<JournalSection> more{{key(), {line(32, 500), line(64)}}, {key("other 1"), {line(16)}}};
  const Joined joined = join(all, more);
  EXPECT_EQ(joined.taken, 3u);
  EXPECT_EQ(joined.duplicates, 1u);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].lines, (std::vector{line(16), line(32, 500), line(64)}));
  EXPECT_EQ(join(all, more).duplicates, 3u);
  const Folder dir;
  put(dir / "joined.jsonl", journal_text(all));
  const Result<JournalFile> back = read_journal(dir / "joined.jsonl");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->sections, all);
}

TEST(Merge, RecordsWithoutDuplicates) {
  Record a;
  a.problem = *parse_problem("1x2x64x32:f16");
  a.variant = "tiled";
  a.config = {{"BLOCK_M", 16}};
  a.outcome = Outcome::error;
  a.environment.time_utc = "2026-11-22";
  Record b = a, c = a;
  b.outcome = Outcome::measured;
  b.environment.time_utc = "2026-11-21";
  c.config["BLOCK_M"] = 32;
  Results all, more;
  all.records = {a};
  more.records = {b, c};
  const Joined joined = join(all, more);
  EXPECT_EQ(joined.duplicates, 1u);
  ASSERT_EQ(all.records.size(), 2u);
  EXPECT_EQ(all.records[0].outcome, Outcome::measured);
}

}  // namespace
}  // namespace attnscope::tune
