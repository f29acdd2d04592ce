// Live timing: the headline numbers, the samples with their rolling median and band, and how they are distributed.

#include <implot.h>

#include "app/gui/model/explain.hpp"
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

// Pixels at scale 1.
constexpr float kBars = 66;
constexpr uint64_t kFew = 10;  ///< fewer samples say nothing of noise and drift

void spread_beside(Ui& ui, const Frame& curve, ImVec2 min, ImVec2 max) {
  Workbench& bench = ui.bench;
  const Histogram& h = bench.views.shape.histogram();
  if (h.counts.empty() || max.y - min.y < px(30)) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Metric metric = bench.request.metric;
  const float bars = std::min((max.x - min.x) * 0.4f, px(kBars));
  const ImU32 colour = live_style().colour;
  const auto y_of = [&](double value) { return curve.pixel(curve.x.low, value).y; };
  std::string under;  // the mouse
  draw->AddRectFilled(min, {min.x + bars, max.y}, colours::plot);
  draw->PushClipRect({min.x, min.y}, {max.x, max.y}, true);
  for (size_t i = 0; i < h.counts.size(); ++i) {
    const Range bin = h.bin(i);
    const float top = y_of(bin.high), bottom = y_of(bin.low);
    if (bottom < min.y || top > max.y || h.counts[i] == 0) continue;
    const float gap = bottom - top > px(4) ? px(1) : 0;
    const float length = std::max(px(1), float(h.counts[i]) / float(h.highest) * bars);
    draw->AddRectFilled({min.x, std::max(top, min.y)}, {min.x + length, std::min(bottom - gap, max.y)},
                        with_alpha(colour, 0.6f));
    if (const float mouse = ImGui::GetIO().MousePos.y; mouse >= top && mouse < bottom)
      under = fmt::format("{} \u2013 {}: {}.\n\n", metric_text(metric, bin.low), metric_text(metric, bin.high),
                          counted(h.counts[i], "sample"));
  }
  const float line = fonts.small->FontSize, text = min.x + bars + px(10);
  std::vector<float> taken;
  for (const HistogramMark& m : h.marks) {
    const float y = std::clamp(y_of(m.value), min.y + line / 2, max.y - line / 2);
    if (std::ranges::any_of(taken, [&](float other) { return std::abs(other - y) < line; })) continue;
    const ImU32 ink = taken.empty() ? colours::text : colours::soft;
    taken.push_back(y);
    draw->AddLine({min.x, y}, {text - px(3), y}, with_alpha(ink, 0.4f), px(1));
    draw_text({text, y - line / 2}, ink, fmt::format("{} {}", m.name, metric_text(metric, m.value)));
  }
  draw->PopClipRect();
  ImGui::SetCursorScreenPos(min);
  hit_area("timing.distribution", {max.x - min.x, max.y - min.y});
  ui.mark("timing.distribution");
  plot_menu(ui, "timing.distribution");
  tip_for_last(fmt::format("{}The newest {} samples, as the headline's median has them; {} lie beyond the edges.",
                           under, count_text(h.total), count_text(h.below + h.above)));
}

/// An arrow at the edge behind which something lies.
void edge_arrow(const Frame& f, float x, bool above, ImU32 colour) {
  const float side = px(4), edge = above ? f.min.y + px(1) : f.max.y - px(1), away = above ? px(6) : -px(6);
  ImPlot::PushPlotClipRect();
  ImPlot::GetPlotDrawList()->AddTriangleFilled({x, edge}, {x - side, edge + away}, {x + side, edge + away}, colour);
  ImPlot::PopPlotClipRect();
}

/// The same of a curve or level; `place`: the how-manieth there, from the left.
void beyond_axis(const Frame& f, bool above, size_t place, ImU32 colour) {
  edge_arrow(f, f.min.x + px(10) + float(place) * px(11), above, colour);
}

/// Where the curve lies, with its distribution at its right where that has room.
struct Parts {
  ImVec2 min, max, end;
  bool beside = false;
};

/// From the cursor on, `whole` pixels; `median`: whose unit stands beside the distribution.
Parts parts_of(ImVec2 whole, Metric metric, double median) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Parts p{at, at, {at.x + whole.x, at.y + whole.y}};
  p.beside = whole.x > px(520) && whole.y > px(84);
  const float spread =
      px(kBars + 20) + width_of(fonts.body, fmt::format("median 8.888 {}", unit_for(metric, median).name));
  p.max.x += std::max(whole.x - (p.beside ? spread : 0), px(120));
  p.max.y += std::max(whole.y, px(40));
  return p;
}

