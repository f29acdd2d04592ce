// Live timing: the headline numbers, and a plot of the samples with their rolling median and p20-p80 band.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/explain.hpp"
#include "app/gui/panels/compare_table.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/timing_parts.hpp"
#include "app/gui/plot/across_chart.hpp"
#include "app/gui/plot/beside_tag.hpp"
#include "app/gui/plot/timing_plot.hpp"
#include "app/gui/plot_widgets.hpp"
#include "app/gui/state/words.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string state_text(const Workbench& bench) {
  if (const VariantInfo* v = bench.current_variant(); v && !v->error.empty()) return "did not load";
  const Live* live = bench.shown();
  if (bench.asked.paused && (!live || live->stage.empty())) return "paused";
  if (const std::string job = bench.job_text(); !job.empty()) return "waiting: " + job;
  if (bench.searched.measuring()) return "waiting: a search";
  if (!live || live->stage == "start") return "starting";
  if (live->stage.empty()) return "stopped";
  return live->stage == "sample" ? "sampling" : live->stage;
}

/// The card has so little height that the plot needs all of it: what can be done without gives way.
bool low() { return ImGui::GetWindowHeight() < px(240); }
/// So little that the headline and the controls share one line; what of both has no room there is on hover.
bool lowest() { return ImGui::GetWindowHeight() < px(190); }

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

/// How the median moved from the config before, with both named on hover.
void tell_change(Ui& ui, const Change& c, bool named = true) {
  const Workbench& bench = ui.bench;
  const Metric metric = bench.asked.metric;
  const std::string text = change_text(c, metric, bench.work());
  ImGui::BeginGroup();
  // Coloured where the samples say so, not by a bare percentage.
  const bool agrees = (c.word.relation == Relation::faster) == (c.now_ns < c.before_ns);
  text_in(fonts.mono, agrees ? relation_colour(c.word.relation) : colours::soft, text);
  if (named) ImGui::SameLine(0, px(5));
  if (named)
    text_cut("from " + c.before_name, std::max(px(60), ImGui::GetContentRegionAvail().x), colours::faint, fonts.small,
             false);
  ImGui::EndGroup();
  ui.mark("timing.change");
  tip_for_last(
      fmt::format("{}\n  {} of {} samples\n{}\n  {} of {} samples\n\nThis one is {}{}. Both runs were verified, and "
                  "sampled for as long as the protocol asks.",
                  c.before_name, time_text(c.before_ns), count_text(c.before_count), c.now_name, time_text(c.now_ns),
                  count_text(c.now_count), relation_text(c.word), c.word.reason.empty() ? "" : ": " + c.word.reason));
}

/// p20 and p80, the smaller first as a rate too.
std::string spread_text(const Workbench& bench, const Statistics& s) {
  const Metric metric = bench.asked.metric;
  const double a = metric == Metric::time ? s.p20 : s.p80, b = metric == Metric::time ? s.p80 : s.p20;
  return fmt::format("{} \u2013 {}", metric_text(metric, in_metric(metric, a, bench.work())),
                     metric_text(metric, in_metric(metric, b, bench.work())));
}

/// How many there are, and of how many of them the numbers beside are.
std::string count_of(const Series& series) {
  const uint64_t of = series.statistics()->count;
  return of < series.taken() ? fmt::format("newest {} of {}", count_text(of), count_text(series.taken()))
                             : count_text(series.taken());
}

/// All that the headline says where it has room, to be read on hover.
std::string headline_tip(const Workbench& bench) {
  std::string tip = explain::timing::median;
  if (!bench.timed()) return tip;
  const Series& series = bench.timed()->series;
  const Statistics& s = *series.statistics();
  tip += fmt::format("\n\np20\u2013p80 {}\nsamples {}\nmin {}, mean {}\nnoise {:.2f} %, drift {:+.1f} %",
                     spread_text(bench, s), count_of(series), time_text(s.min), time_text(s.mean), s.noise * 100,
                     s.drift * 100);
  if (const Change* c = bench.change())
    tip += fmt::format("\n{} from {}", change_text(*c, bench.asked.metric, bench.work()), c->before_name);
  return tip;
}

void state_lamp(const Workbench& bench);
void controls(Ui& ui);

