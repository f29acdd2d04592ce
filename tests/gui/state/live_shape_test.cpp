// Around the live curve: every sample, the distribution, and how this run stands against the one before.

#include "app/gui/charts/timing_plot.hpp"
#include "app/gui/model/comparisons.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::live_shape_test {

TEST(SeriesTest, BeyondItsMostTheOldestGoAndNumbersGoOn) {
  Series series;
  const std::vector<double> batch(Series::kMost / 4, 5);
  for (int i = 0; i < 5; ++i) series.add(batch);
  series.add(std::vector<double>{9});
  EXPECT_EQ(series.taken(), 5 * batch.size() + 1);
  EXPECT_LE(series.all().size(), Series::kMost);
  EXPECT_EQ(series.first() + series.all().size(), series.taken());
  EXPECT_EQ(series.all().back(), 9);
  EXPECT_EQ(series.samples().size(), Series::kKept);
  series.add_disturbed(7);
  EXPECT_EQ(series.disturbed(), 7u);
  EXPECT_EQ(series.taken(), 5 * batch.size() + 1) << "a disturbed batch is left out of the samples";
}

TEST(SeriesTest, DriftIsOfWhatTheMedianIsOf) {
  Series series;
  series.add(std::vector<double>(10, 1e6));
  EXPECT_FALSE(series.drifting()) << "ten samples have no drift";
  series.add(std::vector<double>(20, 1.1e6));
  EXPECT_TRUE(series.drifting());
  series.add(std::vector<double>(Series::kKept, 1.1e6));
  EXPECT_FALSE(series.drifting()) << "it settled long ago";
}

TEST(HistogramTest, BinsAndMarksAreOfTheSamples) {
  std::vector<double> samples;
  for (int i = 1; i <= 1000; ++i) samples.push_back(1e6 + 1e3 * i);
  const Histogram h = histogram(samples, Metric::time, {}, false, 20);
  uint64_t counted = h.below + h.above;
  for (const uint64_t c : h.counts) counted += c;
  EXPECT_EQ(counted, 1000u);
  EXPECT_EQ(h.total, 1000u);
  const auto mark = [&](const std::string& name) {
    for (const HistogramMark& m : h.marks)
      if (name == m.name) return m.value;
    return -1.0;
  };
  EXPECT_NEAR(mark("median"), 1500.5, 0.01);
  EXPECT_NEAR(mark("mean"), 1500.5, 0.01);
  EXPECT_NEAR(mark("p75"), 1750.25, 0.5);
  EXPECT_NEAR(mark("p99"), 1990, 0.5);
  const Range bin = h.bin(*must(h.bin_at(mark("p90"))));
  EXPECT_LE(bin.low, mark("p90"));
  EXPECT_GE(bin.high, mark("p90"));
}

Record shape_of(int block, const char* problem = "1x4x32x32") {
  return made({.problem = problem, .config = {{"BLOCK_M", block}}, .samples = 0});
}

/// Sampled until it is complete, or with so many samples of 1 ms.
Live live_of(const Record& r, double ns, size_t count, bool right = true) {
  Live live;
  live.start({r.problem, r.variant, r.config}, {});
  live.begin(r);
  live.verdict = Verdict{.pass = right};
  live.series.add(noisy(count, ns));
  return live;
}

TEST(LiveTest, ItsRecordSaysThatTheClockWasDown) {
  Live live = live_of(shape_of(32), 1e6, 20);
  live.sampling = SamplingBegan{.settled = false};
  EXPECT_FALSE(live.record()->settled);
}

struct Before {
  PreviousRun before;
  Comparisons words;
  Pins pins;
  /// What is shown now.
  const Change* step(const Live* timed) {
    words.step();
    before.step(timed, timed ? std::make_shared<const Record>(*timed->record()) : nullptr, words, DeviceState(), pins);
    return before.change();
  }
};

TEST(BeforeTest, AChangeIsOfTwoCompleteRunsThatAreRightAndNamesBoth) {
  Before b;
  const Live first = live_of(shape_of(32), 1.87e6, 200), second = live_of(shape_of(64), 1.52e6, 200);
  EXPECT_EQ(b.step(&first), nullptr) << "there is none before it";
  b.before.leave(first);
  EXPECT_EQ(b.step(nullptr), nullptr);
  ASSERT_NE(b.before.newest(), nullptr);
  const Change* c = b.step(&second);
  EXPECT_TRUE(has(change_text(*must(c), Metric::time, {}), " ms, \u221219 %")) << change_text(*c, Metric::time, {});
  // The word's ratio, which the rows of Compare show, not that of the medians; from a factor of 2 on as a ratio.
  Change raced = *c;
  raced.in_turn = true;
  for (const auto& [ratio, time, rate] : {std::tuple(0.69, "\u221231 %", "+45 %"), {33.4, "33.4\u00d7 slower", ""}}) {
    raced.word.ratio = ratio;
    EXPECT_EQ(change_text(raced, Metric::time, {}), time);
    EXPECT_EQ(change_text(raced, Metric::tflops, {}), *rate ? rate : time);
  }
  EXPECT_NE(c->before_name, c->now_name);
  EXPECT_EQ(c->word.relation, Relation::faster);
  EXPECT_NEAR(c->now_ns / c->before_ns - 1, 1.52 / 1.87 - 1, 0.02);
  // Beside a pin of that run, taken of fewer samples, it has the pin's time.
  const Pin& pin = b.pins.add(*live_of(shape_of(32), 1.9e6, 150).record());
  EXPECT_EQ(b.step(&second)->before, pin.record);
}

TEST(BeforeTest, WhatPassedByOrWasWrongOrIsOfAnotherProblemIsNotHeldAgainst) {
  Before b;
  const auto newest = [&] { return b.before.newest()->config.at("BLOCK_M"); };
  b.before.leave(live_of(shape_of(32), 2e6, 200));
  // A slider passing by: 5 samples. Wrong results. Another problem.
  b.before.leave(live_of(shape_of(16), 1e6, 5));
  EXPECT_EQ(newest(), 16) << "its curve may be looked at";
  b.before.leave(live_of(shape_of(128), 1e6, 200, false));
  EXPECT_EQ(newest(), 16) << "what is wrong has no curve";
  const Live now = live_of(shape_of(64), 1e6, 200), passing = live_of(shape_of(48), 1e6, 5),
             brief = live_of(shape_of(48), 1e3, 200), other = live_of(shape_of(64, "1x4x64x32"), 1e6, 200);
  ASSERT_NE(b.step(&now), nullptr);
  EXPECT_EQ(b.before.change()->before->config.at("BLOCK_M"), 32);
  EXPECT_EQ(b.step(&passing), nullptr) << "this one is not complete yet";
  EXPECT_EQ(b.step(&brief), nullptr) << "nor is one of many samples within 200 us";
  EXPECT_EQ(b.step(&other), nullptr) << "another problem's time says nothing of this one's";
  // Back to the very same run: what was before that one.
  b.before.leave(now);
  ASSERT_NE(b.step(&now), nullptr);
  EXPECT_EQ(b.before.change()->before->config.at("BLOCK_M"), 32);
}

}  // namespace attnscope::gui::live_shape_test
