// Live timing: the headline numbers and a rolling plot of samples with median and p20-p80 band.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/rolling.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string state_text(const Workbench& bench) {
  const Live* live = bench.shown();
  if (bench.asked.paused && (!live || live->stage.empty())) return "paused";
  if (bench.across.job.running) return "waiting: measuring all";
  if (!live || live->stage == "start") return "starting";
  if (live->stage.empty()) return "stopped";
  return live->stage == "sample" ? "sampling" : live->stage;
}

struct Headline {
  std::string value, unit;
};

/// The one number: of just what is asked, verified, or none.
std::optional<Headline> headline_of(const Workbench& bench) {
  const Live* live = bench.timed();
  if (!live) return std::nullopt;
  const double median = live->series.statistics()->median;
  const std::string text = metric_text(bench.asked.metric, in_metric(bench.asked.metric, median, bench.work()));
  const size_t space = text.find(' ');
  return Headline{text.substr(0, space), text.substr(space + 1)};
}

void headline(Ui& ui) {
  Workbench& bench = ui.bench;
  const auto shown = headline_of(bench);
  text_in(fonts.number, shown ? colours::text : colours::faint, shown ? shown->value : "\u2014");
  ui.mark("timing.median");
  if (!shown) return;
  ImGui::SameLine(0, px(6));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + fonts.number->FontSize - fonts.body->FontSize - px(4));
  text_in(fonts.body, colours::soft, shown->unit);
  const Series& series = bench.timed()->series;
  const Statistics& s = *series.statistics();
  const Work work = bench.work();
  const Metric metric = bench.asked.metric;
  ImGui::SameLine(0, px(20));
  ImGui::BeginGroup();
  const auto both = [&](double a, double b) {
    if (metric != Metric::time) std::swap(a, b);
    return fmt::format("{} \u2013 {}", metric_text(metric, in_metric(metric, a, work)), metric_text(metric, in_metric(metric, b, work)));
  };
  const auto pair = [&](const char* label, const std::string& text) {
    text_in(fonts.small, colours::faint, label);
    ImGui::SameLine(0, px(5));
    text_in(fonts.mono, colours::soft, text);
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(16), px(2)});
  pair("p20\u2013p80", both(s.p20, s.p80));
  ImGui::SameLine();
  pair("min", time_text(s.min));
  ImGui::SameLine();
  pair("mean", time_text(s.mean));
  pair("samples", count_text(series.taken()));
  ImGui::SameLine();
  pair("noise", fmt::format("{:.2f} %", s.noise * 100));
  ImGui::SameLine();
  pair("drift", fmt::format("{:+.1f} %", s.drift * 100));
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  const float width = px(230);
  const int metric = segmented(ui, "metric", {"Time", "TFLOP/s", "GB/s"}, int(bench.asked.metric), width, {}, nullptr,
                               {"time", "tflops", "gbps"});
  if (metric >= 0) bench.asked.metric = Metric(metric);
  ImGui::SameLine();
  if (button(ui, "pin", "Pin", "Keep this config's curve to compare with (P)", bench.can_pin(), false)) bench.pin();
  ImGui::SameLine();
  if (button(ui, "timing.save", "Save picture", "Save this plot as PNG in the current folder"))
    ui.requests.save_widget = "timing.plot";
  ImGui::SameLine();
  ImGui::Checkbox("pins", &ui.layout.show_pins);
  ui.mark("timing.pins");
  tip_for_last("Show the pinned curves of the same problem too.");
  const std::string state = state_text(bench);
  const float state_width = ImGui::CalcTextSize(state.c_str()).x + ImGui::GetTextLineHeight() + px(8);
  ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - state_width - px(16)));
  lamp(state == "sampling" ? colours::good : state == "stopped" || state == "paused" ? colours::faint : colours::accent, true);
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  text_in(fonts.body, colours::soft, state);
}

void curve(const Rolling& r, const char* name, ImU32 colour, bool band) {
  if (r.x.empty()) return;
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  const int n = int(r.x.size());
  if (band) {
    ImPlot::SetNextFillStyle(c, 0.22f);
    ImPlot::PlotShaded(name, r.x.data(), r.low.data(), r.high.data(), n);
  }
  ImPlot::SetNextLineStyle(c, px(band ? 2.f : 1.6f));
  ImPlot::PlotLine(name, r.x.data(), r.median.data(), n);
}

