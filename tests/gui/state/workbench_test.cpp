// The workbench and its measuring thread together: what is asked, chosen, sampled and paused; variants that change, are
// wrong, do not compile or cannot run: no number of another.

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::workbench_test {

TEST_F(WorkbenchTest, AfterANewVariantTheConfigBeforeIsWhatWasShownLast) {
  ASSERT_TRUE(until([&] { return bench.live.timed() && complete(*bench.live.timed()); }));
  bench.request.set_value("BLOCK_M", 64);
  ASSERT_TRUE(until([&] { return bench.live.change() && bench.live.change()->before->config.at("BLOCK_M") == 32; }));
  world->more_variants = 1;
  bench.request.take_new_variant("extra-0");
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.selection.variant == "extra-0"; }));
  EXPECT_EQ(must(bench.live.before().first)->config.at("BLOCK_M"), 64);
  ASSERT_TRUE(until([&] { return bench.live.timed() && complete(*bench.live.timed()) && bench.live.change(); }));
  EXPECT_EQ(bench.live.change()->before->variant, "tiled");
  EXPECT_EQ(bench.live.change()->before->config.at("BLOCK_M"), 64);
}

TEST_F(Sampled, AChangedConfigIsVerifiedAndSampledAnew) {
  world->hold_compile = true;
  bench.request.set_value("BLOCK_M", 64);
  EXPECT_FALSE(bench.live.shown()) << "what is still running is another config";
  ASSERT_TRUE(until([&] { return bench.live.shown() && live().stage == "compile"; }));
  EXPECT_FALSE(bench.live.timed() || bench.live.copy()) << "a long compile shows nobody's number";
  world->hold_compile = false;
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
  EXPECT_TRUE(live().verdict);
  EXPECT_EQ(live().resources->shared_bytes, 16384u);
  EXPECT_EQ(only(bench.log.entries()).record->config.at("BLOCK_M"), 32) << "the config before is in the session log";
  EXPECT_EQ(bench.log.entries()[0].record->outcome, Outcome::measured);
  EXPECT_TRUE(bench.log.entries()[0].best);
  bench.undo();
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 32);
  bench.redo();
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 64);
}

TEST_F(Sampled, DraggingDispatchesOnlyWhatSettles) {
  const int before = world->runs;
  for (int64_t v : {16, 32, 64, 16, 32, 64}) {
    bench.request.set_value("BLOCK_M", v);
    pump();
  }
  ASSERT_TRUE(sampled(20));
  EXPECT_LE(world->runs - before, 3);
}

TEST_F(Sampled, TheConfigThatSuitsFollowsTheProblemUntilOneIsChosenByHand) {
  const auto block_m = [&](const char* problem) {
    bench.request.set_problem(*parse_problem(problem));
    EXPECT_TRUE(until([&] { return bench.request.inspection(); }));
    EXPECT_TRUE(sampled(5));
    return bench.request.selection.config.at("BLOCK_M");
  };
  EXPECT_EQ(block_m("1x2x64x16"), 16) << "small suits";
  EXPECT_EQ(block_m("1x2x64x64"), 32) << "the defaults do";
  EXPECT_EQ(block_m("1x2x64x1024"), 16) << "the defaults do not fit";
  EXPECT_TRUE(has(bench.messages.lines().back().text, "32 rows of 1024"));
  bench.request.set_value("BLOCK_M", 64);
  EXPECT_EQ(block_m("1x2x64x16"), 64) << "it was chosen by hand";
  ASSERT_TRUE(bench.request.set_config("default"));
  ASSERT_TRUE(until([&] { return bench.request.inspection(); }));
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 16) << "left to the engine again";
  EXPECT_FALSE(bench.request.set_config("BLOCK_M=17"));
}

