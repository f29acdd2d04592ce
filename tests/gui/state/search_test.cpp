// Searches as the window keeps them, and what becomes of their best: the workbench with its link and a fake session.

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::search_test {

struct SearchTest : WorkbenchTest {
  void SetUp() override {
    open();
    ASSERT_TRUE(sampled());
  }
  /// A window anew, with the files of the one before.
  void open() {
    std::vector<WorkerThreadOptions> with_files = fake_links(world);
    with_files.front().tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
    std::destroy_at(&links);
    std::construct_at(&links, std::move(with_files));
    std::destroy_at(&bench);
    std::construct_at(&bench, options);
  }
  bool over() {
    return until([&] { return !bench.search.running(); });
  }
  void start(const std::optional<Search>& search) {
    ASSERT_TRUE(search);
    links.at(0)->search(*search);
  }
  /// A search to its end.
  bool done(const std::optional<Search>& search) {
    links.at(0)->search(search.value());
    return over();
  }
  const SearchState& searched() { return bench.search; }
};

TEST_F(SearchTest, OneKeySweepsTheFastestVariantOfTheShapeAndLiveSamplingGoesOnAfterwards) {
  bench.request.set_variant("naive");
  ASSERT_TRUE(sampled());
  world->trials_allowed = 4;
  start(bench.sweep_best());
  ASSERT_TRUE(until([&] { return searched().trials().size() >= 3; }));
  EXPECT_TRUE(searched().measuring());
  EXPECT_FALSE(bench.live.measuring()) << "nothing is sampled live meanwhile";
  const int runs = world->runs;
  // What is chosen meanwhile is inspected all the same.
  bench.take("tiled", {{"BLOCK_M", 16}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench.request.inspection() != nullptr; }));
  EXPECT_EQ(world->runs, runs);
  EXPECT_FALSE(bench.live.shown());
  world->trials_allowed = 1000;
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().arms()[bench.views.sweep.arm()].arm.variant, "tiled");
  EXPECT_EQ(searched().trials().size(), 11u) << "naive once, tiled's nine legal configs, then the rest of naive";
  const SlimTrial& best = searched().trials()[size_t(searched().best())];
  EXPECT_EQ(searched().config(best), (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  const SweepGrid& grid = bench.views.sweep.grid;
  std::map<CellState, int> cells;
  for (const SweepCell& cell : grid.cells()) ++cells[grid.state(cell)];
  EXPECT_EQ(cells,
            (std::map<CellState, int>{{CellState::measured, 8}, {CellState::wrong, 1}, {CellState::refused, 3}}));
  EXPECT_TRUE(sampled()) << "and then it goes on";
  EXPECT_EQ(bench.live.timed()->selection.config.at("BLOCK_M"), 16);
}

TEST_F(SearchTest, ACancelEndsItAtOnceAndTheNextGoesOnFromTheJournalEvenInAnotherWindow) {
  world->trials_allowed = 5;
  bench.request.quiet = true;
  start(bench.sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().trials().size() == 5 && links.sampling(); })) << "no frame is due then";
  links.at(0)->cancel_search();
  ASSERT_TRUE(over());
  const auto points = [&] { return mapped(searched().trials(), &SlimTrial::point); };
  const std::vector<uint64_t> before = points();
  EXPECT_FALSE(std::is_sorted(before.begin(), before.end())) << "an order of its own, or this tells nothing";
  ASSERT_TRUE(sampled());

  world->trials_allowed = 1000;
  open();
  ASSERT_TRUE(sampled());
  // The map of before is there before anything is measured.
  const auto look = must(bench.look_back());
  EXPECT_FALSE(bench.look_back()) << "once";
  ASSERT_TRUE(done(*look));
  EXPECT_EQ(points(), before) << "each stands where it stood on the axis of trials";
  EXPECT_EQ(world->trials, 5);
  EXPECT_EQ(searched().progress().recalled, 5u);
  EXPECT_FALSE(bench.views.sweep.empty());
  start(bench.sweep("tiled"));
  EXPECT_TRUE(bench.views.sweep.empty()) << "nothing points into what is gone";
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().progress().recalled, 5u);
  EXPECT_EQ(world->trials, 9) << "the four that were left";
  const std::vector<uint64_t> after = points();
  EXPECT_EQ(std::vector<uint64_t>(after.begin(), after.begin() + 5), before) << "and the new ones follow them";
}

