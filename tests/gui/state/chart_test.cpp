// Plots as files: SVG and CSV of plain data, and the list of what can be written.

#include "app/gui/ui/plot_widgets.hpp"
#include "tests/has.hpp"

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

}  // namespace attnscope::gui::chart_test
