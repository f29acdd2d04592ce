// Lines cut into strokes.
#include <cmath>

#include <gtest/gtest.h>

#include "app/gui/charts/style.hpp"

namespace attnscope::gui {
namespace {

constexpr Box kBox = {{0, 0}, {100, 50}};

double drawn(const Strokes& s) {
  double sum = 0;
  size_t begin = 0;
  for (size_t end : s.ends) {
    for (size_t i = begin + 1; i < end; ++i)
      sum += std::hypot(s.points[i].x - s.points[i - 1].x, s.points[i].y - s.points[i - 1].y);
    begin = end;
  }
  return sum;
}

TEST(Dash, ASolidLineStaysWholeAcrossItsPoints) {
  const std::vector<ImVec2> line = {{0, 10}, {30, 20}, {60, 10}};
  const Strokes s = strokes(line, Dash::solid, 1, kBox);
  ASSERT_EQ(s.ends, std::vector<size_t>{3});
  EXPECT_FLOAT_EQ(s.points[1].x, 30);
}

TEST(Dash, StrokesAndGapsHaveTheirLengthsAndRunOnOverAPoint) {
  const std::vector<ImVec2> line = {{0, 10}, {10, 10}, {22, 10}};  // dashed: 7 on, 4 off
  const Strokes s = strokes(line, Dash::dashed, 1, kBox);
  ASSERT_EQ(s.ends.size(), 2u);
  EXPECT_FLOAT_EQ(s.points[1].x, 7);
  EXPECT_FLOAT_EQ(s.points[2].x, 11) << "the gap goes on beyond the point";
  EXPECT_FLOAT_EQ(s.points[3].x, 18);
  EXPECT_NEAR(drawn(strokes(line, Dash::dashed, 2, kBox)), 14, 1e-4) << "twice the scale, twice the dash";
}

TEST(Dash, ABendWithinAStrokeIsKept) {
  const std::vector<ImVec2> line = {{0, 10}, {4, 10}, {4, 40}};
  const Strokes s = strokes(line, Dash::dashed, 1, kBox);
  ASSERT_GE(s.ends.front(), 3u);
  EXPECT_FLOAT_EQ(s.points[1].x, 4);
  EXPECT_FLOAT_EQ(s.points[2].y, 13);
}

TEST(Dash, WhatIsOutsideIsCutAndTheDashRunsOnThere) {
  const std::vector<ImVec2> line = {{-11, 10}, {50, 10}};
  const Strokes whole = strokes(line, Dash::dashed, 1, {{-20, 0}, {100, 50}}),
                cut = strokes(line, Dash::dashed, 1, kBox);
  EXPECT_FLOAT_EQ(cut.points.front().x, 0) << "one period lies outside: a stroke begins at the edge";
  EXPECT_NEAR(drawn(whole) - drawn(cut), 7, 1e-3);
  for (ImVec2 p : cut.points) EXPECT_GE(p.x, 0);
  EXPECT_TRUE(strokes(std::vector<ImVec2>{{-5, -5}, {200, -1}}, Dash::solid, 1, kBox).ends.empty());
}

TEST(Dash, AnImmenseLineCostsNoMoreThanTheBox) {
  const std::vector<ImVec2> line = {{-3e7f, 10}, {50, 20}, {3e7f, 30}, {50, -4e7f}};
  const Strokes s = strokes(line, Dash::dotted, 1, kBox);
  EXPECT_GT(s.points.size(), 10u);
  EXPECT_LT(s.points.size(), 400u);
  for (ImVec2 p : s.points) {
    EXPECT_GE(p.x, -0.01f);
    EXPECT_LE(p.x, 100.01f);
  }
}

TEST(Dash, APointThatIsNoNumberBreaksTheLine) {
  const std::vector<ImVec2> line = {{0, 10}, {10, 10}, {20, NAN}, {30, 10}, {40, 10}};
  const Strokes s = strokes(line, Dash::solid, 1, kBox);
  EXPECT_EQ(s.ends.size(), 2u);
  EXPECT_NEAR(drawn(s), 20, 1e-4);
}

}  // namespace
}  // namespace attnscope::gui
