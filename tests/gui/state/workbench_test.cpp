// The workbench and its measuring thread together, with a fake session behind: no window, no device.
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

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
  Links links{test::fake_links(world)};

  void pump() {
    bench.tick(steady_seconds());
    for (const Heard& heard : links.take()) bench.apply(heard, false, steady_seconds());
    for (size_t worker = 0; worker < links.size(); ++worker)
      if (const auto wish = bench.wish(worker)) links.wish(worker, *wish);
    if (links.held()) links.resume();
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
    return until([&] { return bench.timed() && bench.timed()->series.taken() >= count; });
  }
  const Live& live() { return bench.running(); }
  bool lost() { return bench.shown() && !bench.shown()->failure.empty(); }
  double median() { return bench.timed() ? bench.timed()->series.statistics()->median : 0; }
};

TEST_F(WorkbenchTest, OpensADeviceChoosesAVariantAndStreamsSamples) {
  ASSERT_TRUE(sampled(40));
  EXPECT_EQ(bench.known.device->name, "Test GPU");
  EXPECT_EQ(bench.known.devices.size(), 3u);
  EXPECT_EQ(bench.asked.ask.variant, "tiled");
  EXPECT_TRUE(live().verdict->pass);
  EXPECT_EQ(live().resources->shared_bytes, 16384u);
  EXPECT_NEAR(live().series.statistics()->median, 1e6, 2e5);
  EXPECT_FALSE(bench.quiet()) << "a GPU of its own needs no quiet mode";
}

TEST_F(WorkbenchTest, AfterANewVariantTheConfigBeforeIsWhatWasShownLast) {
  ASSERT_TRUE(until([&] { return bench.timed() && complete(*bench.timed()); }));
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(until([&] { return bench.change() && bench.change()->before->config.at("BLOCK_M") == 32; }));
  world->more_variants = 1;
  bench.take_new_variant("extra-0");
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.asked.ask.variant == "extra-0"; }));
  ASSERT_TRUE(bench.before());
  EXPECT_EQ(bench.before()->config.at("BLOCK_M"), 64);
  ASSERT_TRUE(until([&] { return bench.timed() && complete(*bench.timed()) && bench.change(); }));
  EXPECT_EQ(bench.change()->before->variant, "tiled");
  EXPECT_EQ(bench.change()->before->config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, AChangedConfigIsVerifiedAndSampledAnew) {
  ASSERT_TRUE(sampled(40));
  bench.set_value("BLOCK_M", 64);
  EXPECT_FALSE(bench.shown()) << "what is still running is another config";
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().ask.config.at("BLOCK_M"), 64);
  EXPECT_TRUE(live().verdict);
  ASSERT_EQ(bench.tried.entries().size(), 1u) << "the config before is in the session log";
  EXPECT_EQ(bench.tried.entries()[0].record->config.at("BLOCK_M"), 32);
  EXPECT_EQ(bench.tried.entries()[0].record->outcome, Outcome::measured);
  EXPECT_TRUE(bench.tried.entries()[0].best);
  bench.undo();
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 32);
  bench.redo();
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 64);
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
    return bench.asked.ask.config.at("BLOCK_M");
  };
  EXPECT_EQ(block_m("1x2x64x16"), 16) << "small suits";
  EXPECT_EQ(block_m("1x2x64x64"), 32) << "the defaults do";
  EXPECT_EQ(block_m("1x2x64x1024"), 16) << "the defaults do not fit";
  EXPECT_NE(bench.messages.lines().back().text.find("32 rows of 1024"), std::string::npos);
  bench.set_value("BLOCK_M", 64);
  EXPECT_EQ(block_m("1x2x64x16"), 64) << "it was chosen by hand";
  ASSERT_TRUE(bench.set_config("default"));
  ASSERT_TRUE(until([&] { return bench.current_inspection(); }));
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 16) << "left to the engine again";
  EXPECT_FALSE(bench.set_config("BLOCK_M=17"));
}