constexpr float kNamedFrom = 240;  ///< pixels at scale 1, of the plot's height

/// What is drawn until the first time, and how long that takes.
std::string waiting_text(const Workbench& bench, const Record& before) {
  return fmt::format("{}Previous run (dimmed): {} on {}.", first_sample_text(bench),
                     bench.short_name(before.variant, before.config), to_text(before.problem));
}

/// The curve of the run before, dimmed, while there is none of what is asked.
void curve_before(Ui& ui, const Record& r, std::span<const double> samples_ns) {
  const Workbench& bench = ui.bench;
  const Metric metric = bench.request.metric;
  const auto last = samples_ns.last(std::min(samples_ns.size(), kShown));
  const Rolling rolling = roll(last, 0, last.size(), metric, {r.flops, r.bytes});
  const bool log = bench.views.plot.log();
  Range y = robust_range(rolling.median, log);
  y.pad(log);
  const Parts parts = parts_of(ImGui::GetContentRegionAvail(), metric, y.high);
  const ImVec2 room{parts.max.x - parts.min.x, parts.max.y - parts.min.y};
  ImGui::BeginChild("timing.curve", room, 0, kPart | ImGuiWindowFlags_NoScrollbar);
  if (Plot drawn("##timing", {120, 40}); drawn.open()) {
    drawn.axes(count_axis("sample", Range::of(0, double(std::max<size_t>(1, last.size())))),
               metric_axis(y, log, metric), kNamedFrom);
    draw_series(drawn.frame, rolling.x, rolling.median, {with_alpha(colours::soft, 0.35f), Dash::solid}, px(2));
    drawn.close(ui, "timing.before");
  }
  ImGui::EndChild();
}

/// As in every table; "" = there is no time.
std::string headline_of(const Workbench& bench) {
  const Live* live = bench.live.timed();
  if (!live) return "";
  const double median = bench.views.shape.statistics(live->series).median;
  return metric_text(bench.request.metric, in_metric(bench.request.metric, median, bench.live.work()));
}

void tell_change(Ui& ui, const Change& c) {
  const Workbench& bench = ui.bench;
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string unsure = unsure_text(c.word), word = (c.in_turn ? "raced, " : "") + unsure;
  const float against = unsure.empty() ? 0 : px(5) + width_of(fonts.small, word);
  const std::string text =
      change_within(change_text(c, bench.request.metric, bench.live.work()), !unsure.empty(),
                    [&](const std::string& part) { return width_of(fonts.mono, part) + against <= room; });
  ImGui::BeginGroup();
  if (!text.empty()) text_cut(text, room, relation_colour(c.word.relation), fonts.mono, false);
  if (!text.empty()) ImGui::SameLine(0, px(5));
  // Before the name, which is cut where it is long.
  const std::string from = fmt::format("{}{}from ", word, unsure.empty() ? "" : ", ");
  const float left = room - width_of(fonts.mono, text) - px(5), named = left - width_of(fonts.small, from);
  if (named > px(60)) {
    text_in(fonts.small, colours::faint, from);
    ImGui::SameLine(0, 0);
    text_cut(c.before_name, named, colours::faint, fonts.small, false);
  } else if (!unsure.empty()) {
    text_cut(word, left, colours::faint, fonts.small, false);
  }
  ImGui::EndGroup();
  mark_with_tip(
      ui, "timing.change",
      fmt::format("{}\n  {} of {} samples\n{}\n  {} of {} samples\n\nThis one is {}{}. Both runs were verified, and "
                  "sampled for as long as the protocol asks.{}",
                  c.before_name, time_text(c.before_ns), count_text(c.before_count), c.now_name, time_text(c.now_ns),
                  count_text(c.now_count), relation_text(c.word), c.word.reason.empty() ? "" : ": " + c.word.reason,
                  c.in_turn        ? " The medians and the word are of a race of both."
                  : unsure.empty() ? ""
                                   : " Pinned, both can race in Compare: in turn, which tells more."));
}

