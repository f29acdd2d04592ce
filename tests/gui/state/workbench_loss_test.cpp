// What a lost worker costs: its config, and nothing else.
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include <unistd.h>

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui {
namespace {

TEST_F(WorkbenchTest, ADeadWorkerIsSaidAndTheNextConfigIsMeasured) {
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return lost(); }));
  EXPECT_NE(live().failure.find("signal 9"), std::string::npos);
  EXPECT_NE(bench.messages.lines().back().text.find("signal 9"), std::string::npos);
  const int runs = world->runs;
  for (int i = 0; i < 30; ++i) {
    pump();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(world->runs, runs) << "what killed a worker is not dispatched again unasked";
  bench.set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(live().failure.empty());
  bench.set_value("BLOCK_M", 32);
  ASSERT_TRUE(sampled(20)) << "going back to it asks for it again";
}

TEST_F(WorkbenchTest, TryAgainDispatchesTheLostConfig) {
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return lost(); }));
  bench.try_again();
  ASSERT_TRUE(sampled(100));
}

TEST_F(WorkbenchTest, WhatWasLostIsNotDispatchedAgainWhateverElseIsWished) {
  ASSERT_TRUE(sampled(40));
  world->die_in_run = true;
  world->batches_before_death = 0;
  bench.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return lost(); }));
  const int runs = world->runs;
  const auto stays_lost = [&](const char* after) {
    // What is wished has been served when it was inspected with the others.
    const int turns = 30;
    for (int i = 0; i < turns; ++i) {
      pump();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(world->runs, runs) << after;
    EXPECT_TRUE(lost()) << after;
  };
  bench.asked.closer = true;
  stays_lost("a tab was clicked");
  bench.asked.quiet = true;
  stays_lost("quiet mode");
  bench.measure_peaks();
  stays_lost("the ceilings were measured");
  bench.asked.paused = true;
  pump();
  bench.asked.paused = false;
  stays_lost("paused, and not any more");
  const auto search = bench.sweep("naive");
  ASSERT_TRUE(search);
  links.search(0, *search);
  ASSERT_TRUE(until([&] { return !bench.searched.running(); }));
  stays_lost("a search came to its end");
  const auto map = bench.look_at_errors();
  ASSERT_TRUE(map);
  links.submit(0, *map);
  ASSERT_TRUE(until([&] { return !bench.errors_run(); }));
  stays_lost("a job came to its end");
  bench.sources_changed({"naive"});
  stays_lost("another shader was saved");
  bench.sources_changed({"tiled"});
  ASSERT_TRUE(sampled(20)) << "its own shader was saved";
}

TEST_F(WorkbenchTest, WhatIsComeBackToIsAskedForEvenIfTheOtherNeverRan) {
  ASSERT_TRUE(sampled(20));
  world->die_in_run = true;
  bench.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return lost(); }));
  const Config config = bench.asked.ask.config;
  bench.set_config(Config{{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.current_inspection() && !bench.current_inspection()->why_not.empty(); }));
  bench.set_config(config);
  ASSERT_TRUE(sampled(20));
  // And another device has not lost it.
  world->die_in_run = true;
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(until([&] { return lost(); }));
  bench.set_device(0, "cpu");
  ASSERT_TRUE(sampled(20));
}

TEST(WorkbenchLink, WhatIsWishedBeforeTheLossWasHeardOfDispatchesNothingAgain) {
  const auto world = std::make_shared<test::FakeWorld>();
  Links links(test::fake_links(world));
  world->die_in_run = true;
  Wish wish;
  wish.ask = Ask{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", 32}, {"BLOCK_N", 32}}};
  links.wish(0, wish);
  const auto heard = [&](const auto& is) {
    const double limit = steady_seconds() + 10;
    while (steady_seconds() < limit) {
      for (const Heard& h : links.take())
        if (is(h.news)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  };
  const auto ended = [](const News& news) {
    const auto* run = std::get_if<RunEnded>(&news);
    return run && run->record.outcome == Outcome::error;
  };
  ASSERT_TRUE(heard(ended));
  // The window has not heard of it yet, and a tab is clicked.
  wish.closer = true;
  links.wish(0, wish);
  ASSERT_TRUE(heard([](const News& news) {
    const auto* failed = std::get_if<Failed>(&news);
    return std::holds_alternative<LookedAround>(news) || (failed && failed->what == "look around");
  }));
  const auto starts = [&](int64_t m) {
    return heard([&](const News& news) {
      const auto* run = std::get_if<RunStarted>(&news);
      EXPECT_TRUE(!run || run->ask.config.at("BLOCK_M") == m) << "what was lost was dispatched again";
      return run != nullptr;
    });
  };
  const Ask lost = *wish.ask;
  wish.ask->config["BLOCK_M"] = 16;
  links.wish(0, wish);
  ASSERT_TRUE(starts(16));
  EXPECT_EQ(world->runs, 2);
  // Asked for again, and so it is with another attempt.
  wish.ask = lost;
  world->die_in_run = true;
  links.wish(0, wish);
  ASSERT_TRUE(heard(ended));
  wish.attempt = 1;
  links.wish(0, wish);
  EXPECT_TRUE(starts(32));
}

TEST(WorkbenchLink, ATabThatIsClickedWaitsForABatchAndABusyWorkerIsNoLostOne) {
  const auto world = std::make_shared<test::FakeWorld>();
  Links links(test::fake_links(world));
  std::deque<News> all;
  const auto until = [&](const auto& done) {
    const double limit = steady_seconds() + 10;
    while (steady_seconds() < limit) {
      for (Heard& h : links.take()) all.push_back(std::move(h.news));
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  };
  const auto ends = [&](Outcome outcome) {
    return std::count_if(all.begin(), all.end(), [&](const News& news) {
      const auto* run = std::get_if<RunEnded>(&news);
      return run && run->record.outcome == outcome;
    });
  };
  world->busy = true;
  Wish wish;
  wish.ask = Ask{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", 32}, {"BLOCK_N", 32}}};
  links.wish(0, wish);
  ASSERT_TRUE(until([&] { return world->runs == 1; }));
  wish.closer = true;
  links.wish(0, wish);
  // The run is let on, and serves what is wished since with its first batch.
  world->busy = false;
  ASSERT_TRUE(until([&] { return world->runs == 2; }));
  EXPECT_EQ(ends(Outcome::error), 0) << "nothing was broken off in its verify stage";
  // A worker that is busy when something else is asked for has to go: that is nobody's fault.
  world->busy = true;
  wish.ask->config["BLOCK_M"] = 16;
  links.wish(0, wish);
  ASSERT_TRUE(until([&] { return world->runs == 3; }));
  wish.ask->config["BLOCK_M"] = 64;
  links.wish(0, wish);
  ASSERT_TRUE(until([&] { return world->runs == 4; }));
  EXPECT_EQ(ends(Outcome::error), 0);
  EXPECT_GE(ends(Outcome::cancelled), 1);
  // With a search begun meanwhile it is still what is asked for, and may hang.
  links.search(0, {.id = 1, .problem = wish.ask->problem, .variants = {"naive"}});
  ASSERT_TRUE(until([&] { return ends(Outcome::error) == 1; }));
}

}  // namespace
}  // namespace attnscope::gui
