// Why the config that is shown takes its time: the floor under it, how it fits the device, advice with the parameter it
// names, and the device's roofline with a point for every config of the session.

#include <implot.h>

#include "app/gui/panels/panel.hpp"
#include "engine/record/columns.hpp"

namespace attnscope::gui {
namespace {

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
      if (button(ui, fmt::format("why.take.{}", i).c_str(), to.c_str(), "Take this value, and see"))
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
      if (p.dataset == row->dataset) {
        rows.emplace_back();
        rows.back().record = p.record;
        rows.back().run = p.run;
      }
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
             metric_axis(roofline.y, true, Metric::tflops));
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
    if (const Pin* row = bench.pins.find(bench.pins.selected)) {
      text_cut(bench.name_of(*row), ImGui::GetContentRegionAvail().x, colours::text, fonts.bold);
      fact("median", r->statistics ? time_text(r->statistics->median) : "no samples", colours::text,
           "Of the row selected in Compare.");
    }
    return floor_and_fit(ui, *r);
  }
  wrapped_in(colours::faint, bench.live.shown() && bench.live.shown()->verdict && !bench.live.shown()->verdict->pass
                                 ? "The result is wrong, so it has no timing."
                                 : "No timing yet.");
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
