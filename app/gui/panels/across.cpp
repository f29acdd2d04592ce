// The pinned configs across problems: grouped bars on a list of them, and time or rate along an axis of the problem.

#include <implot.h>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

namespace {

struct ScalingState {
  TextDraft values;
  Memo<ScalingKey, DrawnScaling> drawn;
};

constexpr float kControls = 236;
constexpr size_t kNamedPoints = 512;
constexpr size_t kChecked = 64;  ///< points that a worker looks at before they are measured: no more holds it up

const DrawnScaling& drawn_scaling(Ui& ui, const std::vector<uint32_t>& values) {
  constexpr double kPeriod = 0.25;  // seconds from one plot to the next while only the live point moves
  const Workbench& bench = ui.bench;
  ScalingKey key{bench.scaling_rows(),    bench.request.selection.problem,
                 bench.jobs.scaling.axis, values,
                 bench.request.metric,    bench.jobs.scaling.log,
                 bench.log.version(),     bench.device_state.version(),
                 bench.pins.version(),    bench.live.timed() ? 1 + uint64_t(bench.now() / kPeriod) : 0};
  for (ScaleRow& row : key.rows)
    if (row.live) row.own = nullptr;
  return ui.states.of<ScalingState>().drawn(std::move(key), [&] {
    ScalingPlot plot = scaling_plot(bench.scaling_rows(), bench.scaling_problems(), bench.log, bench.pins,
                                    bench.device_state, bench.request.metric, bench.jobs.scaling.log);
    std::vector<ChartSeries> series = scaling_series(plot);
    const Job::Items due = bench.device_state.device ? bench.scaling_items() : Job::Items{};
    DrawnScaling drawn{std::move(plot), std::move(series), due.size(), {}};
    for (const Job::Item& item : std::span(due).first(std::min(due.size(), kChecked)))
      drawn.also.push_back(item.selection);
    return drawn;
  });
}

/// Of a curve, in names of widgets.
std::string id_of(const ScaleCurve& curve) { return curve.live ? "live" : fmt::format("pin{}", curve.id); }

void axis_row(Ui& ui, float width) {
  Scaling& s = ui.bench.jobs.scaling;
  const auto names = mapped(kScaleAxes, [](ScaleAxis axis) { return std::string(name_of(axis)); });
  const auto why_not = [&](size_t i) {
    const Result<uint32_t> value = value_on(ui.bench.request.selection.problem, kScaleAxes[i]);
    return value ? std::string() : value.error().message;
  };
  const int chosen = segmented(ui, "scaling.axis", names, int(s.axis), width, why_not, fonts.small, names);
  if (chosen < 0 || kScaleAxes[chosen] == s.axis) return;
  s.axis = kScaleAxes[chosen];
  s.chosen.clear();
}

void values_field(Ui& ui, const std::vector<uint32_t>& values) {
  Scaling& s = ui.bench.jobs.scaling;
  const Problem& problem = ui.bench.request.selection.problem;
  const auto take = [&](const std::string& text) -> Result<void> {
    auto parsed = TRY(parse_values(text));
    const bool software = ui.bench.device_state.software();
    s.chosen = parsed == default_values(problem, s.axis, software) ? std::vector<uint32_t>{} : std::move(parsed);
    return {};
  };
  TextDraft& draft = ui.states.of<ScalingState>().values;
  draft_field(ui, "scaling.values", draft, -FLT_MIN,
              fmt::format("{}: the values along the axis, at most {}. Empty: powers of two around the problem's own.",
                          title(s.axis), kScaleValues),
              take, [&] {
                const std::string text = values_text(values);
                return std::pair(fmt::format("{} {}", name_of(s.axis), text), text);
              });
  if (!draft.error.empty()) wrapped_in(colours::bad, draft.error);
}

bool has(const ScalingPlot& plot, const auto& what) {
  return std::ranges::any_of(plot.curves, [&](const ScaleCurve& c) { return std::ranges::any_of(c.points, what); });
}

/// How far the job that runs is.
void job_progress(Ui& ui) {
  const JobState& job = ui.bench.jobs.now;
  meter(float(job.done) / float(std::max<size_t>(1, job.total)), colours::accent);
  wrapped_in(colours::soft, how_far(job, ui.bench.now()));
}

void job_controls(Ui& ui, const char* cancel) {
  cancel_button(ui, cancel, "Cancel", "Stop after the samples in flight; what is measured is kept");
  job_progress(ui);
}

void measure_row(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.jobs.runs(JobKind::scaling)) return job_controls(ui, "scaling.cancel");
  const size_t due = ui.states.of<ScalingState>().drawn.value().due;
  const bool busy = bench.jobs.now.running || bench.search.measuring();
  const std::string label = due == 1 ? "Measure 1 point" : fmt::format("Measure {} points", due);
  const char* none = has(ui.states.of<ScalingState>().drawn.value().plot, &ScalePoint::measured) ? "All is measured"
                                                                                                 : "Nothing to measure";
  if (button(ui, "scaling.measure", due == 0 ? none : (label + "###scaling.measure").c_str(),
             busy ? "Something else is being measured."
                  : "Measure what is not known yet of the pins and of the config that is shown, small problems first. "
                    "Live sampling pauses meanwhile.",
             due > 0 && !busy, true))
    ui.requests.job = bench.measure_scaling();
}

