#include "app/gui/panels/timing_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/plot/rolling.hpp"
#include "app/gui/plot_widgets.hpp"
#include "app/gui/state/labels.hpp"
#include "app/gui/ways_out.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr const char* kStripTip =
    "All samples of this run, first to last: least, median and greatest of each column. Drag the window to see a "
    "stretch "
    "above; a double click follows the newest.";

/// Two short lines beside the strip: what it shows, and the drift.
struct StripWords {
  std::string all, drift;
  ImU32 ink = 0;
};

StripWords strip_words(const Overview& o, const Series& series) {
  return {fmt::format("all {} samples", count_text(o.taken())), series.drift_text(),
          series.drifting() ? colours::warning : colours::soft};
}

}  // namespace

void spread_beside(Ui& ui, const Frame& curve, ImVec2 min, ImVec2 max) {
  Workbench& bench = ui.bench;
  const Histogram& h = bench.shape.histogram();
  if (h.counts.empty() || max.y - min.y < px(30)) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Metric metric = bench.asked.metric;
  const float bars = std::min((max.x - min.x) * 0.4f, px(66));
  const ImU32 colour = live_style().colour;
  const auto y_of = [&](double value) { return curve.pixel(curve.x.low, value).y; };
  const auto length = [&](uint64_t count) {
    if (count == 0) return 0.f;
    const double part = bench.shape.log_counts
                            ? std::log1p(double(count)) / std::log1p(double(std::max<uint64_t>(1, h.highest)))
                            : double(count) / double(std::max<uint64_t>(1, h.highest));
    return std::max(px(1), float(part) * bars);
  };
  draw->AddRectFilled(min, {min.x + bars, max.y}, colours::plot);
  draw->PushClipRect({min.x, min.y}, {max.x, max.y}, true);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = mouse.x >= min.x && mouse.x <= min.x + bars && mouse.y >= min.y && mouse.y <= max.y;
  const size_t none = h.counts.size(), under = inside ? h.bin_at(curve.y_at(mouse.y)).value_or(none) : none;
  for (size_t i = 0; i < h.counts.size(); ++i) {
    const Range bin = h.bin(i);
    const float top = y_of(bin.high), bottom = y_of(bin.low);
    if (bottom < min.y || top > max.y || h.counts[i] == 0) continue;
    const float gap = bottom - top > px(4) ? px(1) : 0;
    draw->AddRectFilled({min.x, std::max(top, min.y)}, {min.x + length(h.counts[i]), std::min(bottom - gap, max.y)},
                        with_alpha(colour, under == i ? 1.f : 0.6f));
  }
  // Labels beside the bars, apart from one another, each with a line to its value.
  ImGui::PushFont(fonts.small);
  const float line = ImGui::GetTextLineHeight();
  std::vector<float> wanted;
  std::vector<const HistogramMark*> marks;
  for (const HistogramMark& m : h.marks)
    if (const float y = y_of(m.value); y >= min.y - 1 && y <= max.y + 1) {
      wanted.push_back(y - line / 2);
      marks.push_back(&m);
    }
  const std::vector<float> at = spread_labels(wanted, line, min.y, max.y);
  for (size_t i = 0; i < marks.size(); ++i) {
    if (at[i] < 0) continue;
    const float y = y_of(marks[i]->value), text = min.x + bars + px(14);
    const bool median = marks[i] == &h.marks.front();
    const ImU32 ink = median ? colours::text : colours::soft;
    draw->AddLine({min.x, y}, {min.x + bars, y}, with_alpha(ink, 0.35f), px(1));
    draw->AddLine({min.x + bars, y}, {text - px(3), at[i] + line / 2}, with_alpha(ink, 0.6f), px(1));
    draw->AddText({text, at[i]}, ink,
                  fmt::format("{} {}", marks[i]->name, metric_text(metric, marks[i]->value)).c_str());
    ui.mark(fmt::format("timing.mark.{}", marks[i]->id), {text, at[i]}, {max.x, at[i] + line});
  }
  ImGui::PopFont();
  draw->PopClipRect();
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("timing.distribution", {std::max(1.f, max.x - min.x), std::max(1.f, max.y - min.y)});
  ui.mark("timing.distribution");
  if (ImGui::IsItemClicked()) bench.shape.log_counts = !bench.shape.log_counts;
  plot_menu(ui, "timing.distribution");
  if (!ImGui::IsItemHovered()) return;
  std::vector<std::string> lines;
  if (under != none) {
    const Range bin = h.bin(under);
    lines = {fmt::format("{} \u2013 {}", metric_text(metric, bin.low), metric_text(metric, bin.high)),
             fmt::format("{} of {} samples, {:.1f} %", count_text(h.counts[under]), count_text(h.total),
                         100 * h.share(under))};
  } else {
    lines = {fmt::format("{} samples", count_text(h.total))};
  }
  if (h.below + h.above > 0) lines.push_back(fmt::format("{} lie beyond the edges", count_text(h.below + h.above)));
  lines.push_back(bench.shape.log_counts
                      ? "Bars are by the logarithm of their counts; a click makes them by the counts."
                      : "A click makes the bars logarithmic; 'log' does the same for the values.");
  lines.emplace_back("The newest 4,000 samples, the same that the headline's median is of.");
  series_tip(live_style(), "live", lines);
}

