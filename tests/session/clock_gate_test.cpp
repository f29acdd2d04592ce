// The clock is waited for by work of the device's own; on a software device only where a test asks for it.
#include "engine/record/report.hpp"
#include "engine/session/judge.hpp"
#include "engine/session/sampling.hpp"
#include "tests/session/cpu_session.hpp"
#include "tests/vulkan/vulkan_test.hpp"

namespace attnscope::clock_gate_test {

class ClockGateTest : public vulkan::DeviceTest {};

TEST_F(ClockGateTest, ASoftwareDeviceIsNotWaitedFor) {
  const std::function<void()> submitted = [] { ADD_FAILURE() << "something was submitted"; };
  vulkan::Wait wait;
  wait.between = &submitted;
  ClockGate gate(device());
  const auto slow = must(gate.rise(wait));
  EXPECT_EQ(*slow, 1);
}

TEST_F(ClockGateTest, AWaitEndsWhateverTheClockDoes) {
  uint64_t submits = 0;
  const std::function<void()> submitted = [&] { ++submits; };
  vulkan::Wait wait;
  wait.between = &submitted;
  ClockGate gate(device(), true);
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = submits;
    const auto slow = must(gate.rise(wait));
    EXPECT_GT(submits, before);
  }
}

TEST_F(ClockGateTest, ACancelEndsIt) {
  const std::atomic<bool> cancel{true};
  vulkan::Wait wait;
  wait.cancel = &cancel;
  ClockGate gate(device(), true);
  EXPECT_TRUE(fails(gate.rise(wait), ErrorKind::cancelled));
}

/// A session on the software device whose clock is said to be so many times as slow as at its top.
class ClockDown : public testing::Test {
 protected:
  double slow = 1.5;
  std::unique_ptr<Session> session;
  const Problem problem = *parse_problem("1x2x33x32");

  void SetUp() override {
    SessionOptions options;
    options.clock = [this] { return slow; };
    session = cpu_session(shipped_sources({"row", "naive"}), options);
  }
  static Protocol quick() {
    Protocol p;
    p.warmup_ms = 1;
    p.warmup_cap_ms = 300'000;  // whatever else the machine does, times settle
    p.min_ms = 2;
    p.target_noise = 1;
    return p;
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
  auto record = session->run(request, sink, kGoOn);
  ASSERT_TRUE(record && record->outcome == Outcome::measured);
  EXPECT_EQ(told, false);
  EXPECT_FALSE(record->settled);
  const auto notes = grouped_notes({&*record, 1}, std::vector<std::string>{"row"});
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& n) { return n.find("clock") != n.npos; }));
  // One step of a clock is no reason, nor is a clock that is up.
  for (const double up : {1.0, kClockDown - 0.01}) {
    slow = up;
    record = session->run(request, sink, kGoOn);
    ASSERT_TRUE(record && record->outcome == Outcome::measured);
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
  TrialsRequest request = trials_of("1x2x33x32", "row", {{}});
  std::optional<Trial> told;
  const auto sink = [&](const Event& e) {
    if (const auto* done = std::get_if<TrialDone>(&e)) told = done->trial;
  };
  slow = 1;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  ASSERT_TRUE(told && told->outcome == Outcome::measured);
  EXPECT_TRUE(told->settled);
  // A best that no config reaches: it is dropped, unless its clock may account for that.
  request.best_ns = told->median_ns / 100;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  EXPECT_TRUE(told->dropped && told->settled && told->outcome == Outcome::measured);
  EXPECT_EQ(told->samples_ns.size(), 1u);
  slow = 10'000;
  ASSERT_TRUE(session->trials(request, sink, kGoOn));
  EXPECT_FALSE(told->dropped);
  EXPECT_FALSE(told->settled);
}

SpotTimes times_of(std::vector<SpotCheck> spots, std::vector<double> last, std::vector<double> between, size_t later,
                   bool software) {
  TimedRuns timed;
  timed.spots = std::move(spots);
  timed.last.touched_ns = std::move(last);
  timed.between.touched_ns = std::move(between);
  return spot_times(timed, later, software);
}

