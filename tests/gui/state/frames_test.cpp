// What a frame may cost: mechanisms, never times. Nothing is made anew for a frame that shows the same.

#include "app/gui/worker/memo.hpp"
#include "app/gui/worker/pacing.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::frames_test {

TEST(FrameTimes, TellMedianP99AndTheLongestAndWhereTheTimeWent) {
  FrameTimes t;
  t.reset(0);
  double now = 0;
  for (int i = 0; i < 100; ++i) {
    const double took = i == 50 ? 0.2 : i >= 98 ? 0.05 : 0.01;
    t.add(now + 0.03, now + 0.03 + took);
    now += 0.03 + took;
  }
  EXPECT_EQ(t.count(), 100u);
  EXPECT_NEAR(t.frame_ms(0.5), 10, 1e-3);
  EXPECT_NEAR(t.frame_ms(0.99), 50, 1e-3);
  EXPECT_NEAR(t.max_ms(), 200, 1e-3);
  EXPECT_NEAR(t.max_gap_ms(), 230, 1e-3);
  EXPECT_NEAR(t.mean_fps(now), 100 / now, 1e-9);
  EXPECT_TRUE(has(t.text(now), "100 in"));
  t.reset(now);
  EXPECT_EQ(t.frame_ms(0.5), 0);
  t.add(now + 0.5, now + 0.6);
  EXPECT_NEAR(t.max_gap_ms(), 600, 1e-3) << "the first gap counts from where they began";
}

/// Seconds of rest of a window whose frames last `frame_s`, and whose waits end up to `late` ms too late.
double rested(Pacing& pacing, const Pacing::Scene& scene, double seconds, double frame_s, double late = 0) {
  double rest = 0;
  int i = 0;
  for (double now = 0; now < seconds;) {
    const auto step = pacing.next(scene, now);
    const double pause = step.draw ? 0 : std::max(1e-4, step.wait) + late * (i++ % 5) / 5;
    if (step.draw) pacing.drawn(now, now + frame_s, scene);
    rest += pause;
    now += step.draw ? frame_s : pause;
  }
  return rest;
}

// A search measures on the CPU that draws: frames take long and come late.
TEST(Pacing, SlowAndLateFramesKeepTheRateAsLongAsThereIsTime) {
  const Pacing::Scene scene{.rate = 22};
  for (const double frame_s : {0.002, 0.017, 0.030}) {
    Pacing pacing;
    rested(pacing, scene, 20, frame_s, 0.010);
    EXPECT_GE(pacing.times().mean_fps(20), 21.5) << frame_s;
    EXPECT_LE(pacing.times().mean_fps(20), 22.2) << frame_s;
  }
  Pacing sampling;  // and no quiet mode
  rested(sampling, {.sampling = true, .rate = 60}, 2, 0.002);
  EXPECT_GE(sampling.times().mean_fps(2), 50);
  EXPECT_LE(sampling.times().mean_fps(2), 61);
  // Frames that take longer than there is leave a pause all the same.
  Pacing pacing;
  EXPECT_GT(rested(pacing, scene, 10, 0.1), 10 * 0.9 * Pacing::kLeastPause / 0.104);
}

TEST(Memo, IsMadeWhenItsKeyChangedAndNotForAFrame) {
  Memo<std::pair<int, std::string>, int> memo;
  int next = 0;
  const auto look = [&](int number, const char* word) { return memo({number, word}, [&] { return ++next; }); };
  for (int i = 0; i < 100; ++i) EXPECT_EQ(look(0, ""), 1);
  EXPECT_EQ(look(1, ""), 2);
  EXPECT_EQ(look(1, "a"), 3);
  EXPECT_EQ(look(1, "a"), 3);
  EXPECT_EQ(look(0, ""), 4) << "only the last one is kept";
  EXPECT_EQ(memo.made(), 4u);
}

/// Plays `seconds` of a worker whose batches last `batch_s` and a window whose frames last `frame_s`.
struct Played {
  Pacing pacing;
  int in_batch = 0, batches = 0;
  Played() { pacing.drawn(-0.01, 0, {}); }  // the window shows itself before anything is measured
  double now = 0, sampled = 0;

  void play(double seconds, double batch_s, double frame_s, bool input = false) {
    bool held = false;
    double batch_end = now + batch_s;
    const double end = now + seconds;
    while (now < end) {
      if (!held && now >= batch_end) {
        held = true;
        ++batches;
        sampled += batch_s;
      }
      const Pacing::Scene scene{.quiet = true, .sampling = !held, .held = held, .input = input};
      const Pacing::Step step = pacing.next(scene, now);
      if (step.draw) {
        if (!held) ++in_batch;
        pacing.drawn(now, now + frame_s, scene);
        now += frame_s;
      } else if (step.resume) {
        held = false;
        batch_end = now + batch_s;
      } else {
        now += std::max(1e-4, held ? step.wait : std::min(step.wait, batch_end - now));
      }
    }
  }
};

TEST(Pacing, BatchesAreNeverDrawnIntoAndBetweenThemFramesComeOftenEnough) {
  for (const double batch_s : {0.025, 0.15}) {
    SCOPED_TRACE(batch_s);
    Played p;
    p.play(10, batch_s, 0.015);
    EXPECT_EQ(p.in_batch, 0);
    EXPECT_GE(p.pacing.times().mean_fps(p.now), 20);
    EXPECT_LT(p.pacing.times().max_gap_ms(), 250);
    EXPECT_GT(p.sampled, 5) << "most of the time belongs to the samples";
  }
}

TEST(Pacing, ASampleLongerThanAnyFrameIsDrawnOverRarely) {
  Played p;
  p.play(20, 1.0, 0.015);
  EXPECT_LT(p.pacing.times().max_gap_ms(), 250);
  EXPECT_GE(p.pacing.times().mean_fps(p.now), 20);
  EXPECT_GT(p.in_batch, 0);
  EXPECT_LE(double(p.in_batch) / p.batches, 1.0 / Pacing::kLongestGap + 1);
  EXPECT_FALSE(p.pacing.take_disturbed()) << "only input marks a batch disturbed";
}

TEST(Pacing, InputIsSeenSoonAndMarksTheBatchAndAMachineTooBusyToDrawStillMeasures) {
  Played p, busy;
  p.play(2, 0.15, 0.010, true);
  EXPECT_LT(p.pacing.times().max_gap_ms(), 70);
  EXPECT_TRUE(p.pacing.take_disturbed());
  EXPECT_FALSE(p.pacing.take_disturbed()) << "asking resets it";
  busy.play(20, 0.025, 0.2);
  EXPECT_EQ(busy.in_batch, 0);
  EXPECT_GE(busy.batches, 40) << "one batch after every frame or so";
}

}  // namespace attnscope::gui::frames_test