void names_above(Ui& ui, const ScalingPlot& plot) {
  std::vector<LegendEntry> first;
  for (const ScaleCurve& c : plot.curves)
    if (c.live) first.push_back({"scaling.legend.live", c.name, c.style, true, c.name + "\nWhat is shown now."});
  pin_legend(ui, "scaling.legend", std::move(first), drawn_pins(ui.bench.pins, nullptr), nullptr,
             "Click to show or hide it.");
}

/// Where the cross of a point that is missing stands: those of several curves beside each other.
ImVec2 missing_at(const ScalingPlot& plot, const Frame& f, size_t curve, const ScalePoint& p) {
  const auto curves = float(plot.curves.size());
  return {f.pixel(p.x, f.y.low).x + (float(curve) - (curves - 1) / 2) * std::min(px(9), px(60) / curves),
          f.max.y - px(8)};
}

bool is_missing(const ScalePoint& p) { return !p.measured() && p.state != PointState::unmeasured; }

/// What a point of a plot of runs is: its rate or time, and of what.
std::vector<std::string> point_lines(const Workbench& bench, const RunPoint& p) {
  const Record& r = *p.record;
  const Metric metric = bench.request.metric;
  std::vector<std::string> lines = {metric_text(metric, p.y), to_text(r.problem), bench.short_name(r.variant, r.config),
                                    fmt::format("p20\u2013p80 {} \u2013 {}, {} samples", metric_text(metric, p.low),
                                                metric_text(metric, p.high), count_text(r.statistics->count)),
                                    verdict_of(r)};
  if (!bench.device_state.device || !same_device(*bench.device_state.device, r.environment.device))
    lines.push_back("on " + r.environment.device.name);
  if (metric != Metric::time) lines.push_back(time_text(r.statistics->median));
  return lines;
}

void chart(Ui& ui, const std::vector<uint32_t>& values) {
  Workbench& bench = ui.bench;
  const ScalingPlot& plot = ui.states.of<ScalingState>().drawn.value().plot;
  const bool any = has(plot, &ScalePoint::measured);
  if (!any && !has(plot, is_missing))
    return empty_hint("Nothing measured along this axis yet", "Measure does that; pin configs (P) to compare them.");
  names_above(ui, plot);
  Plot drawn("##scaling");
  if (!drawn.open()) return;
  const float room = (drawn.max.x - drawn.min.x) * 0.85f,
              wide = width_of(fonts.body, count_text(values.empty() ? 0 : values.back())) + px(10);
  ChartAxis y = metric_axis(plot.y, plot.log, bench.request.metric);
  if (!any) y.ticks = nullptr;
  drawn.axes({title(bench.jobs.scaling.axis), plot.x, false, [&](int) { return value_ticks(values, room, wide); }}, y);
  const Frame& f = drawn.frame;
  ImPlot::PushPlotClipRect();
  for (const ChartSeries& series : ui.states.of<ScalingState>().drawn.value().series) draw_series(f, series);
  for (size_t k = 0; k < plot.curves.size(); ++k)
    for (const ScalePoint& p : plot.curves[k].points)
      if (is_missing(p))
        draw_cross(ImPlot::GetPlotDrawList(), missing_at(plot, f, k, p), px(3),
                   p.state == PointState::refused ? plot.curves[k].style.colour : colours::bad);
  ImPlot::PopPlotClipRect();
  const bool hovered = drawn.close(ui, "scaling.plot");
  size_t named = 0;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (size_t k = 0; k < plot.curves.size(); ++k)
    for (const ScalePoint& p : plot.curves[k].points) {
      const ScaleCurve& curve = plot.curves[k];
      const bool missing = is_missing(p);
      if ((!p.measured() && !missing) || ++named > kNamedPoints) continue;
      const ImVec2 at = missing ? missing_at(plot, f, k, p) : f.pixel(p.x, p.y);
      ui.mark(fmt::format("scaling.{}.{}.{}", missing ? "missing" : "point", id_of(curve), p.value),
              {at.x - px(4), at.y - px(4)}, {at.x + px(4), at.y + px(4)});
      if (!hovered || !missing || std::abs(mouse.x - at.x) >= px(5) || std::abs(mouse.y - at.y) >= px(6)) continue;
      const std::vector<std::string> lines = {
          fmt::format("no point at {} {}", title(bench.jobs.scaling.axis), count_text(p.value)), p.why};
      return lines_tip(curve.style, curve.name, lines);
    }
  if (!hovered) return;
  const auto [curve, point] = point_at(plot, f, mouse, px(12));
  if (!curve) return;
  lines_tip(curve->style, curve->name, point_lines(bench, *point));
  // A click goes to that problem, and to the config where it is one of here.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) bench.request.set_problem(point->record->problem);
}

