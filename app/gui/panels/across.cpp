// The pinned configs across several problems, as grouped bars.
#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <implot.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void problem_list(Ui& ui) {
  Workbench& bench = ui.bench;
  Drafts& drafts = ui.drafts;
  const bool running = bench.across.job.running;
  const size_t configs = bench.pins.all().size();
  if (!running) {
    if (button(ui, "across.measure", "Measure all", "Measure every pinned config on every problem of this list (M)",
               configs > 0 && !bench.across.problems().empty(), true))
      ui.requests.job = bench.measure_all();
  } else if (button(ui, "across.cancel", "Cancel", "Stop after the samples in flight; what is measured is kept", true)) {
    ui.requests.cancel_job = true;
  }
  ImGui::SameLine();
  if (button(ui, "across.save", "Save picture", "Save this chart as PNG in the current folder",
             !bench.pins.empty()))
    ui.requests.save_widget = "across.plot";
  if (running) {
    const double spent = bench.now() - bench.across.job.began;
    const std::string left = bench.across.job.done == 0 ? "" : fmt::format(", about {:.0f} s left", spent / double(bench.across.job.done) *
                                                                          double(bench.across.job.total - bench.across.job.done));
    meter(float(bench.across.job.done) / float(std::max<size_t>(1, bench.across.job.total)), colours::accent);
    wrapped_in(colours::soft, fmt::format("{} of {}{}", bench.across.job.done, bench.across.job.total, left));
  }
  ImGui::PushFont(fonts.mono);
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool entered = ImGui::InputTextWithHint("##add", "add a problem, then Enter", &drafts.bar_problem,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopFont();
  ui.mark("across.add");
  if (entered) {
    if (auto parsed = parse_problem(drafts.bar_problem)) {
      bench.across.add(*parsed);
      drafts.bar_problem.clear();
      drafts.bar_error.clear();
    } else {
      drafts.bar_error = parsed.error().message;
    }
  }
  if (!drafts.bar_error.empty()) wrapped_in(colours::bad, drafts.bar_error);
  const std::vector<Problem>& problems = bench.across.problems();
  const bool listed = std::find(problems.begin(), problems.end(), bench.asked.ask.problem) != problems.end();
  if (!listed && button(ui, "across.add_current", "Add the current problem", nullptr))
    bench.across.add(bench.asked.ask.problem);
  size_t removed = problems.size();
  for (size_t i = 0; i < problems.size(); ++i) {
    ImGui::PushID(int(i));
    if (ImGui::SmallButton("\u00d7")) removed = i;
    ui.mark(fmt::format("across.remove.{}", i));
    ImGui::SameLine();
    text_cut(to_text(problems[i]), ImGui::GetContentRegionAvail().x, colours::text, fonts.mono);
    ImGui::PopID();
  }
  bench.across.remove(removed);
}

/// Broken into lines that fit, at the marks of the text form.
std::string folded(const std::string& text, float width) {
  std::string lines, line;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = std::min(text.find_first_of("x:", i + 1), text.size());
    const std::string piece = text.substr(i, end - i);
    if (!line.empty() && ImGui::CalcTextSize((line + piece).c_str()).x > width) {
      lines += line + "\n";
      line.clear();
    }
    line += piece;
    i = end - 1;
  }
  return lines + line;
}

