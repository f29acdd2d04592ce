// One function makes a record, and what came of the run decides which numbers it may keep.
#include "engine/record/run.hpp"
#include "tests/has.hpp"

namespace attnscope::run_test {

Record some_run() {
  return {.problem = *parse_problem("2x4x64x32:f16"),
          .variant = "any",
          .config = {{"BLOCK_M", 32}},
          .config_name = "default",
          .seed = 7,
          .environment = {.device = {.name = "GPU"}, .shader_hash = "abc"}};
}

TEST(Run, BeginsAsAnErrorWithItsWork) {
  const Record run = some_run(), record = make_record(run);
  EXPECT_EQ(record.outcome, Outcome::error);
  EXPECT_EQ(record.flops, problem_flops(run.problem));
  EXPECT_EQ(record.bytes, problem_bytes(run.problem));
}

TEST(Run, IsTheSameOnlyWithTheSameDeviceProblemShaderConfigModesAndSeed) {
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

}  // namespace attnscope::run_test
