// A search begun, watched and accepted: best so far against trials, the race at the end, where the time went.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <implot.h>

#include "app/gui/fitted_table.hpp"
#include "app/gui/panels/compare_table.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/search_bits.hpp"
#include "app/gui/plot/variant_style.hpp"
#include "app/gui/plot_widgets.hpp"
#include "app/gui/state/arms.hpp"
#include "app/gui/state/estimate.hpp"
#include "app/gui/widgets.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {
namespace {

constexpr float kControls = 196;

void start(Ui& ui) {
  const auto search = ui.bench.tune();
  ui.drafts.tuning_error = search ? "" : search.error().message;
  if (search) ui.requests.search = *search;
}

void form(Ui& ui) {
  Workbench& bench = ui.bench;
  TuningForm& form = bench.tuning;
  const float width = ImGui::GetContentRegionAvail().x, label = px(58);
  const auto row = [&](const char* name) {
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    text_in(fonts.small, colours::soft, name);
    ImGui::SameLine(left + label);
    ImGui::SetNextItemWidth(width - label);
  };
  using Kind = tune::StrategyKind;
  row("strategy");
  const bool open = begin_combo("##tuning.strategy", std::string(name_of(form.strategy)));
  ui.mark("tuning.strategy");
  if (open) {
    for (const Kind kind : {Kind::surrogate, Kind::local, Kind::random, Kind::exhaustive}) {
      if (ImGui::Selectable(std::string(name_of(kind)).c_str(), kind == form.strategy)) form.strategy = kind;
      ui.mark("tuning.strategy." + std::string(name_of(kind)));
    }
    ImGui::EndCombo();
  } else {
    tip_for_last(
        "surrogate: a model of the times says which configs to try. local: neighbours of the best. random: legal ones "
        "at random. exhaustive: all, in order.");
  }
  row("budget");
  ImGui::InputTextWithHint("##tuning.budget", "until all are tried", &form.budget);
  ui.mark("tuning.budget");
  tip_for_last("How long to search (60s, 5m), or how many configs to try (200); empty: until all are tried.");
  row("variants");
  const int chosen = segmented(ui, "tuning.variants", {"all", "this one"}, form.all_variants ? 0 : 1, width - label, {},
                               fonts.small, {"all", "one"});
  if (chosen >= 0) form.all_variants = chosen == 0;
  if (!ui.drafts.tuning_error.empty()) wrapped_in(colours::bad, ui.drafts.tuning_error);
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  const Searched& s = bench.searched;
  if (s.measuring()) {
    if (button(ui, "tuning.cancel", "Cancel",
               "Stop at once; what was tried is kept, and a later search goes on from there"))
      ui.requests.cancel_search = true;
  } else {
    const bool before = s.known() && bench.search_of_other().empty() && s.progress().tried > 0;
    if (button(ui, "tuning.start", before ? "Resume" : "Start",
               "Search for the fastest config of the problem shown. What an earlier search tried is not tried again. "
               "Live sampling pauses meanwhile.",
               bench.known.variants_known, !bench.can_accept()))
      start(ui);
    if (const auto estimate = bench.known.variants_known ? estimate_of_tuning(bench) : std::nullopt) {
      ImGui::SameLine(0, px(8));
      wrapped_in(colours::soft, text_of(*estimate));
      ui.mark("tuning.estimate");
      tip_for_last("What this would try, and how long that takes. At the end the fastest few are raced.");
    }
  }
  best_buttons(ui, "tuning.show_best", "tuning.accept", true);
  // The fields are of the next one: while another runs it says its own settings in their place.
  if (s.measuring()) {
    wrapped_in(colours::soft, begun_with(s.asked()));
    ui.mark("tuning.begun_with");
  } else {
    form(ui);
  }
  search_progress(ui);
}

/// Where the time went, as one bar: shades of one colour, named on hover and below.
void time_bar(Ui& ui) {
  const tune::TuneProgress& p = ui.bench.searched.progress();
  const std::vector<search::Share> shares = search::shares(p);
  if (shares.empty()) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, tall = px(8);
  float x = at.x, alpha = 1;
  std::string words;
  for (const search::Share& part : shares) {
    const float wide = width * float(part.share);
    ImGui::GetWindowDrawList()->AddRectFilled({x, at.y}, {x + std::max(0.f, wide - px(1)), at.y + tall},
                                              with_alpha(colours::accent, alpha));
    x += wide;
    alpha *= 0.68f;
    if (part.share >= 0.02)
      words += fmt::format("{}{:.0f} % {}", words.empty() ? "" : " \u00b7 ", 100 * part.share, part.name);
  }
  ImGui::Dummy({width, tall});
  ui.mark("tuning.time");
  const std::string whole = fmt::format("{:.0f} s: {}", ui.bench.searched.seconds(ui.bench.now()), words);
  text_cut(whole, width, colours::faint, fonts.small, false);
  tip_for_last("Where the search's time went.\n" + whole);
}

/// Steps down, each variant's best so far; the value at the end is held to the newest trial.
void best_plot(Ui& ui, ImVec2 size) {
  Workbench& bench = ui.bench;
  const Searched& s = bench.searched;
  const Metric metric = bench.asked.metric;
  const Problem& problem = s.asked().problem;
  const Work work{problem_flops(problem), problem_bytes(problem)};
  ImGui::BeginChild("tuning.best", size, 0, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  std::vector<LegendEntry> entries;
  std::vector<const Searched::Arm*> drawn;
  const std::vector<const Searched::Arm*> arms = fastest_first(s);
  Range y;
  for (const Searched::Arm* arm : arms) {
    if (drawn.size() == kVariantStyles) break;
    drawn.push_back(arm);
    const std::string best = time_text(arm->steps.back().ns);
    entries.push_back({"tuning.legend." + arm->arm.variant, fmt::format("{} {}", arm->arm.variant, best),
                       variant_style(size_t(arm - s.arms().data())), true,
                       fmt::format("{}: best {} of {} timed", arm->arm.variant, best, count_text(arm->measured))});
    for (const Searched::Step& step : arm->steps) y.include(in_metric(metric, step.ns, work));
  }
  if (drawn.empty()) {
    empty_hint("Nothing timed yet", "The best so far of each variant is drawn here against the trials made.");
    return ImGui::EndChild();
  }
  legend(ui, "tuning.legend", entries, 2, arms.size() - drawn.size());
  const bool log = y.low > 0 && y.high > 3 * y.low;
  y.pad(log);
  const Range x = Range::of(0, std::max(8.0, double(s.standing())) * 1.02);
  const ImVec2 min = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const ImVec2 max{min.x + std::max(space.x, px(120)), min.y + std::max(space.y, px(60))};
  if (!begin_plot("##tuning.plot")) return ImGui::EndChild();
  ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoHighlight, ImPlotAxisFlags_NoHighlight);
  if (log) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_X1, x.low, x.high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, y.low, y.high, ImPlotCond_Always);
  set_ticks(ImAxis_Y1, metric_ticks(y, log, metric, ticks_along(max.y - min.y - px(30), true)));
  set_ticks(ImAxis_X1, count_ticks(x, std::max(3, ticks_along(max.x - min.x, false))));
  const Frame f = frame_now(x, y, log);
  for (const Searched::Arm* arm : drawn) {
    std::vector<double> along, up;
    for (const Searched::Step& step : arm->steps) {
      if (!up.empty()) {
        along.push_back(double(s.place(step.trial)));
        up.push_back(up.back());
      }
      along.push_back(double(s.place(step.trial)));
      up.push_back(in_metric(metric, step.ns, work));
    }
    along.push_back(double(s.standing()));
    up.push_back(up.back());
    draw_series(f, along, up, variant_style(size_t(arm - s.arms().data())), px(2));
  }
  ImPlot::EndPlot();
  plot_input(ui, "tuning.plot", min, max);
  tip_for_last("The best so far of each variant against the number of trials, all variants together.");
  ImGui::EndChild();
}

