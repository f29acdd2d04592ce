// Problems along an axis, and the curves of what was measured on them.

#include "app/gui/charts/run_plots.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::scaling_test {

Problem problem(const char* text) { return *parse_problem(text); }
using Values = std::vector<uint32_t>;

TEST(ScalingTest, EachAxisChangesItsOwnNumberAndWhatHangsOnIt) {
  const Problem base = problem("2x8x64x32:kv=2:causal:f16");
  const auto text = [&](ScaleAxis axis, uint32_t value) { return to_text(*scaled(base, axis, value)); };
  EXPECT_EQ(text(ScaleAxis::seq, 128), to_text(problem("2x8x128x32:kv=2:causal:f16"))) << "queries and keys";
  EXPECT_EQ(text(ScaleAxis::kv, 128), to_text(problem("2x8x128x32:q=64:kv=2:causal:f16")));
  EXPECT_EQ(text(ScaleAxis::batch, 5), to_text(problem("5x8x64x32:kv=2:causal:f16")));
  EXPECT_EQ(text(ScaleAxis::head_dim, 64), to_text(problem("2x8x64x64:kv=2:causal:f16"))) << "that of V too";
  EXPECT_EQ(text(ScaleAxis::heads, 16), to_text(problem("2x16x64x32:kv=4:causal:f16"))) << "as many to a K/V head";
  EXPECT_EQ(scaled(problem("2x8x64x32:dv=48"), ScaleAxis::head_dim, 64)->v_dim, 48u) << "one of its own stays";
  for (const ScaleAxis axis : kScaleAxes) EXPECT_EQ(*scaled(base, axis, *value_on(base, axis)), base) << name_of(axis);
}

TEST(ScalingTest, WhereThereIsNoSuchProblemTheReasonIsSaid) {
  const auto at = [](const char* text, ScaleAxis axis, uint32_t value) { return scaled(problem(text), axis, value); };
  EXPECT_TRUE(fails(at("2x8x64x32:kv=2", ScaleAxis::heads, 6), "no multiple"));
  EXPECT_TRUE(fails(at("1x8x64x32:q=1", ScaleAxis::seq, 128), "K/V length"));
  EXPECT_TRUE(fails(at("varlen=37,50:8x32", ScaleAxis::kv, 128), "Packed"));
  EXPECT_TRUE(fails(at("varlen=37,50:8x32", ScaleAxis::batch, 3), "Packed"));
  EXPECT_FALSE(at("1x8x64x64:kvtype=q8_0", ScaleAxis::head_dim, 48)) << "the problem's own rules hold";
  EXPECT_TRUE(at("varlen=37,50:8x32", ScaleAxis::heads, 4));
}

TEST(ScalingTest, AListIsReadAsPeopleWriteIt) {
  EXPECT_EQ(*parse_values("512, 128 256,128"), (Values{128, 256, 512}));
  EXPECT_EQ(*parse_values(values_text({1, 2, 4})), (Values{1, 2, 4}));
  EXPECT_TRUE(parse_values("  , ")->empty());
  for (const char* bad : {"64, x", "0", "-3", "12.5", "99999999999"})
    EXPECT_TRUE(fails(parse_values(bad), "not a whole number")) << bad;
  std::string many;
  for (int i = 1; i <= 65; ++i) many += std::to_string(i) + " ";
  EXPECT_TRUE(fails(parse_values(many), "64"));
}

Record measured(const char* text, const std::string& variant, double ns, const std::string& hash = "h") {
  return made({.problem = text, .variant = variant, .config = {{"A", 1}}, .ns = ns, .hash = hash});
}
Record refused(const char* text, const std::string& variant, const std::string& why) {
  Record r =
      made({.problem = text, .variant = variant, .config = {{"A", 1}}, .samples = 0, .outcome = Outcome::refused});
  r.message = why;
  return r;
}

struct Along {
  std::vector<ScaledProblem> problems = scaled_problems(problem("1x4x64x32"), ScaleAxis::seq, {32, 64, 128, 256});
  SessionLog tried;
  Pins pins;
  ScaleRow row;
  DeviceState known;
  Along() {
    row.name = "a";
    row.run = run_id(measured("1x4x64x32", "tiled", 1));
  }
  ScalingPlot plot(Metric metric = Metric::time) {
    return scaling_plot({row}, problems, tried, pins, known, metric, true);
  }
};