void draw_scaling(Ui& ui) {
  Workbench& bench = ui.bench;
  const Problem& problem = bench.request.selection.problem;
  const std::vector<uint32_t> values = bench.jobs.scaling.values(problem, bench.device_state.software());
  // What was asked for stays so: another request begins the live run again.
  const std::vector<Selection>& due = drawn_scaling(ui, values).also;
  auto& asked = bench.request.also;
  if (!std::ranges::all_of(due, [&](const Selection& s) { return contains(asked, s); })) asked = due;
  column("scaling.controls", std::min(px(kControls), ImGui::GetContentRegionAvail().x * 0.52f), [&] {
    axis_row(ui, ImGui::GetContentRegionAvail().x);
    values_field(ui, values);
    measure_row(ui);
    check_box(ui, "scaling.log", "log", bench.jobs.scaling.log, "A logarithmic value axis");
  });
  ImGui::SameLine();
  if (const Result<uint32_t> own = value_on(problem, bench.jobs.scaling.axis); !own)
    return empty_hint("No such axis here", own.error().message);
  column(
      "scaling.chart", 0, [&] { chart(ui, values); }, false);
}

struct AcrossState {
  std::string problem, error;    ///< to be added, and why it was not
  std::vector<Problem> removed;  ///< all at once
};

constexpr size_t kNamedBars = 512;

/// In one row where that has room: the list below has the height.
void list_controls(Ui& ui) {
  Workbench& bench = ui.bench;
  auto& [typed, error, removed_all] = ui.states.of<AcrossState>();
  const std::vector<Problem>& problems = bench.jobs.problems.all();
  // Another job, along an axis or over a result's errors, has its own panel.
  const bool busy = bench.jobs.now.running;
  if (bench.jobs.runs(JobKind::all))
    cancel_button(ui, "across.cancel", "Cancel", "Stop after the samples in flight; what is measured is kept");
  else if (button(ui, "across.measure", "Measure all",
                  busy ? "Something else is being measured."
                       : "Measure every pinned config on every problem of this list (M)",
                  bench.pins.any_own() && !problems.empty() && !busy, true, button_width("Cancelling\u2026")))
    ui.requests.job = bench.measure_all();
  flow(px(200));
  const bool entered = text_field(ui, "across.add", "add a problem, then Enter", typed, px(200));
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
  const auto offered = [&](const char* id, const std::string& label) {
    flow(button_width(label));
    return button(ui, id, label, nullptr);
  };
  if (!bench.jobs.problems.listed(bench.request.selection.problem) &&
      offered("across.add_current", "Add the current problem"))
    bench.jobs.problems.add(bench.request.selection.problem);
  if (problems.size() > 1 && offered("across.clear", with_icon(icons::trash, "Remove all"))) {
    removed_all = problems;
    bench.jobs.problems.set_problems({});
  } else if (problems.empty() && !removed_all.empty() && offered("across.restore", "Bring them back")) {
    bench.jobs.problems.set_problems(std::exchange(removed_all, {}));
  }
  if (!error.empty()) wrapped_in(colours::bad, error);
}

void problem_list(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::vector<Problem>& problems = bench.jobs.problems.all();
  if (bench.jobs.runs(JobKind::all)) job_progress(ui);
  if (problems.size() > kChartProblems)
    wrapped_in(colours::soft, fmt::format("The chart shows the first {} of {}.", kChartProblems, problems.size()));
  size_t removed = problems.size();
  rows_in_view(problems.size(), [&](size_t i) {
    ImGui::PushID(int(i));
    if (small_button(ui, fmt::format("across.remove.{}", i), icon_or(icons::close, "\u00d7"), "")) removed = i;
    ImGui::SameLine();
    text_cut(to_text(problems[i]), ImGui::GetContentRegionAvail().x, colours::text, fonts.mono);
    ImGui::PopID();
  });
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
    return empty_hint(bench.jobs.runs(JobKind::all) ? "Measuring\u2026" : "Nothing measured yet",
                      "Measure all takes each pinned config on every problem of the list.");
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
  list_controls(ui);
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
  j["bars"] = std::ranges::count_if(bars, &AcrossBar::measured);
}

}  // namespace

const PanelView scaling_view = {"scaling", "Scaling", draw_scaling, nullptr};

void cancel_button(Ui& ui, const char* id, const std::string& label, const char* tip) {
  const bool already = ui.bench.jobs.now.cancelled;
  ui.requests.cancel_job |= button(ui, id, already ? "Cancelling\u2026" : label, tip, !already, false,
                                   std::max(button_width(label), button_width("Cancelling\u2026")));
}

const PanelView bars_view = {"bars", "Problems", draw_across, dump_across};
const PanelView* const across_views[] = {&bars_view, &scaling_view};

const Panel across_panel = {.name = "across", .title = "Across", .views = across_views};

}  // namespace attnscope::gui
