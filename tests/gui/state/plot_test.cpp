// Ranges, ticks, the view of the timing plot and what it draws: plain numbers, no window.

#include "app/gui/charts/run_plots.hpp"
#include "app/gui/charts/timing_plot.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::plot_test {

TEST(Range, OneFarOutlierDoesNotFlattenTheRest) {
  for (size_t count : {10u, 20u, 100u, 5000u}) {
    std::vector<double> v = noisy(count, 1000);
    const Range without = robust_range(v, false);
    v[count / 2] = 1e6;
    for (bool log : {false, true}) {
      const Range r = robust_range(v, log);
      EXPECT_LT(r.high, 1200) << count << (log ? " log" : "");
      EXPECT_GT(r.low, 850);
    }
    EXPECT_LE(without.high, 1200);
  }
  std::vector<double> v = noisy(300, 1000);
  const auto [least, most] = std::minmax_element(v.begin(), v.end());
  const Range all = robust_range(v, false);
  EXPECT_EQ(std::tuple(all.low, all.high), std::tuple(*least, *most)) << "all is in view without far ones";
  for (size_t i = 0; i < v.size(); i += 8) v[i] = 5000;
  EXPECT_GE(robust_range(v, false).high, 5000) << "a second mode is no outlier";
}

TEST(Range, FewEqualOrNoValues) {
  EXPECT_TRUE(robust_range({}, false).empty);
  Range r = robust_range(std::vector<double>(50, 7.0), false);
  r.pad(false);
  EXPECT_LT(r.low, 7);
  EXPECT_GT(r.high, 7);
  Range none;
  none.pad(true);
  EXPECT_GT(none.low, 0) << "a logarithm needs more than nothing";
  EXPECT_FALSE(robust_range(std::vector<double>{0, 0, 3}, true).low <= 0);
}

TEST(Range, ZoomKeepsItsPointAndPanMovesByTheMouse) {
  for (bool log : {false, true}) {
    const Frame f{{100, 20}, {500, 220}, Range::of(0, 600), Range::of(10, 1000), log};
    const double at = f.y_at(70);
    EXPECT_NEAR(f.pixel(0, at).y, 70, 0.01);
    const Frame closer{f.min, f.max, f.x, zoomed(f.y, at, 0.5, log), log};
    EXPECT_NEAR(closer.pixel(0, at).y, 70, 0.01) << log;
    const Frame moved{f.min, f.max, f.x, panned(f.y, f.y_at(70), f.y_at(90), log), log};
    EXPECT_NEAR(moved.pixel(0, at).y, 90, 0.01) << log;
  }
}

std::vector<std::string> texts(const std::vector<Tick>& ticks) { return mapped(ticks, &Tick::text); }

TEST(Ticks, OneUnitBySizeAndDigitsThatTellThemApart) {
  EXPECT_EQ(texts(metric_ticks(Range::of(19500, 20100), false, Metric::time, 4)),
            (std::vector<std::string>{"19.6 ms", "19.8 ms", "20.0 ms"}));
  EXPECT_EQ(texts(metric_ticks(Range::of(0, 0.0011), false, Metric::tflops, 3)),
            (std::vector<std::string>{"0", "0.5 GFLOP/s", "1.0 GFLOP/s"}));
  EXPECT_EQ(texts(metric_ticks(Range::of(0.02, 0.031), false, Metric::gbps, 2)),
            (std::vector<std::string>{"20 MB/s", "30 MB/s"}));
  EXPECT_EQ(texts(metric_ticks(Range::of(0.9, 1500), true, Metric::time, 6)),
            (std::vector<std::string>{"1 \u00b5s", "10 \u00b5s", "100 \u00b5s", "1 ms"}));
}

TEST(Ticks, AreDistinctRoundAndNoMoreThanFit) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-3, 9), width(-7, 2);
  for (int i = 0; i < 3000; ++i) {
    const double low = std::pow(10, exponent(random)), high = low * (1 + std::pow(10, width(random)));
    for (Metric m : {Metric::time, Metric::tflops, Metric::gbps})
      for (bool log : {false, true})
        for (int most : {2, 5, 9}) {
          const auto ticks = metric_ticks(Range::of(low, high), log, m, most);
          EXPECT_LE(int(ticks.size()), most + 1);
          EXPECT_GE(ticks.size(), 2u) << low << " " << high << " " << log;
          for (size_t k = 0; k < ticks.size(); ++k) {
            EXPECT_GE(ticks[k].at, low * (1 - 1e-6));
            EXPECT_LE(ticks[k].at, high * (1 + 1e-6));
            EXPECT_TRUE(k == 0 || ticks[k].text != ticks[k - 1].text) << low << " " << high;
          }
        }
  }
}

