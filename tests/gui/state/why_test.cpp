// The tiles of a problem, the roofline and what explains a run: plain numbers, no window.

#include "app/gui/charts/maps.hpp"
#include "app/gui/charts/run_plots.hpp"
#include "app/gui/model/live.hpp"
#include "tests/gui/state/records.hpp"
#include "tests/insight/peaks_of_h200.hpp"

namespace attnscope::gui::why_test {

Problem problem(const char* text) { return *parse_problem(text); }

/// The same by looking at every score.
TileMap by_hand(const Problem& p, uint64_t bm, uint64_t bn) {
  TileMap map{.rows = (p.seq_q + bm - 1) / bm, .cols = (p.seq_kv + bn - 1) / bn};
  for (uint64_t r = 0; r < map.rows; ++r)
    for (uint64_t c = 0; c < map.cols; ++c) {
      bool any = false, all = true;
      for (uint64_t q = r * bm; q < std::min<uint64_t>((r + 1) * bm, p.seq_q); ++q)
        for (uint64_t k = c * bn; k < std::min<uint64_t>((c + 1) * bn, p.seq_kv); ++k) {
          const int64_t place = int64_t(q) + int64_t(p.seq_kv) - int64_t(p.seq_q), w = p.window, key = int64_t(k);
          const bool seen =
              (!p.causal || key <= place) && (w == 0 || (key > place - w && (p.causal || key < place + w)));
          any = any || seen;
          all = all && seen;
        }
      ++(all ? map.whole : any ? map.partial : map.skipped);
      if ((r + 1) * bm > p.seq_q || (c + 1) * bn > p.seq_kv) ++map.padded;
    }
  return map;
}

TEST(TileMap, CountsAreThoseOfEveryScoreAndCellsAddUpHoweverManyTilesTheyHold) {
  for (const char* text : {"1x1x200x64", "1x1x200x64:causal", "1x1x64x64:q=200:causal", "1x1x500x64:q=7:causal",
                           "1x1x128x64:causal", "1x1x1x64", "1x1x33x64:q=31:causal", "1x1x200x64:causal:window=48",
                           "1x1x200x64:window=20", "1x1x300x64:q=40:causal:window=7"})
    for (const auto& [bm, bn] : {std::pair{16, 32}, {64, 64}, {1, 7}, {128, 16}}) {
      const Problem p = problem(text);
      const TileMap map = tile_map(p, bm, bn, 48), hand = by_hand(p, uint64_t(bm), uint64_t(bn));
      const auto counts = [](const TileMap& m) { return std::tuple(m.rows, m.whole, m.partial, m.skipped, m.padded); };
      EXPECT_EQ(counts(map), counts(hand)) << text << " " << bm << "x" << bn;
    }
  const TileMap map = tile_map(problem("1x1x4000x64:causal"), 16, 16, 48);
  ASSERT_LE(map.cell_rows, 48u);
  ASSERT_EQ(map.cells.size(), size_t(map.cell_rows) * map.cell_cols);
  for (const TileCell& cell : map.cells) EXPECT_NEAR(cell.whole + cell.partial + cell.skipped, 1, 1e-4);
  EXPECT_EQ(map.cells[map.cell_cols - 1].skipped, 1) << "at the top right nothing is seen";
  const TileMap most = tile_map(problem("1x1x4000000x64:causal"), 1, 1, 48);  // a few thousand steps
  EXPECT_EQ(most.rows, 4'000'000u);
  EXPECT_NEAR(double(most.skipped) / (4e6 * 4e6), 0.5, 0.01);
}

Record measured(const char* text, double ns, const std::string& uuid, int64_t block = 16) {
  Record r = made({.problem = text, .config = {{"BLOCK_M", block}}, .ns = ns, .samples = 3, .spread = 0, .uuid = uuid});
  r.bytes = 1e6;
  r.extra_bytes = 1e6;
  return r;
}

TEST(RooflinePlot, ShowsTheDevicesOwnPointsUnderItsOwnRoofs) {
  SessionLog tried;
  tried.note(measured("1x16x1024x64:f16", 1e6, "here", 16));
  tried.note(measured("1x16x1024x64:f16", 2e6, "here", 32));
  tried.note(measured("1x16x1024x64:f16", 1e5, "elsewhere", 16));
  Record newer = measured("1x16x1024x64:f16", 1e5, "here", 64);
  newer.environment.device.driver = "another driver";
  tried.note(newer);
  const Record now = measured("1x16x1024x64:f16", 2e6, "here", 32);
  const RooflinePlot plot = roofline_plot(peaks_of_h200(), tried.entries(), device_key(now.environment.device), &now);
  ASSERT_EQ(plot.points.size(), 2u) << "the one of another device is not under these roofs; the current one is one";
  EXPECT_TRUE(plot.points[0].best);
  EXPECT_TRUE(plot.points[1].current);
  EXPECT_DOUBLE_EQ(plot.points[1].x, now.flops / 2e6);
  EXPECT_EQ(mapped(plot.roofs, &Roof::name),
            (std::vector<std::string>{"device memory", "caches", "fma f32", "matrix f16 f32"}));
  EXPECT_DOUBLE_EQ(plot.roofs[0].at(100), 100 * 4200 * 1e-3) << "FLOP/B times GB/s, in TFLOP/s";
  for (const RoofedPoint& p : plot.points) {
    EXPECT_TRUE(plot.x.low < std::log10(p.x) && std::log10(p.x) < plot.x.high);
    EXPECT_TRUE(plot.y.low < p.y && p.y < plot.y.high);
  }
  EXPECT_GT(plot.y.high, 600) << "the highest roof is in the picture";
  const Frame frame{{0, 0}, {100, 100}, plot.x, plot.y, true};
  EXPECT_EQ(point_at(plot, frame, frame.pixel(std::log10(plot.points[0].x), plot.points[0].y), 5), &plot.points[0]);
  EXPECT_EQ(point_at(plot, frame, {-50, -50}, 5), nullptr);
  // None is faster than the fastest, also before the log has it.
  const Record fast = measured("1x16x1024x64:f16", 4e5, "here", 4);
  const auto live = roofline_plot(peaks_of_h200(), tried.entries(), device_key(now.environment.device), &fast);
  for (const RoofedPoint& p : live.points) EXPECT_EQ(p.best, p.current);
  // The fastest run, measured again and slower now, is still that.
  tried.note(measured("1x16x1024x64:f16", 5e5, "here", 8), true);
  const Record again = measured("1x16x1024x64:f16", 3e6, "here", 8);
  tried.note(again);
  const auto has_best = roofline_plot(peaks_of_h200(), tried.entries(), device_key(now.environment.device), &again);
  EXPECT_TRUE(std::ranges::any_of(has_best.points, &RoofedPoint::best));
}

TEST(RooflinePlot, AnAxisOfOneDecadeHasTwoTicksAndWithoutCeilingsOrPointsThereIsStillAPicture) {
  for (const auto& [low, high] : {std::pair(0.9, 1.4), {1.05, 1.5}, {0.0, 3.0}, {-1.2, -0.7}})
    EXPECT_GE(intensity_ticks(Range::of(low, high)).size(), 2u) << low;
  EXPECT_EQ(intensity_ticks(Range::of(0, 3)).size(), 4u);
  EXPECT_EQ(intensity_ticks(Range::of(2.9, 4.1)).back().text, "10,000");
  for (const auto& peaks : {std::optional<Peaks>(), std::optional(peaks_of_h200())}) {
    const RooflinePlot plot = roofline_plot(peaks, {}, "here", nullptr);
    EXPECT_EQ(plot.roofs.empty(), !peaks.has_value());
    EXPECT_TRUE(plot.x.high > plot.x.low && plot.y.high > plot.y.low && plot.y.low > 0);
  }
}

TEST(Why, IsOfTheRunThatIsShownAndGoneWithIt) {
  Live live;
  const Record record = measured("1x16x1024x64:f16", 1e6, "here");
  live.begin(record);
  live.verdict = record.verdict;
  const double samples[] = {1e6, 1.1e6, 1.2e6};
  live.series.add(samples);
  const NeighbourPlans around{.shape = {.workgroups = 10, .invocations = 128}};
  Why why;
  why.step(&live, nullptr, {}, 1);
  EXPECT_FALSE(must(why.record())->floor) << "no ceilings are known";
  EXPECT_FALSE(why.record()->fit);
  why.step(&live, &around, peaks_of_h200(), 1.01);
  ASSERT_TRUE(why.record()->floor);
  EXPECT_EQ(why.record()->fit->workgroups, 10u);
  EXPECT_DOUBLE_EQ(why.record()->statistics->median, 1.1e6);
  const double more[] = {2e6, 2e6, 2e6, 2e6};
  live.series.add(more);
  why.step(&live, &around, peaks_of_h200(), 1.02);
  EXPECT_DOUBLE_EQ(why.record()->statistics->median, 1.1e6) << "twice a second is enough";
  why.step(&live, &around, peaks_of_h200(), 2);
  EXPECT_DOUBLE_EQ(why.record()->statistics->median, 2e6);
  why.step(nullptr, &around, peaks_of_h200(), 2.1);
  EXPECT_EQ(why.record(), nullptr) << "what has no time has nothing to explain";
}

}  // namespace attnscope::gui::why_test