void overview_strip(Ui& ui, ImVec2 min, ImVec2 max, float beside) {
  Workbench& bench = ui.bench;
  const Overview& o = bench.shape.whole();
  const Live* live = bench.timed();
  if (!live || o.columns().size() < 2 || max.y - min.y < px(16)) return;
  // The words stand beside the curve, never on it: where there is a column for the distribution in that, else in what
  // the strip gives.
  const StripWords words = strip_words(o, live->series);
  const float text = fonts.small->FontSize,
              wide = std::max(width_of(fonts.small, words.all), width_of(fonts.small, words.drift)) + px(10);
  if (beside < wide) max.x -= wide - beside;
  const bool two = max.y - min.y >= 2 * text, told = max.x - min.x > px(80);
  const Series& series = live->series;
  const Metric metric = bench.asked.metric;
  const Work work = bench.work();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(min, max, colours::plot, px(3));
  std::vector<double> medians, ends;
  for (const Overview::Column& c : o.columns()) {
    medians.push_back(in_metric(metric, c.median, work));
    ends.push_back(in_metric(metric, c.low, work));
    ends.push_back(in_metric(metric, c.high, work));
  }
  Range y = robust_range(ends, false);
  y.include(robust_range(medians, false));
  y.pad(false);
  const Frame f{min, max, Range::of(double(o.start()), double(std::max(o.taken(), o.start() + 1))), y, false};
  const ImU32 colour = live_style().colour;
  draw->PushClipRect(min, max, true);
  std::vector<ImVec2> line;
  const double stretch = double(o.stretch());
  for (size_t i = 0; i < o.columns().size(); ++i) {
    const double left = double(o.start()) + double(i) * stretch, right = std::min(left + stretch, f.x.high);
    const ImVec2 a = f.pixel(left, ends[2 * i]), b = f.pixel(right, ends[2 * i + 1]);
    draw->AddRectFilled({a.x, std::min(a.y, b.y)}, {std::max(b.x, a.x + 1), std::max(a.y, b.y) + 1},
                        with_alpha(colour, 0.3f));
    line.push_back(f.pixel((left + right) / 2, medians[i]));
  }
  draw->AddPolyline(line.data(), int(line.size()), colour, 0, px(1.3f));
  // What is above, as a window.
  const Range shown = bench.view.x(series);
  const ImVec2 from = f.pixel(std::max(shown.low, f.x.low), y.high),
               to = f.pixel(std::min(shown.high, f.x.high), y.low);
  draw->AddRectFilled(min, {from.x, max.y}, with_alpha(colours::window, 0.45f));
  draw->AddRectFilled({to.x, min.y}, max, with_alpha(colours::window, 0.45f));
  draw->AddRect({from.x, min.y}, {std::max(to.x, from.x + px(3)), max.y}, colours::soft, px(2), 0, px(1));
  draw->PopClipRect();
  if (told) {
    const float top = (min.y + max.y) / 2 - (two ? text : text / 2);
    if (two) draw->AddText(fonts.small, text, {max.x + px(8), top}, colours::soft, words.all.c_str());
    draw->AddText(fonts.small, text, {max.x + px(8), two ? top + text : top}, words.ink,
                  two || !words.drift.empty() ? words.drift.c_str() : words.all.c_str());
  }
  ui.mark("timing.overview.window", {from.x, min.y}, {std::max(to.x, from.x + px(3)), max.y});
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("timing.overview", {std::max(1.f, max.x - min.x), std::max(1.f, max.y - min.y)});
  ui.mark("timing.overview");
  const bool active = ImGui::IsItemActive();
  if (ImGui::IsItemHovered() && ImGui::GetMouseClickedCount(ImGuiMouseButton_Left) >= 2) {
    bench.view.follow();
  } else if (active && (ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0)) {
    bench.view.go(f.x_at(std::clamp(ImGui::GetIO().MousePos.x, min.x, max.x)), series);
  }
  plot_menu(ui, "timing.overview");
  if (!active) tip_for_last(kStripTip);
}