TEST_F(SearchTest, ASearchHasABudgetAndGoesOnWithoutOneWhenAPersonSaysSo) {
  world->trials_allowed = 0;
  const auto sweep = bench.sweep("tiled");
  EXPECT_EQ(must(sweep)->budget, kSearchBudget);
  start(sweep);
  links.at(0)->cancel_search();
  ASSERT_TRUE(over());
  EXPECT_FALSE(bench.can_keep_going()) << "it was cancelled";
  world->trials_allowed = 2;
  bench.views.tuning.budget = "0.2s";
  bench.views.tuning.all_variants = false;
  ASSERT_TRUE(done(*must(bench.tune())));
  EXPECT_TRUE(bench.can_keep_going()) << "seven of tiled's nine are left";
  const Record raced = *must(searched().outcome()->result.winner);
  EXPECT_EQ(bench.search.fastest().config, raced.config);
  EXPECT_EQ(searched().trials()[size_t(searched().best())].median_ns, raced.statistics->median);
  const auto more = must(bench.keep_going());
  EXPECT_EQ(more->budget, tune::Budget{});
  EXPECT_EQ(more->variants, std::vector<std::string>{"tiled"});
  start(more);
  ASSERT_TRUE(until([&] { return searched().best() >= 0; }));
  EXPECT_LE(searched().trials()[size_t(searched().best())].median_ns, raced.statistics->median)
      << "the race of before stands until a trial is faster";
  world->trials_allowed = 1000;
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().progress().tried - searched().progress().refused, 9u);
  EXPECT_FALSE(bench.can_keep_going());
}

TEST_F(SearchTest, TheWaitForTheFirstSampleIsCountedDownAndTellsWhenItIsOverdue) {
  Problem huge = bench.request.selection.problem;
  huge.batch = uint32_t(30e9 / 3 / bench.live.timed()->series.statistics()->median * huge.batch);
  bench.request.set_problem(huge);
  const double from = bench.now();
  const auto told = [&](double after) {
    bench.tick(from + after);
    return first_sample_text(bench);
  };
  EXPECT_EQ(told(0), "First sample in about 30 s. ");
  bench.device_state.check("naive", huge, {"It is too long for it.", false});
  EXPECT_EQ(told(20), "First sample in about 10 s. ");
  EXPECT_EQ(bench.elapsed_text(), ", 20 s");
  EXPECT_EQ(bench.waited_text(), ", 20 s");
  EXPECT_EQ(told(41), "Taking longer than the expected 30 s: 41 s so far. ");
  bench.request.paused = true;
  (void)told(50);
  bench.request.paused = false;
  EXPECT_EQ(told(60), "First sample in about 30 s. ") << "it could not begin before";
}

TEST_F(SearchTest, TheEstimateIsOfAllThatCompetes) {
  Problem huge = bench.request.selection.problem;
  EXPECT_EQ(wait_text(bench, huge), "");
  const double ns = bench.live.timed()->series.statistics()->median;
  huge.batch = uint32_t(100e9 / 3 / ns * huge.batch);
  EXPECT_EQ(wait_text(bench, huge), "about 2 min") << "100 s";
  bench.request.set_variant("naive");
  const Estimate none = estimate_of_sweep(bench);
  EXPECT_EQ(none.configs, 14u);
  EXPECT_TRUE(none.at_most);
  bench.views.tuning.budget = "";
  EXPECT_EQ(must(estimate_of_tuning(bench))->configs, 14u);
  // What cannot serve the problem does not compete.
  bench.device_state.check("tiled", bench.request.selection.problem, {"It is too long for it.", false});
  EXPECT_EQ(estimate_of_sweep(bench).configs, 2u);
  EXPECT_EQ(estimate_of_tuning(bench)->configs, 2u);
  // A limit of time says of how many it is.
  const Estimate short_one = estimate_of(bench, "tiled", {.seconds = 1e-6, .trials = 0});
  EXPECT_TRUE(short_one.configs == 12 && short_one.at_most);
  EXPECT_EQ(short_one.within, 1e-6);
}

