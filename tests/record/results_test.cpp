#include "engine/record/results.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/input/file.hpp"
#include "engine/record/journal.hpp"
#include "engine/record/json.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

class ResultFiles : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("attnscope_results_" + std::to_string(::getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  size_t files() const { return size_t(std::distance(fs::directory_iterator(dir_), fs::directory_iterator())); }
  fs::path dir_;
};

TEST_F(ResultFiles, RoundTrip) {
  Results results;
  results.records = {sample_record(), sample_record()};
  const fs::path path = dir_ / "out.json";
  ASSERT_TRUE(write_results(path, results));
  const auto back = read_results(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, results);
  EXPECT_EQ(back->schema, kRecordSchema);
  EXPECT_EQ(files(), 1u) << "a temporary file was left behind";
}

TEST_F(ResultFiles, AreReadBackHoweverLong) {
  Results results;
  results.records = {sample_record(), sample_record(), sample_record()};
  results.records[1].problem.seq_kv = 99;
  results.tables.resize(1);
  results.tables[0].title = "a title";
  results.tables[0].columns = {{"x", true}};
  results.tables[0].rows = {{"1"}, {"2"}};
  std::string text = results_to_json(results);
  // As many bytes as a search's with millions of samples, but quicker to make.
  const size_t second = text.find("{\n", text.find("\n    },"));
  ASSERT_NE(second, std::string::npos);
  text.insert(second, std::string(kMaxJsonBytes, ' '));
  const fs::path path = dir_ / "long.json";
  ASSERT_TRUE(write_text(path, text));
  const auto back = read_results(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, results);

  // Beyond what is read at all; a hole costs no room.
  fs::resize_file(path, kMaxRecordsBytes + 1);
  const auto longer = read_results(path);
  ASSERT_FALSE(longer);
  EXPECT_NE(longer.error().message.find("has 2,147,483,649 bytes; at most 2,147,483,648 are read"), std::string::npos)
      << longer.error().message;
}

TEST_F(ResultFiles, ThatHaveWrongRecordsSayWhichAndANewerSchemaFirst) {
  Results results;
  results.records = {sample_record(), sample_record()};
  std::string text = results_to_json(results);
  const size_t at = text.rfind("\"outcome\": \"");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 12, "no");
  const auto wrong = results_from_json(text, "f.json");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("f.json is not a result file: .records[1].outcome"), std::string::npos)
      << wrong.error().message;
  text.replace(text.find("\"schema\": "), 11, "\"schema\": 9");
  const auto newer = results_from_json(text, "f.json");
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("f.json has schema 9"), std::string::npos) << newer.error().message;
}

TEST_F(ResultFiles, ReplaceWhatWasThere) {
  const fs::path path = dir_ / "out.json";
  ASSERT_TRUE(write_text(path, std::string(100000, 'x')));
  ASSERT_TRUE(write_text(path, "short"));
  EXPECT_EQ(*read_text(path), "short");
}

