// What the tile sizes mean, before anything is measured: the scores of one head as tiles, the workgroups as waves over
// the device's cores, shared memory and registers against what there is.

#include "app/gui/panels/panel.hpp"
#include "engine/measure/units.hpp"

namespace attnscope::gui {
namespace {

using TilesState = Memo<std::pair<Problem, Tiles>, TileMap>;  ///< the map as it was drawn last

void entry(ImU32 colour, const char* what, uint64_t tiles, uint64_t of, const char* tip) {
  lamp(colour);
  // Masked tiles are near the ground's colour.
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddCircle({(min.x + max.x) / 2, (min.y + max.y) / 2}, 0.34f * (max.y - min.y),
                                        colours::soft, 0, px(1));
  ImGui::SameLine();
  fact(what, tiles == 0 ? "none" : fmt::format("{} ({:.0f} %)", count_text(tiles), 100 * double(tiles) / double(of)),
       tiles == 0 ? colours::faint : colours::text, tip);
}

void map_of(Ui& ui, const TileMap& map, const Tiles& tiles, float side) {
  const Problem& p = ui.bench.request.selection.problem;
  const uint64_t real_keys = p.varlen.empty() ? p.seq_kv : p.varlen.front(),
                 real_queries = p.varlen.empty() ? p.seq_q : p.varlen.front();
  // Queries against keys in proportion, but a side is never too thin to see.
  const double queries = double(map.rows) * std::max(1.0, tiles.query),
               keys = double(map.cols) * std::max(1.0, tiles.key);
  const double longest = std::max(queries, keys);
  const float width = std::max(float(keys / longest), 0.12f) * side,
              height = std::max(float(queries / longest), 0.12f) * side;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x;
  text_cut(fmt::format("{} keys in {} of {:.0f}", count_text(real_keys), counted(map.cols, "tile"),
                       std::max(1.0, tiles.key)),
           room, colours::soft, fonts.small);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float w = width / float(map.cell_cols), h = height / float(map.cell_rows);
  const float gap = std::min(w, h) > px(5) ? px(1) : 0;
  for (uint32_t r = 0; r < map.cell_rows; ++r)
    for (uint32_t c = 0; c < map.cell_cols; ++c) {
      const TileCell& cell = map.cells[size_t(r) * map.cell_cols + c];
      const ImVec2 min{at.x + w * float(c), at.y + h * float(r)}, max{min.x + w - gap, min.y + h - gap};
      draw->AddRectFilled(min, max, tile_colour(cell));
    }
  // Padding is drawn as what it is: the part beyond the last key and the last query.
  const float right = float(std::max(0.0, 1 - double(real_keys) / keys)) * width,
              below = float(std::max(0.0, 1 - double(real_queries) / queries)) * height;
  const ImVec2 end{at.x + width, at.y + height};
  const ImU32 padding = with_alpha(shade::padded(), 0.75f);
  if (right > 0) draw->AddRectFilled({end.x - std::max(px(2), right), at.y}, end, padding);
  if (below > 0) draw->AddRectFilled({at.x, end.y - std::max(px(2), below)}, {end.x - right, end.y}, padding);
  draw->AddRect(at, {at.x + width, at.y + height}, colours::faint);
  ImGui::Dummy({width, height});
  ui.mark("tiles.map");
  plot_menu(ui, "tiles.map");
  text_cut(fmt::format("{} queries in {} of {:.0f}", count_text(real_queries), count_text(map.rows),
                       std::max(1.0, tiles.query)),
           room, colours::soft, fonts.small);
}

void waves(const LaunchFit& fit) {
  fact("workgroups", count_text(fit.workgroups), colours::text,
       "Of the pass with most of them: each computes one tile of queries of one head, or part of its keys.");
  if (fit.cores == 0) return wrapped_in(colours::faint, "This driver does not say how many cores there are.");
  const bool known = fit.resident > 0;
  const double at_once = double(fit.cores) * (known ? fit.resident : 1), all = double(fit.workgroups) / at_once;
  fact("at once",
       known ? fmt::format("{} \u00d7 {} a core", fit.cores, fit.resident) : fmt::format("{} cores", fit.cores),
       colours::text,
       known ? "Cores, and how many workgroups one holds: the least of what subgroups, registers and shared memory "
               "allow. An upper bound."
             : "How many a core holds is not known before the driver has told its registers, or not at all here: one.");
  const int full = int(std::min(all, 1e6));
  const double last = all - full;
  fact(
      "waves",
      fmt::format("{:.2f}{}", all, full > 0 && last > 0.001 ? fmt::format(", the last {:.0f} % full", 100 * last) : ""),
      full > 0 && last > 0.001 && last < 0.5 && full < 8 ? colours::warning : colours::text,
      "How often the device is filled. In a last wave that is nearly empty most of it idles.");
  meter(last > 0.001 ? float(last) : 1.f, colours::soft);
}

/// nullptr where the manifest declares no tiles.
const TileMap* tiles_of(Ui& ui, const Tiles& tiles) {
  constexpr uint32_t kMostCells = 48;  // along a side
  if (tiles.query <= 0 && tiles.key <= 0) return nullptr;
  const Problem& problem = ui.bench.request.selection.problem;
  return &ui.states.of<TilesState>()({problem, tiles},
                                     [&] { return tile_map(problem, tiles.query, tiles.key, kMostCells); });
}

void draw_tiles(Ui& ui) {
  Workbench& bench = ui.bench;
  const NeighbourPlans* around = bench.device_state.surroundings(bench.request.selection);
  const Inspection* inspection = bench.request.inspection();
  if (inspection && !inspection->why_not.empty()) return empty_hint(cannot_run(*inspection), inspection->why_not);
  if (!around)
    return empty_hint(ui.bench.search.measuring() ? "A search measures" : "Planning\u2026",
                      "The tiles are drawn as soon as the config is planned.");
  const PlanShape& shape = around->shape;
  const TileMap* map = tiles_of(ui, shape.tiles);
  begin_wide("tiles.columns", 600);
  const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetContentRegionAvail().y;
  const float side = std::clamp(height - ImGui::GetTextLineHeightWithSpacing() * 2.2f, px(60), width * 0.42f);
  const float left = std::max(side, std::clamp(width * 0.34f, px(110), px(210)));
  column("tiles.left", left, [&] {
    if (map) return map_of(ui, *map, shape.tiles, side);
    wrapped_in(colours::faint, "The manifest of this variant declares no tiles ([tiles] query and key).");
  });
  ImGui::SameLine(0, px(18));
  const float each = std::min((width - left - px(36)) / 2, px(300));
  ImGui::BeginChild("tiles.key", {each, 0}, 0, kPart);
  if (map) {
    const uint64_t all = map->rows * map->cols;
    entry(shade::whole(), "full", map->whole, all, "Tiles of which every score up to the last query and key is used.");
    entry(shade::partial(), "partial", map->partial, all, "Computed, and part of their scores thrown away.");
    entry(shade::skipped(), "masked", map->skipped, all,
          "No query of the tile sees any of its keys: a kernel that skips them does no work there.");
    entry(shade::padded(), "of these, past the end", map->padded, all,
          "Tiles that reach past the last query or key, full, partial or masked ones: what lies beyond is work for "
          "nothing.");
    if (shape.tiles.value > 0)
      fact("output dims at a time", short_number(shape.tiles.value), colours::text, "Of v_dim.");
  }
  ImGui::EndChild();
  ImGui::SameLine(0, px(18));
  const Record* why = bench.views.why.record();
  LaunchFit fit;
  if (why && why->fit)
    fit = *why->fit;
  else if (bench.device_state.device)
    fit = fit_of({bench.request.selection.problem, shape.workgroups, shape.invocations, std::nullopt, shape.tiles.query,
                  shape.tiles.key, 0, 0},
                 *bench.device_state.device);
  column("tiles.device", each, [&] { waves(fit); });
  ImGui::EndChild();
  ui.mark("tiles");
}

}  // namespace

const PanelView tiles_view = {"tiles", "Tiles", draw_tiles, nullptr};

}  // namespace attnscope::gui