TEST_F(WorkbenchTest, AutoFollowsTheProblemUntilAPersonChooses) {
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(bench.automatic());
  EXPECT_TRUE(bench.why_automatic().starts_with("auto: tiled, by its manifest (rank 2; next naive, 1)"))
      << bench.why_automatic();
  const auto on = [&](const char* problem) {
    bench.set_problem(*parse_problem(problem));
    EXPECT_TRUE(until([&] { return !bench.choosing() && bench.current_inspection(); }));
    return bench.asked.ask.variant;
  };
  EXPECT_EQ(on("1x2x8192x64"), "naive");
  EXPECT_TRUE(bench.automatic());
  EXPECT_EQ(on("1x2x64x16"), "tiled");
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 16) << "with the config that suits it";
  // Whoever sets a value has chosen the variant that has it.
  bench.set_value("BLOCK_M", 32);
  EXPECT_FALSE(bench.automatic());
  EXPECT_EQ(on("1x2x8192x64"), "tiled");
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 32);
  bench.set_variant("auto");
  ASSERT_TRUE(until([&] { return !bench.choosing(); }));
  EXPECT_EQ(bench.asked.ask.variant, "naive");
  bench.set_variant("naive");
  EXPECT_FALSE(bench.automatic()) << "also where it is the one that stands there";
  EXPECT_EQ(on("1x2x64x16"), "naive");
}

TEST_F(WorkbenchTest, AutoTakesAnotherWhereOneDoesNotLoad) {
  ASSERT_TRUE(sampled(20));
  world->syntax_error = true;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.asked.ask.variant == "naive" && bench.timed(); }));
  EXPECT_TRUE(bench.automatic());
  world->syntax_error = false;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.asked.ask.variant == "tiled" && bench.timed(); }));
}

TEST(WorkbenchAuto, TakesWhatWasTunedAndAConfigThatWasAskedFor) {
  const auto world = std::make_shared<test::FakeWorld>();
  auto made = test::fake_links(world);
  tune::TunedEntry e;
  e.device = "Test GPU";
  e.driver = "test driver 1.0";
  e.problem = *parse_problem("1x4x32x32");
  e.variant = "naive";
  e.config = {{"WG", 128}};
  e.median_ns = 1000;
  e.verified = e.raced = true;
  e.default_ns = 2000;
  e.default_variant = "tiled";
  e.default_config = {{"BLOCK_M", 32}, {"BLOCK_N", 32}};
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("attnscope-workbench-" + std::to_string(::getpid()) + ".json");
  ASSERT_TRUE(tune::store_tuned(file, {&e, 1}));
  made[0].tuning.tuned = file;
  Links links(std::move(made));
  const auto chosen = [&](const GuiOptions& options) {
    Workbench bench(options);
    const double limit = steady_seconds() + 10;
    while (steady_seconds() < limit && !bench.current_inspection()) {
      bench.tick(steady_seconds());
      for (const Heard& heard : links.take()) bench.apply(heard, false, steady_seconds());
      if (const auto wish = bench.wish(0)) links.wish(0, *wish);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::pair(to_text(bench.asked.ask), bench.why_automatic());
  };
  GuiOptions options;
  const auto [text, why] = chosen(options);
  EXPECT_NE(text.find("naive"), std::string::npos) << text;
  EXPECT_NE(text.find("WG=128"), std::string::npos) << text;
  EXPECT_EQ(why, "auto: naive, tuned for 1x4x32x32:f32; no other variant was tuned for it");
  std::filesystem::remove(file);
}

TEST_F(WorkbenchTest, AConfigOfAnotherProblemGivesWayToItsLegalNeighbour) {
  ASSERT_TRUE(sampled(20));
  bench.restore_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.asked.ask.config.at("BLOCK_M") == 64; }));
  EXPECT_NE(bench.messages.lines().back().text.find("the nearest legal config was taken"), std::string::npos);
  ASSERT_TRUE(bench.config_to_keep());
}

