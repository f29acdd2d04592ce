// Pinned configs beside the live one: a table, and how their samples are distributed.
#include <algorithm>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/panels/compare_table.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

/// Sorted samples in the metric at 64 quantiles: enough for a curve, whatever the count.
void distribution(const char* label, const Record& r, Metric metric, ImU32 colour) {
  if (r.samples_ns.empty()) return;
  std::vector<double> sorted = r.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> x, y;
  for (int i = 0; i <= 64; ++i) {
    const double q = i / 64.0;
    x.push_back(in_metric(metric, quantile(sorted, q), {r.flops, r.bytes}));
    y.push_back(metric == Metric::time ? q * 100 : (1 - q) * 100);
  }
  ImPlot::SetNextLineStyle(ImGui::ColorConvertU32ToFloat4(colour), px(1.8f));
  ImPlot::PlotLine(label, x.data(), y.data(), int(x.size()));
}

void curves(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!begin_plot("##curves", false))
    return;
  ImPlot::SetupAxes(bench.asked.metric == Metric::time ? nullptr : axis_unit(bench.asked.metric), "% of samples",
                    ImPlotAxisFlags_AutoFit | ImPlotAxisFlags_NoHighlight, ImPlotAxisFlags_NoHighlight);
  format_axis(ImAxis_X1, bench.asked.metric);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, 100, ImPlotCond_Always);
  if (const Standing* s = bench.standings().current()) distribution("live", s->live, bench.asked.metric, series_colour(0));
  for (const Pin& p : bench.pins.all())
    if (p.shown && p.record->problem == bench.asked.ask.problem)
      distribution(fmt::format("##pin{}", p.id).c_str(), *p.record, bench.asked.metric, series_colour(p.slot + 1));
  ImPlot::EndPlot();
  ui.mark("compare.plot");
}

/// While the last step was a removal: to find that it can be taken back, nobody has to know the key.
void undo_button(Ui& ui) {
  if (!ui.bench.history.removal_is_last()) return;
  if (button(ui, "pins.undo", "Undo remove", "Bring back the pins that were removed last, in their colours (Ctrl+Z)")) ui.bench.undo();
  ImGui::SameLine();
}

void buttons(Ui& ui) {
  undo_button(ui);
  if (button(ui, "pins.clear", "Remove all", "Remove every pin; Ctrl+Z brings them back")) ui.bench.clear_pins();
  ImGui::SameLine();
  if (button(ui, "results.export", "Export results", "Write pins, measured problems and the session log to a JSON result file (Ctrl+E)"))
    ui.requests.export_results = true;
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.pins.empty()) {
    undo_button(ui);
    return empty_hint("Nothing pinned yet", "Pin the live config (P), choose another, and compare both here: medians, spreads "
                                            "and how the samples are distributed.");
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const bool both = width > px(860);
  ImGui::BeginChild("compare.table", {both ? width * 0.7f : 0, 0}, 0, ImGuiWindowFlags_NoBackground);
  compare_table(ui, ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing());
  buttons(ui);
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
    const Comparison* word = bench.standings().word(p.id);
    pin["live_is"] = word ? relation_text(*word) : "";
    j["pins"].push_back(pin);
  }
  if (const Standing* s = bench.standings().current()) j["standing"] = brief(s->live);
  j["asked_label"] = bench.captions().asked();
  j["units"] = {{"flops", bench.captions().flops().name}, {"bytes", bench.captions().bytes().name}};
}

}  // namespace

const Panel compare_panel = {"compare", "Compare", Place::bottom, draw, dump};

}  // namespace attnscope::gui
