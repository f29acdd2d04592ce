// What a lost worker costs: its config, and nothing else. Links by themselves: wishes that overtake each other, workers
// that never answer.
#include <signal.h>

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::workbench_loss_test {

TEST_F(WorkbenchTest, ADeadWorkerIsSaidAndTheNextConfigIsMeasured) {
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return lost(); }));
  EXPECT_TRUE(has(live().failure, "signal 9"));
  EXPECT_TRUE(has(bench.messages.lines().back().text, "signal 9"));
  const int runs = world->runs;
  settle();
  EXPECT_EQ(world->runs, runs) << "what killed a worker is not dispatched again unasked";
  ASSERT_TRUE(sampled(20, 16));
  EXPECT_TRUE(live().failure.empty());
  ASSERT_TRUE(sampled(20, 32)) << "going back to it asks for it again";
  world->die_at_start = true;
  bench.request.set_value("BLOCK_M", 64);
  ASSERT_TRUE(until([&] { return lost(); }));
  const uint64_t version = bench.device_state.variants_version();
  bench.sources_changed({"naive"});
  ASSERT_TRUE(until([&] { return bench.device_state.variants_version() > version; }));
  EXPECT_TRUE(has(bench.stuck(), "signal 9")) << "another shader was read again";
  bench.try_again();
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.stuck(), "");
}

TEST_F(Sampled, WhatWasLostIsNotDispatchedAgainWhateverElseIsWished) {
  world->die_in_run = true;
  world->batches_before_death = 0;
  bench.request.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return lost(); }));
  const int runs = world->runs;
  const auto stays_lost = [&](const char* after) {
    settle();
    EXPECT_EQ(world->runs, runs) << after;
    EXPECT_TRUE(lost()) << after;
  };
  bench.request.closer = true;
  stays_lost("a tab was clicked");
  bench.request.quiet = true;
  stays_lost("quiet mode");
  ++bench.request.peaks;
  stays_lost("the ceilings were measured");
  bench.request.paused = true;
  pump();
  bench.request.paused = false;
  stays_lost("paused, and not any more");
  links.at(0)->search(*must(bench.sweep("naive")));
  ASSERT_TRUE(until([&] { return !bench.search.running(); }));
  stays_lost("a search came to its end");
  links.at(0)->submit(*must(bench.look_at_errors()));
  ASSERT_TRUE(until([&] { return !bench.jobs.runs(JobKind::errors); }));
  stays_lost("a job came to its end");
  bench.sources_changed({"naive"});
  stays_lost("another shader was saved");
  bench.sources_changed({"tiled"});
  ASSERT_TRUE(sampled(20)) << "its own shader was saved";
}

TEST_F(Sampled, WhatIsComeBackToIsAskedForEvenIfTheOtherNeverRan) {
  world->die_in_run = true;
  bench.request.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return lost(); }));
  const Config config = bench.request.selection.config;
  bench.request.set_config(Config{{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.request.inspection() && !bench.request.inspection()->why_not.empty(); }));
  bench.request.set_config(config);
  ASSERT_TRUE(sampled(20));
  // And another device has not lost it.
  world->die_in_run = true;
  bench.request.set_value("BLOCK_M", 64);
  ASSERT_TRUE(until([&] { return lost(); }));
  bench.set_device(0, "cpu");
  ASSERT_TRUE(sampled(20));
}

TEST_F(Sampled, WhatWasLostOfAnEarlierShaderIsNoReasonNotToMeasureTheNewOne) {
  Record lost_record = *live().began;
  conclude(lost_record, Outcome::error, "The worker was killed by signal 9; it was started again.");
  world->shader = 2;
  bench.sources_changed({"tiled"});
  // The run of the version before ends after the change was seen, and its worker with it.
  bench.apply({0, RunEnded{bench.request.selection, lost_record}}, false, bench.now());
  ASSERT_TRUE(sampled(20)) << bench.stuck();
  EXPECT_EQ(live().began->environment.shader_hash, "tiled-2");
}

TEST_F(Sampled, AWorkerThatCannotLoadIsSaidAndTryingAgainLoads) {
  world->shader = 2;
  world->load_fails = true;
  bench.sources_changed({"tiled"});
  ASSERT_TRUE(until([&] { return !bench.stuck().empty(); })) << "it waited for ever";
  EXPECT_FALSE(bench.live.timed()) << "of the shader before the change";
  const int runs = world->runs;
  bench.request.set_value("BLOCK_M", 16);
  settle();
  EXPECT_EQ(world->runs, runs) << "nothing is dispatched of what is not shown";
  world->load_fails = false;
  bench.try_again();
  ASSERT_TRUE(sampled(20)) << bench.stuck();
  EXPECT_EQ(live().began->environment.shader_hash, "tiled-2");
}