/// p20 and p80, the smaller first as a rate too.
std::string spread_text(const Workbench& bench, const Statistics& s) {
  const Metric metric = bench.request.metric;
  if (s.count < kFew) return "\u2013";
  const double a = metric == Metric::time ? s.p20 : s.p80, b = metric == Metric::time ? s.p80 : s.p20;
  return fmt::format("{} \u2013 {}", metric_text(metric, in_metric(metric, a, bench.live.work())),
                     metric_text(metric, in_metric(metric, b, bench.live.work())));
}

std::string count_of(const Workbench& bench, const Statistics& s, const Series& series) {
  if (s.count >= series.taken()) return count_text(series.taken());
  return fmt::format("{}{} of {}", left_out_text(bench.views.plot.marked).empty() ? "newest " : "", count_text(s.count),
                     count_text(series.taken()));
}

void verdict_chip(Ui& ui) {
  const VerdictLight light = verdict_light(ui.bench);
  ImGui::BeginGroup();
  lamp(light.colour);
  ImGui::SameLine(0, px(4));
  text_in(fonts.body, light.colour, light.word);
  if (!light.more.empty()) {
    ImGui::SameLine(0, px(6));
    text_in(fonts.small, colours::soft, light.more);
  }
  ImGui::EndGroup();
  ui.mark("verdict.light");
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemClicked()) ui.layout.tab = "correctness";
  tip_for_last(light.why.empty() ? explain::verdict : light.why);
}

struct HeadlinePart {
  const char *id, *label;
  std::string text, tip;
  ImU32 ink = colours::soft;
};

std::vector<HeadlinePart> headline_parts(const Workbench& bench) {
  std::vector<HeadlinePart> parts;
  if (const Live* live = bench.live.timed()) {
    const Statistics& s = bench.views.shape.statistics(live->series);
    // Of times, whatever the metric: the mean of rates would be another number.
    const bool rates = bench.request.metric != Metric::time;
    const auto percent = [&](double share, const char* form) {
      return s.count < kFew ? "\u2013" : fmt::format(fmt::runtime(form), std::abs(share) * 100);
    };
    parts = {{"timing.p20_p80", "p20\u2013p80", spread_text(bench, s), explain::timing::p20_p80},
             {"timing.samples", "samples", count_of(bench, s, live->series), explain::timing::samples},
             {"timing.noise", "noise", percent(s.noise, "{:.2f} %"), explain::timing::noise},
             {"timing.drift", "drift", percent(s.drift, s.drift < 0 ? "\u2212{:.1f} %" : "+{:.1f} %"),
              explain::timing::drift, live->series.drifting() ? colours::warning : colours::soft},
             {"timing.min", rates ? "shortest" : "min", time_text(s.min), explain::min},
             {"timing.mean", rates ? "mean time" : "mean", time_text(s.mean), explain::mean}};
  }
  const Live* live = bench.live.shown();
  if (live && live->began && live->began->predicted)
    parts.insert(parts.begin() + (parts.empty() ? 0 : 2),
                 {"timing.predicted", "predicted", time_text(live->began->predicted->ns),
                  predicted_tip(*live->began->predicted), colours::faint});
  return parts;
}

