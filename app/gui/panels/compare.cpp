// Pinned configs beside the live one: a table, and how their samples are distributed.
#include <algorithm>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/panels/compare_table.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/files_menu.hpp"
#include "app/gui/plot/across_chart.hpp"
#include "app/gui/plot/distribution.hpp"
#include "app/gui/plot_widgets.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

/// How the samples of everything shown are distributed: the share of them at or below a time (or at or above a rate).
void curves(Ui& ui) {
  Workbench& bench = ui.bench;
  const Metric metric = bench.asked.metric;
  std::vector<Distribution> all;
  if (const Standing* s = bench.standing())
    all.push_back(distribution(nullptr, s->live_quantiles_ns, metric, {s->live.flops, s->live.bytes}));
  for (const Pin* p : drawn_pins(bench.pins, &bench.asked.ask.problem))
    all.push_back(distribution(p, p->quantiles_ns, metric, {p->record->flops, p->record->bytes}));
  const ImVec2 min = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const ImVec2 max{min.x + std::max(space.x, px(120)), min.y + std::max(space.y, px(60))};
  if (!begin_plot("##curves")) return;
  Range x;
  const Range y = Range::of(0, 100);
  for (const Distribution& d : all) x.include(robust_range(d.value, false));
  x.pad(false);
  ImPlot::SetupAxes(nullptr, axis_name("% of samples", max.y - min.y - px(30)), ImPlotAxisFlags_NoHighlight,
                    ImPlotAxisFlags_NoHighlight);
  ImPlot::SetupAxisLimits(ImAxis_X1, x.low, x.high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, y.low, y.high, ImPlotCond_Always);
  set_ticks(ImAxis_Y1, max.y - min.y < px(110)
                           ? std::vector<Tick>{{0, "0"}, {50, "50"}, {100, "100"}}
                           : std::vector<Tick>{{0, "0"}, {20, "20"}, {50, "50"}, {80, "80"}, {100, "100"}});
  set_ticks(ImAxis_X1, all.empty() ? std::vector<Tick>{}
                                   : metric_ticks(x, false, metric, ticks_along(max.x - min.x - px(60), false)));
  const Frame f = frame_now(x, y, false);
  // The live one last, on top.
  for (auto d = all.rbegin(); d != all.rend(); ++d)
    draw_series(f, d->value, d->share, d->pin ? series_style(d->pin->slot) : live_style(), px(1.8f));
  ImPlot::EndPlot();
  const bool hovered = plot_input(ui, "compare.plot", min, max);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!hovered || mouse.x < f.min.x || mouse.y > f.max.y) return;
  const auto found = nearest(all, f, mouse);
  if (!found) return;
  const Distribution& d = all[found->index];
  ImGui::GetWindowDrawList()->AddCircle(found->at, px(5), colours::text, 0, px(1.5f));
  const std::vector<std::string> lines = {metric_text(metric, found->value),
                                          fmt::format("{:.0f} % of the samples are {} this", found->share,
                                                      metric == Metric::time ? "at or below" : "at or above")};
  series_tip(d.pin ? series_style(d.pin->slot) : live_style(), d.pin ? bench.name_of(*d.pin) : "live", lines);
}

/// While the last step was a removal: to find that it can be taken back, nobody has to know the key.
void undo_button(Ui& ui) {
  if (!ui.bench.history.removal_is_last()) return;
  if (button(ui, "pins.undo", "Undo remove", "Bring back the pins that were removed last, in their colours (Ctrl+Z)"))
    ui.bench.undo();
  ImGui::SameLine();
}

void buttons(Ui& ui) {
  undo_button(ui);
  if (button(ui, "pins.clear", "Remove all", "Remove every pin; Ctrl+Z brings them back")) ui.bench.clear_pins();
  ImGui::SameLine();
  if (button(ui, "results.export", "Export results",
             "Write pins, measured problems and the session log to a JSON result file (Ctrl+E)"))
    ui.requests.export_results = true;
  ImGui::SameLine();
  if (button(ui, "compare.files", "Files\u2026", "Open a session or results, save this session, write a report"))
    ImGui::OpenPopup("files");
  files_menu(ui);
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.pins.empty()) {
    undo_button(ui);
    return empty_hint("Nothing pinned yet",
                      "Pin the live config (P), choose another, and compare both here: medians, spreads "
                      "and how the samples are distributed.");
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const bool both = width > px(860);
  ImGui::BeginChild("compare.table", {both ? width * 0.7f : 0, 0}, 0, ImGuiWindowFlags_NoBackground);
  // Where so little height is left the rows need it: what the buttons do is in Files and in the rows' menus.
  const float room = ImGui::GetContentRegionAvail().y;
  const bool with_buttons = room > px(104) || bench.history.removal_is_last();
  compare_table(ui, room - (with_buttons ? ImGui::GetFrameHeightWithSpacing() : 0));
  if (with_buttons) buttons(ui);
  ImGui::EndChild();
  if (!both) return;
  ImGui::SameLine();
  curves(ui);
}

void dump(const Workbench& bench, Json& j) {
  j["pins"] = Json::array();
  for (const Pin& p : bench.pins.all()) {
    Json pin = brief(*p.record);
    pin["id"] = p.id;
    pin["slot"] = p.slot;
    pin["shown"] = p.shown;
    pin["label"] = bench.name_of(p);
    const Comparison* word = bench.word(p);
    pin["live_is"] = word ? relation_text(*word) : "";
    pin["no_word"] = word ? "" : bench.why_no_word(p);
    j["pins"].push_back(pin);
  }
  if (const Standing* s = bench.standing()) j["standing"] = brief(s->live);
  j["asked_label"] = bench.name_of_asked();
  j["units"] = {{"flops", bench.captions().flops().name}, {"bytes", bench.captions().bytes().name}};
}

}  // namespace

const Panel compare_panel = {"compare", "Compare", Place::bottom, draw, dump};

}  // namespace attnscope::gui