struct ViewOf : testing::Test {
  using Axis = PlotView::Axis;
  PlotView view;
  Series series;
  Selection selection{.problem = *parse_problem("1x4x32x32"), .variant = "tiled", .config = {}};
  Frame frame() {
    const TimingPlot p = timing_plot(view, series, Metric::time, {}, {}, 400);
    return {{0, 0}, {400, 200}, p.x, p.y, p.log};
  }
  void add(size_t count, double ns = 1e6) {
    series.add(noisy(count, ns));
    view.show(Metric::time, series);
  }
};

TEST_F(ViewOf, FollowsTheNewestUntilAPersonZooms) {
  add(2000);
  EXPECT_TRUE(view.follows());
  EXPECT_EQ(view.x(series), Range::of(1400, 2000));
  const Frame f = frame();
  view.zoom(f, Axis::samples, 1700, 0.5, series);
  view.zoom(f, Axis::values, f.y_at(100), 0.5, series);
  EXPECT_FALSE(view.follows());
  const Range x = view.x(series), y = view.y();
  EXPECT_NEAR(x.low, 1550, 1e-6);
  EXPECT_NEAR(x.width(), 300, 1e-6);
  EXPECT_NEAR(y.width(), f.y.width() / 2, 1e-9);
  const std::vector<double> before = timing_plot(view, series, Metric::time, {}, {}, 400).samples.y;
  // So many that nothing of the stretch is among the newest.
  for (int i = 0; i < 30; ++i) add(500, 3e6);
  EXPECT_GT(series.taken() - series.samples().size(), uint64_t(x.high));
  EXPECT_EQ(view.x(series), x);
  EXPECT_EQ(view.y(), y);
  EXPECT_EQ(timing_plot(view, series, Metric::time, {}, {}, 400).samples.y, before);
  view.follow();
  EXPECT_EQ(view.x(series), Range::of(16400, 17000));
}

TEST_F(ViewOf, StaysWithinTheSamplesAndCannotBeZoomedToNothing) {
  add(1000);
  for (int i = 0; i < 100; ++i) view.zoom(frame(), Axis::samples, frame().x.low, 0.7, series);
  EXPECT_GE(view.x(series).width(), PlotView::kClosest * 0.999);
  for (int i = 0; i < 100; ++i) view.zoom(frame(), Axis::samples, frame().x.high, 1.5, series);
  EXPECT_EQ(view.x(series), Range::of(0, 1000));
  view.zoom(frame(), Axis::samples, 500, 0.5, series);
  view.pan(frame(), Axis::samples, 1e6f, series);
  EXPECT_NEAR(view.x(series).low, 0, 1e-6);
  view.pan(frame(), Axis::samples, -1e6f, series);
  EXPECT_NEAR(view.x(series).high, 1000, 1e-6);
}

TEST_F(ViewOf, MarkedSamplesHaveStatisticsOfTheirOwnAndChangeOnlyTheShownOnes) {
  add(1000, 1e6);
  add(500, 9e6);
  view.mark(frame(), 1499.7, 1000.2, series);
  EXPECT_FALSE(view.follows()) << "what is marked stays under the mouse";
  MarkedSamples& m = view.marked;
  EXPECT_EQ(m.from, 1000u);
  EXPECT_EQ(m.to, 1500u);
  LiveShape shape;
  Live live;
  live.series = series;
  const auto median = [&] {
    shape.step(&live, Metric::time, {}, false, m);
    EXPECT_NEAR(must(shape.marked())->median, 9e6, 1e6);
    EXPECT_EQ(shape.marked()->count, 500u);
    EXPECT_EQ(shape.histogram().total, shape.statistics(live.series).count) << "of the same samples";
    return shape.statistics(live.series).median;
  };
  EXPECT_EQ(median(), series.statistics()->median);
  EXPECT_EQ(left_out_text(m), "");
  m.use = MarkedSamples::Use::only;
  EXPECT_NEAR(median(), 9e6, 1e6);
  m.use = MarkedSamples::Use::without;
  EXPECT_NEAR(median(), 1e6, 1e5);
  EXPECT_EQ(left_out_text(m), "without samples 1,000\u20131,499");
  live.series.add(noisy(100, 1e6));
  median();
  EXPECT_EQ(shape.statistics(live.series).count, 1100u) << "samples go on being counted";
  shape.step(nullptr, Metric::time, {}, false, m);
  EXPECT_TRUE(shape.histogram().counts.empty());
}

