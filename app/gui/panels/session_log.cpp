// The session log: every config tried, with its verdict and timing, and beside it the runs of earlier sessions. Sorted,
// filtered, named; a click takes a row's problem, variant and config again.
#include <algorithm>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/model/explain.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kMore = kEnumerators<RunColumn>;  ///< the buttons, after the columns of a list of runs
constexpr size_t of(RunColumn c) { return size_t(c); }

constexpr std::tuple<RunColumn, const char*, int> kNumbers[] = {
    {RunColumn::max_abs, "max abs", 3}, {RunColumn::median, "median", 0}, {RunColumn::tflops, "FLOP/s", 2},
    {RunColumn::gbps, "B/s", 4},        {RunColumn::mean, "mean", 7},     {RunColumn::min, "min", 4},
    {RunColumn::max, "max", 8}};

std::vector<FittedTable::Column> columns(const Workbench& bench, bool past) {
  using C = RunColumn;
  const float problem = width_of(fonts.mono, to_text(bench.request.selection.problem));
  std::vector<FittedTable::Column> all(kMore + 1);
  all[of(C::number)] = {"#", "", width_of(fonts.mono, "88888"), 5, true};
  all[of(C::name)] = {.title = "config", .explanation = explain::config, .width = px(150), .grows = true};
  all[of(C::problem)] = {"problem", explain::problem, std::max(px(96), problem), past ? 3 : 1};
  all[of(C::verdict)] = {"verdict", explain::verdict, width_of(fonts.small, "not verified")};
  for (const auto& [column, title, expendable] : kNumbers) all[of(column)] = number_column(title, expendable);
  all[of(C::device)] = {"device", "", px(120), past ? 2 : 9};
  all[of(C::when)] = {"when", "", width_of(fonts.small, "2026-88-88"), past ? 0 : 10};
  all[of(C::note)] = {"note", "", px(110), 6};
  all[kMore] = {.width = px(20)};
  return all;
}

void row(Ui& ui, FittedTable& table, const RunRow& t, const std::string& list) {
  using C = RunColumn;
  Workbench& bench = ui.bench;
  const Record& r = *t.record;
  const bool past = list == "past";
  const std::string id = fmt::format("{}.{}", list, t.number);
  ImGui::PushID(int(t.number));
  bool menu = false;
  if (table.cell(past || !table.shows(of(C::number)) ? of(C::name) : of(C::number))) {
    // Below all that stands in the row; buttons in it come first.
    const ImVec2 at = ImGui::GetCursorPos();
    if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
      bench.take(r);
    ui.mark(id);
    menu = ImGui::IsItemHovered() && (ImGui::IsMouseReleased(ImGuiMouseButton_Right) ||
                                      (ImGui::IsKeyPressed(ImGuiKey_F2, false) && !ImGui::GetIO().WantTextInput));
    ImGui::SetCursorPos(at);
  }
  table.text(of(C::number), fonts.mono, colours::faint, std::to_string(t.number));
  if (table.cell(of(C::name))) {
    if (t.best) {
      text_in(fonts.small, colours::good, "best");
      tip_for_last("The least median of this problem, on this device and in these modes.");
      ImGui::SameLine(0, px(8));
    }
    text_cut(t.name, ImGui::GetContentRegionAvail().x + 1, colours::text, nullptr, false);
    tip_for_last(described(r) + (t.remark.note.empty() ? "" : "\n\n" + t.remark.note) + "\n\nClick to take it again.");
  }
  if (table.text(of(C::problem), fonts.mono, colours::soft, to_text(r.problem))) tip_for_last(to_text(r.problem));
  if (table.text(of(C::verdict), fonts.small, verdict_colour(r), verdict_of(r)) && !r.message.empty())
    tip_for_last(r.message);
  for (const auto& [column, title, expendable] : kNumbers) number_cell(table, of(column), title, r);
  if (table.text(of(C::device), fonts.small, colours::soft, r.environment.device.name))
    tip_for_last(r.environment.device.name);
  if (table.cell(of(C::when))) {
    text_in(fonts.small, colours::soft, short_when(r.environment.time_utc, std::time(nullptr)));
    tip_for_last(r.environment.time_utc);
  }
  if (!t.remark.note.empty() && table.text(of(C::note), fonts.small, colours::soft, t.remark.note))
    tip_for_last(t.remark.note);
  if (table.cell(kMore)) {
    if (ImGui::SmallButton("\u2026")) menu = true;
    ui.mark(id + ".more");
    tip_for_last("Name, note, colour, copy, remove (right click does the same)");
  }
  if (menu) open_run_menu();
  run_menu(ui, id, t, past ? RunPlace::past : RunPlace::log);
  ImGui::PopID();
}