TEST_F(WorkbenchTest, IllegalValuesAreGreyedWithTheReason) {
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(bench.known.why_not_value(bench.asked.ask, "BLOCK_M", 2), "");
  EXPECT_NE(bench.known.why_not_value(bench.asked.ask, "BLOCK_M", 3).find("the limit is 32768"), std::string::npos);
  bench.set_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.current_inspection(); }));
  EXPECT_FALSE(bench.current_inspection()->why_not.empty());
  const int runs = world->runs;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pump();
  EXPECT_EQ(world->runs, runs) << "a refused config is not dispatched";
  bench.use_nearest();
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().ask.config.at("BLOCK_M"), 64);
}

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

TEST_F(WorkbenchTest, WrongResultsAreNeverTimed) {
  world->wrong_results = true;
  ASSERT_TRUE(until([&] { return bench.shown() && bench.shown()->verdict; }));
  EXPECT_FALSE(live().verdict->pass);
  ASSERT_TRUE(until([&] { return !bench.tried.entries().empty(); }));
  EXPECT_EQ(bench.tried.entries()[0].record->outcome, Outcome::failed_verdict);
  EXPECT_FALSE(bench.tried.entries()[0].best);
  EXPECT_EQ(live().series.taken(), 0u);
}

TEST_F(WorkbenchTest, PinsAreMeasuredAcrossProblemsAndLiveSamplingGoesOn) {
  ASSERT_TRUE(sampled(40));
  bench.pin();
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled(40));
  bench.pin();
  ASSERT_EQ(bench.pins.all().size(), 2u);
  EXPECT_NE(bench.pins.all()[0].slot, bench.pins.all()[1].slot);
  ASSERT_TRUE(until([&] { return bench.standings().word(bench.pins.all()[0].id); }));
  EXPECT_FALSE(bench.measure_all()) << "no problems are listed";
  bench.across.set_problems({*parse_problem("1x4x32x32"), *parse_problem("1x4x64x32")});
  const auto job = bench.measure_all();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->items.size(), 4u);
  links.submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench.across.job.running; }));
  EXPECT_EQ(bench.across.results().size(), 4u);
  EXPECT_TRUE(bench.across.result(bench.pins.all()[0], 1));
  const uint64_t taken = live().series.taken();
  ASSERT_TRUE(sampled(taken + 20)) << "live sampling goes on after the job";
  EXPECT_GE(bench.all_records().size(), 4u);
}

TEST_F(WorkbenchTest, AJobCanBeCancelled) {
  ASSERT_TRUE(sampled(20));
  bench.pin();
  for (int i = 1; i < 50; ++i) {
    Problem p = *parse_problem("1x4x32x32");
    p.seq_q = p.seq_kv = uint32_t(i);
    bench.across.add(p);
  }
  links.submit(0, *bench.measure_all());
  ASSERT_TRUE(until([&] { return bench.across.results().size() >= 2; }));
  links.cancel_jobs();
  ASSERT_TRUE(until([&] { return !bench.across.job.running; }));
  EXPECT_LT(bench.across.results().size(), 49u);
}

TEST_F(WorkbenchTest, PauseKeepsTheSamplesAndResumeAddsToThem) {
  ASSERT_TRUE(sampled(40));
  bench.asked.paused = true;
  ASSERT_TRUE(until([&] { return !bench.measuring(); }));
  const uint64_t taken = live().series.taken();
  EXPECT_GE(taken, 40u);
  bench.asked.paused = false;
  ASSERT_TRUE(sampled(taken + 20));
}

