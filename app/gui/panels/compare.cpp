#include "app/gui/panels/compare.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/charts/across_chart.hpp"
#include "app/gui/charts/timing_plot.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/panels/menus.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/explain.hpp"
#include "app/gui/ui/fitted_table.hpp"
#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"
#include "app/gui/workbench/exports.hpp"
#include "engine/record/compare_records.hpp"

namespace attnscope::gui {
namespace {

enum Columns : size_t { kSwatch, kConfig, kProblem, kMedian, kSpread, kFlops, kBytes, kMoved, kMemory, kWord, kRemove };

std::vector<FittedTable::Column> columns(const Workbench& bench) {
  const Captions& captions = bench.captions();
  const float room = ImGui::GetContentRegionAvail().x;
  // The name of most letters is not always the widest.
  float named = width_of(fonts.body, captions.longest());
  named = std::max(named, width_of(fonts.body, bench.name_of_asked()));
  for (size_t i = 0; i < std::min<size_t>(bench.pins.all().size(), 64); ++i)
    named = std::max(named, width_of(fonts.body, bench.name_of(bench.pins.all()[i])));
  const float problem = width_of(fonts.mono, captions.longest_problem());
  const auto number = [](const char* widest, int expendable = 0) {
    return FittedTable::fixed(fonts.mono, widest, expendable);
  };
  std::vector<FittedTable::Column> all(kRemove + 1);
  all[kSwatch] = {"", "", {px(18), px(18), 0, false}};
  all[kConfig] = {"config", explain::config, {named, std::min(named, room * 0.34f), 0, true}};
  // One problem for all rows is what is asked: the first to go.
  all[kProblem] = {
      "problem", explain::problem, {problem, std::min(problem, px(96)), captions.one_problem() ? 9 : 3, false}};
  all[kMedian] = {"median", explain::median, number("88.8 ms"), true};
  all[kSpread] = {"spread", explain::spread, number("888.8 %", 5), true};
  all[kFlops] = {captions.flops().name, explain::flops, number("0.888", 4), true};
  all[kBytes] = {captions.bytes().name, explain::bandwidth, number("0.888", 6), true};
  all[kMoved] = {"moved", explain::moved, number("88.8 MiB", 7), true};
  all[kMemory] = {"memory", explain::memory, number("88.8 MiB", 8), true};
  const float word = width_of(fonts.small, "SLOWER 8.88\u00d7");
  all[kWord] = {"vs live", explain::live_is, {word, word, 0, false}};
  all[kRemove] = {"", "", {px(16), px(16), 0, false}};
  return all;
}

void identity(FittedTable& table, const std::string& name, const Record& r) {
  if (table.text(kConfig, fonts.body, colours::text, name)) tip_for_last(described(r));
  if (table.text(kProblem, fonts.mono, colours::soft, to_text(r.problem))) tip_for_last(to_text(r.problem));
}

void numbers(FittedTable& table, const Captions& captions, const Record& r) {
  if (r.statistics) {
    const Statistics& s = *r.statistics;
    const Work work{r.flops, r.bytes};
    if (table.text(kMedian, fonts.mono, colours::text, time_text(s.median)))
      tip_for_last(fmt::format("median {}\nmin {}, mean {}, max {}\nof {} samples", time_text(s.median),
                               time_text(s.min), time_text(s.mean), time_text(s.max), count_text(s.count)));
    if (table.text(kSpread, fonts.mono, colours::soft, fmt::format("{:.1f} %", 100 * (s.p80 - s.p20) / s.median)))
      tip_for_last(
          fmt::format("p20 {}, p80 {}: what lies between, over the median", time_text(s.p20), time_text(s.p80)));
    if (table.text(kFlops, fonts.mono, colours::soft, short_number(r.tflops * 1e12 / captions.flops().size)))
      tip_for_last(metric_text(Metric::tflops, in_metric(Metric::tflops, s.median, work)));
    if (table.text(kBytes, fonts.mono, colours::soft, short_number(r.gbps * 1e9 / captions.bytes().size)))
      tip_for_last(metric_text(Metric::gbps, in_metric(Metric::gbps, s.median, work)));
  } else {
    table.text(kMedian, fonts.small, colours::faint, "no samples");
  }
  // Counted, so known of a config that was inspected even before its first sample.
  table.text(kMoved, fonts.mono, colours::soft, bytes_text(r.bytes + r.extra_bytes));
  table.text(kMemory, fonts.mono, r.scratch_bytes > 0 ? colours::soft : colours::faint,
             r.scratch_bytes > 0 ? bytes_text(double(r.scratch_bytes)) : "none");
}

/// Why there is no word, and what can be said all the same.
std::string no_word_tip(const Workbench& bench, const Pin& p) {
  std::string text = explain::live_is;
  if (p.record->samples_ns.size() < PinComparisons::kEnough)
    text += fmt::format("\nThis pin has {} samples; {} are needed for a word.", p.record->samples_ns.size(),
                        PinComparisons::kEnough);
  const PinComparison* standing = bench.standing();
  if (!standing || p.record->problem != standing->live.problem) return text;
  const Record &live = standing->live, &pinned = *p.record;
  if (const std::string why = why_not_comparable(pinned, live); !why.empty())
    text += fmt::format("\nNo word: {}.", why);
  if (live.statistics && pinned.statistics && pinned.statistics->median > 0)
    text += fmt::format("\nThe live median is {:.2f}\u00d7 the pinned one.",
                        live.statistics->median / pinned.statistics->median);
  return text;
}

struct Clicked {
  uint64_t removed = 0, toggled = 0, taken = 0;
};

void pin_row(Ui& ui, FittedTable& table, const Pin& p, Clicked& clicked) {
  const Workbench& bench = ui.bench;
  ImGui::PushID(int(p.id));
  if (table.cell(kSwatch)) {
    draw_swatch(series_style(p.slot), p.shown);
    if (ImGui::InvisibleButton("show", {px(18), ImGui::GetTextLineHeight()})) clicked.toggled = p.id;
    ui.mark(fmt::format("pin.{}.show", p.id));
    tip_for_last("Show or hide its curves.");
  }
  const Remark* remark = bench.remarks.of(identity_of(*p.record));
  if (table.cell(kConfig)) {
    if (remark) remark_dot(*remark);
    text_cut(bench.name_of(p), ImGui::GetContentRegionAvail().x + 1, colours::text, fonts.body, false);
    tip_for_last(described(*p.record) + (remark && !remark->note.empty() ? "\n\n" + remark->note : "") +
                 "\n\nClick: take its problem, variant and config again.");
    ui.mark(fmt::format("pin.{}.name", p.id));
    if (ImGui::IsItemClicked()) clicked.taken = p.id;
    if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) open_run_menu();
  }
  if (table.text(kProblem, fonts.mono, colours::soft, to_text(p.record->problem)))
    tip_for_last(to_text(p.record->problem));
  numbers(table, bench.captions(), *p.record);
  if (const Comparison* c = bench.verdict(p)) {
    if (table.text(kWord, fonts.small, relation_colour(c->relation), relation_text(*c)))
      tip_for_last(fmt::format("{}{}\nThe ratio of the medians lies between {:.3g} and {:.3g}.", explain::live_is,
                               c->reason.empty() ? "" : fmt::format("\nUNSURE: {}.", c->reason), c->low, c->high));
  } else if (table.text(kWord, fonts.small, colours::faint, bench.why_no_verdict(p))) {
    tip_for_last(no_word_tip(bench, p));
  }
  if (table.cell(kRemove)) {
    if (ImGui::SmallButton("\u00d7")) clicked.removed = p.id;
    ui.mark(fmt::format("pin.{}.remove", p.id));
    tip_for_last("Remove this pin.");
  }
  if (ImGui::IsPopupOpen("run.menu"))
    run_menu(ui, fmt::format("pin.{}", p.id),
             {p.slot + 1, p.record, identity_of(*p.record), bench.name_of(p), remark ? *remark : Remark{}, false},
             RunPlace::pins, p.id);
  ImGui::PopID();
}

}  // namespace

