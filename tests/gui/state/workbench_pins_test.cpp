// Pins: their words, their names, what is measured of them and exported; points of the scaling plot and maps of errors.

#include "app/gui/ui/plot_widgets.hpp"
#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::workbench_pins_test {

TEST_F(Sampled, PinsAreMeasuredAcrossProblemsAndLiveSamplingGoesOn) {
  bench.pin();
  ASSERT_TRUE(sampled(40, 64));
  bench.pin();
  ASSERT_EQ(bench.pins.all().size(), 2u);
  EXPECT_NE(bench.pins.all()[0].slot, bench.pins.all()[1].slot);
  ASSERT_TRUE(until([&] { return bench.live.verdict(bench.pins.all()[0]); }));
  EXPECT_FALSE(bench.measure_all()) << "no problems are listed";
  bench.jobs.problems.set_problems({*parse_problem("1x4x32x32"), *parse_problem("1x4x64x32")});
  const auto job = must(bench.measure_all());
  EXPECT_EQ(job->as<Job::Items>()->size(), 4u);
  links.at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench.jobs.now.running; }));
  for (const Pin& p : bench.pins.all())
    for (const Problem& problem : bench.jobs.problems.all())
      EXPECT_TRUE(point_of(p.run, p.record, problem, bench.log, bench.pins, Metric::time).measured());
  ASSERT_TRUE(sampled(live().series.taken() + 20)) << "live sampling goes on after the job";
  EXPECT_GE(bench.all_records().size(), 4u);
}

TEST_F(Sampled, APinBeforeThereAreSamplesComesWithThem) {
  world->hold_compile = true;
  bench.request.set_value("BLOCK_M", 64);
  bench.pin();
  for (int i = 0; i < 20; ++i) pump();
  EXPECT_TRUE(bench.pins.empty());
  world->hold_compile = false;
  ASSERT_TRUE(until([&] { return !bench.pins.empty(); }));
  EXPECT_EQ(bench.pins.all()[0].record->config.at("BLOCK_M"), 64);
  EXPECT_GE(bench.pins.all()[0].record->samples_ns.size(), Comparisons::kEnough);
  // Of what was chosen then: whoever goes on has not asked for that one.
  world->hold_compile = true;
  bench.request.set_value("BLOCK_M", 32);
  bench.pin();
  pump();
  bench.request.set_value("BLOCK_M", 64);
  world->hold_compile = false;
  ASSERT_TRUE(sampled(40));
  EXPECT_EQ(bench.pins.all().size(), 1u);
}

TEST(JobState, WhatIsLeftGoesByTheAverage) {
  JobState job{.total = 4, .began = 10};
  EXPECT_EQ(how_far(job, 13), "0 of 4");
  job.done = 2;
  EXPECT_EQ(how_far(job, 14), "2 of 4, about 4 s left");
  EXPECT_EQ(how_far(job, 10 + 720), "2 of 4, about 12 min left");
  job.cancelled = true;
  EXPECT_EQ(how_far(job, 14), "2 of 4");
}

TEST_F(Sampled, FourteenPinsAllGetAWordAndTheSameOneGetsTheSame) {
  for (int i = 0; i < 14; ++i) bench.pin();
  std::set<size_t> slots;
  for (const Pin& p : bench.pins.all()) slots.insert(p.slot);
  EXPECT_EQ(slots.size(), 14u);
  bench.request.paused = true;
  ASSERT_TRUE(until([&] { return !bench.live.measuring(); }));
  ASSERT_TRUE(until([&] {
    std::set<double> ratios;
    for (const Pin& p : bench.pins.all()) ratios.insert(bench.live.verdict(p) ? bench.live.verdict(p)->ratio : 0);
    return ratios.size() == 1 && !ratios.contains(0);
  }));
}

TEST_F(WorkbenchTest, APinThatWaitsInVainSaysSoOnceWithItsReason) {
  const auto refused = [&](const char* name, const char* why) {
    ASSERT_TRUE(until([&] { return has(bench.messages.lines().back().text, name, why); })) << why;
    EXPECT_EQ(bench.messages.lines().back().level, Level::warning);
    const size_t lines = bench.messages.lines().size();
    for (int i = 0; i < 20; ++i) pump();
    EXPECT_EQ(bench.messages.lines().size(), lines);
    EXPECT_TRUE(bench.pins.empty());
  };
  ASSERT_TRUE(sampled(5));
  const Config before = bench.request.selection.config;
  bench.request.set_value("BLOCK_M", 64);
  bench.pin();
  bench.request.set_config(before);
  refused("64", "something else");
  world->wrong_results = true;
  bench.request.set_value("BLOCK_N", 16);
  bench.pin();
  refused("16", "wrong");
  world->wrong_results = false;
  bench.request.set_config({{"BLOCK_M", 128}, {"BLOCK_N", 64}});
  bench.pin();
  refused("128", "32768");
  bench.request.set_config(before);
  bench.pin();
  ASSERT_TRUE(until([&] { return bench.pins.all().size() == 1; })) << "and one that has them is pinned";
}