TEST_F(WorkbenchTest, ASoftwareDeviceIsQuietAndItsWorkerWaitsForTheWindow) {
  bench.set_device(0, "1");
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(bench.quiet());
  const auto held = [&] {
    const double limit = steady_seconds() + 10;
    while (!links.held() && steady_seconds() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return links.held();
  };
  const auto batches = [&] {
    size_t count = 0;
    for (const Heard& heard : links.take())
      if (const auto* event = std::get_if<RunEvent>(&heard.news))
        count += std::holds_alternative<SampleBatch>(event->event);
    return count;
  };
  ASSERT_TRUE(held());
  (void)links.take();
  // Held, the worker takes no batch on its own; each resume lets it take exactly one.
  for (int turn = 0; turn < 3; ++turn) {
    links.resume();
    ASSERT_TRUE(held());
    EXPECT_EQ(batches(), 1u);
  }
}

TEST_F(WorkbenchTest, AnUnknownDeviceIsSaidAndAnotherCanBeChosen) {
  bench.set_device(0, "99");
  ASSERT_TRUE(until([&] { return !bench.known.device_failure.empty(); }));
  EXPECT_NE(bench.known.device_failure.find("99"), std::string::npos);
  bench.set_device(0, "0");
  ASSERT_TRUE(sampled(20));
}

TEST_F(WorkbenchTest, VariantsThatCannotRunSayWhy) {
  ASSERT_TRUE(sampled(20));
  EXPECT_NE(bench.known.why_not("matrix", bench.asked.ask.problem).find("coopmat"), std::string::npos);
  EXPECT_NE(bench.known.why_not("broken", bench.asked.ask.problem).find("main.comp:12"), std::string::npos);
  EXPECT_EQ(bench.known.why_not("naive", bench.asked.ask.problem), "");
  bench.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().ask.variant, "naive");
}

// --- a number belongs to its run -------------------------------------------------------------------------------------

TEST_F(WorkbenchTest, AnEditedShaderStartsAnew) {
  ASSERT_TRUE(sampled(60));
  const std::string first = live().began->environment.shader_hash;
  world->shader = 12;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.current_variant() && bench.current_variant()->hash != first; }));
  EXPECT_FALSE(bench.timed()) << "the samples so far are of the shader before";
  EXPECT_FALSE(bench.can_pin());
  ASSERT_TRUE(sampled(20));
  EXPECT_NE(live().began->environment.shader_hash, first);
  EXPECT_NEAR(median(), 12e6, 2e6) << "no sample of the shader before is left";
  for (const double ns : bench.timed()->series.samples()) EXPECT_GT(ns, 6e6);
}

TEST_F(WorkbenchTest, AReloadThatChangesNothingGoesOn) {
  ASSERT_TRUE(sampled(60));
  bench.reload_shaders();
  const int runs = world->runs;
  ASSERT_TRUE(until([&] { return world->runs > runs && bench.timed(); }));
  EXPECT_GE(bench.timed()->series.taken(), 60u);
}

TEST_F(WorkbenchTest, ASyntaxErrorKeepsTheConfigAndShowsNoNumber) {
  ASSERT_TRUE(sampled(20));
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled(20));
  world->syntax_error = true;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.current_variant() && !bench.current_variant()->error.empty(); }));
  EXPECT_FALSE(bench.timed());
  EXPECT_FALSE(bench.can_pin());
  EXPECT_EQ(bench.asked.ask.config.at("BLOCK_M"), 64) << "kept for when it loads again";
  world->syntax_error = false;
  bench.reload_shaders();
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().ask.config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, WhatTurnsOutWrongLosesItsTimePinAndSamples) {
  ASSERT_TRUE(sampled(60));
  bench.pin();
  world->wrong_results = true;
  world->shader = 2;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.shown() && bench.shown()->verdict && !bench.shown()->verdict->pass; }));
  ASSERT_TRUE(until([&] { return !bench.measuring(); }));
  EXPECT_FALSE(bench.timed());
  EXPECT_FALSE(bench.can_pin());
  EXPECT_FALSE(bench.standings().current()) << "and no word";
  bench.pin();
  EXPECT_EQ(bench.pins.all().size(), 1u);
  size_t wrong = 0;
  for (const Record& r : bench.all_records()) {
    if (r.outcome != Outcome::failed_verdict) continue;
    ++wrong;
    EXPECT_TRUE(r.samples_ns.empty());
    EXPECT_FALSE(r.statistics);
    EXPECT_EQ(r.environment.shader_hash, "tiled-2");
  }
  EXPECT_EQ(wrong, 1u);
}

