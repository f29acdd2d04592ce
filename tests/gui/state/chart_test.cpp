// Plots as files: SVG and CSV of plain data, and the list of what can be written; problems along an axis, and the
// curves of what was measured on them; around the live curve every sample, the distribution, and how this run stands
// against the one before.

#include "app/gui/ui/plot_widgets.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::chart_test {

using Kind = ChartSeries::Kind;
const auto just = [](std::vector<Tick> ticks) { return [ticks](int) { return ticks; }; };

Chart sample() {
  const SeriesStyle dashed{IM_COL32(86, 180, 233, 255), Dash::dashed};
  return {.title = "Time: tiled <M=16> & more",
          .about = {"1x4x32x32:f32", "tiled  BLOCK_M=16", "Test GPU, hot, isolated"},
          .x = {"sample", Range::of(0, 10), false, just({{0, "0"}, {5, "5"}, {10, "10"}})},
          .y = {"time", Range::of(100, 200), false, just({{100, "0.1 ms"}, {200, "0.2 ms"}}), "\u00b5s"},
          .series = {{.name = "live, now", .style = dashed, .x = {0, 5, 10}, .y = {110, 150.5, 190}},
                     {.name = "band", .kind = Kind::band, .x = {0, 10}, .y = {100, 120}, .high = {130, 140}},
                     {.name = "before \"x\"", .x = {0, 10}, .y = {120, 120}}}};
}

/// Every element that is opened is closed, and no text breaks out: as much as a reader of XML asks for.
void well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), name);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  for (size_t at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1))
    EXPECT_LT(svg.find(';', at) - at, 6u) << svg.substr(at, 20);
}

TEST(ChartTest, AnSvgIsWellFormedAndSaysWhatItShowsAndOfWhat) {
  const std::string svg = to_svg(sample());
  well_formed(svg);
  EXPECT_TRUE(has(svg, "Time: tiled &lt;M=16&gt; &amp; more", "1x4x32x32:f32", "BLOCK_M=16", "Test GPU, hot", "#56b4e9",
                  "stroke-dasharray", "0.2 ms", ">time<", "before &quot;x&quot;"));
  EXPECT_FALSE(has(svg, "nan"));
  EXPECT_FALSE(has(svg, "\u00b5s")) << "the unit stands at the ticks, and the title has no other";
}

TEST(ChartTest, APointByItselfIsDrawnAndALegendTellsALineFromItsBand) {
  Chart c = sample();
  EXPECT_EQ(count_of(to_svg(c), "<circle"), 0u) << "a curve of samples is a curve";
  // As Scaling has it where the values on both sides are not measured: nothing was to be seen of these.
  c.series = {{.name = "tiled", .x = {5}, .y = {150}},
              {.name = "tiled p20\u2013p80", .kind = Kind::band, .x = {5}, .y = {140}, .high = {160}},
              {.name = "fmha", .x = {0, 5, 10}, .y = {110, 150, 190}, .text = {"a", "b", "c"}}};
  const std::string svg = to_svg(c);
  well_formed(svg);
  EXPECT_EQ(count_of(svg, "<circle"), 4u) << "one by itself, and what was measured along a curve";
  EXPECT_EQ(count_of(svg, "stroke-opacity"), 1u) << "its band is a line from end to end";
  EXPECT_EQ(count_of(svg, "h20v8h-20z"), 1u) << "and a box in the legend";
}

TEST(ChartTest, NumbersThatAreNoneDoNotBreakAFile) {
  Chart c = sample();
  c.series[0].y[1] = NAN;
  c.series[0].x[2] = INFINITY;
  c.title = "a\nb\x01";
  well_formed(to_svg(c));
  for (const std::string& file : {to_svg(c), to_csv(c)})
    for (const char* hole : {"nan", ",inf"}) EXPECT_FALSE(has(file, hole));
}

TEST(ChartTest, ACsvHasEveryPointWithAllItsDigitsAndItsRunAbove) {
  Chart c = sample();
  c.series[0].y[1] = 1.0 / 3;
  const std::vector<std::string> lines = lines_of(to_csv(c));
  EXPECT_EQ(lines[0], "# Time: tiled <M=16> & more");
  EXPECT_EQ(lines[3], "# Test GPU, hot, isolated");
  EXPECT_EQ(lines[4], "series,kind,sample,time (\u00b5s),high,text");
  EXPECT_EQ(lines[6], "\"live, now\",line,5,0.3333333333333333,,");
  EXPECT_EQ(lines[8], "band,band,0,100,130,");
  EXPECT_EQ(lines.size(), 4u + 1 + 3 + 2 + 2);
  const TextTable t{.columns = {{"name"}, {"nothing"}, {"note"}},
                    .rows = {{"a,b", "", "say \"x\"\nand y"}, {"c", "", ""}}};
  EXPECT_EQ(to_csv(t), "name,note\n\"a,b\",\"say \"\"x\"\"\nand y\"\nc,\n") << "without what is empty";
  // Bars are named by their ticks.
  c.x = {"problem", Range::of(-0.5, 1.5), false, just({{0, "16"}, {1, "32"}})};
  c.series = {{.name = "median", .kind = Kind::bars, .x = {0, 1}, .y = {3, 7}, .text = {"", "noted"}}};
  EXPECT_TRUE(has(to_csv(c), "median,bars,32,7,,noted"));
  well_formed(to_svg(c));
}

