#include "engine/record/results.hpp"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gtest/gtest.h>

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