TEST_F(WorkbenchTest, TheSameShaderFoundWrongOnASecondLookLosesItsTimeToo) {
  ASSERT_TRUE(sampled(60));
  bench.asked.paused = true;
  ASSERT_TRUE(until([&] { return !bench.measuring(); }));
  world->wrong_results = true;
  bench.asked.paused = false;
  ASSERT_TRUE(until([&] { return live().verdict && !live().verdict->pass && !bench.measuring(); }));
  EXPECT_FALSE(bench.timed());
  EXPECT_EQ(live().series.taken(), 0u);
}

TEST_F(WorkbenchTest, ARefusedConfigAndALongCompileShowNobodysNumber) {
  ASSERT_TRUE(sampled(60));
  bench.set_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.current_inspection() && !bench.current_inspection()->why_not.empty(); }));
  EXPECT_FALSE(bench.shown());
  EXPECT_FALSE(bench.timed());
  world->hold_compile = true;
  bench.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return bench.shown() && bench.shown()->stage == "compile"; }));
  EXPECT_FALSE(bench.timed());
  EXPECT_EQ(bench.standings().current(), nullptr);
  world->hold_compile = false;
  ASSERT_TRUE(sampled(20));
}

TEST_F(WorkbenchTest, WhileAllIsMeasuredAnotherConfigShowsNothing) {
  ASSERT_TRUE(sampled(40));
  bench.pin();
  bench.across.add(*parse_problem("1x4x32x32"));
  world->hold_compile = true;
  links.submit(0, *bench.measure_all());
  ASSERT_TRUE(until([&] { return bench.across.job.current.has_value(); }));
  bench.set_value("BLOCK_M", 64);
  for (int i = 0; i < 20; ++i) {
    pump();
    EXPECT_FALSE(bench.timed());
    EXPECT_FALSE(bench.can_pin());
  }
  world->hold_compile = false;
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().ask.config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, ACacheModeHasItsOwnSamples) {
  ASSERT_TRUE(sampled(60));
  bench.asked.modes.cache = CacheMode::cold;
  EXPECT_FALSE(bench.timed()) << "what was taken so far was hot";
  ASSERT_TRUE(sampled(20));
  const Record cold = *live().record();
  EXPECT_EQ(cold.protocol.cache, CacheMode::cold);
  EXPECT_EQ(cold.environment.shader_hash, "tiled-1");
  EXPECT_EQ(cold.config_name, "default");
  ASSERT_FALSE(bench.tried.entries().empty());
  EXPECT_EQ(bench.tried.entries()[0].record->protocol.cache, CacheMode::hot) << "and the log says which was which";
}

TEST_F(WorkbenchTest, FourteenPinsAllGetAWordAndTheSameOneGetsTheSame) {
  ASSERT_TRUE(sampled(60));
  for (int i = 0; i < 14; ++i) bench.pin();
  ASSERT_EQ(bench.pins.all().size(), 14u);
  ASSERT_TRUE(until([&] { return bench.standings().current() && bench.standings().current()->words.size() == 14; }));
  std::set<size_t> slots;
  const Comparison* first = bench.standings().word(bench.pins.all()[0].id);
  for (const Pin& p : bench.pins.all()) {
    slots.insert(p.slot);
    ASSERT_TRUE(bench.standings().word(p.id));
    EXPECT_EQ(bench.standings().word(p.id)->relation, first->relation) << "identical pins";
    EXPECT_EQ(bench.standings().word(p.id)->ratio, first->ratio);
  }
  EXPECT_EQ(slots.size(), 14u);
}

TEST_F(WorkbenchTest, WordsComeFromTheSamplesThatStandBesideThem) {
  ASSERT_TRUE(sampled(60));
  bench.pin();
  world->sample_ms = 1.3;
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled(200));
  ASSERT_TRUE(until([&] { return bench.standings().current() && bench.standings().current()->words.size() == 1; }));
  const Standing& s = *bench.standings().current();
  const Pin& pin = bench.pins.all()[0];
  EXPECT_DOUBLE_EQ(s.words.at(pin.id).ratio, s.live.statistics->median / pin.record->statistics->median);
  EXPECT_EQ(s.words.at(pin.id).relation, Relation::slower);
}