/// Number, controls, change, spread and state in one line, each as far as there is room.
void one_line(Ui& ui) {
  const Workbench& bench = ui.bench;
  const auto shown = headline_of(bench);
  const float left = ImGui::GetCursorPosX();
  const std::string number = shown ? shown->value + " " + shown->unit : "\u2014";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width_of(fonts.title, number), ImGui::GetFrameHeight()});
  ImGui::GetWindowDrawList()->AddText(fonts.title, fonts.title->FontSize,
                                      {at.x, at.y + (ImGui::GetFrameHeight() - fonts.title->FontSize) / 2},
                                      shown ? colours::text : colours::faint, number.c_str());
  ui.mark("timing.median");
  tip_for_last(headline_tip(bench));
  // The controls stay where they are, whatever the number.
  ImGui::SameLine(left + width_of(fonts.title, "8.88 TFLOP/s") * (bench.asked.metric == Metric::time ? 0.66f : 1));
  controls(ui);
  if (shown) {
    const float rest = ImGui::GetContentRegionMax().x - ImGui::GetItemRectMax().x + ImGui::GetWindowPos().x - px(36);
    const Change* change = bench.change();
    const std::string text = change ? change_text(*change, bench.asked.metric, bench.work())
                                    : spread_text(bench, *bench.timed()->series.statistics());
    if (width_of(fonts.mono, text) + px(14) <= rest) {
      ImGui::SameLine(0, px(14));
      ImGui::AlignTextToFramePadding();
      if (change)
        tell_change(ui, *change, false);
      else
        text_in(fonts.mono, colours::soft, text);
      if (!change) ui.mark("timing.p20_p80");
      if (!change) tip_for_last(explain::timing::p20_p80);
    }
  }
  state_lamp(bench);
}

void headline(Ui& ui) {
  Workbench& bench = ui.bench;
  const auto shown = headline_of(bench);
  text_in(fonts.number, shown ? colours::text : colours::faint, shown ? shown->value : "\u2014");
  ui.mark("timing.median");
  tip_for_last(low() ? headline_tip(bench) : explain::timing::median);
  if (!shown) return;
  ImGui::SameLine(0, px(6));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + fonts.number->FontSize - fonts.body->FontSize - px(4));
  text_in(fonts.body, colours::soft, shown->unit);
  const Series& series = bench.timed()->series;
  const Statistics& s = *series.statistics();
  const Metric metric = bench.asked.metric;
  ImGui::SameLine(0, px(20));
  ImGui::BeginGroup();
  bool first = true;
  const auto pair = [&](const char* id, const char* label, const std::string& text, const char* tip) {
    ImGui::PushFont(fonts.mono);
    float width = ImGui::CalcTextSize(text.c_str()).x + px(5);
    ImGui::PopFont();
    ImGui::PushFont(fonts.small);
    width += ImGui::CalcTextSize(label).x;
    ImGui::PopFont();
    if (!first) flow(width);
    first = false;
    ImGui::BeginGroup();
    text_in(fonts.small, colours::faint, label);
    ImGui::SameLine(0, px(5));
    text_in(fonts.mono, colours::soft, text);
    ImGui::EndGroup();
    ui.mark(id);
    tip_for_last(tip);
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(16), px(2)});
  if (const Change* change = bench.change()) {
    tell_change(ui, *change);
    first = false;
  }
  pair("timing.p20_p80", "p20\u2013p80", spread_text(bench, s), explain::timing::p20_p80);
  pair("timing.samples", "samples", count_of(series), explain::timing::samples);
  if (low()) {
    ImGui::PopStyleVar();
    return ImGui::EndGroup();
  }
  // Of times, whatever the metric: the mean of rates would be another number.
  const bool rates = metric != Metric::time;
  pair("timing.min", rates ? "shortest" : "min", time_text(s.min), explain::timing::min);
  pair("timing.mean", rates ? "mean time" : "mean", time_text(s.mean), explain::timing::mean);
  pair("timing.noise", "noise", fmt::format("{:.2f} %", s.noise * 100), explain::timing::noise);
  pair("timing.drift", "drift", fmt::format("{:+.1f} %", s.drift * 100), explain::timing::drift);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

float button_width(const char* label) { return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x; }
float check_width(const char* label) {
  return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
}

