// Journals: whatever ends a process, and whatever else lies there.
#include "engine/tune/journal.hpp"
#include "engine/input/file.hpp"
#include "tests/files.hpp"
#include "tests/has.hpp"

namespace attnscope::tune::journal_test {

JournalKey key(const std::string& driver = "NVIDIA 580.1") {
  DeviceInfo device;
  device.name = "Some GPU";
  device.device_uuid = "00ff";
  device.driver = driver;
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

void fill(const std::filesystem::path& path, const std::vector<JournalLine>& lines, const JournalKey& k = key()) {
  auto journal = must(Journal::open(path, k));
  for (const JournalLine& l : lines) ASSERT_TRUE(journal->append(l));
}

TEST(Journal, GivesBackWhatWasTold) {
  const TempDir dir;
  const auto path = dir / "a/b.jsonl";
  fill(path, {line(16), line(32, 0)});
  const auto again = must(Journal::open(path, key()));
  EXPECT_EQ(again->earlier(), (std::vector{line(16), line(32, 0)}));
  EXPECT_EQ(again->note(), "");
}

TEST(Journal, ATimeBelowZeroOrFarFromItsSamplesIsDamage) {
  const TempDir dir;
  JournalLine median = line(32), sample = line(64), forged = line(128);
  median.trial.median_ns = sample.trial.samples_ns[1] = -5;
  forged.trial.median_ns = 1;
  fill(dir / "t.jsonl", {line(16), median, sample, forged});
  const Journal journal = Journal::look(dir / "t.jsonl", key());
  EXPECT_TRUE(has(journal.note(), "3 lines of"));
  EXPECT_EQ(journal.earlier(), std::vector{line(16)});
}

TEST(Journal, ATornLastLineCostsItselfAlone) {
  const TempDir dir;
  const auto path = dir / "t.jsonl";
  fill(path, {line(16), line(32)});
  const std::string whole = read_file(path);
  // Cut anywhere in the last line, as the end of a process can.
  const size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t cut = last; cut < whole.size(); cut += 7) {
    write_file(path, whole.substr(0, cut));
    {
      auto journal = must(Journal::open(path, key()));
      ASSERT_EQ(journal->earlier().size(), 1u) << cut;
      ASSERT_TRUE(journal->append(line(64)));
    }
    const auto after = must(Journal::open(path, key()));
    EXPECT_EQ(after->earlier(), (std::vector{line(16), line(64)})) << cut;
  }
}

TEST(Journal, OtherKeysSayNothing) {
  const TempDir dir;
  const auto path = dir / "k.jsonl";
  fill(path, {line(16)}, key("NVIDIA 570.1"));
  fill(path, {line(32, 0)});
  EXPECT_EQ(Journal::look(path, key()).earlier(), (std::vector{line(32, 0)}));
  EXPECT_EQ(Journal::look(path, key("NVIDIA 570.1")).earlier(), (std::vector{line(16)}));
}

TEST(Journal, GivesItsTrialsInTheOrderTheyWereMade) {
  const TempDir dir;
  const auto path = dir / "o.jsonl";
  fill(path, {line(64), line(16), line(32)});
  EXPECT_EQ(Journal::look(path, key()).earlier(), (std::vector{line(64), line(16), line(32)}));
  fill(path, {line(128), line(64, 700)});
  EXPECT_EQ(Journal::look(path, key()).earlier(), (std::vector{line(16), line(32), line(128), line(64, 700)}))
      << "what was made again stands where it was made last";
}

TEST(Journal, WhatIsNoneStaysAsItIs) {
  const TempDir dir;
  const auto path = dir / "f.jsonl";
  write_file(path, "my shopping list\n");
  for (const bool fresh : {false, true}) EXPECT_FALSE(Journal::open(path, key(), fresh));
  EXPECT_EQ(read_file(path), "my shopping list\n");
  write_file(path, "");
  auto journal = must(Journal::open(path, key()));
  EXPECT_TRUE(journal->append(line(16)));
  // Asked to begin anew, what is a journal is kept too.
  auto fresh = must(Journal::open(path, key(), true));
  EXPECT_TRUE(fresh->earlier().empty());
  EXPECT_TRUE(has(read_file(path.string() + ".aside-1"), "BLOCK_M"));
  EXPECT_FALSE(Journal::open("/proc/no/such.jsonl", key()));
}

TEST(Journal, BeginsWithItsFirstTrial) {
  const TempDir dir;
  const auto path = dir / "a/b.jsonl";
  {
    auto journal = must(Journal::open(path, key()));
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(journal->append(line(16)));
  }
  // One that is there is not added to before there is anything to add.
  const std::string before = read_file(path);
  EXPECT_TRUE(Journal::open(path, key("other 1")));
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(Journal::look(path, key()).earlier(), std::vector{line(16)});
  EXPECT_TRUE(Journal::look(path, key("other 1")).earlier().empty());
  EXPECT_EQ(read_file(path), before);
}

TEST(Journal, HasNoLengthAtWhichItIsLost) {
  const TempDir dir;
  const auto path = dir / "l.jsonl";
  fill(path, {line(16)});
  // Longer than what is read whole; a hole costs no room.
  std::filesystem::resize_file(path, kMaxResultBytes + 1);
  std::ofstream(path, std::ios::app) << '\n';
  fill(path, {line(32)});
  const auto journal = must(Journal::open(path, key()));
  EXPECT_EQ(journal->earlier(), (std::vector{line(16), line(32)})) << journal->note();
  EXPECT_TRUE(has(journal->note(), "1 lines of")) << "the hole: ";
}

TEST(Journal, SeveralWritersLoseNothing) {
  const TempDir dir;
  const auto path = dir / "w.jsonl";
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      auto journal = must(Journal::open(path, key()));
      for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append(line(1000 * w + i)));
    });
  for (std::thread& writer : writers) writer.join();
  const Result<Journal> journal = Journal::open(path, key());
  EXPECT_EQ(journal->note(), "");
  EXPECT_EQ(journal->earlier().size(), 400u);
}

}  // namespace attnscope::tune::journal_test
