// What a session tells beside the samples: whether the clock was up, for which it waits by work of the device's own (on
// a software device only where a test asks for it), sensors, and where a NaN comes from.
#include "engine/record/report.hpp"
#include "engine/session/judge.hpp"
#include "engine/session/sampling.hpp"
#include "engine/telemetry/source.hpp"
#include "tests/session/cpu_session.hpp"
#include "tests/vulkan/vulkan_test.hpp"

namespace attnscope::clock_gate_test {

struct ClockGateTest : vulkan::DeviceTest {};

TEST_F(ClockGateTest, ASoftwareDeviceIsNotWaitedForAndAWaitEndsWhateverTheClockDoesAndWithACancel) {
  uint64_t submits = 0;
  const std::function<void()> submitted = [&] { ++submits; };
  vulkan::Wait wait;
  wait.between = &submitted;
  EXPECT_EQ(*must(ClockGate(device()).rise(wait)), 1);
  EXPECT_EQ(submits, 0u);
  ClockGate gate(device(), true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(gate.rise(wait));
    EXPECT_GT(std::exchange(submits, 0), 0u);
  }
  const std::atomic<bool> cancel{true};
  wait.cancel = &cancel;
  EXPECT_TRUE(fails(gate.rise(wait), ErrorKind::cancelled));
}

/// A session on the software device whose clock is said to be so many times as slow as at its top.
struct ClockDown : testing::Test {
  double slow = 1.5;
  std::unique_ptr<Session> session;
  const Problem problem = *parse_problem("1x2x33x32");

  void SetUp() override {
    session = cpu_session(shipped_sources({"row", "naive"}), {.clock = [this] { return slow; }});
  }
  static Protocol quick() {
    // Whatever else the machine does, times settle.
    return {.warmup_ms = 1, .warmup_cap_ms = 300'000, .min_ms = 2, .target_noise = 1};
  }
};

TEST_F(ClockDown, ARunIsNotSettledAndSaysSoBeforeItsFirstSampleAndInItsNotes) {
  RunRequest request = small_run("1x2x33x32", "row");
  request.protocol = quick();
  std::optional<bool> told;
  const auto sink = [&](const Event& e) {
    if (const auto* began = std::get_if<SamplingBegan>(&e)) told = began->settled;
    if (std::holds_alternative<SampleBatch>(e)) {
      EXPECT_TRUE(told) << "samples before it is known how they are made";
    }
  };
  auto record = must(session->run(request, sink, kGoOn));
  ASSERT_EQ(record->outcome, Outcome::measured);
  EXPECT_EQ(told, false);
  EXPECT_FALSE(record->settled);
  const auto notes = grouped_notes({&*record, 1}, std::vector<std::string>{"row"});
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& n) { return n.find("clock") != n.npos; }));
  // One step of a clock is no reason, nor is a clock that is up.
  for (const double up : {1.0, kClockDown - 0.01}) {
    slow = up;
    record = must(session->run(request, sink, kGoOn));
    ASSERT_EQ(record->outcome, Outcome::measured);
    EXPECT_TRUE(record->settled) << up;
    EXPECT_EQ(told, true);
  }
}

TEST_F(ClockDown, NoneOfARaceIsSettled) {
  const RaceRequest request{.problem = problem,
                            .entries = {{"row", {{"BLOCK_N", 8}}}, {"naive", {}}},
                            .protocol = quick(),
                            .resources = false};
  const auto race = must(session->race(request, {}, kGoOn));
  for (const Record& r : race->records) {
    EXPECT_EQ(r.outcome, Outcome::measured) << r.message;
    EXPECT_FALSE(r.settled);
  }
}

TEST_F(ClockDown, ATrialSaysSoAndIsNotDroppedForItsClock) {
  TrialsRequest request = trials_of("1x2x33x32", "row", {{}, {{"BLOCK_N", 8}}});
  std::optional<Trial> told;
  const auto sink = [&](const Event& e) {
    if (const auto* done = std::get_if<TrialDone>(&e)) told = done->trial;
  };
  slow = 1;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  ASSERT_TRUE(told && told->outcome == Outcome::measured);
  EXPECT_TRUE(told->settled);
  // A best that no config reaches, and that none takes the place of: all are dropped, unless their clock may account
  // for that.
  request.best_ns = told->median_ns / 100;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  EXPECT_TRUE(told->dropped && told->settled && told->outcome == Outcome::measured);
  EXPECT_EQ(told->samples_ns.size(), 1u);
  slow = 10'000;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  EXPECT_FALSE(told->dropped);
  EXPECT_FALSE(told->settled);
}

