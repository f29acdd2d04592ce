// The pinned configs across several problems, as grouped bars.

#include <implot.h>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

void cancel_button(Ui& ui, const char* id, const std::string& label, const char* tip) {
  const bool already = ui.bench.jobs.now.cancelled;
  ui.requests.cancel_job |= button(ui, id, already ? "Cancelling\u2026" : label, tip, !already, false,
                                   std::max(button_width(label), button_width("Cancelling\u2026")));
}

void job_controls(Ui& ui, const char* cancel) {
  const JobState& job = ui.bench.jobs.now;
  cancel_button(ui, cancel, "Cancel", "Stop after the samples in flight; what is measured is kept");
  meter(float(job.done) / float(std::max<size_t>(1, job.total)), colours::accent);
  wrapped_in(colours::soft, how_far(job, ui.bench.now()));
}

namespace {

struct AcrossState {
  std::string problem, error;    ///< to be added, and why it was not
  std::vector<Problem> removed;  ///< all at once
};

constexpr size_t kNamedBars = 512;

void problem_list(Ui& ui) {
  Workbench& bench = ui.bench;
  auto& [typed, error, removed_all] = ui.states.of<AcrossState>();
  // Another job, along an axis or over a result's errors, has its own panel.
  const bool busy = bench.jobs.now.running, running = bench.jobs.runs(JobKind::all);
  if (!running) {
    if (button(ui, "across.measure", "Measure all",
               busy ? "Something else is being measured."
                    : "Measure every pinned config on every problem of this list (M)",
               bench.pins.any_own() && !bench.jobs.problems.all().empty() && !busy, true))
      ui.requests.job = bench.measure_all();
  } else {
    job_controls(ui, "across.cancel");
  }
  const bool entered = text_field(ui, "across.add", "add a problem, then Enter", typed);
  if (entered || ImGui::IsItemEdited()) error.clear();
  if (entered) {
    ImGui::SetKeyboardFocusHere(-1);  // the next one, or this one mended: its letters are no commands
    if (auto parsed = parse_problem(typed)) {
      bench.jobs.problems.add(*parsed);
      typed.clear();
    } else {
      error = "Not taken: " + parsed.error().message;
    }
  }
  if (!error.empty()) wrapped_in(colours::bad, error);
  const std::vector<Problem>& problems = bench.jobs.problems.all();
  if (!bench.jobs.problems.listed(bench.request.selection.problem) &&
      button(ui, "across.add_current", "Add the current problem", nullptr))
    bench.jobs.problems.add(bench.request.selection.problem);
  if (problems.size() > 1 && button(ui, "across.clear", with_icon(icons::trash, "Remove all"), nullptr)) {
    removed_all = problems;
    bench.jobs.problems.set_problems({});
  } else if (problems.empty() && !removed_all.empty() && button(ui, "across.restore", "Bring them back", nullptr)) {
    bench.jobs.problems.set_problems(std::exchange(removed_all, {}));
  }
  if (problems.size() > kChartProblems)
    wrapped_in(colours::soft, fmt::format("The chart shows the first {} of {}.", kChartProblems, problems.size()));
  size_t removed = problems.size();
  ImGuiListClipper rows;
  rows.Begin(int(problems.size()));
  while (rows.Step())
    for (auto i = size_t(rows.DisplayStart); i < size_t(rows.DisplayEnd); ++i) {
      ImGui::PushID(int(i));
      if (small_button(ui, fmt::format("across.remove.{}", i), icon_or(icons::close, "\u00d7"), "")) removed = i;
      ImGui::SameLine();
      text_cut(to_text(problems[i]), ImGui::GetContentRegionAvail().x, colours::text, fonts.mono);
      ImGui::PopID();
    }
  bench.jobs.problems.remove(removed);
}

void tell_bar(const Workbench& bench, const AcrossBar& bar) {
  std::vector<std::string> lines;
  if (bar.measured()) {
    lines = point_lines(bench, bar);
  } else {
    const char* yet = bench.jobs.now.running ? "Not measured yet." : "Not measured: Measure all does that.";
    lines = {"no bar", to_text(bench.jobs.problems.all()[bar.problem]), bar.why.empty() ? yet : bar.why};
  }
  lines_tip(series_style(bar.pin->slot), bench.name_of(*bar.pin), lines);
}

void chart(Ui& ui) {
  Workbench& bench = ui.bench;
  const Metric metric = bench.request.metric;
  const std::vector<const Pin*> pins = drawn_pins(bench.pins, nullptr);
  const AcrossChart bars = across_chart(bench.pins, bench.jobs.problems.all(), bench.log, metric);
  const auto told = [](const AcrossBar& b) { return b.measured() || b.state != PointState::unmeasured; };
  if (std::ranges::none_of(bars.bars, told))
    return empty_hint("Nothing measured yet", "Measure all takes each pinned config on every problem of the list.");
  pin_legend(ui, "across.legend", {}, pins, nullptr, "Click to show or hide it.");
  Plot plot("##across");
  if (!plot.open()) return;
  const size_t count = std::min(bench.jobs.problems.all().size(), kChartProblems);
  const float room = std::max(px(40), plot.max.x - plot.min.x - px(64)) / (float(std::max<size_t>(1, count)) + 0.2f);
  // As many names as have room, the shape over the rest.
  std::vector<Tick> labels;
  float widest = px(60);
  for (size_t i = 0; i < count; ++i) {
    std::string name = to_text(bench.jobs.problems.all()[i]);
    if (const size_t rest = name.find(':'); rest != name.npos && width_of(fonts.body, name) + px(8) > room)
      name[rest] = '\n';
    labels.push_back({double(i), name});
    widest = std::max(widest, ImGui::CalcTextSize(labels.back().text.c_str()).x + px(4));
  }
  const size_t every = std::max<size_t>(1, size_t(std::ceil(widest / room)));
  std::erase_if(labels, [&](const Tick& t) { return size_t(t.at) % every != every / 2; });
  plot.axes({"", Range::of(-0.6, double(std::max<size_t>(1, count)) - 0.4), false, [labels](int) { return labels; }},
            metric_axis(bars.y, bars.log, metric), 150, ImPlotAxisFlags_NoGridLines);
  const Frame& f = plot.frame;
  for (const ChartSeries& one : across_series(bars, pins, [](const Pin&) { return ""; })) draw_series(f, one);
  ImPlot::PushPlotClipRect();
  for (const AcrossBar& bar : bars.bars)
    if (bar.measured()) {
      const double below = bar.y - bar.low, above = bar.high - bar.y;
      ImPlot::SetNextErrorBarStyle(ImGui::ColorConvertU32ToFloat4(colours::text), px(6), px(1));
      ImPlot::PlotErrorBars("spread", &bar.x, &bar.y, &below, &above, 1);
    } else if (bar.state != PointState::unmeasured)
      draw_cross(ImPlot::GetPlotDrawList(), {f.pixel(bar.x, f.y.high).x, f.max.y - px(7)}, px(3),
                 series_style(bar.pin->slot).colour);
  ImPlot::PopPlotClipRect();
  const bool hovered = plot.close(ui, "across.plot");
  for (size_t i = 0; i < std::min(bars.bars.size(), kNamedBars); ++i) {
    const AcrossBar& bar = bars.bars[i];
    const ImVec2 left = f.pixel(bar.x - bars.bar_width / 2, f.y.high),
                 right = f.pixel(bar.x + bars.bar_width / 2, f.y.low);
    ui.mark(fmt::format("across.bar.{}.{}", bar.pin->id, bar.problem), left, right);
  }
  if (!hovered || !plot.over_data()) return;
  const AcrossBar* bar = bar_at(bars, f.x_at(ImGui::GetIO().MousePos.x));
  if (!bar) return;
  tell_bar(bench, *bar);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) bench.request.set_problem(bench.jobs.problems.all()[bar->problem]);
}

void draw_across(Ui& ui) {
  const float list = std::min(px(236), ImGui::GetContentRegionAvail().x * 0.4f);
  column("across.list", list, [&] { problem_list(ui); });
  ImGui::SameLine();
  if (!ui.bench.pins.empty() && drawn_pins(ui.bench.pins, nullptr).empty())
    return empty_hint("All rows are hidden", "Click the swatch of a row in Compare to draw it.");
  if (ui.bench.pins.empty())
    return empty_hint("Nothing pinned yet", "Pin some configs (P), then measure them all on the problems at the left.");
  column("across.chart", 0, [&] { chart(ui); });
}

void dump_across(const Workbench& bench, Json& j) {
  const auto bars = across_chart(bench.pins, bench.jobs.problems.all(), bench.log, Metric::time).bars;
  j["bars"] = std::count_if(bars.begin(), bars.end(), [](const AcrossBar& b) { return b.measured(); });
}

}  // namespace

const PanelView bars_view = {"bars", "Problems", draw_across, dump_across};
const PanelView* const across_views[] = {&bars_view, &scaling_view};

const Panel across_panel = {.name = "across", .title = "Across", .views = across_views};

}  // namespace attnscope::gui