/// What the measuring is doing, at the right edge: in a line of the controls, or where height is scarce beside the
/// headline.
void state_lamp(const Workbench& bench) {
  const std::string state = state_text(bench);
  float state_width = ImGui::GetTextLineHeight() + px(4) + ImGui::CalcTextSize(state.c_str()).x;
  ImGui::SameLine();
  // The lamp alone says it where its word would not fit: a line of its own would come and go with the word.
  const bool named = ImGui::GetContentRegionAvail().x >= state_width;
  if (!named) state_width = ImGui::GetTextLineHeight();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowContentRegionMax().x - state_width));
  lamp(state == "sampling"                       ? colours::good
       : state == "did not load"                 ? colours::bad
       : state == "stopped" || state == "paused" ? colours::faint
                                                 : colours::accent,
       true);
  tip_for_last(state);
  if (!named) return;
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  text_in(fonts.body, colours::soft, state);
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  // In one line with the headline and the lamp, smaller where it is narrow.
  const bool small = lowest() && ImGui::GetContentRegionAvail().x < px(330);
  const float width = std::min(px(small ? 148 : 192), ImGui::GetContentRegionAvail().x);
  const int metric = segmented(ui, "metric", {"Time", "TFLOP/s", "GB/s"}, int(bench.asked.metric), width, {},
                               small ? fonts.small : nullptr, {"time", "tflops", "gbps"});
  if (metric >= 0) bench.asked.metric = Metric(metric);
  flow(button_width("Pin"));
  if (button(ui, "pin", "Pin", "Keep this config's curve to compare with (P)", bench.can_pin(), false)) bench.pin();
  flow(check_width("log"));
  if (bool log = bench.view.log(); ImGui::Checkbox("log", &log)) bench.view.set_log(log);
  ui.mark("timing.log");
  tip_for_last(explain::timing::log);
  if (!low()) {
    flow(check_width("spread"));
    ImGui::Checkbox("spread", &bench.shape.distribution);
    ui.mark("timing.spread");
    tip_for_last("How the samples are distributed, beside the curve.");
  }
  const bool follows = bench.view.follows() || !bench.timed();
  if (!low()) {
    flow(check_width("pins"));
    ImGui::Checkbox("pins", &ui.layout.show_pins);
    ui.mark("timing.pins");
    tip_for_last("Show the pinned curves of the same problem too.");
  }
  if (!low() || !follows) {
    flow(button_width("Follow"));
    if (button(ui, "timing.follow", "Follow", explain::timing::follow, !follows, !follows)) bench.view.follow();
  }
  // Where it would take the state's place, the plot's own menu saves too.
  const float rest = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - ImGui::GetItemRectMax().x;
  if (!low() && rest >= button_width("Save") + ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().ItemSpacing.x) {
    flow(button_width("Save"));
    if (button(ui, "timing.save", "Save",
               "Save this plot as PNG in the current folder; a right click has SVG and CSV too"))
      ui.requests.out.push_back({WayOut::Form::png, "timing.plot"});
  }
}

/// Above the plot, never on it. The pins' entries switch their curves.
/// `before`: what the dashed level is, "" = there is none.
void names(Ui& ui, const std::vector<const Pin*>& drawn, size_t left_out, const std::string& before) {
  Workbench& bench = ui.bench;
  std::vector<LegendEntry> entries = {{"timing.legend.live", "live", live_style(), true, explain::timing::live}};
  if (!before.empty())
    entries.push_back({"timing.legend.before",
                       before,
                       {colours::soft, Dash::dashed},
                       true,
                       before + "\nThe median of the config that was shown before this one."});
  const size_t first = entries.size();
  std::vector<const Pin*> pins;
  if (ui.layout.show_pins)
    for (const Pin& p : bench.pins.all()) {
      if (p.record->problem != bench.asked.ask.problem || entries.size() > 4 * kSeriesStyles) continue;
      if (p.shown && std::find(drawn.begin(), drawn.end(), &p) == drawn.end()) continue;
      const std::string name = bench.name_of(p);
      entries.push_back({fmt::format("timing.legend.{}", p.id), name, series_style(p.slot), p.shown,
                         name + "\n" + explain::timing::pin});
      pins.push_back(&p);
    }
  // The plot keeps most of the height.
  const int rows = std::max(1, int(ImGui::GetContentRegionAvail().y * 0.25f / px(18)));
  const int clicked = legend(ui, "timing.legend", entries, rows, left_out);
  if (clicked < int(first)) return;
  const Pin& pin = *pins[size_t(clicked) - first];
  bench.pins.show(pin.id, !pin.shown);
}