/// The number, and two lines: whether it is right and how it changed; how sure it is, or what is to be said now.
void headline(Ui& ui, const std::string& note) {
  Workbench& bench = ui.bench;
  const std::string shown = headline_of(bench);
  std::vector<HeadlinePart> parts = headline_parts(bench);
  std::string tip = explain::median;
  for (const HeadlinePart& p : parts) tip += fmt::format("\n{} {}", p.label, p.text);
  const ImVec2 at = ImGui::GetCursorPos();
  const size_t unit = shown.find(' ');
  text_in(fonts.number, shown.empty() ? colours::faint : colours::text,
          shown.empty() ? "\u2014" : shown.substr(0, unit));
  mark_with_tip(ui, "timing.median", tip);
  if (!shown.empty()) {
    ImGui::SameLine(0, px(6));
    ImGui::SetCursorPosY(at.y + fonts.number->Ascent - fonts.body->Ascent);
    text_in(fonts.body, colours::soft, shown.substr(unit + 1));
  }
  ImGui::SameLine(0, px(20));
  ImGui::SetCursorPosY(at.y);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(16), 0});
  verdict_chip(ui);
  if (const std::string part = left_out_text(bench.views.plot.marked); !shown.empty() && !part.empty()) {
    ImGui::SameLine();
    text_in(fonts.body, colours::warning, part);
    mark_with_tip(ui, "timing.left_out",
                  "The numbers and the distribution shown here. Pins, the log and comparisons have all samples.");
  } else if (const Change* change = bench.live.change()) {
    ImGui::SameLine();
    tell_change(ui, *change);
  }
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  float left = ImGui::GetCursorScreenPos().x;
  if (!note.empty()) {
    parts.clear();
    text_cut(note, right - left, colours::text, fonts.small);
  }
  const auto wide = [](const HeadlinePart& p) {
    return width_of(fonts.small, p.label) + px(5) + width_of(fonts.mono, p.text) + px(16);
  };
  float all = 0;
  for (const HeadlinePart& p : parts) all += wide(p);
  // Where not all have room, what warns has it first.
  if (left + all - px(16) > right)
    std::stable_partition(parts.begin(), parts.end(), [](const HeadlinePart& p) { return p.ink == colours::warning; });
  for (const HeadlinePart& p : parts) {
    if (left + wide(p) - px(16) > right) break;
    left += wide(p);
    if (&p != &parts.front()) ImGui::SameLine(0, px(16));
    ImGui::BeginGroup();
    text_in(fonts.small, colours::faint, p.label);
    beside_label(px(5), fonts.mono);
    text_in(fonts.mono, p.ink, p.text);
    ImGui::EndGroup();
    mark_with_tip(ui, p.id, p.tip);
  }
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ImGui::SetCursorPos({at.x, at.y + fonts.number->FontSize + ImGui::GetStyle().ItemSpacing.y});
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  ImGui::PushFont(fonts.small);
  const float gap = px(6);
  const std::vector<std::string> metrics = {"Time", "FLOP/s", "B/s"};
  choose(ui, "metric", metrics, bench.request.metric, segments_width(metrics), fonts.small, {"time", "tflops", "gbps"});
  ImGui::SameLine(0, gap);
  if (button(ui, "pin", with_icon(icons::pin, "Pin"), "Keep this config's run to compare with (P)", can_pin(bench)))
    bench.pin();
  ImGui::SameLine(0, gap);
  bool log = bench.views.plot.log();
  check_box(ui, "timing.log", "log", log, explain::timing::log);
  if (log != bench.views.plot.log()) bench.views.plot.set_log(log);
  const bool follows = bench.views.plot.follows() || !bench.live.timed();
  ImGui::SameLine(0, gap);
  if (button(ui, "timing.follow", "Follow", explain::timing::follow, !follows, !follows)) bench.views.plot.follow();
  const std::vector<std::string> caches = {"hot", "cold"}, launches = {"isolated", "back-to-back"};
  const float width = segments_width(caches) + segments_width(launches) + gap;
  flow(width);
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), ImGui::GetContentRegionMax().x - width));
  choose(ui, "cache", caches, bench.request.modes.cache, segments_width(caches), fonts.small);
  tip_for_last("Cache mode: hot keeps the caches between samples, cold overwrites them outside the timed span.");
  ImGui::SameLine(0, gap);
  choose(ui, "launch", launches, bench.request.modes.launch, segments_width(launches), fonts.small,
         {"isolated", "back_to_back"});
  tip_for_last("Launch mode: isolated dispatches wait for each other, back-to-back ones may overlap.");
  ImGui::PopFont();
}

/// Above the plot. The pins' entries switch their curves. `before`: what the dashed level is, "" = there is none.
void names(Ui& ui, const std::vector<const Pin*>& drawn, const std::string& before) {
  Workbench& bench = ui.bench;
  std::vector<LegendEntry> entries = {{"timing.legend.live", "live", live_style(), true, explain::timing::live}};
  if (!before.empty())
    entries.push_back({"timing.legend.before",
                       before,
                       {colours::soft, Dash::dashed},
                       true,
                       before + "\nThe median of the config that was shown before this one."});
  if (entries.size() == 1 && bench.pins.empty()) return;  // the live curve alone
  pin_legend(ui, "timing.legend", std::move(entries), drawn, &bench.request.selection.problem, explain::timing::pin);
}

void draw_outside(const Frame& f, const std::vector<double>& x, bool above) {
  const ImU32 colour = live_style().colour;
  float last = -INFINITY;
  for (double at : x) {
    const float middle = f.pixel(at, f.y.low).x;
    if (middle - last < px(4)) continue;
    last = middle;
    edge_arrow(f, middle, above, colour);
  }
}