void chart(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!begin_plot("##across"))
    return;
  std::vector<std::string> names;
  std::vector<const char*> labels;
  std::vector<double> places;
  const float room = ImGui::GetContentRegionAvail().x * 0.85f / float(std::max<size_t>(1, bench.across.problems().size()));
  for (const Problem& p : bench.across.problems()) names.push_back(folded(to_text(p), room));
  for (size_t i = 0; i < names.size(); ++i) {
    labels.push_back(names[i].c_str());
    places.push_back(double(i));
  }
  ImPlot::SetupAxes(nullptr, bench.asked.metric == Metric::time ? nullptr : axis_unit(bench.asked.metric),
                    ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoHighlight, ImPlotAxisFlags_NoHighlight);
  format_axis(ImAxis_Y1, bench.asked.metric);
  ImPlot::SetupAxisLimits(ImAxis_X1, -0.6, double(names.size()) - 0.4, ImPlotCond_Always);
  ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), int(places.size()), labels.data());
  const std::vector<Pin>& pins = bench.pins.all();
  const double width = 0.8 / double(std::max<size_t>(1, pins.size()));
  double top = 0, least = 0;
  struct Bar {
    std::string label;
    ImU32 colour;
    std::vector<double> x, y, low, high;
  };
  std::vector<Bar> bars;
  for (size_t k = 0; k < pins.size(); ++k) {
    const Pin& pin = pins[k];
    Bar bar{fmt::format("{}##{}", bench.name_of(pin), pin.id),
            series_colour(pin.slot + 1), {}, {}, {}, {}};
    for (size_t i = 0; i < bench.across.problems().size(); ++i) {
      const Record* r = bench.across.result(pin, i);
      if (!r || !r->statistics || r->outcome != Outcome::measured) continue;
      const Work work{r->flops, r->bytes};
      const double value = in_metric(bench.asked.metric, r->statistics->median, work);
      const double a = in_metric(bench.asked.metric, r->statistics->p20, work), b = in_metric(bench.asked.metric, r->statistics->p80, work);
      bar.x.push_back(double(i) + (double(k) - double(pins.size() - 1) / 2) * width);
      bar.y.push_back(value);
      bar.low.push_back(value - std::min(a, b));
      bar.high.push_back(std::max(a, b) - value);
      top = std::max({top, a, b});
      least = least == 0 ? value : std::min(least, value);
    }
    bars.push_back(std::move(bar));
  }
  // Problems of very different size share one chart only on a logarithmic axis.
  const bool wide = bench.asked.metric == Metric::time && least > 0 && top / least > 30;
  if (wide) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_Y1, wide ? least / 2 : 0, top > 0 ? top * (wide ? 8 : 1.35) : 1, ImPlotCond_Always);
  ImPlot::SetupLegend(ImPlotLocation_NorthWest, ImPlotLegendFlags_Horizontal);
  for (const Bar& bar : bars) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(bar.colour);
    ImPlot::SetNextFillStyle(c, 0.9f);
    ImPlot::SetNextLineStyle({0, 0, 0, 0});
    ImPlot::PlotBars(bar.label.c_str(), bar.x.data(), bar.y.data(), int(bar.x.size()), width * 0.86);
    if (bar.x.empty()) continue;
    ImPlot::SetNextErrorBarStyle({1, 1, 1, 0.6f}, px(3), px(1));
    ImPlot::PlotErrorBars(bar.label.c_str(), bar.x.data(), bar.y.data(), bar.low.data(), bar.high.data(), int(bar.x.size()));
  }
  ImPlot::EndPlot();
  ui.mark("across.plot");
}

void draw(Ui& ui) {
  ImGui::BeginChild("across.list", {px(236), 0}, 0, ImGuiWindowFlags_NoBackground);
  problem_list(ui);
  ImGui::EndChild();
  ImGui::SameLine();
  if (ui.bench.pins.empty())
    return empty_hint("Nothing pinned yet", "Pin some configs (P), then measure them all on the problems at the left.");
  chart(ui);
}

void dump(const Workbench& bench, Json& j) {
  j["bar_problems"] = j["results"] = Json::array();
  for (const Problem& p : bench.across.problems()) j["bar_problems"].push_back(to_text(p));
  for (const auto& r : bench.across.results()) j["results"].push_back(brief(*r));
  const JobState& job = bench.across.job;
  j["job"] = {{"running", job.running}, {"done", job.done}, {"total", job.total}};
}

}  // namespace

const Panel across_panel = {"across", "Across problems", Place::bottom, draw, dump};

}  // namespace attnscope::gui
