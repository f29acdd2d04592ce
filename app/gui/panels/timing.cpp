// Live timing: the headline numbers and a rolling plot of samples with median and p20-p80 band.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/rolling.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string state_text(const Workbench& bench) {
  if (!bench.live_is_current() || bench.live.stage == "start") return bench.paused ? "paused" : "starting";
  if (bench.live.stage.empty()) return bench.paused ? "paused" : "stopped";
  return bench.live.stage == "sample" ? "sampling" : bench.live.stage;
}

void headline(Ui& ui) {
  Workbench& bench = ui.bench;
  const auto& statistics = bench.live.series.statistics();
  const Work work = bench.work();
  std::string value = "\u2014", unit_text;
  if (statistics) {
    if (bench.metric == Metric::time) {
      const std::string text = time_text(statistics->median);
      const size_t space = text.find(' ');
      value = text.substr(0, space);
      unit_text = text.substr(space + 1);
    } else {
      value = short_number(in_metric(bench.metric, statistics->median, work));
      unit_text = unit(bench.metric);
    }
  }
  text_in(fonts.number, statistics ? colours::text : colours::faint, value);
  ui.mark("timing.median");
  ImGui::SameLine(0, px(6));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + fonts.number->FontSize - fonts.body->FontSize - px(4));
  text_in(fonts.body, colours::soft, unit_text);
  if (!statistics) return;
  ImGui::SameLine(0, px(20));
  ImGui::BeginGroup();
  const auto both = [&](double a, double b) {
    if (bench.metric == Metric::time) return fmt::format("{} \u2013 {}", time_text(a), time_text(b));
    return fmt::format("{} \u2013 {}", short_number(in_metric(bench.metric, b, work)),
                       short_number(in_metric(bench.metric, a, work)));
  };
  const auto pair = [&](const char* label, const std::string& text) {
    text_in(fonts.small, colours::faint, label);
    ImGui::SameLine(0, px(5));
    text_in(fonts.mono, colours::soft, text);
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(16), px(2)});
  pair("p20\u2013p80", both(statistics->p20, statistics->p80));
  ImGui::SameLine();
  pair("min", time_text(statistics->min));
  ImGui::SameLine();
  pair("mean", time_text(statistics->mean));
  pair("samples", count_text(bench.live.series.taken()));
  ImGui::SameLine();
  pair("noise", fmt::format("{:.2f} %", statistics->noise * 100));
  ImGui::SameLine();
  pair("drift", fmt::format("{:+.1f} %", statistics->drift * 100));
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  const float width = px(230);
  const int metric = segmented(ui, "metric", {"Time", "TFLOP/s", "GB/s"}, int(bench.metric), width, {}, nullptr,
                               {"time", "tflops", "gbps"});
  if (metric >= 0) bench.metric = Metric(metric);
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
  const Series& series = bench.live.series;
  const Work work = bench.work();
  const View view = view_of(series, bench.metric, work);
  std::vector<std::pair<const Pin*, Rolling>> pinned;
  for (const Pin& p : bench.pins)
    if (ui.layout.show_pins && p.shown && p.record.problem == bench.live.ask.problem)
      pinned.emplace_back(&p, roll(p.record.samples_ns, bench.metric, {p.record.flops, p.record.bytes}, view.first, view.last));
  Range range = view.range;
  for (const auto& [p, r] : pinned) range.include(r);
  range.pad();
  if (!begin_plot("##timing"))
    return;
  ImPlot::SetupAxes(nullptr, bench.metric == Metric::time ? nullptr : unit(bench.metric), ImPlotAxisFlags_NoHighlight,
                    ImPlotAxisFlags_NoHighlight);
  format_axis(ImAxis_Y1, bench.metric);
  ImPlot::SetupAxisLimits(ImAxis_X1, view.first, view.last, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, range.low, range.high, ImPlotCond_Always);
  ImPlot::SetupLegend(ImPlotLocation_NorthWest, ImPlotLegendFlags_Horizontal);
  for (const auto& [p, r] : pinned)
    curve(r, fmt::format("{}##pin{}", bench.short_name(p->record.variant, p->record.config), p->id).c_str(),
          series_colour(p->colour + 1), false);
  if (!view.x.empty()) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(series_colour(0));
    curve(view.rolling, "p20\u2013p80", series_colour(0), true);
    ImPlot::SetNextLineStyle(c);
    ImPlot::SetNextMarkerStyle(ImPlotMarker_Square, px(1.3f), {c.x, c.y, c.z, 0.75f}, 0);
    ImPlot::PlotScatter("samples", view.x.data(), view.y.data(), int(view.x.size()));
    const double median = in_metric(bench.metric, series.statistics()->median, work);
    ImPlot::SetNextLineStyle({1, 1, 1, 0.55f}, px(1));
    ImPlot::PlotInfLines("median", &median, 1, ImPlotInfLinesFlags_Horizontal);
    ImPlot::TagY(median, {c.x, c.y, c.z, 1}, "%s",
                 (bench.metric == Metric::time ? time_text(median * 1e3) : short_number(median)).c_str());
  }
  ImPlot::EndPlot();
  ui.mark("timing.plot");
}

}  // namespace

void timing_panel(Ui& ui) {
  Workbench& bench = ui.bench;
  headline(ui);
  controls(ui);
  if (!bench.live.failure.empty() && bench.live_is_current()) {
    lamp(colours::bad);
    ImGui::SameLine();
    ImGui::BeginGroup();
    wrapped_in(colours::bad, bench.live.failure);
    if (button(ui, "retry", "Try again", "Dispatch this config once more; another config can be chosen as well", true, true))
      bench.try_again();
    ImGui::EndGroup();
  }
  if (bench.live.series.taken() == 0 && bench.live.series.disturbed() == 0) {
    const bool lost = !bench.live.failure.empty() && bench.live_is_current();
    const Inspection* inspection = bench.current_inspection();
    const bool refused = inspection && !inspection->why_not.empty();
    return empty_hint(lost ? "No samples" : refused ? "This config cannot run" : bench.paused ? "Paused" : "Waiting for samples",
                      lost      ? "The run ended before any sample was taken."
                      : refused ? inspection->why_not
                      : bench.paused ? "Press Space to measure."
                                     : "The config is compiled, verified against the CPU reference and warmed up first.");
  }
  plot(ui);
}

}  // namespace attnscope::gui