TEST_F(ViewOf, FollowsAgainWhenNothingIsMarkedButNotFromAViewThatAPersonChose) {
  add(1500);
  view.mark(frame(), 1000, 1200, series);
  view.unmark();
  EXPECT_TRUE(view.follows());
  view.zoom(frame(), Axis::samples, 1200, 0.5, series);
  view.mark(frame(), 1100, 1200, series);
  view.unmark();
  EXPECT_FALSE(view.follows());
}

TEST_F(ViewOf, OutliersAreCountedAndTheNearestSampleIsFoundAlsoBeyondTheEdge) {
  add(100);
  series.add(std::vector<double>{5e7});
  const TimingPlot p = timing_plot(view, series, Metric::time, {}, {}, 400);
  EXPECT_EQ(std::tuple(p.samples.count_above, p.samples.count_below), std::tuple(1u, 0u));
  ASSERT_FALSE(p.samples.above.empty());
  EXPECT_LT(p.y.high, 2000);
  const Frame f{{0, 0}, {400, 200}, p.x, p.y, p.log};
  const auto found = must(nearest(p, f, series, Metric::time, {}, {399, 2}));
  EXPECT_EQ(found->sample, 100u);
  EXPECT_DOUBLE_EQ(found->value, 5e4);
  EXPECT_NEAR(found->at.y, 0, 0.01) << "drawn at the edge";
  for (uint64_t i : {0u, 37u, 99u}) {
    const double value = series.samples()[i] / 1e3;
    const auto it = must(nearest(p, f, series, Metric::time, {}, f.pixel(double(i) + 0.5, value)));
    EXPECT_EQ(it->sample, i);
    EXPECT_DOUBLE_EQ(it->value, value);
  }
  view.set_log(true);
  EXPECT_GT(timing_plot(view, series, Metric::time, {}, {}, 300).y.low, 0);
}

Record record_of(size_t samples, double ns) { return made({.ns = ns, .samples = samples}); }

TEST_F(ViewOf, PinsAreLevelsAlongTheWholeAxisAndAreFoundUnderTheMouse) {
  add(700);
  Pins pins;
  pins.add(record_of(1, 1.3e6));
  pins.add(record_of(5000, 1.6e6));
  const auto drawn = drawn_pins(pins, &selection.problem);
  ASSERT_EQ(drawn.size(), 2u);
  const TimingPlot p = timing_plot(view, series, Metric::time, {}, drawn, 400);
  const Frame f{{0, 0}, {400, 200}, p.x, p.y, p.log};
  EXPECT_NEAR(p.pins[1].median, 1600, 60);
  EXPECT_LT(p.pins[1].band.low, p.pins[1].median);
  EXPECT_GT(p.pins[1].band.high, p.pins[1].median);
  EXPECT_GT(p.y.high, 1600);
  for (const ChartSeries& s : timing_series(p, [](const Pin&) { return "pin"; })) {
    if (!s.name.starts_with("pin")) continue;
    EXPECT_EQ(s.x, (std::vector{p.x.low, p.x.high})) << "its samples are of no moment of this axis";
  }
  const auto found = must(nearest(p, f, series, Metric::time, {}, f.pixel(p.x.low, 1600)));
  EXPECT_EQ(found->pin, drawn[1]);
  EXPECT_EQ(found->value, p.pins[1].median);
}