TEST_F(ResultFiles, UnwritablePathsNameThePathAndTheReason) {
  const fs::path missing = dir_ / "no" / "such" / "out.json";
  for (const auto& result : {write_results(missing, {}), check_writable(missing)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(result.error().message, "'" + missing.string() + "' cannot be written: No such file or directory.");
  }
  fs::create_directories(dir_ / "folder.json");
  EXPECT_FALSE(write_text(dir_ / "folder.json", "x"));
  EXPECT_FALSE(check_writable(dir_ / "folder.json"));
  EXPECT_EQ(files(), 1u) << "a temporary file was left behind";
}

TEST_F(ResultFiles, CheckWritableLeavesNothing) {
  EXPECT_TRUE(check_writable(dir_ / "out.json"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(ResultFiles, ThatCannotBeReadSayWhy) {
  const auto gone = read_results(dir_ / "gone.json");
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("cannot be read: No such file"), std::string::npos);
  EXPECT_FALSE(read_results(dir_));
}

mode_t mode_of(const fs::path& path) {
  struct stat s {};
  EXPECT_EQ(::stat(path.c_str(), &s), 0) << path;
  return s.st_mode & 0777;
}

TEST_F(ResultFiles, ALinkPlantedBesideThemIsNotFollowed) {
  const fs::path victim = dir_ / "victim", path = dir_ / "out.json";
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, fmt::format("{}.{}.tmp", path.string(), ::getpid()));
  fs::create_symlink(victim, path.string() + ".partial");
  ASSERT_TRUE(check_writable(path));
  ASSERT_TRUE(write_text(path, "new"));
  RecordJournal journal(path);
  ASSERT_TRUE(journal.add(sample_record()));
  EXPECT_EQ(*read_text(victim), "precious");
  EXPECT_EQ(*read_text(path), "new");
}

TEST_F(ResultFiles, KeepTheModeOfWhatTheyReplace) {
  const fs::path path = dir_ / "out.json";
  const mode_t before = ::umask(022);
  ASSERT_TRUE(write_text(path, "one"));
  EXPECT_EQ(mode_of(path), 0644u) << "a new one is as the umask says";
  for (const mode_t mode : {0600u, 0640u, 0444u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(write_text(path, "again"));
    EXPECT_EQ(mode_of(path), mode);
  }
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  RecordJournal journal(path);
  ASSERT_TRUE(journal.add(sample_record()));
  EXPECT_EQ(mode_of(journal.path()), 0600u) << "the journal shows no more than the file";
  ::umask(before);
}

TEST_F(ResultFiles, AJournalHasEachRecordAsSoonAsItIsAdded) {
  const fs::path path = dir_ / "out.csv";
  Record second = sample_record();
  second.variant = "other";
  {
    RecordJournal journal(path);
    EXPECT_EQ(files(), 0u) << "nothing is made before there is something to keep";
    ASSERT_TRUE(journal.add(sample_record()));
    EXPECT_EQ(journal.path(), dir_ / "out.csv.partial");
    ASSERT_TRUE(journal.add(second));
    const auto read = read_results(journal.path());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->records, (std::vector<Record>{sample_record(), second}));
  }
  // What a killed run left is kept, even half a line of it, and the next run has a journal of its own.
  std::ofstream(dir_ / "out.csv.partial", std::ios::app) << "{\"problem\": \"1x1x";
  const auto left = read_results(dir_ / "out.csv.partial");
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->records.size(), 2u);
  RecordJournal next(path);
  ASSERT_TRUE(next.add(second));
  EXPECT_EQ(next.path(), dir_ / "out.csv.partial.2");
  EXPECT_EQ(read_results(dir_ / "out.csv.partial")->records.size(), 2u);
  next.remove();
  EXPECT_EQ(files(), 1u);
}

TEST_F(ResultFiles, AJournalThatCannotBeWrittenSaysSoOnce) {
  RecordJournal nowhere(dir_ / "none" / "out.json");
  const auto failed = nowhere.add(sample_record());
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("out.json.partial"), std::string::npos) << failed.error().message;
  EXPECT_TRUE(nowhere.add(sample_record()));
  RecordJournal device("/dev/full");
  EXPECT_TRUE(device.add(sample_record())) << "a device has no journal";
}

TEST(ResultText, SaysWhereAJournalIsNone) {
  const auto bad = results_from_json("{\"journal\":1,\"schema\":1}\n{\"problem\":3}\n", "'x'");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2 of 'x'"), std::string::npos) << bad.error().message;
  const auto newer = results_from_json("{\"journal\":1,\"schema\":99}\n", "'x'");
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("99"), std::string::npos) << newer.error().message;
}

TEST_F(ResultFiles, WriteByExtension) {
  for (const char* name : {"a.json", "a.csv", "a.md"})
    ASSERT_TRUE(write_results(dir_ / name, {.records = {sample_record()}}));
  EXPECT_TRUE(read_text(dir_ / "a.csv")->starts_with("variant,config,"));
  EXPECT_TRUE(read_text(dir_ / "a.md")->starts_with("## Some GPU"));
  const auto odd = write_results(dir_ / "a.xlsx", {});
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().message.find("'.xlsx'; a result file ends in .json, .csv or .md"), std::string::npos);
}

TEST(ResultText, RefusesOtherSchemasAndOtherFiles) {
  const auto newer = results_from_json(R"({"schema": 99, "records": []})", "'x'");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().message, "'x' has schema 99; this version reads schemas 1 to 1.");
  EXPECT_FALSE(results_from_json("{}", "'x'"));
  EXPECT_FALSE(results_from_json("[]", "'x'"));
  const auto bad = results_from_json(R"({"schema": 1, "records": [{"problem": "banana", "variant": "x"}]})", "'x'");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(".records[0].problem"), std::string::npos) << bad.error().message;
}

TEST(ResultText, ReadsARecordOfAnotherProgram) {
  const auto r = results_from_json(R"({"schema": 1, "program": "torch", "records": [
      {"problem": "2x8x64x64:f16", "variant": "torch-sdpa", "samples_ns": [8900, 9000],
       "statistics": {"median": 8950}}]})",
                                   "'peer'");
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->records[0].variant, "torch-sdpa");
  EXPECT_EQ(r->records[0].statistics->median, 8950);
  EXPECT_EQ(r->records[0].outcome, Outcome::measured);
}

}  // namespace
}  // namespace attnscope
