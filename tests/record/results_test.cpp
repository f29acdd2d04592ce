#include <sys/stat.h>
#include <unistd.h>

#include "engine/input/file.hpp"
#include "engine/record/results.hpp"
#include "tests/files.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::results_test {

struct ResultFiles : testing::Test {
  size_t files() const { return size_t(std::distance(fs::directory_iterator(dir_), fs::directory_iterator())); }
  const TempDir temporary_;
  const fs::path dir_ = temporary_.path();
};

TEST_F(ResultFiles, RoundTrip) {
  const Results results{.records = {sample_record(), sample_record()}};
  const fs::path path = dir_ / "out.json";
  EXPECT_TRUE(fails(read_results(path), "cannot be read: No such file"));
  EXPECT_FALSE(read_results(dir_));
  EXPECT_TRUE(check_writable(path));
  EXPECT_EQ(files(), 0u) << "a check leaves nothing";
  ASSERT_TRUE(write_results(path, results));
  const auto back = must(read_results(path));
  EXPECT_EQ(*back, results);
  EXPECT_EQ(back->schema, kRecordSchema);
  EXPECT_EQ(files(), 1u) << "a temporary file was left behind";
}

TEST_F(ResultFiles, AreReadBackHoweverLong) {
  Results results{.records = {sample_record(), sample_record(), sample_record()}};
  results.records[1].problem.seq_kv = 99;
  std::string text = results_to_json(results);
  // As many bytes as a search's with millions of samples, but quicker to make.
  const size_t second = text.find("{\n", text.find("\n    },"));
  ASSERT_NE(second, std::string::npos);
  text.insert(second, std::string(kMaxJsonBytes, ' '));
  const fs::path path = dir_ / "long.json";
  ASSERT_TRUE(write_text(path, text));
  EXPECT_EQ(*must(read_results(path)), results);

  // Beyond what is read at all; a hole costs no room.
  fs::resize_file(path, kMaxRecordsBytes + 1);
  EXPECT_TRUE(fails(read_results(path), "has 2,147,483,649 bytes; at most 2,147,483,648 are read"));
}

TEST_F(ResultFiles, ThatHaveWrongRecordsSayWhichAndANewerSchemaFirst) {
  std::string text = results_to_json({.records = {sample_record(), sample_record()}});
  const size_t at = text.rfind("\"outcome\": \"");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 12, "no");
  EXPECT_TRUE(fails(results_from_json(text, "f.json"), "f.json is not a result file: .records[1].outcome"));
  text.replace(text.find("\"schema\": "), 11, "\"schema\": 9");
  EXPECT_TRUE(fails(results_from_json(text, "f.json"), "f.json has schema 9; this version reads schemas 1 to 1."));
  for (const char* other : {"{}", "[]"}) EXPECT_TRUE(fails(results_from_json(other, "'x'"), "'x'")) << other;
}

TEST_F(ResultFiles, UnwritablePathsNameThePathAndTheReason) {
  const fs::path missing = dir_ / "no" / "such" / "out.json";
  for (const auto& result : {write_results(missing, {}), check_writable(missing)}) {
    EXPECT_TRUE(fails(result, ErrorKind::bad_input));
    EXPECT_EQ(result.error().message, "'" + missing.string() + "' cannot be written: No such file or directory.");
  }
  fs::create_directories(dir_ / "folder.json");
  EXPECT_FALSE(write_text(dir_ / "folder.json", "x"));
  EXPECT_FALSE(check_writable(dir_ / "folder.json"));
  EXPECT_EQ(files(), 1u) << "a temporary file was left behind";
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
  ASSERT_TRUE(check_writable(path));
  ASSERT_TRUE(write_text(path, "new"));
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
  ::umask(before);
}

TEST_F(ResultFiles, WriteByExtension) {
  for (const char* name : {"a.json", "a.csv", "a.md"})
    ASSERT_TRUE(write_results(dir_ / name, {.records = {sample_record()}}));
  EXPECT_TRUE(read_text(dir_ / "a.csv")->starts_with("problem,variant,config,"));
  EXPECT_TRUE(read_text(dir_ / "a.md")->starts_with("## Some GPU"));
  EXPECT_TRUE(check_writable("/dev/null"));
  EXPECT_TRUE(write_text("/dev/null", "text"));
  EXPECT_TRUE(fails(write_results(dir_ / "a.xlsx", {}), "'.xlsx'; a result file ends in .json, .csv or .md"));
}

std::string file_with(const std::string& fields) {
  return R"({"schema": 1, "records": [{"problem": "1x1x8x16", "variant": "row", )" + fields + "}]}";
}

TEST(SoundRecords, HaveNoTimeBelowZeroAndNoneWithoutEnd) {
  for (const auto& [fields, says] :
       {std::pair{R"("samples_ns": [3, -5])", ".records[0].samples_ns[1]: a time of -5 ns cannot be"},
        {R"("statistics": {"median": -1})", "statistics.median"},
        {R"("samples_ns": [8, 9, 8], "statistics": {"median": 4})", "statistics.median: 4 ns is not among samples_ns"},
        {R"("samples_ns": [8, 9, 8], "statistics": {"median": 40})", "statistics.median: 40 ns"}})
    EXPECT_TRUE(fails(results_from_json(file_with(fields), "'x'"), "'x' is not a result file: ", says)) << fields;
  for (const char* ns : {"null", "1e308", "1e999", "-1e999", "NaN", "Infinity"})
    EXPECT_FALSE(results_from_json(file_with(fmt::format(R"("samples_ns": [3, {}])", ns)), "'x'")) << ns;
  EXPECT_TRUE(results_from_json(file_with(R"("samples_ns": [0, 0])"), "'x'")) << "a timer may have such steps";
}

TEST(SoundRecords, ThatAreWrongHaveNoTime) {
  const auto time = std::string(R"(, "samples_ns": [8, 9, 8], "tflops": 3, "statistics": {"median": 8}, "outcome": )");
  for (const std::string& fields :
       {R"("verdict": {"pass": false})" + time + R"("measured")",
        R"("verdict": {"pass": false})" + time + R"("failed")", R"("message": "no room")" + time + R"("refused")"}) {
    const auto read = must(results_from_json(file_with(fields), "'x'"));
    const Record& r = read->records[0];
    EXPECT_NE(r.outcome, Outcome::measured) << fields;
    EXPECT_TRUE(r.samples_ns.empty()) << fields;
    EXPECT_FALSE(r.statistics) << fields;
    EXPECT_EQ(r.tflops, 0) << fields;
  }
}

}  // namespace attnscope::results_test