/// How many there are, beside the name of the axis, where the curve never is.
void count_outside(Ui& ui, const Frame& f, float bottom, const ThinnedSamples& s) {
  std::string text = s.count_above ? fmt::format("{} above", count_text(s.count_above)) : "";
  if (s.count_below) text += fmt::format("{}{} below", text.empty() ? "" : ", ", count_text(s.count_below));
  const float size = fonts.small->FontSize;
  const ImVec2 at{f.max.x - width_of(fonts.small, text), bottom - px(8) - size};
  if (text.empty() || at.y < f.max.y + ImGui::GetTextLineHeight()) return;
  draw_text(at, colours::soft, text);
  ui.mark("timing.outside", at, {f.max.x, at.y + size});
}

void tell_nearest(Ui& ui, const TimingPlot& p, const Frame& f) {
  const Workbench& bench = ui.bench;
  const Series& series = bench.live.timed()->series;
  const Metric metric = bench.request.metric;
  const auto found = nearest(p, f, series, metric, bench.live.work(), ImGui::GetIO().MousePos);
  if (!found) return;
  const SeriesStyle style = found->pin ? series_style(found->pin->slot) : live_style();
  ImGui::GetWindowDrawList()->AddCircle(found->at, px(5), colours::text, 0, px(1.5f));
  ui.mark("timing.nearest", found->at, found->at);
  std::vector<std::string> lines = {metric_text(metric, found->value)};
  if (found->pin) {
    const size_t of = found->pin->record->samples_ns.size();
    lines.push_back(fmt::format("median of its {} samples", count_text(of)));
  } else {
    const double median = in_metric(metric, bench.views.shape.statistics(series).median, bench.live.work());
    lines.push_back(fmt::format("sample {}", count_text(found->sample)));
    if (median > 0)
      lines.push_back(fmt::format("{:.1f} % {} the median", std::abs(found->value / median - 1) * 100,
                                  found->value < median ? "below" : "above"));
  }
  if (found->value > p.y.high || found->value < p.y.low) lines.emplace_back(explain::timing::outside);
  lines_tip(style, found->pin ? bench.name_of(*found->pin) : "live", lines);
}

/// Wheel and drag move along the samples, over the value axis along the values; with Shift a drag marks samples.
void move_view(Ui& ui, const Frame& f, bool hovered) {
  using Axis = PlotView::Axis;
  PlotView& view = ui.bench.views.plot;
  const Series& series = ui.bench.live.timed()->series;
  const ImGuiIO& io = ImGui::GetIO();
  const auto over = [&](ImVec2 at) { return at.x < f.min.x ? Axis::values : Axis::samples; };
  const ImVec2 at{std::clamp(io.MousePos.x, f.min.x, f.max.x), std::clamp(io.MousePos.y, f.min.y, f.max.y)};
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    view.marked = {};
    return view.follow();
  }
  if (hovered && io.MouseWheel != 0) {
    const Axis axis = over(io.MousePos);
    view.zoom(f, axis, axis == Axis::samples ? f.x_at(at.x) : f.y_at(at.y), std::pow(0.85, double(io.MouseWheel)),
              series);
  }
  if (ImGui::IsItemActivated() && io.KeyShift) view.marking = f.x_at(at.x);
  if (!ImGui::IsItemActive()) view.marking.reset();
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  const Axis axis = over(io.MouseClickedPos[0]);
  ImGui::SetMouseCursor(axis == Axis::samples ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const float by = axis == Axis::samples ? io.MouseDelta.x : io.MouseDelta.y;
  if (view.marking)
    view.mark(f, *view.marking, f.x_at(at.x), series);
  else if (by != 0)
    view.pan(f, axis, by, series);
}

void marked_band(const MarkedSamples& m, const Frame& f) {
  if (m.series == 0) return;
  const float left = f.pixel(double(m.from), f.y.low).x, right = f.pixel(double(m.to), f.y.low).x;
  ImPlot::PushPlotClipRect();
  ImPlot::GetPlotDrawList()->AddRectFilled({left, f.min.y}, {right, f.max.y}, with_alpha(colours::text, 0.1f));
  for (const float x : {left, right})
    ImPlot::GetPlotDrawList()->AddLine({x, f.min.y}, {x, f.max.y}, colours::soft, px(1));
  ImPlot::PopPlotClipRect();
}

