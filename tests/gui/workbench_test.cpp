// The workbench and its measuring thread together, with a fake session behind: no window, no device.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "app/gui/link_core.hpp"
#include "app/gui/workbench.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {
namespace {

class WorkbenchTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  GuiOptions options;
  Workbench bench{options};
  Link link{test::fake_link(world)};

  void pump() {
    bench.tick(steady_seconds());
    for (const News& news : link.take()) bench.apply(news, false, steady_seconds());
    link.wish(bench.wish());
    if (link.held()) link.resume();
  }

  /// Pumps until `done`; false after ten seconds.
  template <class F>
  bool until(F done) {
    const double limit = steady_seconds() + 10;
    while (steady_seconds() < limit) {
      pump();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool sampled(uint64_t count) {
    return until([&] { return bench.live_is_current() && bench.live.series.taken() >= count; });
  }
};

TEST_F(WorkbenchTest, OpensADeviceChoosesAVariantAndStreamsSamples) {
  ASSERT_TRUE(sampled(40));
  EXPECT_EQ(bench.device->name, "Test GPU");
  EXPECT_EQ(bench.devices.size(), 3u);
  EXPECT_EQ(bench.ask.variant, "tiled");
  EXPECT_TRUE(bench.live.verdict->pass);
  EXPECT_EQ(bench.live.resources->shared_bytes, 16384u);
  EXPECT_NEAR(bench.live.series.statistics()->median, 1e6, 2e5);
  EXPECT_FALSE(bench.quiet()) << "a GPU of its own needs no quiet mode";
}

TEST_F(WorkbenchTest, AChangedConfigIsVerifiedAndSampledAnew) {
  ASSERT_TRUE(sampled(40));
  bench.set_value("BLOCK_M", 64);
  EXPECT_FALSE(bench.live_is_current());
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.live.ask.config.at("BLOCK_M"), 64);
  EXPECT_TRUE(bench.live.verdict);
  ASSERT_EQ(bench.tried.size(), 1u) << "the config before is in the session log";
  EXPECT_EQ(bench.tried[0].record.config.at("BLOCK_M"), 32);
  EXPECT_EQ(bench.tried[0].record.outcome, Outcome::measured);
  EXPECT_TRUE(bench.tried[0].best);
  bench.undo();
  EXPECT_EQ(bench.ask.config.at("BLOCK_M"), 32);
  bench.redo();
  EXPECT_EQ(bench.ask.config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, DraggingDispatchesOnlyWhatSettles) {
  ASSERT_TRUE(sampled(20));
  const int before = world->runs;
  for (int64_t v : {16, 32, 64, 16, 32, 64}) {
    bench.set_value("BLOCK_M", v);
    pump();
  }
  ASSERT_TRUE(sampled(20));
  EXPECT_LE(world->runs - before, 3);
}

TEST_F(WorkbenchTest, TheConfigThatSuitsFollowsTheProblemUntilOneIsChosenByHand) {
  ASSERT_TRUE(sampled(20));
  const auto block_m = [&](const char* problem) {
    bench.set_problem(*parse_problem(problem));
    EXPECT_TRUE(until([&] { return bench.current_inspection(); }));
    EXPECT_TRUE(sampled(5));
    return bench.ask.config.at("BLOCK_M");
  };
  EXPECT_EQ(block_m("1x2x64x16"), 16) << "small suits";
  EXPECT_EQ(block_m("1x2x64x64"), 32) << "the defaults do";
  bench.set_value("BLOCK_M", 64);
  EXPECT_EQ(block_m("1x2x64x16"), 64) << "it was chosen by hand";
}

TEST_F(WorkbenchTest, IllegalValuesAreGreyedWithTheReason) {
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.why_not_value("BLOCK_M", 2), "");
  EXPECT_NE(bench.why_not_value("BLOCK_M", 3).find("the limit is 32768"), std::string::npos);
  bench.set_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.current_inspection(); }));
  EXPECT_FALSE(bench.current_inspection()->why_not.empty());
  const int runs = world->runs;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pump();
  EXPECT_EQ(world->runs, runs) << "a refused config is not dispatched";
  bench.use_nearest();
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.live.ask.config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, ADeadWorkerIsSaidAndTheNextConfigIsMeasured) {
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return bench.live_is_current() && !bench.live.failure.empty(); }));
  EXPECT_NE(bench.live.failure.find("signal 9"), std::string::npos);
  EXPECT_NE(bench.log.back().text.find("signal 9"), std::string::npos);
  const int runs = world->runs;
  for (int i = 0; i < 30; ++i) {
    pump();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(world->runs, runs) << "what killed a worker is not dispatched again unasked";
  bench.set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(bench.live.failure.empty());
  bench.set_value("BLOCK_M", 32);
  ASSERT_TRUE(sampled(20)) << "going back to it asks for it again";
}