ImU32 relation_colour(Relation r) {
  return r == Relation::faster ? colours::good : r == Relation::slower ? colours::bad : colours::soft;
}

void compare_table(Ui& ui, float height) {
  Workbench& bench = ui.bench;
  FittedTable table;
  if (!table.begin(ui, "pins", columns(bench), height)) return;
  // What is compared stands together: the live row is the very copy that the words below were made from.
  const PinComparison* standing = bench.standing();
  const int above = standing ? 1 : 0;
  Clicked clicked;
  ImGuiListClipper rows;
  rows.Begin(int(bench.pins.all().size()) + above);
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      table.row();
      if (i >= above) {
        pin_row(ui, table, bench.pins.all()[size_t(i - above)], clicked);
        continue;
      }
      if (table.cell(kSwatch)) series_swatch(live_style());
      identity(table, bench.name_of_asked(), standing->live);
      numbers(table, bench.captions(), standing->live);
      if (table.text(kWord, fonts.small, colours::faint,
                     fmt::format("live, {}", count_text(standing->live.samples_ns.size()))))
        tip_for_last("The live samples that the words below were made from; the headline has those since then too.");
      // As high as the rows with a button.
      if (table.cell(kRemove)) ImGui::Dummy({0, ImGui::GetTextLineHeight()});
    }
  table.end();
  if (const Pin* p = bench.pins.find(clicked.toggled)) bench.pins.show(p->id, !p->shown);
  if (const Pin* p = bench.pins.find(clicked.taken)) bench.take(*p->record);
  if (clicked.removed) bench.unpin(clicked.removed);
}

