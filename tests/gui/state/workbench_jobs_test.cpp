// Points of the scaling plot and maps of errors, measured in the background by a link with a fake session.
#include "app/gui/ui/plot_widgets.hpp"
#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::workbench_jobs_test {

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
  const auto job = must(bench.measure_scaling());
  links.at(0)->submit(*job);
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

}  // namespace attnscope::gui::workbench_jobs_test