TEST_F(WorkbenchTest, TryAgainDispatchesTheLostConfig) {
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return bench.live_is_current() && !bench.live.failure.empty(); }));
  bench.try_again();
  ASSERT_TRUE(sampled(100));
}

TEST_F(WorkbenchTest, WrongResultsAreNeverTimed) {
  world->wrong_results = true;
  ASSERT_TRUE(until([&] { return bench.live_is_current() && bench.live.verdict; }));
  EXPECT_FALSE(bench.live.verdict->pass);
  ASSERT_TRUE(until([&] { return !bench.tried.empty(); }));
  EXPECT_EQ(bench.tried[0].record.outcome, Outcome::failed_verdict);
  EXPECT_FALSE(bench.tried[0].best);
  EXPECT_EQ(bench.live.series.taken(), 0u);
}

TEST_F(WorkbenchTest, PinsAreMeasuredAcrossProblemsAndLiveSamplingGoesOn) {
  ASSERT_TRUE(sampled(40));
  bench.pin();
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled(40));
  bench.pin();
  ASSERT_EQ(bench.pins.size(), 2u);
  EXPECT_NE(bench.pins[0].colour, bench.pins[1].colour);
  ASSERT_TRUE(until([&] { return bench.against_live(bench.pins[0]); }));
  EXPECT_FALSE(bench.measure_all()) << "no problems are listed";
  bench.bar_problems = {*parse_problem("1x4x32x32"), *parse_problem("1x4x64x32")};
  const auto job = bench.measure_all();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->items.size(), 4u);
  link.submit(*job);
  ASSERT_TRUE(until([&] { return !bench.job.running; }));
  EXPECT_EQ(bench.results.size(), 4u);
  EXPECT_TRUE(bench.result_for(bench.pins[0], bench.bar_problems[1]));
  const uint64_t taken = bench.live.series.taken();
  ASSERT_TRUE(sampled(taken + 20)) << "live sampling goes on after the job";
  EXPECT_GE(bench.all_records().size(), 4u);
}

TEST_F(WorkbenchTest, AJobCanBeCancelled) {
  ASSERT_TRUE(sampled(20));
  bench.pin();
  for (int i = 1; i < 50; ++i) {
    Problem p = *parse_problem("1x4x32x32");
    p.seq_q = p.seq_kv = uint32_t(i);
    bench.bar_problems.push_back(p);
  }
  link.submit(*bench.measure_all());
  ASSERT_TRUE(until([&] { return bench.results.size() >= 2; }));
  link.cancel_job();
  ASSERT_TRUE(until([&] { return !bench.job.running; }));
  EXPECT_LT(bench.results.size(), 49u);
}

TEST_F(WorkbenchTest, PauseKeepsTheSamplesAndResumeAddsToThem) {
  ASSERT_TRUE(sampled(40));
  bench.paused = true;
  ASSERT_TRUE(until([&] { return !bench.measuring(); }));
  const uint64_t taken = bench.live.series.taken();
  EXPECT_GE(taken, 40u);
  bench.paused = false;
  ASSERT_TRUE(sampled(taken + 20));
}

TEST_F(WorkbenchTest, ASoftwareDeviceIsQuietAndItsWorkerWaitsForTheWindow) {
  bench.set_device(0, "1");
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(bench.quiet());
  // Without a resume nothing more comes.
  const double limit = steady_seconds() + 5;
  while (!link.held() && steady_seconds() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(link.held());
  (void)link.take();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(link.take().empty());
  link.resume();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_FALSE(link.take().empty());
}

TEST_F(WorkbenchTest, AnUnknownDeviceIsSaidAndAnotherCanBeChosen) {
  bench.set_device(0, "99");
  ASSERT_TRUE(until([&] { return !bench.device_failure.empty(); }));
  EXPECT_NE(bench.device_failure.find("99"), std::string::npos);
  bench.set_device(0, "0");
  ASSERT_TRUE(sampled(20));
}

TEST_F(WorkbenchTest, VariantsThatCannotRunSayWhy) {
  ASSERT_TRUE(sampled(20));
  EXPECT_NE(bench.why_not("matrix").find("coopmat"), std::string::npos);
  EXPECT_NE(bench.why_not("broken").find("main.comp:12"), std::string::npos);
  EXPECT_EQ(bench.why_not("naive"), "");
  bench.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.live.ask.variant, "naive");
}

}  // namespace
}  // namespace attnscope::gui