enum Columns : size_t { kConfig, kMedian, kSpread, kWord };

void finalists(Ui& ui) {
  Workbench& bench = ui.bench;
  const search::SearchOutcome* out = bench.searched.outcome();
  FittedTable table;
  const auto number = [](const char* widest, int expendable) {
    const float width = width_of(fonts.mono, widest);
    return ColumnWish{width, width, expendable, false};
  };
  std::vector<FittedTable::Column> columns(kWord + 1);
  const float word = width_of(fonts.small, "SLOWER 8.88\u00d7");
  columns[kConfig] = {"raced",
                      "The fastest by their trials, measured side by side at the end: this decides.",
                      {px(220), px(64), 0, true}};
  columns[kMedian] = {"median", "Of all samples in the race.", number("88.8 ms", 0), true};
  columns[kSpread] = {"spread", "p20 to p80 over the median.", number("888.8 %", 3), true};
  columns[kWord] = {"it is", "Against the default config, turn by turn of the same race.", {word, word, 0, false}};
  if (!table.begin(ui, "raced", std::move(columns))) return;
  const auto& raced = out->result.raced;
  for (size_t i = 0; i < raced.size(); ++i) {
    const Record& r = raced[i];
    ImGui::PushID(int(i));
    table.row();
    if (table.cell(kConfig)) {
      const std::string name = bench.short_name(r.variant, r.config);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float room = ImGui::GetContentRegionAvail().x;
      if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) bench.take(r.variant, r.config);
      ui.mark(fmt::format("raced.{}", i));
      tip_for_last(fmt::format("{} {}\nClick: make it the current config.", r.variant, attnscope::to_text(r.config)));
      draw_cut(fonts.body, at, room, i == 0 ? colours::text : colours::soft, name);
    }
    table.text(kMedian, fonts.mono, colours::text, time_text(r.statistics->median));
    table.text(kSpread, fonts.mono, colours::soft,
               fmt::format("{:.1f} %", 100 * (r.statistics->p80 - r.statistics->p20) / r.statistics->median));
    if (i < out->result.words.size()) {
      const Comparison& c = out->result.words[i];
      const Record& base = *out->result.baseline;
      const bool is_default = base.variant == r.variant && base.config == r.config;
      const ImU32 colour = is_default                       ? colours::faint
                           : c.relation == Relation::faster ? colours::good
                           : c.relation == Relation::slower ? colours::bad
                                                            : colours::soft;
      if (table.text(kWord, fonts.small, colour, is_default ? "the default" : relation_text(c)))
        tip_for_last(is_default
                         ? "What would have run untuned."
                         : fmt::format("{}The ratio of the medians lies between {:.3g} and {:.3g}.",
                                       c.reason.empty() ? "" : fmt::format("UNSURE: {}. ", c.reason), c.low, c.high));
    }
    ImGui::PopID();
  }
  table.end();
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!ui.requests.search)
    if (const auto look = bench.look_back()) ui.requests.search = look;
  ImGui::BeginChild("tuning.controls", {px(kControls), 0}, 0, ImGuiWindowFlags_NoBackground);
  controls(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, px(14));
  ImGui::BeginChild("tuning.charts", {0, 0}, 0, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  search_of_other(ui);
  const search::SearchOutcome* out = bench.searched.outcome();
  const bool raced = out && !out->result.raced.empty();
  const bool timed = !search::shares(bench.searched.progress()).empty();
  const float bar = timed ? px(12) + ImGui::GetTextLineHeightWithSpacing() : 0;
  const float high = std::max(px(60), ImGui::GetContentRegionAvail().y - bar - ImGui::GetStyle().ItemSpacing.y);
  const float whole = ImGui::GetContentRegionAvail().x;
  best_plot(ui, {raced ? whole * 0.36f : 0, high});
  if (raced) {
    ImGui::SameLine(0, px(12));
    ImGui::BeginChild("tuning.raced", {0, high}, 0, ImGuiWindowFlags_NoBackground);
    finalists(ui);
    ImGui::EndChild();
  }
  if (timed) time_bar(ui);
  ImGui::EndChild();
}

