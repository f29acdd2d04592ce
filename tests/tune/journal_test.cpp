// Journals: whatever ends a process, and whatever else lies there.
#include "engine/tune/journal.hpp"
#include "engine/input/file.hpp"
#include "tests/has.hpp"

namespace attnscope::tune::journal_test {

JournalKey key(const std::string& driver = "NVIDIA 580.1") {
  const DeviceInfo device{.name = "Some GPU", .driver = driver, .device_uuid = "00ff"};
  return journal_key(device, *parse_problem("1x2x64x32:f16"), Protocol(), 1);
}

JournalLine line(int64_t m, double ns = 1000) {
  Trial trial{.config = {{"BLOCK_M", m}},
              .outcome = ns > 0 ? Outcome::measured : Outcome::failed_verdict,
              .message = ns > 0 ? "" : "a \"wrong\" one\nin two lines",
              .median_ns = ns,
              .samples_ns = {ns, ns + 0.25},
              .time_utc = "2026-11-21T00:00:00Z"};
  return {"tiled", "abc", trial};
}

void fill(const fs::path& path, const std::vector<JournalLine>& lines, const JournalKey& k = key()) {
  auto journal = must(Journal::open(path, k));
  for (const JournalLine& l : lines) ASSERT_TRUE(journal->append(l));
}

struct JournalTest : testing::Test {
  const TempDir dir_;
  const fs::path path_ = dir_ / "a/b.jsonl";
};

TEST_F(JournalTest, ATimeBelowZeroOrFarFromItsSamplesIsDamage) {
  JournalLine median = line(32), sample = line(64), forged = line(128);
  median.trial.median_ns = sample.trial.samples_ns[1] = -5;
  forged.trial.median_ns = 1;
  fill(path_, {line(16), median, sample, forged});
  const Journal journal = Journal::look(path_, key());
  EXPECT_TRUE(has(journal.note(), "3 lines of"));
  EXPECT_EQ(journal.earlier(), std::vector{line(16)});
}

TEST_F(JournalTest, ATornLastLineCostsItselfAlone) {
  fill(path_, {line(16), line(32)});
  const std::string whole = read_file(path_);
  // Cut anywhere in the last line, as the end of a process can.
  const size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t cut = last; cut < whole.size(); cut += 7) {
    write_file(path_, whole.substr(0, cut));
    EXPECT_EQ(Journal::look(path_, key()).earlier().size(), 1u) << cut;
    fill(path_, {line(64)});
    EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(64)})) << cut;
  }
}

TEST_F(JournalTest, TwoThatAppendAtOnceKeepTheirTrialsApart) {
  auto one = must(Journal::open(path_, key()));
  ASSERT_TRUE(one->append(line(16)));
  auto other = must(Journal::open(path_, key("NVIDIA 570.1")));
  ASSERT_TRUE(other->append(line(32, 0)));
  ASSERT_TRUE(one->append(line(64)));
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(64)}));
  EXPECT_EQ(Journal::look(path_, key("NVIDIA 570.1")).earlier(), (std::vector{line(32, 0)}));
  EXPECT_EQ(Journal::look(path_, key()).note(), "") << "another's are no damage";
}

TEST_F(JournalTest, GivesItsTrialsInTheOrderTheyWereMade) {
  fill(path_, {line(64), line(16), line(32)});
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(64), line(16), line(32)}));
  fill(path_, {line(128), line(64, 700)});
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(32), line(128), line(64, 700)}))
      << "what was made again stands where it was made last";
}

TEST_F(JournalTest, WhatIsNoneStaysAsItIs) {
  write_file(path_, "my shopping list\n");
  for (const bool fresh : {false, true}) EXPECT_FALSE(Journal::open(path_, key(), fresh));
  EXPECT_EQ(read_file(path_), "my shopping list\n");
  write_file(path_, "");
  fill(path_, {line(16)});
  // Asked to begin anew, what is a journal is kept too.
  EXPECT_TRUE(must(Journal::open(path_, key(), true))->earlier().empty());
  EXPECT_TRUE(has(read_file(path_.string() + ".aside-1"), "BLOCK_M"));
  EXPECT_FALSE(Journal::open("/proc/no/such.jsonl", key()));
}

TEST_F(JournalTest, BeginsWithItsFirstTrial) {
  EXPECT_TRUE(Journal::open(path_, key()));
  EXPECT_FALSE(fs::exists(path_));
  fill(path_, {line(16)});
  // One that is there is not added to before there is anything to add.
  const std::string before = read_file(path_);
  EXPECT_TRUE(Journal::open(path_, key("other 1")));
  EXPECT_EQ(Journal::look(path_, key()).earlier(), std::vector{line(16)});
  EXPECT_TRUE(Journal::look(path_, key("other 1")).earlier().empty());
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(JournalTest, HasNoLengthAtWhichItIsLost) {
  fill(path_, {line(16)});
  // Longer than what is read whole; a hole costs no room.
  fs::resize_file(path_, kMaxResultBytes + 1);
  std::ofstream(path_, std::ios::app) << '\n';
  fill(path_, {line(32)});
  const auto journal = must(Journal::open(path_, key()));
  EXPECT_EQ(journal->earlier(), (std::vector{line(16), line(32)})) << journal->note();
  EXPECT_TRUE(has(journal->note(), "1 lines of")) << "the hole: ";
}

TEST_F(JournalTest, SeveralWritersLoseNothing) {
  at_once(4, [&](int w) {
    auto journal = must(Journal::open(path_, key()));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append(line(1000 * w + i)));
  });
  const Result<Journal> journal = Journal::open(path_, key());
  EXPECT_EQ(journal->note(), "");
  EXPECT_EQ(journal->earlier().size(), 400u);
}

}  // namespace attnscope::tune::journal_test