TEST_F(SearchTest, ItsNumbersAreOfOneRunIdentity) {
  world->trials_allowed = 4;
  start(bench.sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().trials().size() == 4; }));
  EXPECT_EQ(bench.search_of_other(), "");
  bench.request.set_problem(*parse_problem("1x4x64x32"));
  pump();
  EXPECT_EQ(bench.search_of_other(), "another problem, 1x4x32x32:f32");
  EXPECT_TRUE(searched().measuring()) << "it goes on, and says of what";
  EXPECT_FALSE(bench.can_accept());
  bench.undo();
  EXPECT_EQ(bench.search_of_other(), "");
  bench.request.modes.cache = CacheMode::cold;
  EXPECT_NE(bench.search_of_other(), "");
  bench.request.modes.cache = CacheMode::hot;
  // Another version of the shader ends it: no number of both stands in one map.
  world->shader = 2;
  bench.reload_shaders();
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().error(), "The shaders were read again.");
  ASSERT_TRUE(until([&] { return bench.search_of_other() == "an earlier version of tiled"; }));
  EXPECT_FALSE(bench.look_back()) << "it stays, said to be that";
  for (const char* problem : {"1x4x64x32", "1x4x32x32"}) {
    bench.request.set_problem(*parse_problem(problem));
    ASSERT_TRUE(done(*must(bench.look_back())));
  }
  EXPECT_TRUE(searched().trials().empty()) << "trials of the version before are none of this one";
}

TEST_F(SearchTest, WhatASearchTriedIsInWhatIsExportedAndWhatRacedInTheLog) {
  EXPECT_EQ(bench.all_records().size(), 1u) << "what is shown, once";
  bench.views.tuning.budget = "";
  ASSERT_TRUE(done(*must(bench.tune())));
  const search::SearchOutcome& out = *searched().outcome();
  ASSERT_FALSE(out.result.raced.empty()) << out.result.no_race;
  const auto had = [&](const std::vector<Record>& records, const std::string& variant, const Config& config) {
    return std::ranges::count_if(records, [&](auto& r) { return r.variant == variant && r.config == config; });
  };
  for (const tune::ConfigTrial& t : out.tried)
    EXPECT_GE(had(bench.all_records(), t.variant, t.trial.config), 1) << t.variant;
  // Those of the race are in the log, and told once: their trials were the way there.
  const Config best = out.result.raced.front().config;
  EXPECT_EQ(had(bench.all_records(), "tiled", best), 1);
  const auto kept = filtered(bench.log.entries(), [&](auto& e) { return e.record->config == best; });
  EXPECT_EQ(only(kept).record->samples_ns, out.result.raced.front().samples_ns);
  // Another search takes the place of this one; what raced stays.
  bench.request.set_problem(*parse_problem("1x4x64x32"));
  ASSERT_TRUE(sampled());
  start(bench.sweep("tiled"));
  links.at(0)->cancel_search();
  ASSERT_TRUE(over());
  EXPECT_EQ(had(bench.all_records(), "tiled", best) > 0, true);
}

TEST_F(SearchTest, PinsAndASearchAreNotMeasuredAtOnce) {
  bench.pin();
  bench.jobs.problems.add(bench.request.selection.problem);
  world->trials_allowed = 2;
  start(bench.sweep("tiled"));
  EXPECT_FALSE(bench.measure_all());
  EXPECT_TRUE(said("A search is measuring"));
  links.at(0)->cancel_search();
  ASSERT_TRUE(over());
  const auto job = must(bench.measure_all());
  EXPECT_FALSE(bench.sweep_best());
  EXPECT_TRUE(said("Something else is being measured"));
}

TEST_F(SearchTest, WhatIsAcceptedIsTheDefaultOfItsProblemFromThenOn) {
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 32) << "the declared default";
  EXPECT_TRUE(bench.request.automatic());
  EXPECT_EQ(bench.request.tuned_caption(), "");
  bench.views.tuning.budget = "soon";
  EXPECT_FALSE(bench.tune()) << "a budget that is none";
  bench.views.tuning.budget = "";
  ASSERT_TRUE(done(*must(bench.tune())));
  ASSERT_TRUE(searched().outcome());
  const tune::TuneResult& result = searched().outcome()->result;
  ASSERT_FALSE(result.raced.empty()) << result.no_race;
  EXPECT_EQ(searched().progress().racing, result.race.records.size());
  ASSERT_EQ(result.words.size(), result.raced.size());
  EXPECT_EQ(result.words[0].relation, Relation::faster) << result.words[0].reason;
  ASSERT_TRUE(bench.can_accept());
  bench.take_best();
  EXPECT_EQ(bench.request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench.request.tuned_caption(), "");
  const uint64_t taken = bench.live.timed()->series.taken();
  links.at(0)->keep(searched().asked().id);
  ASSERT_TRUE(until([&] { return searched().kept() && bench.request.tuned_caption() != ""; }));
  EXPECT_EQ(bench.request.tuned_caption(), "tuned here, now");
  ASSERT_TRUE(sampled(taken + 1)) << "the samples stay, and sampling goes on";
  EXPECT_TRUE(said("Saved as the default for this device: tiled"));
  EXPECT_FALSE(bench.request.automatic());
  EXPECT_EQ(bench.request.why_automatic(), "") << "the engine's reason is none of what is taken";
  bench.undo();
  EXPECT_TRUE(bench.request.automatic());
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 32);

  open();
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench.request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_EQ(bench.request.tuned_caption(), "tuned here, now");
  bench.request.set_problem(*parse_problem("1x4x64x16"));
  ASSERT_TRUE(sampled());
  EXPECT_NE(bench.request.selection.config.at("BLOCK_M"), 64) << "a problem that is not near has its own default";
  EXPECT_EQ(bench.request.tuned_caption(), "");
}

