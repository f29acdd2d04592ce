// What is asked, undo, and the numbers that panels show.

#include "app/gui/model/user_request.hpp"
#include "app/gui/worker/series.hpp"
#include "tests/has.hpp"

namespace attnscope::gui::selection_test {

struct Steps : testing::Test {
  History h;
  Selection now;
  void ask(int64_t lanes) {
    now.config["LANES"] = lanes;
    h.remember(now);
  }
  int64_t undo() { return h.undo().before.selection.config.at("LANES"); }
  int64_t redo() { return h.redo().after.selection.config.at("LANES"); }
};

TEST_F(Steps, GoBackAndForth) {
  for (const int64_t v : {1, 2, 2}) ask(v);
  EXPECT_EQ(undo(), 1);
  EXPECT_FALSE(h.can_undo());
  EXPECT_EQ(redo(), 2);
  EXPECT_FALSE(h.can_redo());
  h.undo();
  ask(3);
  EXPECT_FALSE(h.can_redo()) << "a new step drops what was undone";
  // What was put in place of a step belongs to it.
  now.config["LANES"] = 4;
  h.amend(now);
  EXPECT_EQ(undo(), 1);
  EXPECT_EQ(redo(), 4);
}

TEST_F(Steps, ADragIsOneAndOneThatEndsWhereItBeganIsNone) {
  const auto drag = [&](uint64_t gesture, std::initializer_list<int64_t> values) {
    h.gesture(gesture);
    for (const int64_t v : values) ask(v);
    h.gesture(0);
  };
  ask(8);
  drag(1, {16, 32, 64, 128});
  drag(2, {64, 32});
  EXPECT_EQ(undo(), 128);
  EXPECT_EQ(undo(), 8);
  EXPECT_FALSE(h.can_undo());
  EXPECT_EQ(redo(), 128);
  drag(3, {64, 128});
  EXPECT_EQ(undo(), 8) << "back where it began";
  EXPECT_FALSE(h.can_undo());
}

TEST_F(Steps, RemovedPinsAreOne) {
  ask(1);
  h.removed(std::vector<Pin>{});
  EXPECT_FALSE(h.can_undo()) << "nothing was removed";
  Pin pin;
  pin.id = 7;
  h.removed({pin});
  ask(2);
  h.undo();
  EXPECT_EQ(h.undo().pins.at(0).id, 7u);
}

TEST(Asked, WhatIsHeardOfAnotherProblemOrDeviceIsNotTaken) {
  const DeviceState known;
  MessagesLog messages;
  UserRequest request({}, known, messages);
  const Selection before = request.selection;
  request.set_problem(*parse_problem("1x4x64x32"));
  request.hear(Chosen{before, true, before});
  EXPECT_TRUE(request.choosing()) << "this problem's answer is still to come";
  request.hear(TunedKnown{request.selection.problem, request.selection.variant, request.modes, tune::TunedMatch{}});
  EXPECT_TRUE(request.tuned());
  request.set_device(0, "1");
  EXPECT_FALSE(request.tuned());
}

TEST(Series, MetricsTurnTimesIntoRates) {
  const Work work{2e12, 4e9};
  EXPECT_DOUBLE_EQ(in_metric(Metric::time, 5e6, work), 5000);
  EXPECT_DOUBLE_EQ(in_metric(Metric::tflops, 1e9, work), 2);
  EXPECT_DOUBLE_EQ(in_metric(Metric::gbps, 1e9, work), 4);
  EXPECT_DOUBLE_EQ(in_metric(Metric::gbps, 0, work), 0);
}

TEST(Rolling, StretchesFollowADrift) {
  std::vector<double> samples;
  for (int i = 0; i < 600; ++i) samples.push_back(1000 + i);
  const Rolling r = roll(samples, 0, 600, Metric::time, {});
  ASSERT_GT(r.x.size(), 10u);
  EXPECT_LT(r.median.front(), r.median.back());
  for (size_t i = 0; i < r.x.size(); ++i) {
    EXPECT_LE(r.low[i], r.median[i]);
    EXPECT_LE(r.median[i], r.high[i]);
  }
}

}  // namespace attnscope::gui::selection_test