TimedRuns timed(const std::vector<SpotCheck>& spots, const CheckTimes& last = {}, const CheckTimes& between = {}) {
  return {.spots = spots, .between = between, .last = last};
}

/// What is known of a kernel that keeps results, 1 where it has them and 10 where it works, and of an honest one.
TEST(SpotTimes, KnownTimesAreTheLeastThatAnInterruptionDoesNotExplain) {
  const std::vector<SpotCheck> honest{{{10, 10, 10, 10}, 10}, {{10, 10, 10, 10}, 10}};
  struct Case {
    const char* name;
    TimedRuns runs;
    size_t later;
    bool software;
    double known_ns;
  };
  for (const Case& c : std::vector<Case>{
           {"one interrupted", timed({{{1, 1, 200, 1}, 10}}), 0, false, 1},
           {"one of each", timed({{{1, 200, 1, 1}, 10}, {{1, 1, 1, 1}, 10}, {{200, 1, 1, 1}, 10}}), 0, false, 1},
           {"kept after the last sample", timed(honest, {{1, 1, 1, 1}}), 2, false, 1},
           {"honest after the last sample", timed(honest, {{10, 11, 12, 10}}), 2, false, 10},
           {"on a software device it does not count alone", timed(honest, {{1, 1, 1, 1}}), 2, true, 4},
           {"two between samples may be chance", timed({honest[0]}, {}, {{1, 10}}), 1, false, 10},
           {"and on a software device", timed({honest[0]}, {}, {{1, 10}}), 1, true, 10}})
    EXPECT_DOUBLE_EQ(spot_times(c.runs, c.later, c.software).known_ns, c.known_ns) << c.name;
}

TEST(SpotTimes, WorkLeftOutShowsWhereverItIsAndHonestRunsAreNoCheats) {
  struct Case {
    const char* name;
    TimedRuns runs;
    size_t later;
    double least, most;  ///< of the times of fresh executions over those of known ones
  };
  const SpotCheck honest{{10, 10, 10, 10}, 10};
  std::vector<SpotCheck> faster(8, {{20, 20, 20, 20}, 20});
  for (int round = 0; round < 2; ++round) faster.push_back(honest);
  for (const Case& c : std::vector<Case>{
           {"every second time", timed({{{1, 10, 1, 10}, 10}, {{10, 1, 10, 1}, 10}}), 0, 1.5, 100},
           {"honest", timed({{{10, 11, 10, 9}, 10}, {{10, 10, 12, 10}, 11}, {{10, 9, 10, 10}, 10}}), 0, 0.95, 1.05},
           {"in half of what comes between samples", timed({honest}, {{10, 10, 10, 10}}, {{5, 10, 5, 10, 5, 5}}), 1,
            1.5, 100},
           {"where the output is untouched, between", timed({honest}, {}, {{10, 11, 10}, {5, 90, 5, 6}}), 1, 1.5, 100},
           {"where the output is untouched, last", timed({honest}, {{10, 11, 10}, {5, 90, 5, 6}}), 1, 1.5, 100},
           {"a device that gets faster", timed(faster, {{10, 10, 10, 10}}), 8, 0, 1.25}})
    for (const bool software : {false, true}) {
      if (software && c.later != 1) continue;
      const auto [known, fresh] = spot_times(c.runs, c.later, software);
      EXPECT_GT(fresh, c.least * known) << c.name;
      EXPECT_LT(fresh, c.most * known) << c.name;
    }
  // The median stands for fresh executions, on a software device the least.
  const TimedRuns runs = timed({{{1, 1, 1, 1}, 7}, {{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 900}});
  EXPECT_DOUBLE_EQ(spot_times(runs, 0, false).fresh_ns, 7);
  EXPECT_DOUBLE_EQ(spot_times(runs, 0, true).fresh_ns, 5);
}

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
  const EventSink until_two = [&](const Event& event) {
    keep(told)(event);
    cancel = told.size() >= 2;
  };
  const Record live = *must(session->run(request, until_two, cancel));
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

}  // namespace attnscope::clock_gate_test
