// Why the config that is shown takes its time: the floor under it, how it fits the device, advice with the parameter it
// names, and the device's roofline with a point for every config of the session.

#include <implot.h>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

// What the tile sizes mean, before anything is measured: the scores of one head as tiles, the workgroups as waves over
// the device's cores, shared memory and registers against what there is.

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
      const ImVec2 min{at.x + w * float(c), at.y + h * float(r)}, max{min.x + w - gap, min.y + h - gap};
      draw->AddRectFilled(min, max, tile_colour(map.cells[size_t(r) * map.cell_cols + c]));
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
  text_cut(fmt::format("{} queries in {} of {:.0f}", count_text(real_queries), counted(map.rows, "tile"),
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
    entry(shade::padded(), "past the end", map->padded, all,
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

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void peaks_button(Ui& ui) {
  const Workbench& bench = ui.bench;
  if (!bench.device_state.peaks_stage.empty())
    return wrapped_in(colours::soft, "Measuring: " + bench.device_state.peaks_stage);
  if (button(ui, "why.peaks", "Measure peak rates",
             "What this device can do at most: copy, arithmetic, matrices, launches. It takes seconds on a GPU.",
             bench.device_state.device.has_value(), true))
    ++ui.bench.request.peaks;
}

void floor_and_fit(Ui& ui, const Record& r) {
  if (!floor_facts(r)) {
    wrapped_in(colours::soft, "There is no lower bound before the device's peak rates are measured.");
    if (!ui.bench.pins.find(ui.bench.pins.selected)) peaks_button(ui);
  }
  if (!r.fit) return;
  const LaunchFit& fit = *r.fit;
  if (fit.resident > 0)
    fact("occupancy", fmt::format("{}, by {}", percent(fit.occupancy), fit.occupancy_limit), colours::text,
         "Subgroups that a core holds of those that it could, and what allows no more. An upper bound.");
  if (fit.cores > 0)
    fact("balance", percent(fit.balance), fit.balance < 0.8 ? colours::warning : colours::text,
         "Workgroups a core over that of the core with most: below 100 % some cores wait at the end.");
  if (fit.padding)
    fact("padding", percent(*fit.padding), *fit.padding > 0.1 ? colours::warning : colours::text,
         "Of the tiles' area what lies past the last query and key.");
  if (fit.masked) fact("masked", percent(*fit.masked), colours::text, "Of the scores in tiles that are computed.");
  fact("traffic", fmt::format("{:.1f}\u00d7 minimum", 1 + fit.reread), colours::text,
       "Bytes that the tiles read and write over those that the problem needs.");
}

void advice(Ui& ui, const Record& r) {
  Workbench& bench = ui.bench;
  if (r.advice.empty())
    return wrapped_in(colours::soft, bench.device_state.peaks
                                         ? "No advice: this config is near its limit."
                                         : "No advice for this config yet: most of it needs the device's peak rates.");
  for (size_t i = 0; i < r.advice.size(); ++i) {
    const Advice& a = r.advice[i];
    ImGui::PushID(int(i));
    text_in(fonts.bold, colours::text, a.rule);
    const std::string gain = fmt::format("up to {}", percent(a.gain));
    flow(width_of(fonts.small, gain));
    text_in(fonts.small, colours::soft, gain);
    tip_for_last("Of the time, if all of it could be won: a rough bound, to rank by.");
    if (!a.parameter.empty() && a.value) {
      const std::string to = fmt::format("{} = {}", a.parameter, *a.value);
      flow(button_width(to));
      if (button(ui, fmt::format("why.take.{}", i).c_str(), to, "Take this value, and see"))
        bench.request.set_value(a.parameter, *a.value);
    }
    wrapped_in(colours::soft, a.text);
    ImGui::Dummy({0, px(3)});
    ImGui::PopID();
  }
}

void tell(const Workbench& bench, const RoofedPoint& p) {
  const Record& r = *p.record;
  std::string text =
      fmt::format("{}\n{}\n{}, {}\n{} FLOP per byte moved", bench.short_name(r.variant, r.config), to_text(r.problem),
                  time_text(r.statistics->median), metric_text(Metric::tflops, r.tflops), short_number(p.x));
  if (p.best) text += "\nthe fastest of its problem";
  ImGui::SetTooltip("%s", text.c_str());
}

/// Of the session on this device, or of the rows that the selected one stands among, under the roofs of their device.
const RooflinePlot& roofline_of(Ui& ui) {
  const Workbench& bench = ui.bench;
  const Pin* row = bench.pins.find(bench.pins.selected);
  if (!row) {
    const auto& peaks = bench.device_state.peaks;
    const std::string device = bench.device_state.device ? device_key(*bench.device_state.device) : "";
    return ui.states.of<DrawnRoofline>()({peaks, bench.log.version(), bench.views.why.version(), device}, [&] {
      return roofline_plot(peaks, bench.log.entries(), device, bench.views.why.record());
    });
  }
  const Environment& e = row->record->environment;
  const std::string device = device_key(e.device);
  return ui.states.of<DrawnRoofline>()({e.peaks, bench.pins.version(), row->id, row->dataset + "|" + device}, [&] {
    std::vector<SessionLog::Entry> rows;
    for (const Pin& p : bench.pins.all())
      if (p.dataset == row->dataset) rows.push_back({.record = p.record, .run = p.run});
    return roofline_plot(e.peaks, rows, device, row->record.get());
  });
}

void plot(Ui& ui) {
  Workbench& bench = ui.bench;
  const RooflinePlot& roofline = roofline_of(ui);
  std::vector<LegendEntry> names;
  const auto kind = [&](auto which, LegendEntry entry) {
    if (std::ranges::any_of(roofline.points, which)) names.push_back(std::move(entry));
  };
  kind(&RoofedPoint::current, {"why.legend.shown", "shown", live_style(), true, "The config that is shown.", px(4)});
  kind(&RoofedPoint::best,
       {"why.legend.best", "fastest of its problem", {colours::text, Dash::solid}, true, "On this device.", px(5.5f)});
  kind([](const RoofedPoint& p) { return !p.best && !p.current; },
       {"why.legend.others", "others", {colours::soft, Dash::solid}, true, "Other configs of the session.", px(2.5f)});
  const size_t points = names.size();
  for (const Roof& roof : roofline.roofs) {
    const std::string rate = metric_text(roof.memory ? Metric::gbps : Metric::tflops, roof.value);
    const std::string name = fmt::format("{} {}", attnscope::roof_text(roof.name), rate);
    names.push_back({"why.legend." + roof.name, name, variant_style(names.size() - points), true, name});
  }
  if (const float high = ImGui::GetContentRegionAvail().y; high > px(110))
    legend(ui, "why.legend", names, std::max(1, int(high * 0.35f / px(18))));
  Plot drawn("##roofline", {60, 60});
  if (!drawn.open()) return;
  drawn.axes({"FLOP per byte moved", roofline.x, false, [&](int) { return intensity_ticks(roofline.x); }},
             metric_axis(roofline.y, true, Metric::tflops), 110);
  const Frame& f = drawn.frame;
  ImPlot::PushPlotClipRect();
  for (size_t i = 0; i < roofline.roofs.size(); ++i)
    draw_series(f, std::vector{f.x.low, f.x.high},
                std::vector{roofline.roofs[i].at(std::pow(10, f.x.low)), roofline.roofs[i].at(std::pow(10, f.x.high))},
                variant_style(i), px(1.5f));
  ImDrawList* draw = ImPlot::GetPlotDrawList();
  for (const RoofedPoint& p : roofline.points) {
    const ImVec2 at = f.pixel(std::log10(p.x), p.y);
    draw->AddCircleFilled(at, px(p.best ? 5.5f : 2.5f), p.best ? colours::text : with_alpha(colours::soft, 0.6f));
    if (p.current) draw->AddCircleFilled(at, px(4), live_style().colour);
  }
  ImPlot::PopPlotClipRect();
  if (!drawn.close(ui, "why.roofline")) return;
  if (const RoofedPoint* p = point_at(roofline, f, ImGui::GetIO().MousePos, px(9))) {
    tell(bench, *p);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && p->record->variant == bench.request.selection.variant &&
        p->record->problem == bench.request.selection.problem)
      bench.request.set_config(p->record->config);
  }
}

void facts(Ui& ui, const Record* r) {
  Workbench& bench = ui.bench;
  if (r) {
    const Pin* row = bench.pins.find(bench.pins.selected);
    if (row) text_cut(bench.name_of(*row), ImGui::GetContentRegionAvail().x, colours::text, fonts.bold);
    fact("median", r->statistics ? time_text(r->statistics->median) : "no samples", colours::text,
         row ? "Of the row selected in Compare."
             : "What is said here is of this one: the headline's, up to half a second ago.");
    ui.mark("why.median");
    return floor_and_fit(ui, *r);
  }
  const Live* live = bench.live.shown();
  wrapped_in(colours::faint, live && live->wrong() ? "The result is wrong, so it has no timing." : "No timing yet.");
  if (!bench.device_state.peaks) peaks_button(ui);
}

void draw_why(Ui& ui) {
  const Pin* row = ui.bench.pins.find(ui.bench.pins.selected);
  const Record* r = row ? row->record.get() : ui.bench.views.why.record();
  const bool advised = !row && r && ui.bench.device_state.surroundings(ui.bench.request.selection);
  begin_wide("why.columns", 580);
  const float room = ImGui::GetContentRegionAvail().x, gap = px(16);
  const float first = std::clamp(room * 0.24f, px(186), px(230)), words = (room - first - 2 * gap) * 0.42f;
  column("why.facts", first, [&] { facts(ui, r); });
  ImGui::SameLine(0, gap);
  if (advised) {
    column("why.advice", words, [&] { advice(ui, *r); });
    ImGui::SameLine(0, gap);
  }
  column(
      "why.plot", 0, [&] { plot(ui); }, false);
  ImGui::EndChild();
}

}  // namespace

const PanelView tiles_view = {"tiles", "Tiles", draw_tiles, nullptr};

std::string predicted_tip(const PredictedTime& p) {
  return predicted_text(p) + ": from the times of this config on other problems (attnscope calibrate). Not measured.";
}

bool floor_facts(const Record& r) {
  if (r.predicted) fact("predicted", time_text(r.predicted->ns), colours::soft, predicted_tip(*r.predicted).c_str());
  if (!r.floor) return false;
  const double part = r.floor->fraction;
  fact("lower bound", fmt::format("{} ({})", time_text(r.floor->us * 1e3), attnscope::roof_text(r.floor->roof)),
       colours::text, "No kernel takes less on this device: its work at the measured peak rates, and a launch.");
  fact("of peak", percent(part), part > 0.8 ? colours::good : colours::text,
       "The lower bound over the median: 100 % is all that the device can give.");
  meter(float(std::min(1.0, part)), part > 0.8 ? colours::good : colours::soft);
  return true;
}

const PanelView bound_view = {"bound", "Bounds", draw_why, nullptr};
const PanelView* const why_views[] = {&bound_view, &tiles_view};

const Panel why_panel = {.name = "why", .title = "Why", .closer = true, .views = why_views};

}  // namespace attnscope::gui