TEST_F(Sampled, AutoFollowsTheProblemUntilAPersonChooses) {
  EXPECT_TRUE(bench.request.automatic());
  EXPECT_TRUE(bench.request.why_automatic().starts_with("auto: tiled, by its manifest (rank 2; next naive, 1)"))
      << bench.request.why_automatic();
  const auto on = [&](const char* problem) {
    bench.request.set_problem(*parse_problem(problem));
    EXPECT_TRUE(until([&] { return !bench.request.choosing() && bench.request.inspection(); }));
    return bench.request.selection.variant;
  };
  EXPECT_EQ(on("1x2x8192x64"), "naive");
  EXPECT_TRUE(bench.request.automatic());
  EXPECT_EQ(on("1x2x64x16"), "tiled");
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 16) << "with the config that suits it";
  // Whoever sets a value has chosen the variant that has it.
  bench.request.set_value("BLOCK_M", 32);
  EXPECT_FALSE(bench.request.automatic());
  bench.undo();
  EXPECT_TRUE(bench.request.automatic()) << "undo brings it back";
  bench.redo();
  EXPECT_FALSE(bench.request.automatic());
  EXPECT_EQ(on("1x2x8192x64"), "tiled");
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 32);
  bench.request.set_variant("auto");
  ASSERT_TRUE(until([&] { return !bench.request.choosing(); }));
  EXPECT_EQ(bench.request.selection.variant, "naive");
  bench.request.set_variant("naive");
  EXPECT_FALSE(bench.request.automatic()) << "also where it is the one that stands there";
  EXPECT_EQ(on("1x2x64x16"), "naive");
}

TEST_F(Sampled, AutoTakesAnotherWhereOneDoesNotLoad) {
  world->syntax_error = true;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.selection.variant == "naive" && bench.live.timed(); }));
  EXPECT_TRUE(bench.request.automatic());
  world->syntax_error = false;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.selection.variant == "tiled" && bench.live.timed(); }));
}

TEST_F(Sampled, WhatIsShownIsARunOfTheSessionAsSoonAsItIsCompleteUnlessItIsRemoved) {
  ASSERT_TRUE(until([&] { return bench.log.entries().size() == 1; }));
  EXPECT_TRUE(bench.live.measuring()) << "it goes on";
  EXPECT_TRUE(bench.log.entries()[0].best);
  bench.remove_runs({1});
  ASSERT_TRUE(sampled(4 * live().series.taken()));
  settle();
  EXPECT_TRUE(bench.log.entries().empty());
}

TEST_F(Sampled, AConfigOfAnotherProblemGivesWayToItsLegalNeighbour) {
  bench.request.restore_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.request.selection.config.at("BLOCK_M") == 64; }));
  EXPECT_TRUE(has(bench.messages.lines().back().text, "the nearest legal config was taken"));
  ASSERT_TRUE(bench.request.config_to_keep());
}

TEST_F(Sampled, IllegalValuesAreGreyedWithTheReason) {
  EXPECT_EQ(bench.device_state.why_not_value(bench.request.selection, "BLOCK_M", 2), "");
  EXPECT_TRUE(has(bench.device_state.why_not_value(bench.request.selection, "BLOCK_M", 3), "the limit is 32768"));
  bench.request.set_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.request.inspection(); }));
  EXPECT_FALSE(bench.request.inspection()->why_not.empty());
  EXPECT_FALSE(bench.live.shown() || bench.live.timed()) << "nobody's number is shown";
  const int runs = world->runs;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pump();
  EXPECT_EQ(world->runs, runs) << "a refused config is not dispatched";
  bench.request.set_config(Config(bench.request.inspection()->nearest));
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
}

TEST_F(Sampled, PauseKeepsTheSamplesResumeAddsToThemAndACacheModeHasItsOwn) {
  bench.request.paused = true;
  ASSERT_TRUE(until([&] { return !bench.live.measuring(); }));
  const uint64_t taken = live().series.taken();
  EXPECT_GE(taken, 40u);
  bench.request.paused = false;
  ASSERT_TRUE(sampled(taken + 20));
  bench.request.modes.cache = CacheMode::cold;
  EXPECT_FALSE(bench.live.timed()) << "what was taken so far was hot";
  ASSERT_TRUE(sampled(20));
  const Record cold = *live().record();
  EXPECT_EQ(cold.protocol.cache, CacheMode::cold);
  EXPECT_EQ(cold.environment.shader_hash, "tiled-1");
  EXPECT_EQ(cold.config_name, "default");
  EXPECT_EQ(bench.log.entries().at(0).record->protocol.cache, CacheMode::hot) << "and the log says which was which";
}