TEST_F(WorkbenchTest, OfTwoModesThereIsNoWordAndWhyIsSaid) {
  ASSERT_TRUE(sampled(60));
  bench.pin();
  Record few = *bench.pins.all()[0].record;
  few.samples_ns.resize(Standings::kEnough - 1);
  bench.pins.add(few);
  ASSERT_TRUE(until([&] { return bench.standing() && bench.word(bench.pins.all()[0]); }));
  EXPECT_FALSE(bench.word(bench.pins.all()[1]));
  EXPECT_EQ(bench.why_no_word(bench.pins.all()[1]), "few samples") << "a pin never gets more of them";
  bench.asked.modes.cache = CacheMode::cold;
  ASSERT_TRUE(until([&] { return bench.standing() && bench.standing()->live.protocol.cache == CacheMode::cold; }));
  EXPECT_FALSE(bench.word(bench.pins.all()[0])) << "UNSURE would say that more samples help";
  EXPECT_EQ(bench.why_no_word(bench.pins.all()[0]), "two cache modes");
}

TEST_F(WorkbenchTest, ARunIsExportedOnceHoweverOftenItWasLookedAt) {
  ASSERT_TRUE(sampled(60));
  bench.pin();
  bench.log_live();
  ASSERT_TRUE(sampled(80));
  std::map<size_t, int> told;  // by number of samples
  for (const Record& r : bench.all_records()) ++told[r.samples_ns.size()];
  EXPECT_LE(bench.all_records().size(), 2u) << "the pin as it stands, and what is shown; the log's line is neither";
  for (const auto& [samples, times] : told) EXPECT_EQ(times, 1);
}

TEST_F(WorkbenchTest, PinsAreExportedAsTheyStandAndRemovalIsTakenBack) {
  ASSERT_TRUE(sampled(60));
  bench.pin();
  const Record pinned = *bench.pins.all()[0].record;
  bench.across.add(pinned.problem);
  links.submit(0, *bench.measure_all());
  ASSERT_TRUE(until([&] { return !bench.across.job.running; }));
  ASSERT_TRUE(sampled(pinned.samples_ns.size() + 40));
  EXPECT_EQ(bench.all_records().at(0), pinned) << "what was measured later does not stand in for it";
  const Pin before = bench.pins.all()[0];
  bench.clear_pins();
  EXPECT_TRUE(bench.pins.empty());
  bench.undo();
  ASSERT_EQ(bench.pins.all().size(), 1u);
  EXPECT_EQ(bench.pins.all()[0].id, before.id);
  EXPECT_EQ(bench.pins.all()[0].slot, before.slot);
  bench.redo();
  EXPECT_TRUE(bench.pins.empty());
}

TEST_F(WorkbenchTest, APinOfAShaderThatHasChangedIsNotMeasuredUnderItsName) {
  ASSERT_TRUE(sampled(40));
  bench.pin();
  bench.across.add(*parse_problem("1x4x64x32"));
  world->shader = 3;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.current_variant() && bench.current_variant()->hash == "tiled-3"; }));
  EXPECT_FALSE(bench.measure_all());
  EXPECT_NE(bench.messages.lines().back().text.find("changed since"), std::string::npos);
}

TEST_F(WorkbenchTest, MarksOfAProblemAreThereAgainWhenOneReturnsToIt) {
  const Problem first = *parse_problem("1x4x32x32"), second = *parse_problem("1x2x64x64");
  bench.set_problem(first);
  ASSERT_TRUE(sampled(10));
  bench.known.check("naive", first, {"too long for it", false});
  bench.set_problem(second);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.known.why_not("naive", second), "");
  bench.set_problem(first);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.known.why_not("naive", first), "too long for it");
}