void dump(const Workbench& bench, Json& j) {
  Json t = {{"strategy", name_of(bench.tuning.strategy)},
            {"budget", bench.tuning.budget},
            {"all_variants", bench.tuning.all_variants},
            {"can_accept", bench.can_accept()},
            {"estimate", ""},
            {"begun_with", bench.searched.measuring() ? begun_with(bench.searched.asked()) : ""},
            {"raced", Json::array()}};
  if (const auto estimate = estimate_of_tuning(bench)) t["estimate"] = text_of(*estimate);
  const Searched& s = bench.searched;
  t["tried"] = s.standing();
  for (const Searched::Arm& arm : s.arms())
    for (const Searched::Step& step : arm.steps)
      t["steps"][arm.arm.variant].push_back({{"trial", s.place(step.trial)}, {"median_ns", step.ns}});
  if (const search::SearchOutcome* out = bench.searched.outcome()) {
    t["no_race"] = out->result.no_race;
    for (size_t i = 0; i < out->result.raced.size(); ++i) {
      const Record& r = out->result.raced[i];
      Json row = {{"variant", r.variant}, {"config", r.config}, {"median_ns", r.statistics->median}};
      if (i < out->result.words.size()) row["word"] = to_text(out->result.words[i].relation);
      t["raced"].push_back(row);
    }
  }
  j["tuning"] = t;
}

}  // namespace

const Panel tuning_panel = {"tuning", "Tuning", Place::bottom, draw, dump, 300};

}  // namespace attnscope::gui
