// What a session tells beside the samples: sensors, and where a NaN comes from. On the software device.

#include "engine/telemetry/source.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::sensors_test {

struct Sensors final : telemetry::Source {
  std::string name() const override { return "test"; }
  telemetry::Reading read() override { return {.watts = 100, .clock_mhz = 1500, .throttled = {"power"}}; }
};

TEST(SessionSensors, AreInTheRecordOfWhatIsTimedAndToldAsALiveRunGoesOn) {
  SessionOptions options{false, cache_dir()};
  options.sensors = std::make_shared<Sensors>();
  const auto session = cpu_session(shipped_sources({"row"}), options);
  RunRequest request = small_run("1x2x33x32", "row");
  const Record timed = *must(session->run(request, {}, kGoOn));
  ASSERT_EQ(timed.outcome, Outcome::measured) << reason_of(timed);
  const auto read = must(timed.environment.telemetry);
  EXPECT_EQ(std::tuple(read->source, read->watts, read->clock_mhz, read->throttled.at("power")),
            std::tuple("test", 100, 1500, 1));
  request.measure = false;
  EXPECT_FALSE(must(session->run(request, {}, kGoOn))->environment.telemetry);
  request.measure = true;
  EXPECT_FALSE(must(cpu_session(shipped_sources({"row"}))->run(request, {}, kGoOn))->environment.telemetry)
      << "a software device has no sensors";
  request.live = true;
  std::vector<Telemetry> told;
  std::atomic<bool> cancel = false;
  const Record live = *must(session->run(
      request,
      [&](const Event& event) {
        keep(told)(event);
        cancel = told.size() >= 2;
      },
      cancel));
  ASSERT_EQ(told.size(), 2u) << reason_of(live);
  EXPECT_EQ(told[0].watts, 100);
  EXPECT_GT(told[1].readings, 1u);
  EXPECT_EQ(live.environment.telemetry, told[1]) << "not of the moment after it";
  EXPECT_TRUE(live.statistics && live.samples_ns.empty()) << "they were told once";
}

/// `row` with a NaN as the score of each key that meets a condition.
std::vector<VariantSource> row_with_nan_where(const std::string& condition) {
  std::vector<VariantSource> sources = shipped_sources({"row"});
  std::string& text = sources[0].files.at("row.comp");
  const std::string before = "            top = max(top, scores[n]);";
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos);
  text.insert(at, "if (key0 + n < keys && " + condition + ") scores[n] = uintBitsToFloat(0x7fc00001u);\n");
  return sources;
}

TEST(FirstNaN, IsTracedToTheKeyAndItsTile) {
  // The first dim of key j of a ramp is 8 (j + 1) / 64: from key 37 on it is over this.
  const std::string condition =
      fmt::format("row4_k(k_start(b, head, key0 + n), 0, HEAD_DIM, true).x > {}", 8 * 37.5 / 64);
  const auto session = cpu_session(row_with_nan_where(condition));
  RunRequest request = small_run("1x2x64x32:q=8:in=ramp", "row", {{"BLOCK_N", 16}});
  const Record r = *must(session->run(request, {}, kGoOn));
  EXPECT_EQ(r.outcome, Outcome::failed_verdict);
  ASSERT_TRUE(r.verdict && r.verdict->not_finite);
  EXPECT_EQ(*r.verdict->not_finite, (NotFinite{0, 0, 0, 0, 37}));
  EXPECT_TRUE(has(r.verdict->reason, "NaN or Inf", "comes with key 37", "tile 2 of 16 keys, 32 to 47"));
  // The inputs are what they were: a right kernel passes on them.
  const auto right = must(session->load_variants(shipped_sources({"row"})));
  EXPECT_EQ(must(session->run(request, {}, kGoOn))->outcome, Outcome::measured);
  const auto of_none = cpu_session(row_with_nan_where("key0 + n == 5u"));
  const Record none = *must(of_none->run(small_run("1x1x64x32:q=8", "row"), {}, kGoOn));
  ASSERT_TRUE(none.verdict && none.verdict->not_finite);
  EXPECT_FALSE(none.verdict->not_finite->key) << "of no key";
  EXPECT_TRUE(has(none.verdict->reason, "whatever K and V are"));
}

}  // namespace attnscope::sensors_test
