// Quiet mode's two promises, on a clock of the test's own: no frame in a batch, and frames often enough all the same.
#include <gtest/gtest.h>

#include "app/gui/worker/pacing.hpp"

namespace attnscope::gui {
namespace {

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

TEST(Pacing, ShortBatchesAreNeverDrawnInto) {
  Played p;
  p.play(10, 0.025, 0.015);
  EXPECT_EQ(p.in_batch, 0);
  EXPECT_GE(p.pacing.times().mean_fps(p.now), 20);
  EXPECT_LT(p.pacing.times().max_gap_ms(), 250);
  EXPECT_GT(p.sampled, 5) << "most of the time belongs to the samples";
}

TEST(Pacing, BatchesOfOneSlowSampleKeepTheFrameRateByDrawingBetween) {
  Played p;
  p.play(10, 0.15, 0.015);
  EXPECT_EQ(p.in_batch, 0);
  EXPECT_GE(p.pacing.times().mean_fps(p.now), 20);
  EXPECT_LT(p.pacing.times().max_gap_ms(), 250);
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

TEST(Pacing, InputIsSeenSoonAndMarksTheBatch) {
  Played p;
  p.play(2, 0.15, 0.010, true);
  EXPECT_LT(p.pacing.times().max_gap_ms(), 70);
  EXPECT_TRUE(p.pacing.take_disturbed());
  EXPECT_FALSE(p.pacing.take_disturbed()) << "asking resets it";
}

TEST(Pacing, AMachineTooBusyToDrawStillMeasures) {
  Played p;
  p.play(20, 0.025, 0.2);
  EXPECT_EQ(p.in_batch, 0);
  EXPECT_GE(p.batches, 40) << "one batch after every frame or so";
}

TEST(Pacing, WithoutQuietModeFramesComeAtTheRate) {
  Pacing pacing;
  const Pacing::Scene scene{.quiet = false, .sampling = true, .rate = 60};
  double now = 0;
  while (now < 2) {
    const auto step = pacing.next(scene, now);
    if (step.draw) pacing.drawn(now, now + 0.002, scene);
    now += step.draw ? 0.002 : std::max(1e-4, step.wait);
  }
  EXPECT_GE(pacing.times().mean_fps(now), 50);
  EXPECT_LE(pacing.times().mean_fps(now), 61);
}

}  // namespace
}  // namespace attnscope::gui