TEST_F(WorkbenchTest, AWorkerThatCannotOpenIsSaidAndTryingAgainOpens) {
  world->open_fails = world->load_fails = true;
  ASSERT_TRUE(until([&] { return !bench.stuck().empty(); }));
  world->open_fails = false;
  bench.try_again();
  ASSERT_TRUE(until([&] { return !bench.device_state.variants_failure.empty(); }))
      << "the next thing that cannot be done";
  EXPECT_NE(bench.stuck(), "");
  world->load_fails = false;
  bench.try_again();
  ASSERT_TRUE(sampled(20)) << bench.stuck();
}

TEST_F(WorkbenchTest, AWorkerThatIsSilentWhileItLoadsIsSaidAndTryingAgainEndsIt) {
  Workbench slow(options);
  slow.tick(1);
  slow.tick(10);
  EXPECT_EQ(slow.stuck(), "");
  slow.tick(30);
  EXPECT_TRUE(has(slow.stuck(), "29 s"));
  slow.try_again();
  slow.tick(31);
  EXPECT_EQ(slow.stuck(), "") << "it has as long once more";

  world->hold_load = true;
  ASSERT_TRUE(until([&] { return world->loads == 1; }));
  bench.try_again();  // ends the first one, which would wait for ever
  ASSERT_TRUE(until([&] { return world->loads >= 2; }));
  world->hold_load = false;
  ASSERT_TRUE(sampled(20)) << bench.stuck();
}

TEST_F(Linked, WhatIsWishedBeforeTheLossWasHeardOfDispatchesNothingAgain) {
  world->die_in_run = true;
  WorkerRequest request = wish_of(32);
  links.at(0)->request(request);
  const auto heard = [&](const auto& is) {
    return soon([&] { return std::ranges::any_of(links.take(), is, &DeviceEvent::news); });
  };
  const auto ended = [](const WorkerEvent& news) {
    const auto* run = std::get_if<RunEnded>(&news);
    return run && run->record.outcome == Outcome::error;
  };
  ASSERT_TRUE(heard(ended));
  // The window has not heard of it yet, and a tab is clicked.
  request.closer = true;
  links.at(0)->request(request);
  ASSERT_TRUE(heard([](const WorkerEvent& news) {
    const auto* failed = std::get_if<Failed>(&news);
    return std::holds_alternative<NeighboursPlanned>(news) || (failed && failed->what == "plan neighbours");
  }));
  const auto starts = [&](int64_t m) {
    return heard([&](const WorkerEvent& news) {
      const auto* run = std::get_if<RunStarted>(&news);
      EXPECT_TRUE(!run || run->selection.config.at("BLOCK_M") == m) << "what was lost was dispatched again";
      return run != nullptr;
    });
  };
  const Selection lost = *request.selection;
  request.selection->config["BLOCK_M"] = 16;
  links.at(0)->request(request);
  ASSERT_TRUE(starts(16));
  EXPECT_EQ(world->runs, 2);
  // Asked for again, and so it is with another attempt.
  request.selection = lost;
  world->die_in_run = true;
  links.at(0)->request(request);
  ASSERT_TRUE(heard(ended));
  request.attempt = 1;
  links.at(0)->request(request);
  EXPECT_TRUE(starts(32));
}

TEST_F(Linked, ATabThatIsClickedEndsNoRunAndABusyWorkerIsNoLostOne) {
  std::deque<WorkerEvent> all;
  const auto until = [&](const auto& done) {
    return soon([&] {
      for (DeviceEvent& h : links.take()) all.push_back(std::move(h.news));
      return done();
    });
  };
  const auto ends = [&](Outcome outcome) {
    return std::count_if(all.begin(), all.end(), [&](const WorkerEvent& news) {
      const auto* run = std::get_if<RunEnded>(&news);
      return run && run->record.outcome == outcome;
    });
  };
  world->busy = true;
  WorkerRequest request = wish_of(32);
  links.at(0)->request(request);
  ASSERT_TRUE(until([&] { return world->runs == 1; }));
  request.closer = true;
  links.at(0)->request(request);
  // The run is let on, and serves what is wished since with its first batch.
  world->busy = false;
  const auto of_config = [](const WorkerEvent& news) {
    const auto* failed = std::get_if<Failed>(&news);
    return failed && has(failed->error.message, "tiled");
  };
  ASSERT_TRUE(until([&] { return std::ranges::any_of(all, of_config); })) << "the fake plans no neighbours";
  EXPECT_EQ(world->runs, 1);
  const auto ended = [](const WorkerEvent& news) { return std::holds_alternative<RunEnded>(news); };
  EXPECT_TRUE(std::ranges::none_of(all, ended)) << "the run goes on";
  // A worker that is busy when something else is asked for has to go: that is nobody's fault.
  world->busy = true;
  request.selection->config["BLOCK_M"] = 16;
  links.at(0)->request(request);
  ASSERT_TRUE(until([&] { return world->runs == 2; }));
  request.selection->config["BLOCK_M"] = 64;
  links.at(0)->request(request);
  ASSERT_TRUE(until([&] { return world->runs == 3; }));
  EXPECT_EQ(ends(Outcome::error), 0);
  EXPECT_GE(ends(Outcome::cancelled), 1);
  // With a search begun meanwhile it is still what is asked for, and may hang.
  links.at(0)->search({.id = 1, .problem = request.selection->problem, .variants = {"naive"}});
  ASSERT_TRUE(until([&] { return ends(Outcome::error) == 1; }));
}