TEST(SpotTimes, OneInterruptedExecutionHidesNothing) {
  // A kernel that keeps results: 1 where it has them, 10 where it works; another program took 200.
  EXPECT_DOUBLE_EQ(times_of({{{1, 1, 200, 1}, 10}}, {}, {}, 0, false).known_ns, 1);
  EXPECT_DOUBLE_EQ(
      times_of({{{1, 200, 1, 1}, 10}, {{1, 1, 1, 1}, 10}, {{200, 1, 1, 1}, 10}}, {}, {}, 0, false).known_ns, 1);
}

TEST(SpotTimes, WorkLeftOutNowAndThenShows) {
  const SpotTimes every_second = times_of({{{1, 10, 1, 10}, 10}, {{10, 1, 10, 1}, 10}}, {}, {}, 0, false);
  EXPECT_LT(1.5 * every_second.known_ns, every_second.fresh_ns);
  const SpotTimes honest =
      times_of({{{10, 11, 10, 9}, 10}, {{10, 10, 12, 10}, 11}, {{10, 9, 10, 10}, 10}}, {}, {}, 0, false);
  EXPECT_NEAR(honest.known_ns, honest.fresh_ns, 0.5);
}

TEST(SpotTimes, WhatFollowsTheLastSampleCountsAloneOnAGpu) {
  // Honest in every spot check, and not in between.
  const std::vector<SpotCheck> honest{{{10, 10, 10, 10}, 10}, {{10, 10, 10, 10}, 10}};
  EXPECT_DOUBLE_EQ(times_of(honest, {1, 1, 1, 1}, {}, 2, false).known_ns, 1);
  EXPECT_DOUBLE_EQ(times_of(honest, {10, 11, 12, 10}, {}, 2, false).known_ns, 10);
  EXPECT_DOUBLE_EQ(times_of(honest, {1, 1, 1, 1}, {}, 2, true).known_ns, 4);
}

TEST(SpotTimes, ExecutionsBetweenSamplesCountAlone) {
  // Honest in every spot check and at the end, and in half of what comes between samples.
  const std::vector<SpotCheck> honest{{{10, 10, 10, 10}, 10}};
  for (const bool software : {false, true}) {
    const auto [known, fresh] = times_of(honest, {10, 10, 10, 10}, {5, 10, 5, 10, 5, 5}, 1, software);
    EXPECT_GT(fresh, 1.5 * known);
    EXPECT_DOUBLE_EQ(times_of(honest, {}, {1, 10}, 1, software).known_ns, 10) << "two may be chance";
  }
}

TEST(SpotTimes, WorkLeftOutWhereTheOutputIsUntouchedShows) {
  // Honest in every execution before which the output was touched.
  for (const bool software : {false, true})
    for (KnownTimes TimedRuns::*const times : {&TimedRuns::between, &TimedRuns::last}) {
      TimedRuns timed;
      timed.spots = {{{10, 10, 10, 10}, 10}};
      timed.*times = {{10, 11, 10}, {5, 90, 5, 6}};
      const auto [known, fresh] = spot_times(timed, 1, software);
      EXPECT_GT(fresh, 1.5 * known);
    }
}

TEST(SpotTimes, ADeviceThatGetsFasterIsNoCheat) {
  std::vector<SpotCheck> spots(8, {{20, 20, 20, 20}, 20});
  for (int round = 0; round < 2; ++round) spots.push_back({{10, 10, 10, 10}, 10});
  const auto [known, fresh] = times_of(spots, {10, 10, 10, 10}, {}, 8, false);
  EXPECT_LT(fresh, 1.25 * known);
}

TEST(SpotTimes, TheMedianStandsForFreshExecutionsOnASoftwareDeviceTheLeast) {
  EXPECT_DOUBLE_EQ(times_of({{{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 900}}, {}, {}, 0, false).fresh_ns, 5);
  EXPECT_DOUBLE_EQ(times_of({{{1, 1, 1, 1}, 7}, {{1, 1, 1, 1}, 5}, {{1, 1, 1, 1}, 900}}, {}, {}, 0, true).fresh_ns, 5);
}

}  // namespace attnscope::clock_gate_test