TEST_F(SearchTest, ATrialThatEndsItsWorkerIsSaidAndTheOthersGoOn) {
  world->die_in_trial = true;
  ASSERT_TRUE(done(bench.sweep("tiled")));
  EXPECT_TRUE(said("signal 9"));
  EXPECT_EQ(searched().progress().broken, 1u);
  EXPECT_EQ(searched().trials().size(), 9u);
}

TEST_F(SearchTest, WhatIsAskedNowIsTriedFirstAndRaces) {
  bench.request.set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const Config now = bench.request.selection.config;
  world->trials_allowed = 1000;
  ASSERT_TRUE(done(bench.sweep("tiled")));
  EXPECT_EQ(searched().config(searched().trials().front()), now);
  const auto& raced = searched().outcome()->result.raced;
  EXPECT_TRUE(std::ranges::any_of(raced, [&](const Record& r) { return r.config == now; }));
  EXPECT_TRUE(must(bench.live.comparisons.raced(raced.at(0), raced.at(1)))->in_turn) << "as of the pins that race";
}

/// Two GPUs of one name and driver in one machine.
struct TwinsTest : SearchTest {
  void SetUp() override {
    world->twins = true;
    SearchTest::SetUp();
  }
  void choose(const char* device, const char* uuid) {
    bench.set_device(0, device);
    ASSERT_TRUE(until([&] { return bench.device_state.device && bench.device_state.device->device_uuid == uuid; }));
    ASSERT_TRUE(sampled());
  }
  std::vector<tune::TunedEntry> kept() { return tune::load_tuned(dir / "tuned.json").entries; }
};

TEST_F(TwinsTest, ASearchIsOfOneOfThemAloneAndIsKeptForTheDeviceThatItWasFoundOn) {
  ASSERT_TRUE(done(bench.sweep("tiled")));
  ASSERT_TRUE(bench.can_accept());
  EXPECT_EQ(bench.search_of_other(), "");
  // The other one is chosen before it is kept.
  choose("3", "bb");
  EXPECT_EQ(bench.search_of_other(), "another device, Test GPU");
  EXPECT_FALSE(bench.can_accept()) << "its times are none of this one";
  links.at(0)->keep(searched().asked().id);
  ASSERT_TRUE(until([&] { return searched().kept(); }));
  ASSERT_FALSE(kept().empty());
  for (const tune::TunedEntry& e : kept()) EXPECT_EQ(e.device_uuid, "aa") << e.variant;
  EXPECT_EQ(bench.request.tuned(), nullptr);
  EXPECT_FALSE(said("Saved as the default for this device"));
  ASSERT_TRUE(done(*must(bench.look_back())));
  EXPECT_EQ(bench.search_of_other(), "");
  EXPECT_TRUE(searched().trials().empty()) << "what the first one tried is not this one's";
}

TEST_F(TwinsTest, APinOfOneIsMeasuredAgainThereAlone) {
  bench.pin();
  bench.jobs.problems.add(bench.request.selection.problem);
  choose("3", "bb");
  EXPECT_FALSE(bench.measure_all()) << "the only pin is of the other one";
  EXPECT_TRUE(said("it is of another device"));
  EXPECT_EQ(bench.scaling_rows().size(), 2u) << "the pin, and what is shown";
  bench.pin();
  const auto job = must(bench.measure_all());
  EXPECT_EQ(job->as<Job::Items>()->size(), 1u);
  std::set<std::string> names;
  EXPECT_TRUE(until([&] {
    names.clear();
    for (const Pin& p : bench.pins.all()) names.insert(bench.name_of(p));
    return names.size() == 2;
  }));
  for (const std::string& name : names) EXPECT_FALSE(has(name, "take"));
}

}  // namespace attnscope::gui::search_test