TEST_F(WorkbenchTest, AnUnknownDeviceIsSaidAndASoftwareDeviceIsQuietAndItsWorkerWaitsForTheWindow) {
  bench.set_device(0, "99");
  ASSERT_TRUE(until([&] { return !bench.device_state.device_failure.empty(); }));
  EXPECT_TRUE(has(bench.device_state.device_failure, "99"));
  bench.set_device(0, "0");
  ASSERT_TRUE(sampled(20));
  ASSERT_TRUE(sampled(20));
  EXPECT_FALSE(bench.quiet()) << "a GPU of its own needs no quiet mode";
  bench.set_device(0, "1");
  ASSERT_TRUE(sampled(20));
  EXPECT_TRUE(bench.quiet());
  const auto held = [&] { return soon([&] { return links.held(); }); };
  ASSERT_TRUE(held());
  (void)links.take();
  // Held, the worker takes no batch on its own; each resume lets it take exactly one.
  for (int turn = 0; turn < 3; ++turn) {
    links.resume();
    ASSERT_TRUE(held());
    EXPECT_EQ(samples_in(links.take()), uint64_t(kBatch));
  }
}

TEST_F(Sampled, WhileAllIsMeasuredAnotherConfigShowsNothing) {
  bench.pin();
  bench.jobs.problems.add(*parse_problem("1x4x32x32"));
  world->hold_compile = true;
  links.at(0)->submit(*bench.measure_all());
  ASSERT_TRUE(until([&] { return bench.jobs.now.current.has_value(); }));
  bench.request.set_value("BLOCK_M", 64);
  for (int i = 0; i < 20; ++i) {
    pump();
    EXPECT_FALSE(bench.live.timed());
  }
  world->hold_compile = false;
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
}

TEST_F(WorkbenchTest, TheFirstLookIsChosenForTheDevice) {
  GuiOptions first;
  first.start = {{false, *parse_problem("1x2x64x16"), {"matrix", "naive", "tiled"}},
                 {true, *parse_problem("1x1x8x8"), {"tiled"}}};
  std::destroy_at(&bench);
  std::construct_at(&bench, first);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.request.selection.variant, "naive") << "matrix cannot run here";
  EXPECT_EQ(to_text(bench.request.selection.problem), "1x2x64x16:f32");
}

TEST(WorkbenchWorkers, FinishedRunsAreHandedOn) {
  auto world = std::make_shared<FakeWorld>();
  std::vector<WorkerThreadOptions> options = fake_links(world);
  std::mutex mutex;
  std::vector<std::pair<Record, bool>> finished;
  options.front().finished = [&](const Record& record, bool live) {
    const std::lock_guard lock(mutex);
    finished.emplace_back(record, live);
  };
  WorkerThreads links(std::move(options));
  WorkerRequest request = wish_of(32);
  links.at(0)->request(request);
  const auto until = [&](const auto& done) {
    ASSERT_TRUE(soon([&] {
      if (links.held()) links.resume();
      return std::ranges::any_of(links.take(), done, &DeviceEvent::news);
    }));
  };
  until([](const WorkerEvent& news) {
    const auto* event = std::get_if<RunEvent>(&news);
    return event && std::holds_alternative<SampleBatch>(event->event);
  });
  request.selection->config["BLOCK_M"] = 64;
  links.at(0)->request(request);
  until([](const WorkerEvent& news) { return std::holds_alternative<RunEnded>(news); });
  const std::lock_guard lock(mutex);
  ASSERT_GE(finished.size(), 1u);
  EXPECT_TRUE(finished[0].second) << "a live look";
  EXPECT_EQ(finished[0].first.config.at("BLOCK_M"), 32);
}