/// The marked samples' statistics, and what the shown ones are to be of; above the band, within the data.
void marked_card(Ui& ui, const Frame& f) {
  Workbench& bench = ui.bench;
  PlotView& view = bench.views.plot;
  MarkedSamples& m = view.marked;
  const auto& s = bench.views.shape.marked();
  if (m.series == 0 || !s) return;
  const ImVec2 size{px(296), 2 * ImGui::GetTextLineHeight() + ImGui::GetFrameHeight() + px(28)};
  const float middle = f.pixel(double(m.from + m.to) / 2, f.y.low).x;
  ImGui::SetCursorScreenPos(
      {std::clamp(middle - size.x / 2, f.min.x + px(4), std::max(f.min.x + px(4), f.max.x - size.x - px(4))),
       f.min.y + px(4)});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, colours::popup);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(6)});
  ImGui::BeginChild("timing.marked", size, ImGuiChildFlags_Border, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  text_in(fonts.small, colours::soft,
          fmt::format("{} samples, {}\u2013{}", count_text(s->count), count_text(m.from), count_text(m.to - 1)));
  ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::GetFrameHeight());
  bool close = ImGui::SmallButton(icon_or(icons::close, "\u00d7"));
  mark_with_tip(ui, "timing.marked.close", "Mark nothing (Escape, or a double click)");
  const Metric metric = bench.request.metric;
  text_in(fonts.mono, colours::text, metric_text(metric, in_metric(metric, s->median, bench.live.work())));
  ImGui::SameLine(0, px(10));
  text_in(fonts.small, colours::faint, "p20\u2013p80");
  beside_label(px(5), fonts.mono);
  text_in(fonts.mono, colours::soft, spread_text(bench, *s));
  choose(ui, "timing.marked", {"All samples", "Only these", "Leave out"}, m.use, ImGui::GetContentRegionAvail().x,
         nullptr, {"all", "only", "without"});
  ui.mark("timing.marked", f.min, f.max);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  if (close) view.unmark();
}

void sensors_line(Ui& ui, const Telemetry& t, ImVec2 at, float width) {
  const std::string throttled = throttled_text(t);
  const std::string text = sensors_text(t) + (throttled.empty() ? "" : ", throttled: " + throttled);
  ImGui::SetCursorScreenPos(at);
  text_cut(text, width, throttled.empty() ? colours::soft : colours::warning, fonts.small, false);
  mark_with_tip(ui, "timing.sensors",
                fmt::format("{}\nBy {}, the mean of {:.1f} s of sampling.", text, t.source, t.seconds));
}