/// Little triangles where samples lie beyond an edge, and how many they are.
/// `told`: there is room for the count that it would not take from the curve.
void draw_outside(const Frame& f, const std::vector<double>& x, uint64_t count, bool above, bool told) {
  if (count == 0) return;
  const ImU32 colour = live_style().colour;
  const float size = px(4), edge = above ? f.min.y + px(1) : f.max.y - px(1), away = above ? size * 1.5f : -size * 1.5f;
  ImDrawList* draw = ImPlot::GetPlotDrawList();
  float last = -INFINITY;
  ImPlot::PushPlotClipRect();
  for (double at : x) {
    const float middle = f.pixel(at, f.y.low).x;
    if (middle - last < size) continue;
    last = middle;
    draw->AddTriangleFilled({middle, edge}, {middle - size, edge + away}, {middle + size, edge + away}, colour);
  }
  if (!told) return ImPlot::PopPlotClipRect();
  const std::string text = fmt::format("{} {}", count_text(count), above ? "above" : "below");
  ImGui::PushFont(fonts.small);
  const ImVec2 room = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at{f.max.x - room.x - px(8), above ? f.min.y + px(9) : f.max.y - px(9) - room.y};
  draw->AddRectFilled({at.x - px(4), at.y - px(1)}, {at.x + room.x + px(4), at.y + room.y + px(1)},
                      with_alpha(colours::panel, 0.85f), px(3));
  draw->AddText(at, colours::soft, text.c_str());
  ImGui::PopFont();
  ImPlot::PopPlotClipRect();
}

void draw_live(const TimingPlot& p, const Frame& f) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(live_style().colour);
  const Rolling& r = p.rolling;
  if (r.x.empty()) return;
  ImPlot::SetNextFillStyle(c, 0.22f);
  ImPlot::PlotShaded("band", r.x.data(), r.low.data(), r.high.data(), int(r.x.size()));
  draw_series(f, r.x, r.median, live_style(), px(2));
  ImPlot::SetNextMarkerStyle(ImPlotMarker_Square, px(p.in_view < 100 ? 2.f : 1.3f), {c.x, c.y, c.z, 0.75f}, 0);
  ImPlot::PlotScatter("samples", p.sample_x.data(), p.sample_y.data(), int(p.sample_x.size()));
  const float high = f.max.y - f.min.y;
  draw_outside(f, p.above, p.count_above, true, high >= px(p.count_below > p.count_above ? 56 : 40));
  draw_outside(f, p.below, p.count_below, false, high >= px(p.count_below > p.count_above ? 40 : 56));
}

void tell_nearest(Ui& ui, const TimingPlot& p, const Frame& f) {
  const Workbench& bench = ui.bench;
  const Series& series = bench.timed()->series;
  const Metric metric = bench.asked.metric;
  const auto found = nearest(p, f, bench.view, series, metric, bench.work(), ImGui::GetIO().MousePos);
  if (!found) return;
  const SeriesStyle style = found->pin ? series_style(found->pin->slot) : live_style();
  ImGui::GetWindowDrawList()->AddCircle(found->at, px(5), colours::text, 0, px(1.5f));
  ui.mark("timing.nearest", found->at, found->at);
  std::vector<std::string> lines = {metric_text(metric, found->value)};
  const size_t of = found->pin ? found->pin->record->samples_ns.size() : 0;
  const auto curve = std::find_if(p.pins.begin(), p.pins.end(), [&](const PinCurve& c) { return c.pin == found->pin; });
  if (curve != p.pins.end() && curve->few) {
    lines.push_back(fmt::format("median of its {} samples, which are too few to show how it went", count_text(of)));
    if (found->value > p.y.high || found->value < p.y.low)
      lines.push_back(
          fmt::format("{} the edge: the axis follows the live samples", found->value > p.y.high ? "above" : "below"));
  } else if (found->pin) {
    lines.push_back(fmt::format("rolling median around sample {} of {}", count_text(found->sample), count_text(of)));
  } else {
    const double median = in_metric(metric, series.statistics()->median, bench.work());
    lines.push_back(fmt::format("sample {}", count_text(found->sample)));
    if (median > 0)
      lines.push_back(fmt::format("{:.1f} % {} the median", std::abs(found->value / median - 1) * 100,
                                  found->value < median ? "below" : "above"));
    if (found->value > p.y.high || found->value < p.y.low) lines.emplace_back(explain::timing::outside);
  }
  series_tip(style, found->pin ? bench.name_of(*found->pin) : "live", lines);
}