void controls(Ui& ui) {
  Workbench& bench = ui.bench;
  Drafts& d = ui.drafts;
  RunList& list = d.past_runs ? bench.views.past : bench.views.log;
  const float height = ImGui::GetFrameHeight();
  choose(ui, "log.source", {"This session", "Earlier runs"}, d.past_runs, px(200), nullptr, {"session", "past"});
  if (d.past_runs) {
    flow(height + px(90));
    ImGui::Checkbox("all problems", &d.past_all);
    ui.mark("past.all");
    tip_for_last("Not only those of the problem that is asked.");
  }
  flow(px(180));
  const float wide = std::clamp(ImGui::GetContentRegionAvail().x - px(330), px(130), px(320));
  ImGui::SetNextItemWidth(wide);
  std::string& filter = d.past_runs ? d.past_filter : list.filter;
  ImGui::InputTextWithHint("##log.filter", d.past_runs ? "words, variant=tiled" : "words, !word", &filter);
  ui.mark("log.filter");
  tip_for_last(d.past_runs ? "Words that a row has, !word for one it has not; and conditions on any field of a record: "
                             "variant=tiled, BLOCK_M=64, median_ns<1e6, device~H200."
                           : "Words that a row has in its name, problem, verdict, device or note; !word: has not.");
  flow(px(90));
  ImGui::AlignTextToFramePadding();
  const size_t all = list.rows().size(), shown = list.shown().size();
  text_in(fonts.small, colours::soft,
          d.past_runs && bench.views.history.loading() ? "reading\u2026"
          : shown == all
              ? fmt::format("{}{}", count_text(all), bench.views.history.more() && d.past_runs ? " newest" : "")
              : fmt::format("{} of {}", count_text(shown), count_text(all)));
  ui.mark("log.count");
}

void draw_session_log(Ui& ui) {
  Workbench& bench = ui.bench;
  Drafts& d = ui.drafts;
  controls(ui);
  if (d.past_runs) {
    bench.views.history.selection(
        {d.past_all ? std::nullopt : std::optional(bench.request.selection.problem), d.past_filter});
    bench.views.past.filter = plain_words(d.past_filter);
    if (!bench.views.history.error().empty()) return empty_hint("No earlier runs", bench.views.history.error());
    if (bench.views.past.rows().empty())
      return empty_hint(bench.views.history.loading() ? "Reading the history" : "No earlier runs",
                        "Every run of bench, verify and this window goes into the history of this machine.");
  } else if (bench.log.entries().empty()) {
    return empty_hint("Nothing tried yet",
                      "Every config that was dispatched is listed here, in order; the best is marked.");
  }
  RunList& list = d.past_runs ? bench.views.past : bench.views.log;
  const std::string id = d.past_runs ? "past" : "log";
  FittedTable table;
  table.sorted_by(of(list.sort), list.descending);
  if (!table.begin(ui, id.c_str(), columns(bench, d.past_runs))) return;
  ImGuiListClipper rows;
  rows.Begin(int(list.shown().size()));
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      table.row();
      row(ui, table, list.rows()[list.shown()[size_t(i)]], id);
    }
  if (table.clicked() && *table.clicked() < kMore) list.sort_by(RunColumn(*table.clicked()));
  table.end();
}

void dump_session_log(const Workbench& bench, Json& j) {
  j["log"] = Json::array();
  for (const SessionLog::Entry& t : bench.log.entries()) {
    j["log"].push_back(brief(*t.record));
    j["log"].back()["label"] = bench.name_of(t);
  }
  const RunList& list = bench.views.log;
  j["log_list"] = {{"sort", to_text(list.sort)}, {"numbers", Json::array()}};
  for (const uint32_t i : list.shown()) j["log_list"]["numbers"].push_back(list.rows()[i].number);
}

}  // namespace

const Panel session_log_panel = {"log", "Log", draw_session_log, dump_session_log};

}  // namespace attnscope::gui