TEST_F(Sampled, WordsComeFromTheSamplesThatStandBesideThem) {
  bench.pin();
  world->sample_ms = 1.3;
  ASSERT_TRUE(sampled(200, 64));
  bench.request.paused = true;
  ASSERT_TRUE(until([&] { return !bench.live.measuring(); }));
  const Pin& pin = bench.pins.all()[0];
  ASSERT_TRUE(until([&] {
    const LiveCopy* live = bench.live.copy();
    return bench.live.verdict(pin) &&
           bench.live.verdict(pin)->ratio == pin.record->statistics->median / live->record->statistics->median;
  }));
  EXPECT_EQ(bench.live.verdict(pin)->word.relation, Relation::faster) << "the pin against the live config";
}

TEST_F(WorkbenchTest, PinsAreTakenInTurnWithWhatIsShownAndTheirWordsAreOfThat) {
  EXPECT_FALSE(bench.race_pins()) << "nothing is timed yet";
  ASSERT_TRUE(sampled(40));
  EXPECT_FALSE(bench.race_pins()) << "nothing is pinned";
  bench.pin();
  ASSERT_TRUE(sampled(40, 64));
  bench.pin();
  bench.request.set_value("BLOCK_N", 64);
  ASSERT_TRUE(sampled(40));
  Record cold = *bench.pins.all()[0].record;
  bench.pins.add(cold);
  cold.protocol.cache = CacheMode::cold;
  bench.pins.add(cold);
  const auto race = must(bench.race_pins());
  EXPECT_EQ(race->as<RaceRequest>()->entries.size(), 3u) << "each run once, of these modes";
  EXPECT_FALSE(bench.race_pins()) << "one at a time";
  links.at(0)->submit(*race);
  ASSERT_TRUE(until([&] { return !bench.jobs.runs(JobKind::pins); }));
  EXPECT_TRUE(has(bench.messages.lines().back().text, "3 of 3", "other modes")) << "which did not race";
  const Pin &first = bench.pins.all()[0], &second = bench.pins.all()[1];
  for (const Pin* p : {&first, &second}) ASSERT_TRUE(bench.live.verdict(*p) && bench.live.verdict(*p)->in_turn);
  EXPECT_EQ(bench.live.verdict(first)->word.relation, Relation::slower);
  EXPECT_EQ(bench.live.verdict(second)->word.relation, Relation::faster);
  const Compared* pins = bench.live.comparisons.of(second.record, first.record);
  ASSERT_TRUE(pins && pins->in_turn);
  EXPECT_LT(pins->ratio, 1);
  EXPECT_LT(pins->first_ns, pins->second_ns) << "the medians that the word is of";
  // One that is wrong in a race has no word of its earlier samples any more.
  const auto wrong = must(bench.race_pins());
  RaceResult failed;
  for (const RaceEntry& e : wrong->as<RaceRequest>()->entries) {
    failed.records.push_back(e.config == first.record->config    ? *first.record
                             : e.config == second.record->config ? *second.record
                                                                 : *live().record());
    failed.turns.push_back({std::vector<uint32_t>(failed.records.back().samples_ns.size(), 1)});
  }
  failed.records[0].verdict->reason = "it is wrong";
  failed.records[0].verdict->pass = false;
  conclude(failed.records[0], Outcome::failed_verdict);
  failed.turns[0] = {};
  bench.apply({0, JobEvent{.id = wrong->id, .over = true, .result = failed}}, false, bench.now());
  EXPECT_FALSE(bench.live.verdict(first));
  EXPECT_TRUE(has(bench.live.why_no_verdict(first), "it is wrong"));
  EXPECT_TRUE(has(bench.messages.lines().back().text, "2 of 3", "it is wrong"));
  // Of another config the race says nothing.
  ASSERT_TRUE(sampled(40, 32));
  ASSERT_TRUE(until([&] { return bench.live.verdict(first); }));
  EXPECT_FALSE(bench.live.verdict(first)->in_turn);
  // Its records are those of the shader and device that were pinned, or none of it counts.
  const auto job = must(bench.race_pins());
  RaceResult other;
  for (size_t i = 0; i < job->as<RaceRequest>()->entries.size(); ++i) {
    other.records.push_back(*first.record);
    other.turns.push_back({{40}});
  }
  bench.apply({0, JobEvent{.id = job->id, .over = true, .result = other}}, false, bench.now());
  EXPECT_EQ(bench.messages.lines().back().level, Level::warning);
  EXPECT_FALSE(bench.live.verdict(first)->in_turn);
  const auto stopped = must(bench.race_pins());
  bench.jobs.now.cancelled = true;
  bench.apply({0, JobEvent{.id = stopped->id, .over = true, .error = "It was cancelled."}}, false, bench.now());
  EXPECT_EQ(bench.messages.lines().back().level, Level::info) << "what a person did is no warning";
}