// Pinned configs beside the live one: a table, and how their samples are distributed.

namespace {

/// While the last step was a removal: to find that it can be taken back, nobody has to know the key.
void undo_button(Ui& ui) {
  if (!ui.bench.history.removal_is_last()) return;
  if (button(ui, "pins.undo", "Undo remove", "Bring back the pins that were removed last, in their colours (Ctrl+Z)"))
    ui.bench.undo();
  ImGui::SameLine();
}

void buttons(Ui& ui) {
  undo_button(ui);
  if (button(ui, "pins.clear", "Remove all", "Remove every pin; Ctrl+Z brings them back")) ui.bench.clear_pins();
  ImGui::SameLine();
  if (button(ui, "results.export", "Export results",
             "Write pins, measured problems and the session log to a JSON result file (Ctrl+E)"))
    ui.requests.files.push_back({FileWish::What::results});
}

void draw_pins(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.pins.empty()) {
    undo_button(ui);
    return empty_hint("Nothing pinned yet", "Pin the live config (P), choose another, and compare both here.");
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const bool both = width > px(860);
  ImGui::BeginChild("compare.table", {both ? width * 0.7f : 0, 0}, 0, ImGuiWindowFlags_NoBackground);
  // Where so little height is left the rows need it: what the buttons do is in Files and in the rows' menus.
  const float room = ImGui::GetContentRegionAvail().y;
  const bool with_buttons = room > px(104) || bench.history.removal_is_last();
  compare_table(ui, room - (with_buttons ? ImGui::GetFrameHeightWithSpacing() : 0));
  if (with_buttons) buttons(ui);
  ImGui::EndChild();
  if (!both) return;
  ImGui::SameLine();
  share_curves(ui, "compare.plot", distribution_chart(ui.bench).series);
}

void dump_pins(const Workbench& bench, Json& j) {
  j["pins"] = Json::array();
  for (const Pin& p : bench.pins.all()) {
    Json pin = brief(*p.record);
    pin["id"] = p.id;
    pin["slot"] = p.slot;
    pin["shown"] = p.shown;
    pin["label"] = bench.name_of(p);
    const Comparison* word = bench.verdict(p);
    pin["live_is"] = word ? relation_text(*word) : "";
    pin["no_word"] = word ? "" : bench.why_no_verdict(p);
    j["pins"].push_back(pin);
  }
  if (const PinComparison* s = bench.standing()) j["standing"] = brief(s->live);
  j["asked_label"] = bench.name_of_asked();
  j["units"] = {{"flops", bench.captions().flops().name}, {"bytes", bench.captions().bytes().name}};
}

const PanelView pins_view = {"pins", "Runs", draw_pins, dump_pins};
const PanelView* const compare_views[] = {&pins_view, &matrix_view, &devices_view};

bool compare_empty(const Ui& ui) {
  return ui.bench.pins.empty() && !ui.bench.history.removal_is_last() && view_of(ui, compare_panel) == &pins_view;
}

}  // namespace

void share_curves(Ui& ui, const char* id, const std::vector<ChartSeries>& all) {
  const Metric metric = ui.bench.request.metric;
  Plot plot(id);
  if (!plot.open()) return;
  Range x;
  for (const ChartSeries& c : all) x.include(robust_range(c.x, false));
  x.pad(false);
  const float wide = plot.max.x - plot.min.x, high = plot.max.y - plot.min.y;
  plot.axes(
      {.y_name = axis_name("% of samples", high - px(30)),
       .x = x,
       .y = Range::of(0, 100),
       .x_ticks = all.empty() ? std::vector<Tick>{} : metric_ticks(x, false, metric, ticks_along(wide - px(60), false)),
       .y_ticks = {{0, "0"}, {50, "50"}, {100, "100"}}});
  for (const ChartSeries& c : all) draw_series(plot.frame, c.x, c.y, c.style, px(1.8f));
  if (!plot.close(ui, id) || !plot.over_data()) return;
  std::vector<Distribution> distributions;
  for (const ChartSeries& c : all) distributions.push_back({nullptr, c.x, c.y});
  const auto found = nearest(distributions, plot.frame, ImGui::GetIO().MousePos);
  if (!found) return;
  ImGui::GetWindowDrawList()->AddCircle(found->at, px(5), colours::text, 0, px(1.5f));
  const std::vector<std::string> lines = {metric_text(metric, found->value),
                                          fmt::format("{:.0f} % of the samples are {} this", found->share,
                                                      metric == Metric::time ? "at or below" : "at or above")};
  series_tip(all[found->index].style, all[found->index].name, lines);
}

const Panel compare_panel = {"compare", "Compare", DockSide::bottom, nullptr,      nullptr,
                             false,     false,     compare_views,    compare_empty};

}  // namespace attnscope::gui