TEST_F(Linked, AWishThatIsChangedAndChangedBackWhileItsRunEndsIsServedOnceMore) {
  uint64_t samples = 0;
  const auto take = [&] { return samples += samples_in(links.take()); };
  links.at(0)->request(wish_of(32));
  ASSERT_TRUE(soon([&] { return take() > 20; }));
  // The run is told to end, and takes its time.
  world->hold_end = true;
  links.at(0)->request(wish_of(64));
  links.at(0)->request(wish_of(32));
  const int runs = world->runs;
  world->hold_end = false;
  EXPECT_TRUE(soon([&] { return world->runs > runs; })) << "the very same wish was taken for served";
  const uint64_t before = take();
  EXPECT_TRUE(soon([&] { return take() > before + 20; }));
}

TEST(WorkerThreads, AWorkerThatNeverAnsweredEndsWithItsLinkAndNotAtItsDeadline) {
  const TempDir dir;
  const std::string told = dir / "told";
  WorkerThreadOptions options;
  options.ending = std::make_shared<std::atomic<bool>>(false);
  WorkerOptions worker;
  worker.command = {"/bin/sh", "-c", "echo $$ > " + told + ".part; mv " + told + ".part " + told + "; exec sleep 600"};
  worker.deadline_s = worker.software_deadline_s = 600;
  worker.cancel_grace_s = 0.1;
  worker.cancel = options.ending.get();
  options.session = [worker, ending = options.ending] { return make_worker_session(worker); };
  WorkerThreads links({});
  const size_t number = links.add(options);
  links.at(number)->request(wish_of(32));
  ASSERT_TRUE(soon([&] { return fs::exists(told); }));
  pid_t pid = 0;
  std::ifstream(told) >> pid;
  ASSERT_GT(pid, 0);
  ASSERT_EQ(::kill(pid, 0), 0);
  links.end(number);
  EXPECT_TRUE(soon([&] { return ::kill(pid, 0) != 0; })) << "it would sleep for ten minutes";
}

TEST(WorkerThreads, TheirThreadsEndBeforeTheyDoThoseToldToEndBeforeToo) {
  const auto world = std::make_shared<FakeWorld>();
  {
    WorkerThreads links(fake_links(world));
    const size_t beside = links.add(fake_links(world).front());
    links.at(0)->request(wish_of(32));
    links.at(beside)->request(wish_of(32));
    ASSERT_TRUE(soon([&] { return world->runs == 2; }));
    world->hold_end = true;
    links.end(beside);
    std::thread([world] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      world->hold_end = false;
    }).detach();
  }
  EXPECT_FALSE(world->hold_end);
  EXPECT_FALSE(threads_left());
}

TEST(WorkerThreads, OneThatNeverEndsIsLeftBehindAfterTwoSecondsAndThatIsKnown) {
  const auto world = std::make_shared<FakeWorld>();
  double began = 0;
  {
    WorkerThreads links(fake_links(world));
    links.at(0)->request(wish_of(32));
    ASSERT_TRUE(soon([&] { return world->runs == 1; }));
    world->hold_end = true;
    began = steady_seconds();
  }
  EXPECT_NEAR(steady_seconds() - began, 2, 0.7);
  EXPECT_TRUE(threads_left()) << "main must not return while it runs";
  world->hold_end = false;
  EXPECT_TRUE(soon([&] { return !threads_left(); }));
}

TEST_F(Linked, WhoeverIsWokenMayCallThem) {
  links.on_news([&] { links.resume(); });
  WorkerRequest request = wish_of(32);
  request.quiet = true;
  links.at(0)->request(request);
  // Each batch of a paced run waits to be let on.
  uint64_t samples = 0;
  EXPECT_TRUE(soon([&] { return (samples += samples_in(links.take())) > 60; }));
}

TEST_F(Linked, WhatIsCancelledBeforeItBeganWakesTheWindow) {
  std::atomic<int> woken = 0;
  links.on_news([&] { ++woken; });
  // Nothing was wished: neither begins.
  links.at(0)->submit({.id = 1});
  links.cancel_jobs();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(links.take().size(), 1u);
  links.at(0)->search({.id = 1, .problem = *parse_problem("1x4x32x32"), .variants = {"naive"}});
  links.at(0)->search({.id = 2, .problem = *parse_problem("1x4x32x32"), .variants = {"naive"}});
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(links.take().size(), 1u);
  links.at(0)->cancel_search();
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(links.take().size(), 1u);
}

}  // namespace attnscope::gui::workbench_loss_test
