// What is kept of a run: its numbers by what came of it, and files of results.
#include <sys/stat.h>
#include <unistd.h>

#include "engine/input/file.hpp"
#include "engine/record/results.hpp"
#include "engine/record/run.hpp"
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

Record some_run() {
  return {.problem = *parse_problem("2x4x64x32:f16"),
          .variant = "any",
          .config = {{"BLOCK_M", 32}},
          .config_name = "default",
          .seed = 7,
          .environment = {.device = {.name = "GPU"}, .shader_hash = "abc"}};
}

TEST(Run, BeginsAsAnErrorWithItsWorkAndIsTheSameOnlyWithTheSameDeviceProblemShaderConfigModesAndSeed) {
  const Record run = some_run();
  Record later = run;
  later.environment.time_utc = "2026-01-01T00:00:00Z";
  later.protocol.min_ms *= 2;
  EXPECT_EQ(run_id(make_record(run)), run_id(make_record(later)));
  const std::vector<void (*)(Record&)> changes{
      [](Record& r) { r.environment.device.name = "another"; },
      [](Record& r) { r.environment.device.device_uuid = "of another host"; },
      [](Record& r) { r.environment.device.driver = "newer"; },
      [](Record& r) { r.environment.device.index = 1; },
      [](Record& r) { r.environment.shader_hash = "edited"; },
      [](Record& r) { r.problem.causal = true; },
      [](Record& r) { r.variant = "another"; },
      [](Record& r) { r.config["BLOCK_M"] = 64; },
      [](Record& r) { r.protocol.cache = CacheMode::cold; },
      [](Record& r) { r.protocol.launch = LaunchMode::back_to_back; },
      [](Record& r) { r.seed = 8; },
  };
  for (const auto change : changes) {
    Record other = run;
    change(other);
    EXPECT_NE(run_id(make_record(run)), run_id(make_record(other))) << to_text(run_id(other));
  }
  const Record record = make_record(run);
  EXPECT_EQ(record.outcome, Outcome::error);
  EXPECT_EQ(record.flops, problem_flops(run.problem));
  EXPECT_EQ(record.bytes, problem_bytes(run.problem));
}

TEST(SameDevice, IsTheUuidAndWithoutOneTheIndex) {
  DeviceInfo a{.name = "GPU", .driver = "driver 1"}, b = a;
  const auto same = [&] {
    EXPECT_EQ(same_device(a, b), device_key(a) == device_key(b)) << device_key(a) << " and " << device_key(b);
    return same_device(a, b);
  };
  EXPECT_TRUE(same());
  b.index = 1;
  EXPECT_FALSE(same()) << "two of one name, of which nothing else is known";
  a.device_uuid = "aa", b.device_uuid = "bb";
  EXPECT_FALSE(same());
  b.index = 0;
  EXPECT_FALSE(same()) << "of two machines, both the first";
  b.device_uuid = "aa";
  b.index = 1;
  EXPECT_TRUE(same()) << "listed at another place since a device was added";
  b.driver = "driver 2";
  EXPECT_FALSE(same());
  b = a;
  b.device_uuid.clear();
  EXPECT_FALSE(same()) << "of one it is not known";
}

TEST(Conclude, OnlyWhatWasMeasuredHasStatisticsAndAFailedVerdictKeepsNoSampleWhoeverConcludes) {
  for (const Outcome said : {Outcome::measured, Outcome::cancelled, Outcome::verified, Outcome::refused,
                             Outcome::failed_verdict, Outcome::error})
    for (const bool right : {true, false}) {
      Record r = make_record(some_run());
      r.samples_ns = {1000, 2000, 3000};
      if (!right) r.verdict.emplace().pass = false;
      conclude(r, said);
      const bool may = right && (said == Outcome::measured || said == Outcome::cancelled);
      EXPECT_EQ(r.statistics.has_value(), may) << to_text(said);
      EXPECT_DOUBLE_EQ(r.tflops, may ? r.flops / 2000 / 1e3 : 0) << to_text(said);
      EXPECT_DOUBLE_EQ(r.gbps, may ? r.bytes / 2000 : 0) << to_text(said);
      if (right) {
        EXPECT_EQ(r.outcome, said);
      } else if (said == Outcome::measured || said == Outcome::cancelled || said == Outcome::verified) {
        EXPECT_EQ(r.outcome, Outcome::failed_verdict) << to_text(said);
        EXPECT_TRUE(r.samples_ns.empty()) << to_text(said);
      }
    }
}

TEST(Conclude, AnErrorIsARefusalACancelOrALoss) {
  for (const ErrorKind refused : {ErrorKind::bad_input, ErrorKind::unsupported})
    EXPECT_EQ(outcome_of(refused), Outcome::refused);
  EXPECT_EQ(outcome_of(ErrorKind::cancelled), Outcome::cancelled);
  for (const ErrorKind lost : {ErrorKind::device_lost, ErrorKind::out_of_memory, ErrorKind::internal})
    EXPECT_EQ(outcome_of(lost), Outcome::error);
}

}  // namespace attnscope::results_test