void level_before(double value, const Frame& f) {
  const SeriesStyle style{colours::soft, Dash::dashed};
  const std::vector<double> x = {f.x.low, f.x.high}, level = {value, value};
  if (value >= f.y.low && value <= f.y.high) return draw_series(f, x, level, style, px(1.2f));
  beyond_axis(f, value > f.y.high, 0, colours::soft);
}

void beyond_axis(const Frame& f, bool above, size_t place, ImU32 colour) {
  const float left = f.min.x + px(10) + float(place) * px(11), side = px(4),
              edge = above ? f.min.y + px(2) : f.max.y - px(2), away = above ? px(7) : -px(7);
  ImPlot::PushPlotClipRect();
  ImPlot::GetPlotDrawList()->AddTriangleFilled({left, edge}, {left - side, edge + away}, {left + side, edge + away},
                                               colour);
  ImPlot::PopPlotClipRect();
}

void curve_before(Ui& ui, const Record& r, std::span<const double> samples_ns) {
  const Workbench& bench = ui.bench;
  const Metric metric = bench.asked.metric;
  const Work work{r.flops, r.bytes};
  const ImVec2 min = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const ImVec2 max{min.x + space.x, min.y + space.y};
  const auto last = samples_ns.last(std::min(samples_ns.size(), kShown));
  const Rolling rolling = roll(last, 0, last.size(), metric, work);
  std::vector<double> values;
  for (const double ns : last) values.push_back(in_metric(metric, ns, work));
  Range y = robust_range(values, bench.view.log());
  y.pad(bench.view.log());
  const Frame f{{min.x + px(8), min.y + px(4)},
                {max.x - px(8), max.y - px(4)},
                Range::of(0, double(std::max<size_t>(1, last.size()))),
                y,
                bench.view.log()};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(min, max, colours::plot, px(3));
  draw->PushClipRect(min, max, true);
  std::vector<ImVec2> line;
  for (size_t i = 0; i < rolling.x.size(); ++i) line.push_back(f.pixel(rolling.x[i], rolling.median[i]));
  if (line.size() > 1) draw->AddPolyline(line.data(), int(line.size()), with_alpha(colours::soft, 0.35f), 0, px(2));
  for (size_t i = 0; i < values.size(); ++i) {
    const ImVec2 at = f.pixel(double(i) + 0.5, std::clamp(values[i], y.low, y.high));
    draw->AddRectFilled({at.x - px(0.8f), at.y - px(0.8f)}, {at.x + px(0.8f), at.y + px(0.8f)},
                        with_alpha(colours::soft, 0.2f));
  }
  draw->PopClipRect();
  const Live* live = bench.shown();
  const std::string doing = !live || live->stage.empty() ? "starting" : live->stage;
  const std::string now = fmt::format("{}: {}\u2026", bench.name_of_asked(), doing);
  const std::string was =
      fmt::format("shown dimmed: the run before, {} on {}", bench.short_name(r.variant, r.config), to_text(r.problem));
  const float top = min.y + std::max(px(6), (space.y - 2 * ImGui::GetTextLineHeight()) / 2);
  const auto centred = [&](ImFont* font, float at, ImU32 ink, const std::string& words) {
    const float width = std::min(width_of(font, words), space.x - px(16));
    const float left = min.x + (space.x - width) / 2;
    draw->AddRectFilled({left - px(6), at - px(1)}, {left + width + px(6), at + font->FontSize + px(2)},
                        with_alpha(colours::panel, 0.85f), px(3));
    draw_cut(font, {left, at}, width + 1, ink, words);
  };
  centred(fonts.body, top, colours::text, now);
  centred(fonts.small, top + fonts.body->FontSize + px(5), colours::soft, was);
  ui.mark("timing.before", min, max);
}

void dump_timing_parts(const Workbench& bench, Json& j) {
  const Overview& o = bench.shape.whole();
  if (bench.timed()) {
    j["overview"] = {{"columns", o.columns().size()}, {"stretch", o.stretch()}, {"samples", o.taken()}};
    j["overview"]["drift"] = bench.timed()->series.drift_text();
    const Histogram& h = bench.shape.histogram();
    j["histogram"] = {{"bins", h.counts.size()}, {"total", h.total}, {"log_counts", bench.shape.log_counts}};
    for (const HistogramMark& m : h.marks) j["histogram"][m.id] = m.value;
  }
  if (const Record* r = bench.before())
    j["before"] = {{"variant", r->variant}, {"config", r->config}, {"problem", to_text(r->problem)}};
  if (const Change* c = bench.change())
    j["change"] = {{"text", change_text(*c, bench.asked.metric, bench.work())},
                   {"before", c->before_name},
                   {"now", c->now_name},
                   {"before_ns", c->before_ns},
                   {"now_ns", c->now_ns},
                   {"word", to_text(c->word.relation)}};
}

}  // namespace attnscope::gui
