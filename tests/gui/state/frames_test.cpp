// What a frame may cost: mechanisms, never times. Nothing is made anew for a frame that shows the same.
#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "app/gui/frame_times.hpp"
#include "app/gui/pacing.hpp"
#include "app/gui/plot/rolling.hpp"
#include "app/gui/state/drawn_charts.hpp"
#include "app/gui/state/roofline.hpp"
#include "app/gui/state/standing.hpp"
#include "app/gui/state/weighed.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {
namespace {

Record measured(size_t samples, uint32_t heads = 1, double ns = 1e6) {
  Run run;
  run.problem = *parse_problem("1x" + std::to_string(1 + heads % 64) + "x64x32");
  run.variant = "tiled";
  run.seed = heads;
  run.environment.device.device_uuid = "here";
  Record r = make_record(run);
  std::mt19937 random(heads);
  std::lognormal_distribution<double> spread(0, 0.1);
  for (size_t i = 0; i < samples; ++i) r.samples_ns.push_back(ns * spread(random));
  r.verdict = Verdict{};
  r.verdict->pass = true;
  conclude(r, Outcome::measured);
  return r;
}

TEST(FrameTimes, TellMedianP99AndTheLongestAndWhereTheTimeWent) {
  FrameTimes t;
  t.reset(0);
  double now = 0;
  for (int i = 0; i < 100; ++i) {
    const double took = i == 50 ? 0.2 : i >= 98 ? 0.05 : 0.01;
    t.add(now + 0.03, now + 0.03 + took, {.news = 0.001, .build = 0.004});
    now += 0.03 + took;
  }
  EXPECT_EQ(t.count(), 100u);
  EXPECT_NEAR(t.frame_ms(0.5), 10, 1e-3);
  EXPECT_NEAR(t.frame_ms(0.99), 50, 1e-3);
  EXPECT_NEAR(t.max_ms(), 200, 1e-3);
  EXPECT_NEAR(t.max_gap_ms(), 230, 1e-3);
  EXPECT_NEAR(t.mean_fps(now), 100 / now, 1e-9);
  EXPECT_NEAR(t.build().mean_ms, 4, 1e-6);
  EXPECT_NEAR(t.drawing().max_ms, 196, 1e-6);
  EXPECT_NEAR(t.news().max_ms, 1, 1e-6);
  EXPECT_NE(t.text(now).find("100 in"), std::string::npos) << t.text(now);
  t.reset(now);
  EXPECT_EQ(t.frame_ms(0.5), 0);
  t.add(now + 0.5, now + 0.6);
  EXPECT_NEAR(t.max_gap_ms(), 600, 1e-3) << "the first gap counts from where they began";
}

// A search measures on the CPU that draws: frames take long and come late.
TEST(Pacing, SlowAndLateFramesKeepTheRateAsLongAsThereIsTime) {
  for (const double frame_s : {0.002, 0.017, 0.030}) {
    Pacing pacing;
    const Pacing::Scene scene{.rate = 22};
    double now = 0;
    int i = 0;
    while (now < 20) {
      const auto step = pacing.next(scene, now);
      const double late = step.draw ? 0 : 0.002 * (i++ % 5);
      if (step.draw) pacing.drawn(now, now + frame_s, scene);
      now += step.draw ? frame_s : std::max(1e-4, step.wait) + late;
    }
    EXPECT_GE(pacing.times().mean_fps(now), 21.5) << frame_s;
    EXPECT_LE(pacing.times().mean_fps(now), 22.2) << frame_s;
  }
  // Frames that take longer than there is leave a pause all the same.
  Pacing pacing;
  const Pacing::Scene scene{.rate = 22};
  double now = 0, rested = 0;
  while (now < 10) {
    const auto step = pacing.next(scene, now);
    if (step.draw) pacing.drawn(now, now + 0.1, scene);
    if (!step.draw) rested += std::max(1e-4, step.wait);
    now += step.draw ? 0.1 : std::max(1e-4, step.wait);
  }
  EXPECT_GT(rested, 10 * 0.9 * Pacing::kLeastPause / 0.104);
}

TEST(Quantiles, AreThoseOfAWholeSort) {
  for (const size_t count : {0u, 1u, 2u, 3u, 64u, 65u, 1000u, 4001u}) {
    const Record r = measured(count);
    std::vector<double> sorted = r.samples_ns;
    std::sort(sorted.begin(), sorted.end());
    const std::vector<double> got = quantiles(r.samples_ns);
    ASSERT_EQ(got.size(), count ? kQuantiles : 0);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_DOUBLE_EQ(got[i], quantile(sorted, double(i) / double(kQuantiles - 1))) << count << " " << i;
  }
}

TEST(Weighed, ManySamplesAreWeighedElsewhereAndOnce) {
  Weighed weighed;
  const auto small = std::make_shared<const Record>(measured(100));
  const auto large = std::make_shared<const Record>(measured(200'000));
  ASSERT_NE(weighed.of(small), nullptr);
  EXPECT_EQ(*weighed.of(small), weigh(small->samples_ns));
  std::shared_ptr<const Evidence> evidence = weighed.of(large);
  EXPECT_EQ(weighed.made(), 2u);
  for (int i = 0; i < 10'000 && !evidence; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    evidence = weighed.of(large);
  }
  ASSERT_NE(evidence, nullptr);
  EXPECT_EQ(*evidence, weigh(large->samples_ns));
  EXPECT_EQ(weighed.made(), 2u);
}

TEST(Weighed, ARecordThatNobodyHasAnyMoreIsNotKept) {
  Weighed weighed;
  auto record = std::make_shared<Record>();
  record->samples_ns.assign(Weighed::kAtOnce + 1, 1e6);
  const std::weak_ptr<const Record> left = record;
  weighed.of(record);  // on another thread, which a busy machine may let end before this one
  record.reset();
  // Its pin was removed while it was weighed, and nobody asks for it again.
  for (int i = 0; i < 30'000 && !left.expired(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(left.expired());
}

TEST(Roofline, IsMadeWhenSomethingChangedAndNotForAFrame) {
  Tried tried;
  for (uint32_t i = 0; i < 10'000; ++i) tried.note(measured(3, 1 + i, 1e5 * double(1 + i % 97)));
  Roofline roofline;
  Why why;
  const std::string here = device_key(measured(1).environment.device);
  const Frame frame{{0, 0}, {400, 200}, Range::of(-1, 4), Range::of(1e-6, 10), true};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(roofline.look({}, tried, here, why).points.size(), tried.entries().size());
    const auto& drawn = roofline.spots_in(frame, 2);
    EXPECT_LE(drawn.size(), 2u * 201 * 101) << "as many as fill the picture";
    EXPECT_LT(drawn.size(), tried.entries().size()) << "points of one place are drawn once";
  }
  EXPECT_EQ(roofline.made(), 2u) << "one plot, one list of what is drawn";
  tried.note(measured(3, 20'000));
  roofline.look({}, tried, here, why);
  roofline.spots_in(frame, 2);
  EXPECT_EQ(roofline.made(), 4u);
}

TEST(DrawnScalingTest, IsMadeWhenSomethingChangedAndNotForAFrame) {
  const auto record = std::make_shared<const Record>(measured(10));
  DrawnScaling drawn;
  DrawnScaling::Of of;
  of.problem = record->problem;
  of.values = {32, 64};
  of.rows = {{ScaleCurve::Kind::pin, 1, "a pin", "key", series_style(0), true, record},
             {ScaleCurve::Kind::live, 0, "live", "asked", live_style(), true, std::make_shared<const Record>(*record)}};
  double now = 1;
  // As a frame does; the live row's record is a new one each time.
  const auto frame = [&] {
    now += 1.0 / 60;
    of.rows.back().own = std::make_shared<const Record>(*record);
    if (!drawn.stale(of, now)) return false;
    drawn.take({}, 3);
    return true;
  };
  EXPECT_TRUE(frame());
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(frame()) << i;
  EXPECT_EQ(drawn.made(), 1u);
  EXPECT_EQ(drawn.due(), 3u);
  // Samples of the live one move its point, but not with every frame.
  for (int i = 0; i < 60; ++i) {
    ++of.live_samples;
    frame();
  }
  EXPECT_GE(drawn.made(), 4u);
  EXPECT_LE(drawn.made(), 6u);
  // Whatever else it is of is in the very next frame.
  const auto changed = [&](const char* what) {
    EXPECT_TRUE(frame()) << what;
    EXPECT_FALSE(frame()) << what;
  };
  frame();
  ++of.tried;
  changed("a result");
  of.rows.front().shown = false;
  changed("a pin that is hidden");
  of.rows.front().style = series_style(1);
  changed("another colour");
  of.rows.front().name = "renamed";
  changed("another name");
  of.rows.back().key = "another config";
  changed("what is asked");
  of.values.push_back(128);
  changed("a value");
  of.axis = ScaleAxis::kv;
  changed("the axis");
  of.metric = Metric::tflops;
  changed("the metric");
  of.log = !of.log;
  changed("the kind of axis");
  of.baseline = record;
  changed("the file");
  ++of.known;
  changed("a shader that was read again");
  of.rows.pop_back();
  EXPECT_TRUE(drawn.stale(of, now)) << "a row less";
}

TEST(DrawnAcrossTest, IsMadeWhenSomethingChangedAndNotForAFrame) {
  Pins pins;
  Across across;
  DrawnAcross drawn;
  pins.add(measured(5, 1));
  pins.add(measured(5, 2));
  for (uint32_t i = 1; i < 40; ++i) across.add(measured(1, i).problem);
  const auto look = [&](Metric metric = Metric::time) { return drawn.look(pins, across, metric).bars.size(); };
  for (int i = 0; i < 100; ++i) EXPECT_EQ(look(), 2 * across.problems().size());
  EXPECT_EQ(drawn.made(), 1u);
  EXPECT_EQ(drawn.names().size(), 2 * across.problems().size());
  EXPECT_EQ(drawn.names().front(), "across.bar.1.0");
  uint64_t made = 1;
  const auto changed = [&](const char* what) {
    look();
    EXPECT_EQ(drawn.made(), ++made) << what;
    look();
    EXPECT_EQ(drawn.made(), made) << what;
  };
  across.remove(0);
  changed("a problem less");
  across.note(measured(5, 3));
  changed("a result");
  pins.show(1, false);
  changed("a pin that is hidden");
  EXPECT_EQ(drawn.pins().size(), 1u);
  pins.add(measured(5, 4));
  changed("a pin");
  look(Metric::gbps);
  EXPECT_EQ(drawn.made(), ++made) << "another metric";
}

TEST(RooflineSpots, KeepTheBestAndTheCurrent) {
  RooflinePlot plot;
  for (int i = 0; i < 50; ++i) plot.points.push_back({10, 1, nullptr, i == 20, i == 30});
  const Frame frame{{0, 0}, {100, 100}, Range::of(0, 2), Range::of(0.1, 10), true};
  const auto drawn = spots(plot, frame, 2);
  ASSERT_EQ(drawn.size(), 3u);
  EXPECT_TRUE(!drawn[0].best && !drawn[0].current);
  EXPECT_TRUE(drawn[1].best);
  EXPECT_TRUE(drawn[2].current) << "on top";
}

}  // namespace
}  // namespace attnscope::gui