TEST(ScalingPlotTest, APointIsOfItsRunAloneAndWhatIsMissingSaysWhy) {
  Along a;
  a.tried.note(measured("1x4x32x32", "tiled", 1e6));
  a.tried.note(measured("1x4x64x32", "tiled", 2e6, "another shader"));
  a.tried.note(refused("1x4x128x32", "tiled", "Needs 99 bytes; the limit is 9."));
  a.row.config = "tiled A=1";
  a.known.check(a.row.config, problem("1x4x256x32"), {"Too long."});
  a.known.check(a.row.config, problem("1x4x32x32"), {"It was measured all the same."});
  const ScalingPlot plot = a.plot();
  const auto& points = only(plot.curves).points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].state, PointState::measured);
  EXPECT_NEAR(points[0].y, 1000, 20) << "microseconds";
  EXPECT_TRUE(points[0].low <= points[0].y && points[0].y <= points[0].high);
  EXPECT_EQ(points[0].x, 5);
  EXPECT_EQ(points[1].state, PointState::unmeasured) << "what another shader measured is not shown";
  EXPECT_EQ(std::tuple(points[2].state, points[2].why),
            std::tuple(PointState::refused, "Needs 99 bytes; the limit is 9."));
  EXPECT_EQ(std::tuple(points[3].state, points[3].why), std::tuple(PointState::refused, "Too long."))
      << "by what a worker says before it is measured";
  Along b;
  Record wrong = made({.config = {{"A", 1}}, .outcome = Outcome::failed_verdict});
  wrong.verdict->reason = "off by one";
  b.tried.note(wrong);
  const ScalePoint point = b.plot().curves[0].points[0];
  EXPECT_EQ(point.state, PointState::wrong) << "wrong results have no point";
  EXPECT_TRUE(has(point.why, "off by one"));
}

TEST(ScalingPlotTest, RowsOfOpenedFilesArePointsOfTheirRun) {
  Along a;
  a.pins.open("f.json", {measured("1x4x32x32", "tiled", 5e5), measured("1x4x64x32", "tiled", 7e5),
                         measured("1x4x128x32", "math", 3e6)});
  const ScalingPlot plot = a.plot();
  const auto& points = plot.curves[0].points;
  EXPECT_NEAR(points[0].y, 500, 10);
  EXPECT_NEAR(points[1].y, 700, 14);
  EXPECT_EQ(points[2].state, PointState::unmeasured) << "of another variant";
  const ScalePoint rate = a.plot(Metric::tflops).curves[0].points[0];
  EXPECT_TRUE(rate.low <= rate.y && rate.y <= rate.high) << "its band is the other way round";
  EXPECT_NEAR(rate.y * 1e6 * 500, problem_flops(problem("1x4x32x32")), 0.02 * problem_flops(problem("1x4x32x32")));
}

TEST(ScalingPlotTest, TheMouseFindsTheNearestPointAndTicksDoNotTouch) {
  Along a;
  a.tried.note(measured("1x4x32x32", "tiled", 1e6));
  a.tried.note(measured("1x4x64x32", "tiled", 2e6));
  const ScalingPlot plot = a.plot();
  const Frame frame{{0, 0}, {400, 200}, plot.x, plot.y, true};
  const ScalePoint& second = plot.curves[0].points[1];
  const ImVec2 at = frame.pixel(second.x, second.y);
  EXPECT_EQ(point_at(plot, frame, {at.x + 5, at.y}, 12).second, &second);
  EXPECT_EQ(point_at(plot, frame, {at.x + 50, at.y}, 12).second, nullptr);
  EXPECT_EQ(value_ticks({32, 64, 128, 256}, 300, 40).size(), 4u);
  EXPECT_EQ(value_ticks({32, 64, 128, 256}, 60, 40).size(), 2u);
  EXPECT_EQ(value_ticks({1024}, 60, 40)[0].text, "1,024");
}

}  // namespace attnscope::gui::scaling_test