TEST(WaysOut, WhatThereIsNotIsSaidWithWhatThereIs) {
  Workbench bench(GuiOptions{});
  EXPECT_TRUE(fails(text_out(bench, "nothing.plot", WayOut::Form::svg), "timing.plot", "log"));
  for (const DataOut& out : data_out()) {
    EXPECT_FALSE(text_out(bench, out.widget, WayOut::Form::svg)) << out.widget << ": there is nothing in a plot yet";
    EXPECT_EQ(bool(text_out(bench, out.widget, WayOut::Form::csv)), out.table != nullptr) << out.widget;
    EXPECT_EQ(bool(text_out(bench, out.widget, WayOut::Form::markdown)), out.table != nullptr) << out.widget;
  }
  EXPECT_EQ(*form_of("a/b.svg"), WayOut::Form::svg);
  EXPECT_FALSE(form_of("b.bmp"));
}

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

TEST(ScalingTest, AListIsReadAsPeopleWriteItAndWhereThereIsNoSuchProblemTheReasonIsSaid) {
  const auto at = [](const char* text, ScaleAxis axis, uint32_t value) { return scaled(problem(text), axis, value); };
  EXPECT_TRUE(fails(at("2x8x64x32:kv=2", ScaleAxis::heads, 6), "no multiple"));
  EXPECT_TRUE(fails(at("1x8x64x32:q=1", ScaleAxis::seq, 128), "K/V length"));
  EXPECT_TRUE(fails(at("varlen=37,50:8x32", ScaleAxis::kv, 128), "Packed"));
  EXPECT_TRUE(fails(at("varlen=37,50:8x32", ScaleAxis::batch, 3), "Packed"));
  EXPECT_FALSE(at("1x8x64x64:kvtype=q8_0", ScaleAxis::head_dim, 48)) << "the problem's own rules hold";
  EXPECT_TRUE(at("varlen=37,50:8x32", ScaleAxis::heads, 4));
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
  Record refused = measured("1x4x128x32", "tiled", 1);
  conclude(refused, Outcome::refused, "Needs 99 bytes; the limit is 9.");
  a.tried.note(refused);
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
  const auto mark = [&](const std::string& name) { return must(find_by(h.marks, name, &HistogramMark::name))->value; };
  EXPECT_NEAR(mark("median"), 1500.5, 0.01);
  EXPECT_NEAR(mark("mean"), 1500.5, 0.01);
  EXPECT_NEAR(mark("p75"), 1750.25, 0.5);
  EXPECT_NEAR(mark("p99"), 1990, 0.5);
  const Range bin = h.bin(*must(h.bin_at(mark("p90"))));
  EXPECT_LE(bin.low, mark("p90"));
  EXPECT_GE(bin.high, mark("p90"));
  const Histogram rates = histogram(samples, Metric::tflops, {1e9, 1e9}, false, 20);
  EXPECT_STREQ(rates.marks[2].name, "p1") << "the slowest samples have the lowest rates";
  EXPECT_LT(rates.marks[2].value, rates.marks[0].value);
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
  Change raced = *c;
  raced.word.ratio = 0.69;
  EXPECT_TRUE(has(change_text(raced, Metric::time, {}), " ms, \u221219 %")) << "of the medians that it names";
  // Of a race the word's ratio; from a factor of 2 on as a ratio.
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
  // Of far fewer it would be another time than the run came to.
  const uint64_t id = pin.id;
  b.pins.remove([&](const Pin& p) { return p.id == id; });
  b.pins.add(*live_of(shape_of(32), 1.9e6, 60).record());
  EXPECT_EQ(b.step(&second)->before_count, 200u);
}

TEST(BeforeTest, TheNumberGoesBeforeWhatIsToBeSaidAgainstIt) {
  const auto within = [](bool unsure, size_t room) {
    return change_within("1.55 to 6.95 ms, 4.5 slower", unsure, [&](const std::string& t) { return t.size() <= room; });
  };
  EXPECT_EQ(within(true, 40), "1.55 to 6.95 ms, 4.5 slower");
  EXPECT_EQ(within(true, 15), "4.5 slower");
  EXPECT_EQ(within(true, 5), "");
  EXPECT_EQ(within(false, 5), "4.5 slower");
  Comparison c{.reason = "not taken interleaved, on a device that shares its CPU"};
  EXPECT_EQ(unsure_text(c), "not taken interleaved");
  c.relation = Relation::faster;
  EXPECT_EQ(unsure_text(c), "");
}

TEST(ComparedTest, BesideAWordStandsWhatItRestsOnInOneDirection) {
  Compared c{.word = {Relation::faster, 0.81, 0.76, 0.92}};
  EXPECT_EQ(beside_text(c), "1.09\u20131.32\u00d7");
  c.word = {Relation::unsure, 1.02, 0.98, 1.07, "the samples drift"};
  EXPECT_EQ(beside_text(c), "the samples drift: race them");
  EXPECT_EQ(between_text(c.word), "1.02\u00d7 faster to 1.07\u00d7 slower");
  c.in_turn = true;
  std::tie(c.first_ns, c.second_ns) = std::pair(2.81e6, 3.49e6);
  EXPECT_EQ(beside_text(c), "in pairs; 2.81 vs 3.49 ms");
}

TEST(VersionTest, WhatAnotherConfigWasSaysSo) {
  VersionRow row{.record = std::make_shared<const Record>(made({}))};
  EXPECT_EQ(judged_text(row), "correct, another config");
  row.same_config = true;
  EXPECT_EQ(judged_text(row), "correct");
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

}  // namespace attnscope::gui::chart_test
