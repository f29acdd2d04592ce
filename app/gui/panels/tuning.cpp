// A search as it went: best so far against trials, the race at the end, where the time went.
#include <algorithm>

#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {
namespace {

void time_bar(Ui& ui) {
  const tune::TuneProgress& p = ui.bench.search.progress();
  const std::vector<search::Share> shares = search::shares(p);
  if (shares.empty()) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, tall = px(8);
  float x = at.x, alpha = 1;
  std::string words;
  for (const search::Share& part : shares) {
    const float wide = width * float(part.share);
    ImGui::GetWindowDrawList()->AddRectFilled({x, at.y}, {x + std::max(0.f, wide - px(1)), at.y + tall},
                                              with_alpha(colours::soft, alpha));
    x += wide;
    alpha *= 0.68f;
    if (part.share >= 0.02)
      words += fmt::format("{}{:.0f} % {}", words.empty() ? "" : " \u00b7 ", 100 * part.share, part.name);
  }
  ImGui::Dummy({width, tall});
  ui.mark("tuning.time");
  const std::string whole = fmt::format("{:.0f} s: {}", ui.bench.search.seconds(ui.bench.now()), words);
  text_cut(whole, width, colours::faint, fonts.small, false);
  tip_for_last("Where the search's time went.\n" + whole);
}

void best_plot(Ui& ui, ImVec2 size) {
  Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  const Chart chart = tuning_chart(bench);
  ImGui::BeginChild("tuning.best", size, 0, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  if (chart.empty()) {
    empty_hint("Nothing timed yet", "The best so far of each variant is drawn here against the trials made.");
    return ImGui::EndChild();
  }
  std::vector<LegendEntry> entries;
  for (const ChartSeries& line : chart.series) {
    const SearchState::Arm& arm = s.arms()[s.arm_of(line.name)];
    const std::string best = time_text(arm.steps.back().ns);
    entries.push_back({"tuning.legend." + line.name, fmt::format("{} {}", line.name, best), line.style, true,
                       fmt::format("{}: best {} of {} timed", line.name, best, count_text(arm.measured))});
  }
  legend(ui, "tuning.legend", entries, 2);
  Plot plot("##tuning.plot");
  if (!plot.open()) return ImGui::EndChild();
  const Range &x = chart.x.range, &y = chart.y.range;
  const bool log = chart.y.log;
  plot.axes(
      {.x = x,
       .y = y,
       .log = log,
       .x_ticks = count_ticks(x, std::max(3, ticks_along(plot.max.x - plot.min.x, false))),
       .y_ticks = metric_ticks(y, log, bench.request.metric, ticks_along(plot.max.y - plot.min.y - px(30), true))});
  for (const ChartSeries& line : chart.series) draw_series(plot.frame, line.x, line.y, line.style, px(2));
  plot.close(ui, "tuning.plot");
  tip_for_last("The best so far of each variant against the number of trials, all variants together.");
  ImGui::EndChild();
}

enum Columns : size_t { kConfig, kMedian, kSpread, kWord };

void finalists(Ui& ui) {
  Workbench& bench = ui.bench;
  const search::SearchOutcome* out = bench.search.outcome();
  FittedTable table;
  std::vector<FittedTable::Column> columns(kWord + 1);
  columns[kConfig] = {.title = "raced",
                      .explanation = "The fastest by their trials, measured side by side at the end: this decides.",
                      .width = px(64),
                      .grows = true};
  columns[kMedian] = number_column("median");
  columns[kSpread] = number_column("spread", 3);
  columns[kWord] = {"vs default", "Against the default config, turn by turn of the same race.",
                    width_of(fonts.small, "SLOWER 8.88\u00d7")};
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
    number_cell(table, kMedian, "median", r);
    number_cell(table, kSpread, "spread", r);
    if (i < out->result.words.size()) {
      const Comparison& c = out->result.words[i];
      const Record& base = *out->result.baseline;
      if (base.variant != r.variant || base.config != r.config)
        word_cell(table, kWord, c, "Against what would have run untuned, in turns.");
      else
        table.text(kWord, fonts.small, colours::faint, "the default");
    }
    ImGui::PopID();
  }
  table.end();
}

void draw_tuning(Ui& ui) {
  const Workbench& bench = ui.bench;
  const search::SearchOutcome* out = bench.search.outcome();
  const bool raced = out && !out->result.raced.empty();
  const bool timed = !search::shares(bench.search.progress()).empty();
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
}

void dump_tuning(const Workbench& bench, Json& j) {
  Json& raced = j["tuning"]["raced"] = Json::array();
  const search::SearchOutcome* out = bench.search.outcome();
  for (size_t i = 0; out && i < out->result.raced.size(); ++i) {
    raced.push_back({{"config", out->result.raced[i].config}});
    if (i < out->result.words.size()) raced.back()["word"] = to_text(out->result.words[i].relation);
  }
}

}  // namespace

const PanelView tuning_view = {"tuning", "Progress", draw_tuning, dump_tuning};

}  // namespace attnscope::gui
