// Pinned configs beside the live one: a table, and how their samples are distributed.
#include <algorithm>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string relation_text(const Comparison& c) {
  const std::string word(to_text(c.relation));
  return c.relation == Relation::same || c.relation == Relation::unsure ? word : fmt::format("{} {:.2f}\u00d7", word,
                                                                                c.ratio < 1 ? 1 / c.ratio : c.ratio);
}

ImU32 relation_colour(Relation r) {
  return r == Relation::faster ? colours::good : r == Relation::slower ? colours::bad : colours::soft;
}

void numbers(const Record& r) {
  const auto cell = [](const std::string& text, ImU32 colour = colours::text) {
    ImGui::TableNextColumn();
    text_in(fonts.mono, colour, text);
  };
  const bool known = r.statistics.has_value();
  cell(known ? time_text(r.statistics->median) : "no samples", known ? colours::text : colours::faint);
  cell(known ? fmt::format("{:.1f} %", 100 * (r.statistics->p80 - r.statistics->p20) / r.statistics->median) : "",
       colours::soft);
  if (known)
    tip_for_last(fmt::format("p20 {}, p80 {}: what lies between, over the median", time_text(r.statistics->p20),
                             time_text(r.statistics->p80)));
  cell(known ? short_number(r.tflops) : "", colours::soft);
  cell(known ? short_number(r.gbps) : "", colours::soft);
  // Counted, so known of a config that was inspected even before its first sample.
  cell(bytes_text(r.bytes + r.extra_bytes), colours::soft);
  tip_for_last("Bytes moved: Q, K, V and O once, and what the algorithm reads or writes again (from caches too).");
  cell(r.scratch_bytes > 0 ? bytes_text(double(r.scratch_bytes)) : "none", colours::soft);
  tip_for_last("Intermediate memory: what the variant allocates beside Q, K, V and O, such as naive attention's scores.");
}

void swatch(ImU32 colour, bool shown) {
  const float side = ImGui::GetTextLineHeight() * 0.72f;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + (ImGui::GetTextLineHeight() - side) / 2;
  if (shown) ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, colour, px(3));
  else ImGui::GetWindowDrawList()->AddRect({at.x, top}, {at.x + side, top + side}, colour, px(3), 0, px(1.5f));
}

void identity(const Workbench& bench, const Record& r) {
  ImGui::TableNextColumn();
  const float width = ImGui::GetContentRegionAvail().x;
  text_cut(bench.short_name(r.variant, r.config), width, colours::text);
  tip_for_last(fmt::format("{}  {}", r.variant, attnscope::to_text(r.config)));
  ImGui::TableNextColumn();
  text_cut(to_text(r.problem), ImGui::GetContentRegionAvail().x, colours::soft, fonts.mono);
}

void table(Ui& ui, float height) {
  Workbench& bench = ui.bench;
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("pins", 11, flags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_NoResize, px(18));
  ImGui::TableSetupColumn("config", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("problem", ImGuiTableColumnFlags_WidthStretch, 1.5f);
  ImGui::TableSetupColumn("median");
  ImGui::TableSetupColumn("spread");
  ImGui::TableSetupColumn("TFLOP/s");
  ImGui::TableSetupColumn("GB/s");
  ImGui::TableSetupColumn("moved");
  ImGui::TableSetupColumn("memory");
  ImGui::TableSetupColumn("live is", 0, px(106));
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_NoResize, px(20));
  ImGui::PushFont(fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, colours::soft);
  ImGui::TableHeadersRow();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  // What is compared stands together: the live row is the very copy that the words below were made from.
  const Standing* standing = bench.standings().current();
  if (standing) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    swatch(series_colour(0), true);
    identity(bench, standing->live);
    numbers(standing->live);
    ImGui::TableNextColumn();
    text_in(fonts.small, colours::faint, "live");
    ImGui::TableNextColumn();
  }
  uint64_t removed = 0, toggled = 0;
  for (const Pin& p : bench.pins.all()) {
    ImGui::TableNextRow();
    ImGui::PushID(int(p.id));
    ImGui::TableNextColumn();
    swatch(series_colour(p.slot + 1), p.shown);
    if (ImGui::InvisibleButton("show", {px(16), ImGui::GetTextLineHeight()})) toggled = p.id;
    ui.mark(fmt::format("pin.{}.show", p.id));
    tip_for_last("Show or hide its curves.");
    identity(bench, *p.record);
    numbers(*p.record);
    ImGui::TableNextColumn();
    if (const Comparison* c = bench.standings().word(p.id)) text_in(fonts.small, relation_colour(c->relation), relation_text(*c));
    else text_in(fonts.small, colours::faint, "\u2014");
    tip_for_last("The live config against this one, both on the same problem: FASTER, SLOWER, SAME, or UNSURE when the "
                 "samples cannot tell.");
    ImGui::TableNextColumn();
    if (ImGui::SmallButton("\u00d7")) removed = p.id;
    ui.mark(fmt::format("pin.{}.remove", p.id));
    tip_for_last("Remove this pin.");
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (const Pin* p = bench.pins.find(toggled)) bench.pins.show(p->id, !p->shown);
  if (removed) bench.unpin(removed);
}

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
  ImPlot::SetupAxes(bench.asked.metric == Metric::time ? nullptr : unit(bench.asked.metric), "% of samples",
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

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.pins.empty())
    return empty_hint("Nothing pinned yet", "Pin the live config (P), choose another, and compare both here: medians, spreads "
                                            "and how the samples are distributed.");
  const float width = ImGui::GetContentRegionAvail().x;
  const bool both = width > px(860);
  ImGui::BeginChild("compare.table", {both ? width * 0.7f : 0, 0}, 0, ImGuiWindowFlags_NoBackground);
  table(ui, ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing());
  if (button(ui, "pins.clear", "Remove all", "Remove every pin; Ctrl+Z brings them back")) bench.clear_pins();
  ImGui::SameLine();
  if (button(ui, "results.export", "Export results", "Write pins, measured problems and the session log to a JSON result file (Ctrl+E)"))
    ui.requests.export_results = true;
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
    const Comparison* word = bench.standings().word(p.id);
    pin["live_is"] = word ? relation_text(*word) : "";
    j["pins"].push_back(pin);
  }
  if (const Standing* s = bench.standings().current()) j["standing"] = brief(s->live);
}

}  // namespace

const Panel compare_panel = {"compare", "Compare", Place::bottom, draw, dump};

}  // namespace attnscope::gui