TEST_F(WorkbenchTest, TheFirstLookIsChosenForTheDevice) {
  GuiOptions first;
  first.start = {{false, *parse_problem("1x2x64x16"), {"matrix", "naive", "tiled"}},
                 {true, *parse_problem("1x1x8x8"), {"tiled"}}};
  bench = Workbench(first);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.asked.ask.variant, "naive") << "matrix cannot run here";
  EXPECT_EQ(to_text(bench.asked.ask.problem), "1x2x64x16:f32");
}

TEST(WorkbenchWorkers, TwoWorkersMeasureAtTheSameTime) {
  auto one = std::make_shared<test::FakeWorld>(), two = std::make_shared<test::FakeWorld>();
  std::vector<LinkOptions> options = test::fake_links(one);
  options.push_back(test::fake_links(two).front());
  Links links(std::move(options));
  Wish wish;
  wish.ask = Ask{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", 32}, {"BLOCK_N", 32}}};
  links.wish(0, wish);
  links.wish(1, wish);
  std::map<size_t, size_t> batches;
  const double limit = steady_seconds() + 10;
  while ((batches[0] < 5 || batches[1] < 5) && steady_seconds() < limit) {
    for (const Heard& heard : links.take())
      if (const auto* event = std::get_if<RunEvent>(&heard.news))
        batches[heard.worker] += std::holds_alternative<SampleBatch>(event->event);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(batches[0], 5u);
  EXPECT_GE(batches[1], 5u);
  EXPECT_EQ(one->runs, 1) << "neither is interrupted by the other";
  EXPECT_EQ(two->runs, 1);
}

TEST(WorkbenchWorkers, FinishedRunsAreHandedOn) {
  auto world = std::make_shared<test::FakeWorld>();
  std::vector<LinkOptions> options = test::fake_links(world);
  std::mutex mutex;
  std::vector<std::pair<Record, bool>> finished;
  options.front().finished = [&](const Record& record, bool live) {
    const std::lock_guard lock(mutex);
    finished.emplace_back(record, live);
  };
  Links links(std::move(options));
  Wish wish;
  wish.ask = Ask{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", 32}, {"BLOCK_N", 32}}};
  links.wish(0, wish);
  const double limit = steady_seconds() + 10;
  const auto until = [&](const auto& done) {
    for (bool is_done = false; !is_done && steady_seconds() < limit;) {
      for (const Heard& heard : links.take()) is_done = is_done || done(heard.news);
      if (links.held()) links.resume();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  until([](const News& news) {
    const auto* event = std::get_if<RunEvent>(&news);
    return event && std::holds_alternative<SampleBatch>(event->event);
  });
  wish.ask->config["BLOCK_M"] = 64;
  links.wish(0, wish);
  until([](const News& news) { return std::holds_alternative<RunEnded>(news); });
  const std::lock_guard lock(mutex);
  ASSERT_GE(finished.size(), 1u);
  EXPECT_TRUE(finished[0].second) << "a live look";
  EXPECT_EQ(finished[0].first.config.at("BLOCK_M"), 32);
}

TEST_F(WorkbenchTest, AVariantThatReplacesAnotherIsSaidOnce) {
  world->shadowing = true;
  const auto said = [&] {
    size_t count = 0;
    for (const LogLine& line : bench.messages.lines())
      count += line.text.find("/usr/share/shaders/tiled") != std::string::npos;
    return count;
  };
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(said(), 1u);
  const uint64_t listed = bench.known.variants_version();
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.known.variants_version() > listed; }));
  EXPECT_EQ(said(), 1u) << "and not with every reload";
}

TEST_F(WorkbenchTest, PinsAreNamedByWhatSetsThemApart) {
  ASSERT_TRUE(sampled(20));
  bench.pin();
  bench.set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled(20));
  bench.pin();
  ++world->shader;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.captions().asked() == "tiled M=64 #2"; })) << bench.captions().asked();
  EXPECT_EQ(bench.name_of(bench.pins.all()[0]), "tiled default");
  EXPECT_EQ(bench.name_of(bench.pins.all()[1]), "tiled M=64 #1");
}

}  // namespace
}  // namespace attnscope::gui