TEST_F(Sampled, OfTwoModesThereIsNoWordAndWhyIsSaid) {
  bench.pin();
  Record few = *bench.pins.all()[0].record;
  few.samples_ns.resize(Comparisons::kEnough - 1);
  bench.pins.add(few);
  ASSERT_TRUE(until([&] { return bench.live.verdict(bench.pins.all()[0]) != nullptr; }));
  EXPECT_FALSE(bench.live.verdict(bench.pins.all()[1]));
  EXPECT_EQ(bench.live.why_no_verdict(bench.pins.all()[1]), "few samples") << "a pin never gets more of them";
  bench.request.modes.cache = CacheMode::cold;
  ASSERT_TRUE(until([&] { return bench.live.copy() && bench.live.copy()->record->protocol.cache == CacheMode::cold; }));
  EXPECT_FALSE(bench.live.verdict(bench.pins.all()[0])) << "UNSURE would say that more samples help";
  EXPECT_EQ(bench.live.why_no_verdict(bench.pins.all()[0]), "two cache modes");
}

TEST_F(Sampled, PinsAreExportedAsTheyStandAndRemovalIsTakenBack) {
  bench.pin();
  const Record pinned = *bench.pins.all()[0].record;
  bench.jobs.problems.add(pinned.problem);
  links.at(0)->submit(*bench.measure_all());
  ASSERT_TRUE(until([&] { return !bench.jobs.now.running; }));
  ASSERT_TRUE(sampled(pinned.samples_ns.size() + 40));
  EXPECT_EQ(bench.all_records().at(0), pinned) << "what was measured later does not stand in for it";
  const Pin before = bench.pins.all()[0];
  bench.clear_pins();
  EXPECT_TRUE(bench.pins.empty());
  bench.undo();
  EXPECT_EQ(only(bench.pins.all()).id, before.id);
  EXPECT_EQ(bench.pins.all()[0].slot, before.slot);
  bench.redo();
  EXPECT_TRUE(bench.pins.empty());
}

TEST_F(Sampled, AFileAddsNothingToTheListedProblemsAndAPinOfAShaderThatHasChangedIsNotMeasuredUnderItsName) {
  bench.open_dataset("results.json", {*live().record()});
  EXPECT_EQ(bench.pins.all().size(), 1u);
  EXPECT_TRUE(bench.jobs.problems.all().empty());
  bench.pin();
  bench.jobs.problems.add(*parse_problem("1x4x64x32"));
  ASSERT_TRUE(edited(3));
  EXPECT_FALSE(bench.measure_all());
  EXPECT_TRUE(has(bench.messages.lines().back().text, "changed since"));
}

TEST_F(WorkbenchTest, MarksOfAProblemAreThereAgainWhenOneReturnsToIt) {
  const Problem first = *parse_problem("1x4x32x32"), second = *parse_problem("1x2x64x64");
  bench.request.set_problem(first);
  ASSERT_TRUE(sampled(10));
  bench.device_state.check("naive", first, {"too long for it", false});
  bench.request.set_problem(second);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.device_state.why_not(*bench.device_state.variant("naive"), to_text(second)).text, "");
  bench.request.set_problem(first);
  ASSERT_TRUE(sampled(10));
  EXPECT_EQ(bench.device_state.why_not(*bench.device_state.variant("naive"), to_text(first)).text, "too long for it");
}

struct JobsTest : WorkbenchTest {
  bool idle() {
    return until([&] { return !bench.jobs.now.running; });
  }
  /// How many points of the curve of what is shown are measured.
  size_t points(bool live = true) {
    size_t count = 0;
    const ScalingPlot plot = scaling_plot(bench.scaling_rows(), bench.scaling_problems(), bench.log, bench.pins,
                                          bench.device_state, bench.request.metric, true);
    for (const ScaleCurve& curve : plot.curves)
      for (const ScalePoint& p : curve.points) count += curve.live == live && p.measured();
    return count;
  }
};