/// Wheel and drag: over an axis along that one alone.
void move_view(Ui& ui, const Frame& f, bool hovered) {
  PlotView& view = ui.bench.view;
  const Series& series = ui.bench.timed()->series;
  const ImGuiIO& io = ImGui::GetIO();
  const auto over = [&](ImVec2 at) { return std::pair{at.x >= f.min.x, at.y <= f.max.y}; };
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return view.follow();
  if (hovered && io.MouseWheel != 0) {
    const auto [x, y] = over(io.MousePos);
    const float at_x = std::clamp(io.MousePos.x, f.min.x, f.max.x), at_y = std::clamp(io.MousePos.y, f.min.y, f.max.y);
    view.zoom(f, f.x_at(at_x), f.y_at(at_y), std::pow(0.85, double(io.MouseWheel)), x, y, series);
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    const auto [x, y] = over(io.MouseClickedPos[0]);
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)
      view.pan(f, x ? io.MouseDelta.x : 0, y ? io.MouseDelta.y : 0, series);
  }
}

void plot(Ui& ui) {
  Workbench& bench = ui.bench;
  const Series& series = bench.timed()->series;
  const Work work = bench.work();
  const Metric metric = bench.asked.metric;
  PlotView& view = bench.view;
  view.show(bench.asked.ask, bench.asked.modes, metric, series);
  size_t left_out = 0;
  std::vector<const Pin*> pins;
  if (ui.layout.show_pins) pins = drawn_pins(bench.pins, &bench.asked.ask.problem, &left_out);
  const Change* change = bench.change();
  const std::optional<double> before =
      change ? std::optional(in_metric(metric, change->before_ns, work)) : std::nullopt;
  if (ImGui::GetWindowHeight() > px(150))
    names(ui, pins, left_out,
          before ? fmt::format("before: {} {}", change->before_name, metric_text(metric, *before)) : "");
  const ImVec2 origin = ImGui::GetCursorScreenPos(), whole = ImGui::GetContentRegionAvail();
  // What stands beside and below needs room that the curve can spare.
  const bool beside = bench.shape.distribution && whole.x > px(520) && whole.y > px(84);
  const bool below = bench.shape.overview && whole.y > px(112);
  const ImVec2 space{whole.x - (beside ? px(kSpreadWidth) : 0), whole.y - (below ? px(kStripHeight) : 0)};
  const ImVec2 min = origin;
  const ImVec2 max{min.x + std::max(space.x, px(120)), min.y + std::max(space.y, px(40))};
  const TimingPlot p = timing_plot(view, series, metric, work, pins, size_t(std::max(64.f, space.x / px(1))), before);
  ImGui::BeginChild("timing.curve", {max.x - min.x, max.y - min.y}, 0,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!begin_plot("##timing")) return ImGui::EndChild();
  const double median = in_metric(metric, series.statistics()->median, work);
  const bool tagged = median >= p.y.low && median <= p.y.high;
  const float tall = std::max(px(20), max.y - min.y - px(48));
  // The tag of the median stands there.
  const Frame rough{min, {max.x, min.y + tall}, p.x, p.y, p.log};
  const Taken tag{double(rough.max.y - rough.pixel(0, median).y) / tall, tagged ? px(17) / tall : -1};
  const std::vector<Tick> ticks =
      apart(ticks_beside(p.y, p.log, metric, std::max(2, ticks_along(tall, true)), tag), p.y, p.log, px(13) / tall);
  const ImPlotAxisFlags flags = ImPlotAxisFlags_NoHighlight;
  // On a low window the name of the axis would take what the data need.
  ImPlot::SetupAxes(low() ? nullptr : axis_name("sample", max.x - min.x), nullptr, flags, flags);
  if (p.log) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_X1, p.x.low, p.x.high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, p.y.low, p.y.high, ImPlotCond_Always);
  set_ticks(ImAxis_Y1, ticks);
  set_ticks(ImAxis_X1, count_ticks(p.x, ticks_along(max.x - min.x - px(70), false)));
  const Frame f = frame_now(p.x, p.y, p.log);
  size_t outside = 1;  // the place of the config before is the first
  for (const PinCurve& c : p.pins)
    if (c.beyond != 0)
      beyond_axis(f, c.beyond > 0, outside++, series_style(c.pin->slot).colour);
    else
      draw_series(f, c.rolling.x, c.rolling.median, series_style(c.pin->slot), px(1.6f));
  draw_live(p, f);
  if (tagged) {
    const std::vector<double> x = {p.x.low, p.x.high}, y = {median, median};
    draw_series(f, x, y, {with_alpha(live_style().colour, 0.6f), Dash::solid}, px(1));
    ImPlot::TagY(median, ImGui::ColorConvertU32ToFloat4(live_style().colour), "%s",
                 metric_text(metric, median).c_str());
  }
  if (before) level_before(*before, f);
  ImPlot::EndPlot();
  view.drawn_x = p.x;
  view.drawn_y = p.y;
  view.drawn_above = p.count_above;
  view.drawn_below = p.count_below;
  const bool hovered = plot_input(ui, "timing.plot", min, max);
  ui.mark("timing.data", f.min, f.max);
  ui.mark("timing.x", {f.min.x, f.max.y}, max);
  ui.mark("timing.y", min, {f.min.x, f.max.y});
  move_view(ui, f, hovered);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = mouse.x >= f.min.x && mouse.x <= f.max.x && mouse.y >= f.min.y && mouse.y <= f.max.y;
  if (hovered && inside && !ImGui::IsItemActive()) tell_nearest(ui, p, f);
  ImGui::EndChild();
  if (beside) spread_beside(ui, f, {max.x + px(6), f.min.y}, {origin.x + whole.x, f.max.y});
  if (below) overview_strip(ui, {f.min.x, max.y + px(4)}, {f.max.x, origin.y + whole.y}, origin.x + whole.x - f.max.x);
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (lowest()) {
    one_line(ui);
  } else {
    headline(ui);
    if (low()) state_lamp(ui.bench);
    controls(ui);
    if (!low()) state_lamp(ui.bench);
  }
  const Live* live = bench.shown();
  const VariantInfo* variant = bench.current_variant();
  // What did not load is mended, not tried again.
  const bool loads = !variant || variant->error.empty(), lost = loads && live && !live->failure.empty();
  if (lost) {
    lamp(colours::bad);
    ImGui::SameLine();
    ImGui::BeginGroup();
    wrapped_in(colours::bad, live->failure);
    if (button(ui, "retry", "Try again", "Dispatch this config once more; another config can be chosen as well", true,
               true))
      bench.try_again();
    ImGui::EndGroup();
  }
  if (bench.timed()) return plot(ui);
  const Inspection* inspection = bench.current_inspection();
  if (lost) return empty_hint("No samples", "The run broke off: it has no time.");
  if (!loads)
    return empty_hint("This variant did not load",
                      "Mend it and reload (F5); what its earlier version measured is not shown.");
  if (inspection && !inspection->why_not.empty()) return empty_hint(cannot_run(*inspection), inspection->why_not);
  if (live && live->verdict && !live->verdict->pass)
    return empty_hint("Wrong results are not timed", live->verdict->reason);
  if (std::string job = bench.job_text(); !job.empty()) {
    job[0] = char(job[0] - 'a' + 'A');
    return empty_hint(job, "This config is sampled as soon as that is done or cancelled.");
  }
  if (bench.searched.measuring())
    return empty_hint("A search measures", "This config is sampled as soon as the search is done or cancelled.");
  if (bench.asked.paused) return empty_hint("Paused", "Press Space to measure.");
  // Something to look at until this one has samples: what was measured before it, said to be that.
  if (const Record* before = bench.before()) return curve_before(ui, *before, bench.before_samples());
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
  const PlotView& view = bench.view;
  j["view"] = {{"follow", view.follows()},  {"log", view.log()},        {"first", view.drawn_x.low},
               {"last", view.drawn_x.high}, {"low", view.drawn_y.low},  {"high", view.drawn_y.high},
               {"above", view.drawn_above}, {"below", view.drawn_below}};
  dump_timing_parts(bench, j);
  j["metric"] = bench.asked.metric == Metric::time ? "time" : bench.asked.metric == Metric::tflops ? "tflops" : "gbps";
}

}  // namespace

const Panel timing_panel = {"timing", "Timing", Place::centre, draw, dump, 0, false, true};

}  // namespace attnscope::gui