TEST_F(Sampled, VariantsThatCannotRunSayWhy) {
  const auto why_not = [&](const char* name) {
    const DeviceState& known = bench.device_state;
    return known.why_not(*known.variant(name), to_text(bench.request.selection.problem)).text;
  };
  EXPECT_TRUE(has(why_not("matrix"), "coopmat"));
  EXPECT_TRUE(has(why_not("broken"), "main.comp:12"));
  EXPECT_EQ(why_not("naive"), "");
  bench.request.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.variant, "naive");
}

TEST_F(Sampled, AReloadThatChangesNothingGoesOnAndAnEditedShaderStartsAnew) {
  bench.reload_shaders();
  const int runs = world->runs;
  ASSERT_TRUE(until([&] { return world->runs > runs && bench.live.timed(); }));
  EXPECT_GE(bench.live.timed()->series.taken(), 60u);
  const std::string first = live().began->environment.shader_hash;
  world->shader = 12;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.variant() && bench.request.variant()->hash != first; }));
  EXPECT_FALSE(bench.live.timed()) << "the samples so far are of the shader before";
  ASSERT_TRUE(sampled(20));
  EXPECT_NE(live().began->environment.shader_hash, first);
  EXPECT_NEAR(live().series.statistics()->median, 12e6, 2e6) << "no sample of the shader before is left";
  for (const double ns : bench.live.timed()->series.samples()) EXPECT_GT(ns, 6e6);
}

TEST_F(Sampled, ASyntaxErrorKeepsTheConfigAndShowsNoNumber) {
  ASSERT_TRUE(sampled(20, 64));
  world->syntax_error = true;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.variant() && !bench.request.variant()->error.empty(); }));
  EXPECT_FALSE(bench.live.timed());
  ASSERT_TRUE(bench.last_good()) << "what was measured stays, as what it is";
  EXPECT_EQ(bench.last_good()->config.at("BLOCK_M"), 64);
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 64) << "kept for when it loads again";
  world->syntax_error = false;
  bench.reload_shaders();
  ASSERT_TRUE(sampled(20));
  EXPECT_FALSE(bench.last_good());
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
}

TEST_F(Sampled, WhatTurnsOutWrongLosesItsTimePinAndSamples) {
  bench.pin();
  world->wrong_results = true;
  world->shader = 2;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.live.shown() && live().verdict && !live().verdict->pass; }));
  ASSERT_TRUE(until([&] { return !bench.live.measuring(); }));
  EXPECT_FALSE(bench.live.timed());
  EXPECT_FALSE(bench.live.copy()) << "and no word";
  EXPECT_EQ(live().series.taken(), 0u);
  ASSERT_TRUE(until([&] { return bench.log.entries().back().record->outcome == Outcome::failed_verdict; }));
  EXPECT_FALSE(bench.log.entries().back().best);
  bench.pin();
  EXPECT_EQ(bench.pins.all().size(), 1u);
  const auto failed = [](const Record& r) { return r.outcome == Outcome::failed_verdict; };
  const Record wrong = only(filtered(bench.all_records(), failed));
  EXPECT_TRUE(wrong.samples_ns.empty());
  EXPECT_FALSE(wrong.statistics);
  EXPECT_EQ(wrong.environment.shader_hash, "tiled-2");
}

TEST_F(Sampled, AVariantWhoseFolderVanishesIsWaitedForUnlessAPersonChoosesAnother) {
  ASSERT_TRUE(sampled(20, 64));
  const auto folders = [&](bool vanished) {
    world->vanished = vanished;
    const uint64_t listed = bench.device_state.variants_version();
    bench.sources_changed({"tiled"});
    return until([&] { return bench.device_state.variants_version() > listed; });
  };
  ASSERT_TRUE(folders(true));
  EXPECT_NE(bench.stuck(), "");
  EXPECT_FALSE(bench.live.shown() || bench.request_of(0)->selection);
  ASSERT_TRUE(folders(false));
  EXPECT_EQ(bench.stuck(), "");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
  ASSERT_TRUE(folders(true));
  bench.request.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  ASSERT_TRUE(folders(false));
  EXPECT_EQ(bench.request.selection.variant, "naive");
}

}  // namespace attnscope::gui::workbench_test