TEST_F(JobsTest, PointsAreMeasuredOnceForEachRunAndAreItsAlone) {
  ASSERT_TRUE(sampled(40));
  bench.jobs.scaling.chosen = {16, 32, 64};
  ASSERT_EQ(bench.request.selection.problem.seq_kv, 32u);
  EXPECT_EQ(points(), 1u) << "what is sampled is a point already";
  EXPECT_EQ(bench.scaling_items().size(), 2u);
  auto job = must(bench.measure_scaling());
  EXPECT_EQ((*job->as<Job::Items>())[0].selection.problem.seq_q, 16u) << "small ones first";
  EXPECT_FALSE(bench.measure_scaling()) << "one at a time";
  links.at(0)->submit(*job);
  EXPECT_TRUE(bench.jobs.runs(JobKind::scaling));
  EXPECT_EQ(bench.jobs.text(), "measuring along an axis") << "what is waited for is told by its own name";
  ASSERT_TRUE(idle());
  EXPECT_EQ(bench.jobs.text(), "");
  EXPECT_EQ(bench.messages.lines().back().text, "Measured 2 of 2 points along the sequence length.");
  ASSERT_TRUE(sampled(40)) << "live sampling goes on";
  EXPECT_EQ(points(), 3u);
  EXPECT_TRUE(bench.scaling_items().empty());
  const auto svg = must(text_out(bench, "scaling.plot", WayOut::Form::svg));
  EXPECT_NE(svg->find("sequence length"), std::string::npos) << *svg;
  const auto csv = must(text_out(bench, "scaling.plot", WayOut::Form::csv));
  for (const char* problem : {"x16x32:f32", "x32x32:f32", "x64x32:f32"})
    EXPECT_NE(csv->find(problem), std::string::npos) << problem << "\n" << *csv;
  bench.pin();
  EXPECT_EQ(points(), 0u) << "the pin is the same run";
  EXPECT_EQ(points(false), 3u);

  bench.request.modes.cache = CacheMode::cold;
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(points(), 1u) << "another mode has been measured nowhere else";
  EXPECT_EQ(points(false), 3u);
  bench.request.modes.cache = CacheMode::hot;

  ASSERT_TRUE(edited(2));
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(points(), 1u) << "the edited shader has its own";
  for (const Job::Item& item : bench.scaling_items()) EXPECT_NE(item.selection.problem.seq_q, 32u);
  EXPECT_EQ(bench.scaling_items().size(), 2u) << "of the pin's shader nothing can be measured any more";
}

TEST_F(JobsTest, ACancelledJobKeepsWhatItMeasured) {
  ASSERT_TRUE(sampled(40));
  bench.jobs.scaling.chosen = {16, 64, 128, 256};
  world->hold_compile = false;
  links.at(0)->submit(*must(bench.measure_scaling()));
  ASSERT_TRUE(until([&] { return bench.jobs.now.done >= 1; }));
  world->hold_compile = true;
  links.cancel_jobs();
  bench.jobs.now.cancelled = true;
  ASSERT_TRUE(idle());
  EXPECT_EQ(bench.messages.lines().back().level, Level::info) << "what a person did is no warning";
  world->hold_compile = false;
  EXPECT_GE(points(), 1u);
  EXPECT_EQ(points() + bench.scaling_items().size(), 4u) << "the others are still due";
}

TEST_F(JobsTest, ErrorsAreMappedOfJustWhatIsAskedAndAReloadedShaderHasNone) {
  world->wrong_results = true;
  ASSERT_TRUE(until([&] { return bench.live.shown() && live().verdict && live().stage.empty(); }));
  EXPECT_FALSE(bench.errors());
  const auto job = must(bench.look_at_errors());
  ASSERT_TRUE(job->as<ErrorMapRequest>());
  EXPECT_TRUE(job->as<ErrorMapRequest>()->worst_head);
  EXPECT_TRUE(bench.errors_tried());
  links.at(0)->submit(*job);
  ASSERT_TRUE(idle());
  EXPECT_EQ(must(bench.errors())->map->head, bench.request.selection.problem.heads_q - 1);
  EXPECT_EQ(bench.errors()->map->failing, 2u);
  bench.request.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return bench.live.shown() && bench.live.shown()->verdict; }));
  EXPECT_FALSE(bench.errors()) << "of another config";
  bench.request.set_value("BLOCK_M", 32);
  ASSERT_TRUE(until([&] { return bench.errors() != nullptr; })) << "and of the first again";
  ASSERT_TRUE(edited(2));
  EXPECT_FALSE(bench.errors());
  EXPECT_FALSE(bench.errors_tried());
}

}  // namespace attnscope::gui::workbench_pins_test
