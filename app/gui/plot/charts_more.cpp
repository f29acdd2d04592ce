// The plots of Scaling, Tiles and Correctness as plain data.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/plot/charts.hpp"
#include "app/gui/plot/shades.hpp"
#include "app/gui/theme.hpp"
#include "app/gui/workbench.hpp"

namespace attnscope::gui {
namespace {

using Kind = ChartSeries::Kind;
constexpr int kTicks = 8;
/// Cells along a side of a file's image.
constexpr uint32_t kCells = 128;

/// For the legend alone.
ChartSeries named_colour(const char* name, ImU32 colour) {
  return {.name = name, .kind = Kind::points, .style = {colour, Dash::solid}, .x = {}, .y = {}};
}

}  // namespace

Chart scaling_chart(const Workbench& bench) {
  Chart chart;
  const Metric metric = bench.asked.metric;
  const ScalingPlot plot = scaling_plot(bench.scaling_rows(), bench.scaling_problems(), bench.tried,
                                        bench.scaling.baseline, metric, bench.scaling.log);
  std::vector<uint32_t> values;
  for (const ScaleCurve& curve : plot.curves) {
    if (!curve.shown) continue;
    ChartSeries band{.name = curve.name + " p20\u2013p80", .kind = Kind::band, .style = curve.style, .x = {}, .y = {}};
    ChartSeries line{.name = curve.name, .kind = Kind::line, .style = curve.style, .x = {}, .y = {}};
    const auto end = [&] {
      if (line.x.empty()) return;
      chart.series.push_back(band);
      chart.series.push_back(line);
      for (ChartSeries* s : {&band, &line}) {
        s->x.clear();
        s->y.clear();
        s->high.clear();
        s->text.clear();
      }
      // A legend names each curve once.
      band.name.clear();
      line.name.clear();
    };
    for (const ScalePoint& p : curve.points) {
      values.push_back(p.value);
      // What is missing between two points is a gap.
      if (p.state != PointState::measured) {
        end();
        continue;
      }
      line.x.push_back(p.value);
      line.y.push_back(p.y);
      line.text.push_back(to_text(p.record->problem));
      band.x.push_back(p.value);
      band.y.push_back(std::min(p.low, p.high));
      band.high.push_back(std::max(p.low, p.high));
    }
    end();
  }
  if (chart.empty()) return chart;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<Tick> ticks;
  const size_t every = values.size() / 16 + 1;
  for (size_t i = 0; i < values.size(); i += every) ticks.push_back({double(values[i]), count_text(values[i])});
  chart.title = fmt::format("{} against {}", title(metric), title(bench.scaling.axis));
  chart.about = {to_text(bench.asked.ask.problem) + " and larger and smaller along the axis",
                 about_asked(bench).back()};
  if (bench.scaling.baseline) chart.about.push_back("beside " + bench.scaling.baseline->path);
  chart.x = {title(bench.scaling.axis), Range::of(std::exp2(plot.x.low), std::exp2(plot.x.high)), true, ticks};
  chart.y = metric_axis(plot.y, plot.log, metric);
  return chart;
}

Chart tiles_chart(const Workbench& bench) {
  Chart chart;
  const TileMap* map = bench.tiles().map();
  const Surroundings* around = bench.known.surroundings(bench.asked.ask);
  if (!map || !around || map->cell_rows == 0 || map->cell_cols == 0) return chart;
  const double query = std::max(1.0, around->shape.tiles.query), key = std::max(1.0, around->shape.tiles.key);
  const double tall = query * map->tiles_a_cell_row, wide = key * map->tiles_a_cell_col;
  chart.title = "Tiles of one head";
  chart.about = about_asked(bench);
  chart.about.push_back(
      fmt::format("{} \u00d7 {} tiles of {:.0f} queries and {:.0f} keys: {} computed whole, {} cut by "
                  "the mask, {} wholly masked; {} reach past the last query or key",
                  count_text(map->rows), count_text(map->cols), query, key, count_text(map->whole),
                  count_text(map->partial), count_text(map->skipped), count_text(map->padded)));
  ChartSeries cells{.name = "tiles", .kind = Kind::cells, .style = {shade::whole(), Dash::solid}, .x = {}, .y = {}};
  cells.half_x = wide * 0.49;
  cells.half_y = tall * 0.49;
  for (uint32_t r = 0; r < map->cell_rows; ++r)
    for (uint32_t c = 0; c < map->cell_cols; ++c) {
      const TileCell& cell = map->cells[size_t(r) * map->cell_cols + c];
      cells.x.push_back((c + 0.5) * wide);
      cells.y.push_back((r + 0.5) * tall);
      cells.fill.push_back(tile_colour(cell));
      std::string words;
      const auto add = [&](float share, const char* what) {
        if (share > 0.001f)
          words += fmt::format("{}{}{}", words.empty() ? "" : ", ",
                               share > 0.999f ? "" : fmt::format("{:.0f} % ", 100 * share), what);
      };
      add(cell.whole, "whole");
      add(cell.partial, "cut");
      add(cell.skipped, "masked");
      add(cell.padded, "padded");
      cells.text.push_back(words);
    }
  const Range x = Range::of(0, wide * map->cell_cols), y = Range::of(0, tall * map->cell_rows);
  chart.x = {"key", x, false, count_ticks(x, kTicks)};
  chart.y = {"query", y, false, count_ticks(y, kTicks), true};
  chart.series = {cells, named_colour("computed whole", shade::whole()),
                  named_colour("cut by the mask", shade::partial()), named_colour("wholly masked", shade::skipped())};
  return chart;
}

Chart errors_chart(const Workbench& bench) {
  Chart chart;
  const ErrorMapAnswer* answer = bench.errors();
  if (!answer || !answer->map) return chart;
  const ErrorMap& map = *answer->map;
  const ErrorGrid grid = decimated(map, kCells, kCells);
  if (grid.cells.empty()) return chart;
  chart.title = fmt::format("Errors of batch {}, head {}", map.batch, map.head);
  chart.about = about_asked(bench);
  chart.about.push_back(
      fmt::format("{} of {} elements fail; dark: a thousandth of what is allowed, or less; bright: all of it; \"high\" "
                  "in a table is the error over what is allowed",
                  count_text(map.failing), count_text(map.rows_checked * map.dims)));
  ChartSeries cells{.name = "error over what is allowed",
                    .kind = Kind::cells,
                    .style = {colours::raised, Dash::solid},
                    .x = {},
                    .y = {}};
  cells.half_x = grid.dims * 0.5;
  cells.half_y = grid.queries * 0.5;
  for (uint32_t r = 0; r < grid.rows; ++r)
    for (uint32_t c = 0; c < grid.columns; ++c) {
      const double ratio = grid.cells[size_t{r} * grid.columns + c];
      if (class_of(ratio) == ErrorClass::unchecked) continue;
      cells.x.push_back(c * grid.dims + (grid.dims - 1) / 2.0);
      cells.y.push_back(r * grid.queries + (grid.queries - 1) / 2.0);
      cells.fill.push_back(error_colour(ratio));
      cells.high.push_back(class_of(ratio) == ErrorClass::not_a_number ? std::nan("") : ratio);
      cells.text.push_back(class_of(ratio) == ErrorClass::not_a_number ? "no number" : "");
    }
  const Range x = Range::of(-0.5, map.dims - 0.5), y = Range::of(-0.5, map.queries - 0.5);
  chart.x = {"dim", x, false, count_ticks(x, kTicks)};
  chart.y = {"query", y, false, count_ticks(y, kTicks), true};
  chart.series = {cells, named_colour("right", error_colour(0.5)), named_colour("failing", colours::bad)};
  return chart;
}

Chart error_histogram_chart(const Workbench& bench) {
  Chart chart;
  const ErrorMapAnswer* answer = bench.errors();
  if (!answer || !answer->map || answer->map->histogram.empty()) return chart;
  const ErrorMap& map = *answer->map;
  const auto edge = [](size_t bin) { return std::pow(10, ErrorMap::kLowest + double(bin) / ErrorMap::kPerDecade); };
  const auto tolerance = size_t(-ErrorMap::kLowest * ErrorMap::kPerDecade);
  chart.title = fmt::format("Errors of batch {}, head {}: how they spread", map.batch, map.head);
  chart.about = about_asked(bench);
  chart.about.push_back(fmt::format("{} elements without any error", count_text(map.exact)));
  uint64_t most = 1;
  bool named[2] = {};
  for (size_t i = 0; i < map.histogram.size(); ++i) {
    if (map.histogram[i] == 0) continue;
    most = std::max(most, map.histogram[i]);
    const bool fails = i >= tolerance;
    chart.series.push_back({.name = std::exchange(named[fails], true) ? ""
                                    : fails                           ? "failing"
                                                                      : "right",
                            .kind = Kind::bars,
                            .style = {fails ? colours::bad : colours::accent, Dash::solid},
                            .x = {(edge(i) + edge(i + 1)) / 2},
                            .y = {double(map.histogram[i])},
                            .text = {fmt::format("{:.1e} to {:.1e}", edge(i), edge(i + 1))},
                            .width = (edge(i + 1) - edge(i)) * 0.94});
  }
  if (chart.empty()) return chart;
  std::vector<Tick> ticks;
  for (int e = ErrorMap::kLowest; e <= ErrorMap::kLowest + ErrorMap::kDecades; ++e)
    ticks.push_back({std::pow(10, e), e == 0 ? "allowed" : fmt::format("1e{}", e)});
  chart.x = {"error over what is allowed", Range::of(edge(0), edge(map.histogram.size())), true, ticks};
  // One element among millions is to be seen.
  const Range y = Range::of(0.8, double(most) * 1.3);
  std::vector<Tick> counts;
  for (double n = 1; n <= double(most) * 1.3; n *= 10) counts.push_back({n, count_text(uint64_t(n))});
  chart.y = {"elements", y, true, counts};
  return chart;
}

}  // namespace attnscope::gui