void plot(Ui& ui) {
  Workbench& bench = ui.bench;
  const Series& series = bench.timed()->series;
  const Work work = bench.work();
  const View view = view_of(series, bench.asked.metric, work);
  std::vector<std::pair<const Pin*, Rolling>> pinned;
  for (const Pin& p : bench.pins.all())
    if (ui.layout.show_pins && p.shown && p.record->problem == bench.asked.ask.problem)
      pinned.emplace_back(&p, roll(p.record->samples_ns, bench.asked.metric, {p.record->flops, p.record->bytes}, view.first, view.last));
  Range range = view.range;
  for (const auto& [p, r] : pinned) range.include(r);
  range.pad();
  if (!begin_plot("##timing"))
    return;
  ImPlot::SetupAxes(nullptr, bench.asked.metric == Metric::time ? nullptr : axis_unit(bench.asked.metric), ImPlotAxisFlags_NoHighlight,
                    ImPlotAxisFlags_NoHighlight);
  format_axis(ImAxis_Y1, bench.asked.metric);
  ImPlot::SetupAxisLimits(ImAxis_X1, view.first, view.last, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, range.low, range.high, ImPlotCond_Always);
  ImPlot::SetupLegend(ImPlotLocation_NorthWest, ImPlotLegendFlags_Horizontal);
  for (const auto& [p, r] : pinned)
    curve(r, fmt::format("{}##pin{}", bench.name_of(*p), p->id).c_str(),
          series_colour(p->slot + 1), false);
  if (!view.x.empty()) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(series_colour(0));
    curve(view.rolling, "p20\u2013p80", series_colour(0), true);
    ImPlot::SetNextLineStyle(c);
    ImPlot::SetNextMarkerStyle(ImPlotMarker_Square, px(1.3f), {c.x, c.y, c.z, 0.75f}, 0);
    ImPlot::PlotScatter("samples", view.x.data(), view.y.data(), int(view.x.size()));
    const double median = in_metric(bench.asked.metric, series.statistics()->median, work);
    ImPlot::SetNextLineStyle({1, 1, 1, 0.55f}, px(1));
    ImPlot::PlotInfLines("median", &median, 1, ImPlotInfLinesFlags_Horizontal);
    ImPlot::TagY(median, {c.x, c.y, c.z, 1}, "%s",
                 metric_text(bench.asked.metric, median).c_str());
  }
  ImPlot::EndPlot();
  ui.mark("timing.plot");
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  headline(ui);
  controls(ui);
  const Live* live = bench.shown();
  const bool lost = live && !live->failure.empty();
  if (lost) {
    lamp(colours::bad);
    ImGui::SameLine();
    ImGui::BeginGroup();
    wrapped_in(colours::bad, live->failure);
    if (button(ui, "retry", "Try again", "Dispatch this config once more; another config can be chosen as well", true, true))
      bench.try_again();
    ImGui::EndGroup();
  }
  if (bench.timed()) return plot(ui);
  const Inspection* inspection = bench.current_inspection();
  const VariantInfo* variant = bench.current_variant();
  if (lost) return empty_hint("No samples", "The run broke off: it has no time.");
  if (variant && !variant->error.empty())
    return empty_hint("This variant did not load", "Mend it and reload (F5); what its earlier version measured is not shown.");
  if (inspection && !inspection->why_not.empty()) return empty_hint("This config cannot run", inspection->why_not);
  if (live && live->verdict && !live->verdict->pass)
    return empty_hint("Wrong results are not timed", live->verdict->reason);
  if (bench.across.job.running)
    return empty_hint("Measuring all", "This config is measured as soon as the pinned ones are.");
  if (bench.asked.paused) return empty_hint("Paused", "Press Space to measure.");
  empty_hint("Waiting for samples", "The config is compiled, verified against the CPU reference and warmed up first.");
}

void dump(const Workbench& bench, Json& j) {
  const Live& live = bench.running();
  Json l = ask_json(live.ask);
  l["current"] = bench.shown() != nullptr;
  l["timed"] = bench.timed() != nullptr;
  l["cache"] = to_text(live.modes.cache);
  l["launch"] = to_text(live.modes.launch);
  l["stage"] = live.stage;
  l["failure"] = live.failure;
  l["samples"] = live.series.taken();
  l["disturbed"] = live.series.disturbed();
  l["drifting"] = live.series.drifting();
  if (live.began) l["shader_hash"] = live.began->environment.shader_hash;
  if (live.verdict) l["verdict"] = *live.verdict;
  if (live.resources) l["resources"] = *live.resources;
  if (live.timed()) l["statistics"] = *live.series.statistics();
  j["live"] = l;
  const auto shown = headline_of(bench);
  j["headline"] = shown ? shown->value + " " + shown->unit : "";
  j["state"] = state_text(bench);
  j["metric"] = bench.asked.metric == Metric::time ? "time" : bench.asked.metric == Metric::tflops ? "tflops" : "gbps";
}

}  // namespace

const Panel timing_panel = {"timing", "", Place::centre, draw, dump};

}  // namespace attnscope::gui