TEST_F(ViewOf, APinThatIsFarSlowerLeavesTheLiveCurveItsHeight) {
  add(700);
  Pins pins;
  pins.add(record_of(500, 1.2e6));
  pins.add(record_of(500, 75e6));
  pins.add(record_of(500, 0.01e6));
  const auto drawn = drawn_pins(pins, &selection.problem);
  const TimingPlot p = timing_plot(view, series, Metric::time, {}, drawn, 400);
  EXPECT_LT(p.y.high, 2000) << "the samples take about 1000";
  EXPECT_GT(p.y.high, 1200) << "what is near is on it";
  ASSERT_EQ(p.pins.size(), 3u);
  EXPECT_EQ(p.pins[0].beyond, 0);
  EXPECT_EQ(p.pins[1].beyond, 1) << "and where the other lies is told";
  EXPECT_EQ(p.pins[2].beyond, -1);
  view.set_log(true);
  const TimingPlot logarithmic = timing_plot(view, series, Metric::time, {}, drawn, 400);
  EXPECT_GT(logarithmic.y.high, 75'000) << "a logarithmic axis has room for all";
  for (const PinLevel& c : logarithmic.pins) EXPECT_EQ(c.beyond, 0);
}

TEST_F(ViewOf, VeryManySamplesAreDrawnAsAFewAColumnAndTheirExtremesAreKept) {
  add(600);
  view.zoom(frame(), Axis::samples, 300, 0.9, series);
  // Held, and many more came.
  for (int i = 0; i < 80; ++i) add(3000);
  const size_t held = series.all().size();
  EXPECT_EQ(held, 240600u) << "all of them are in reach";
  for (int i = 0; i < 60; ++i) view.zoom(frame(), Axis::samples, 300, 1.5, series);
  const TimingPlot p = timing_plot(view, series, Metric::time, {}, {}, 300);
  EXPECT_EQ(p.in_view, held) << "all of them are in view";
  const uint64_t made = view.thinned.made();
  add(3000);
  EXPECT_EQ(timing_plot(view, series, Metric::time, {}, {}, 300).samples.y, p.samples.y);
  EXPECT_EQ(view.thinned.made(), made) << "a view that stands still costs a frame none of them";
  EXPECT_LE(p.samples.x.size(), 600u);
  EXPECT_LE(p.rolling.x.size(), kStretches + 4);
  const auto all = series.all().first(held);
  EXPECT_DOUBLE_EQ(std::ranges::max(p.samples.y), std::ranges::max(all) / 1e3);
}

TEST(RollingStretches, StandStillWhenSamplesAreAdded) {
  const std::vector<double> all = noisy(5000, 1000);
  const std::span<const double> a(all.data(), 600), b(all.data() + 7, 600);
  const Rolling first = roll(a, 0, 600, Metric::time, {}, 0), second = roll(b, 0, 600, Metric::time, {}, 7);
  // In the middle both have the same stretches with the same medians.
  size_t same = 0;
  for (size_t i = 2; i + 2 < first.x.size(); ++i)
    for (size_t k = 0; k < second.x.size(); ++k)
      if (std::abs(second.x[k] + 7 - first.x[i]) < 1e-9) same += second.median[k] == first.median[i];
  EXPECT_GE(same, first.x.size() - 8);
}

TEST(Chart, BarsOfAllProblemsALogAxisWhenProblemsDifferMuchAndReasonsForGaps) {
  Pins pins;
  const std::vector<Problem> problems = {*parse_problem("1x4x32x32"), *parse_problem("1x4x64x32"),
                                         *parse_problem("1x4x256x32")};
  SessionLog tried;
  pins.add(record_of(50, 1e6));
  EXPECT_TRUE(across_chart(pins, problems, tried, Metric::time).log) << "before the large ones are measured, too";
  const Record other = made({.problem = "1x4x64x32", .ns = 9e7, .samples = 50});
  tried.note(other);
  const AcrossChart chart = across_chart(pins, problems, tried, Metric::time);
  ASSERT_EQ(chart.bars.size(), 3u);
  EXPECT_TRUE(chart.log);
  EXPECT_GT(chart.y.low, 0);
  EXPECT_NEAR(chart.bars[1].y, 9e4, 3e3);
  EXPECT_LE(chart.bars[1].low, chart.bars[1].y);
  EXPECT_FALSE(chart.bars[2].measured());
  EXPECT_EQ(bar_at(chart, 2.1), &chart.bars[2]);
  EXPECT_EQ(bar_at(chart, 0.5), nullptr);
  Record refused = made({.problem = "1x4x256x32", .samples = 0, .outcome = Outcome::refused});
  refused.message = "Needs 65536 bytes of shared memory; the limit is 32768.";
  tried.note(refused);
  EXPECT_EQ(across_chart(pins, problems, tried, Metric::time).bars[2].why, refused.message);
  EXPECT_FALSE(across_chart(pins, {}, tried, Metric::time).log);
  pins.add(other);
  EXPECT_EQ(drawn_pins(pins, nullptr).size(), 1u) << "the same run on two problems is one row of bars";
}

}  // namespace attnscope::gui::plot_test