void plot(Ui& ui) {
  Workbench& bench = ui.bench;
  const Series& series = bench.live.timed()->series;
  const Work work = bench.live.work();
  const Metric metric = bench.request.metric;
  PlotView& view = bench.views.plot;
  const std::vector<const Pin*> pins = drawn_pins(bench.pins, &bench.request.selection.problem);
  const Change* change = bench.live.change();
  // A pin has its curve.
  if (change && std::ranges::any_of(pins, [&](const Pin* p) { return p->record == change->before; })) change = nullptr;
  const double before = change ? in_metric(metric, change->before_ns, work) : 0;
  if (ImGui::GetWindowHeight() > px(200))
    names(ui, pins, change ? fmt::format("before: {} {}", change->before_name, metric_text(metric, before)) : "");
  const auto& sensors = bench.live.timed()->began->environment.telemetry;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 whole = ImGui::GetContentRegionAvail();
  const double median = in_metric(metric, bench.views.shape.statistics(series).median, work);
  const bool sensed = sensors && whole.y > px(100);
  if (sensed) {
    whole.y -= fonts.small->FontSize + px(4);
    sensors_line(ui, *sensors, {origin.x, origin.y + whole.y + px(4)}, whole.x);
    ImGui::SetCursorScreenPos(origin);
  }
  const auto [min, max, end, beside] = parts_of(whole, metric, median);
  const ImVec2 room{max.x - min.x, max.y - min.y};
  const TimingPlot p = timing_plot(view, series, metric, work, pins, size_t(std::max(64.f, room.x / px(1))));
  ImGui::BeginChild("timing.curve", room, 0, kPart | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  Plot drawn("##timing", {120, 40});
  if (!drawn.open()) return ImGui::EndChild();
  const bool tagged = median >= p.y.low && median <= p.y.high;
  ChartAxis y = metric_axis(p.y, p.log, metric);
  // The tag takes the place of a tick.
  y.ticks = [ticks = y.ticks, tagged, median,
             plain = Frame{{}, {0, std::max(px(20), room.y - px(48))}, p.x, p.y, p.log}](int most) {
    std::vector<Tick> all = ticks(most);
    for (Tick& t : all)
      if (tagged && std::abs(plain.pixel(0, t.at).y - plain.pixel(0, median).y) < fonts.body->FontSize) t.text = " ";
    return all;
  };
  drawn.axes(count_axis("sample", p.x), y, kNamedFrom);
  const Frame& f = drawn.frame;
  size_t outside = 1;  // the place of the config before is the first
  for (const ChartSeries& one : timing_series(p, [](const Pin&) { return ""; })) draw_series(f, one);
  const auto level = [&](double value, const SeriesStyle& style, float width) {
    draw_series(f, std::vector{p.x.low, p.x.high}, std::vector{value, value}, style, width);
  };
  for (const PinLevel& c : p.pins)
    if (c.beyond != 0) beyond_axis(f, c.beyond > 0, outside++, series_style(c.pin->slot).colour);
  draw_outside(f, p.samples.above, true);
  draw_outside(f, p.samples.below, false);
  if (tagged) {
    level(median, {with_alpha(live_style().colour, 0.6f), Dash::solid}, px(1));
    ImPlot::TagY(median, ImGui::ColorConvertU32ToFloat4(live_style().colour), "%s",
                 metric_text(metric, median).c_str());
  }
  if (change && before >= p.y.low && before <= p.y.high)
    level(before, {colours::soft, Dash::dashed}, px(1.2f));
  else if (change)
    beyond_axis(f, before > p.y.high, 0, colours::soft);
  marked_band(view.marked, f);
  view.drawn_x = p.x;
  view.drawn_y = p.y;
  const bool hovered = drawn.close(ui, "timing.plot");
  count_outside(ui, f, max.y, p.samples);
  ui.mark("timing.data", f.min, f.max);
  ui.mark("timing.x", {f.min.x, f.max.y}, max);
  ui.mark("timing.y", min, {f.min.x, f.max.y});
  move_view(ui, f, hovered);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = mouse.x >= f.min.x && mouse.x <= f.max.x && mouse.y >= f.min.y && mouse.y <= f.max.y;
  if (hovered && inside && !ImGui::IsItemActive()) tell_nearest(ui, p, f);
  if (!view.marking) marked_card(ui, f);
  ImGui::EndChild();
  if (beside) spread_beside(ui, f, {max.x + px(6), f.min.y}, {end.x, f.max.y});
}

std::string held_by(const Workbench& bench) {
  std::string what = bench.jobs.text();
  if (!what.empty()) what[0] = char(what[0] - 'a' + 'A');
  if (!what.empty() || !bench.search.measuring()) return what;
  if (bench.search.trials().empty()) return "Searching";
  const SlimTrial& t = bench.search.trials().back();
  const std::string how = trial_lines(bench, t)[0];
  return fmt::format("Searching; last: {}, {}", how.substr(0, how.find("   ")), trial_name(bench, t));
}

void cannot_run_hint(Ui& ui, const Inspection& i) {
  const bool more = !i.no_nearest.empty() && i.no_nearest != i.why_not;
  Config changed = i.nearest;
  for (const auto& [name, value] : ui.bench.request.selection.config)
    if (const int64_t* other = find_at(changed, name); other && *other == value) changed.erase(name);
  empty_hint(cannot_run(i), more ? i.no_nearest : i.why_not, [&] {
    if (!i.nearest.empty() && button(ui, "config.nearest", "Use " + attnscope::to_text(changed),
                                     "The legal config with the fewest parameters changed", true, true))
      ui.bench.request.set_config(Config(i.nearest));
    const DeviceState& known = ui.bench.device_state;
    const std::string problem = to_text(ui.bench.request.selection.problem);
    const auto serves = [&](const VariantInfo& v) { return known.why_not(v, problem).text.empty(); };
    if (i.nearest.empty() && !i.broken && !ui.bench.request.automatic() &&
        std::ranges::any_of(known.variants, serves) &&
        button(ui, "variant.try_auto", "Use auto", "The variant that suits this problem best", true, true))
      ui.bench.request.set_variant(std::string(kAutoVariant));
  });
}

void draw_timing(Ui& ui) {
  Workbench& bench = ui.bench;
  const Live* live = bench.live.shown();
  const VariantInfo* variant = bench.request.variant();
  const bool loads = !variant || variant->error.empty();
  const std::string stuck = bench.stuck(), held = held_by(bench);
  const Inspection* inspection = bench.request.inspection();
  const bool refused = inspection && !inspection->why_not.empty();
  const bool wrong = live && live->wrong();
  // Something to look at until this one has samples: what was measured before it, said to be that.
  const bool waits = stuck.empty() && held.empty() && loads && !refused && !wrong && !bench.request.paused;
  const Record* good = bench.last_good();
  const Record* before = good ? good : waits ? bench.live.before().first : nullptr;
  headline(ui, good                                  ? kLastGood
               : before                              ? waiting_text(bench, *before)
               : bench.live.timed() && !held.empty() ? "Not sampled now. " + held
                                                     : "");
  controls(ui);
  if (!stuck.empty()) {
    lamp(colours::bad);
    ImGui::SameLine();
    ImGui::BeginGroup();
    wrapped_in(colours::bad, stuck);
    if (button(ui, "retry", "Try again", nullptr, true, true)) bench.try_again();
    ImGui::EndGroup();
  }
  if (bench.live.timed()) return plot(ui);
  if (!stuck.empty()) return empty_hint("No samples", "Run aborted, no timing.");
  if (good) return curve_before(ui, *good, bench.live.before().second);
  if (const bool told = group_of(ui.layout.panels, "editor")->active == "editor"; !loads)
    return empty_hint(variant->name + " did not load", told ? "The Editor shows why." : variant->error, [&] {
      if (!told && button(ui, "timing.edit", "Open the Editor", "Its files, with what is wrong in them", true, true))
        ui.layout.tab = "editor";
    });
  if (refused) return cannot_run_hint(ui, *inspection);
  if (wrong)
    return empty_hint("Wrong, and so not timed", live->verdict->reason, [&] {
      if (button(ui, "timing.show_where", "Show where", "The errors over queries and dims, or what was compared", true,
                 group_of(ui.layout.panels, "correctness")->active != "correctness"))
        ui.layout.tab = "correctness";
    });
  if (!held.empty())
    return empty_hint(held, bench.request.paused ? "Press Space to measure this config after it."
                                                 : "This config is sampled as soon as that is done or cancelled.");
  if (bench.request.paused) return empty_hint("Paused", "Press Space to measure.");
  if (before) return curve_before(ui, *before, bench.live.before().second);
  empty_hint("Waiting for samples" + bench.waited_text(),
             "The config is compiled, verified against the CPU reference and warmed up first.");
}

void dump_timing(const Workbench& bench, Json& j) {
  const Live& live = bench.live.newest;
  Json& l = j["live"] = ask_json(live.selection);
  l["current"] = bench.live.shown() != nullptr;
  l["timed"] = bench.live.timed() != nullptr;
  l["failure"] = live.failure;
  l["samples"] = live.series.taken();
  if (live.began && live.began->environment.telemetry) l["telemetry"] = *live.began->environment.telemetry;
  if (live.verdict) l["verdict"] = *live.verdict;
  if (live.timed()) l["statistics"] = *live.series.statistics();
  j["headline"] = headline_of(bench);
  j["held"] = held_by(bench);
  const PlotView& view = bench.views.plot;
  j["view"] = {{"follow", view.follows()},
               {"log", view.log()},
               {"first", view.drawn_x.low},
               {"last", view.drawn_x.high},
               {"low", view.drawn_y.low}};
  if (const auto& s = bench.views.shape.marked(); s && view.marked.series != 0)
    j["view"]["marked"] = {
        {"from", view.marked.from}, {"to", view.marked.to}, {"count", s->count}, {"median_ns", s->median}};
  if (bench.live.timed()) {
    const Histogram& h = bench.views.shape.histogram();
    j["histogram"] = {{"bins", h.counts.size()}, {"total", h.total}};
  }
  if (const Record* r = bench.live.before().first) j["before"] = {{"config", r->config}};
  if (const Change* c = bench.live.change()) j["change"] = {{"before", c->before_name}, {"now", c->now_name}};
  j["metric"] = word_of(bench.request.metric, {"time", "tflops", "gbps"});
}

}  // namespace

const Panel timing_panel = {.name = "timing",
                            .title = "Timing",
                            .draw = draw_timing,
                            .dump = dump_timing,
                            .bare = true,
                            .least_w = 240,
                            .least_h = 140,
                            .kept_h = 330};

}  // namespace attnscope::gui
