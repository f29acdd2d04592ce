// The session log: every config tried, with its verdict and timing. Sorted, filtered, named; a click takes it again.

#include "app/gui/model/explain.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

enum Columns : size_t {
  kNumber,
  kName,
  kProblem,
  kModes,
  kVerdict,
  kNumbers,
  kDevice = kNumbers + 7,
  kWhen,
  kNote,
  kMore
};
/// What each sorts by, as the list of runs names it; the numbers' columns, each with how soon it goes.
constexpr const char* kFields[] = {"#",    "name", "problem", "cache", "verdict", "max abs", "median", "TFLOP/s",
                                   "GB/s", "mean", "min",     "max",   "device",  "when",    "note"};
constexpr std::pair<const char*, int> kShown[] = {{"max abs", 3}, {"median", 0}, {"FLOP/s", 2}, {"B/s", 4},
                                                  {"mean", 7},    {"min", 4},    {"max", 8}};
static_assert(std::size(kFields) == kMore && std::size(kShown) == kDevice - kNumbers);

std::string modes_text(const Record& r) {
  return fmt::format("{}, {}", to_text(r.protocol.cache), to_text(r.protocol.launch));
}

std::vector<FittedTable::Column> columns(const Workbench& bench) {
  const RunList& list = bench.views.log;
  const auto same = [&](const RunRow& r) { return modes_of(r.record->protocol) == bench.request.modes; };
  float problem = px(96), name = px(150), modes = 0;
  for (size_t i = 0; i < std::min<size_t>(list.shown().size(), FittedTable::kMeasured); ++i) {
    const RunRow& r = list.rows()[list.shown()[i]];
    problem = std::max(problem, width_of(fonts.mono, to_text(r.record->problem)));
    modes = std::max(modes, width_of(fonts.small, modes_text(*r.record)));
    name = std::max(name, width_of(fonts.body, r.name) + (r.best ? width_of(fonts.small, "best") + px(8) : 0));
  }
  std::vector<FittedTable::Column> all(kMore + 1);
  all[kNumber] = {"#", "", width_of(fonts.mono, "88888"), 5, true};
  all[kName] = {.title = "config",
                .explanation = explain::config,
                .width = std::min(name, std::max(px(150), ImGui::GetContentRegionAvail().x * 0.33f)),
                .grows = true,
                .whole = name};
  all[kProblem] = {"problem", explain::problem, problem, 1};
  // Where the rows differ in them they stay, since a long name is cut before it says so.
  all[kModes] = {"modes", "The cache and the launch mode.", modes, std::ranges::all_of(list.rows(), same) ? 11 : 0};
  all[kVerdict] = {"verdict", explain::verdict, width_of(fonts.small, "not verified")};
  for (size_t at = kNumbers; const auto& [title, expendable] : kShown) all[at++] = number_column(title, expendable);
  all[kDevice] = {"device", "", px(120), 9};
  all[kWhen] = {"when", "", width_of(fonts.small, "2026-88-88"), 10};
  all[kNote] = {"note", "", px(110), 8};
  all[kMore] = {.width = button_width("\u2026")};
  return all;
}

/// `r`: what the row says, with its newest samples.
void row(Ui& ui, FittedTable& table, const RunRow& t, const Record& r) {
  const std::string id = fmt::format("log.{}", t.number);
  ImGui::PushID(int(t.number));
  if (table.target(table.shows(kNumber) ? kNumber : kName, id)) ui.bench.request.take(r);
  bool menu = ImGui::IsItemHovered() && (ImGui::IsMouseReleased(ImGuiMouseButton_Right) ||
                                         (ImGui::IsKeyPressed(ImGuiKey_F2, false) && !ImGui::GetIO().WantTextInput));
  table.text(kNumber, fonts.mono, colours::faint, std::to_string(t.number));
  if (table.cell(kName)) {
    // Without the column of problems it is told of the one that is shown alone.
    const bool best = t.best && (table.shows(kProblem) || r.problem == ui.bench.request.selection.problem);
    const float mark = best ? width_of(fonts.small, "best") + px(8) : 0;
    text_cut(table.fitted(kName, t.name), ImGui::GetContentRegionAvail().x + 1 - mark, colours::text, nullptr, false);
    tip_for_last(described(r) + (t.remark.note.empty() ? "" : "\n\n" + t.remark.note) + "\n\nClick to take it again.");
    if (best) {
      ImGui::SameLine(0, px(8));
      text_in(fonts.small, colours::good, "best");
      ui.mark(id + ".best");
      tip_for_last("The least median of this problem, on this device and in these modes.");
    }
  }
  table.text(kProblem, fonts.mono, colours::soft, to_text(r.problem), to_text(r.problem));
  table.text(kModes, fonts.small, colours::soft, modes_text(r));
  table.text(kVerdict, fonts.small, verdict_colour(r), verdict_of(r), r.message);
  for (size_t at = kNumbers; const auto& shown : kShown) number_cell(table, at++, shown.first, r);
  const std::string &device = r.environment.device.name, &when = r.environment.time_utc, &note = t.remark.note;
  table.text(kDevice, fonts.small, colours::soft, device, device);
  table.text(kWhen, fonts.small, colours::soft, short_when(when, std::time(nullptr)), when);
  table.text(kNote, fonts.small, colours::soft, note, note);
  if (table.cell(kMore)) menu |= small_button(ui, id + ".more", "\u2026", "Name, note, copy, remove");
  if (menu) open_run_menu();
  run_menu(ui, id, t, RunPlace::log);
  ImGui::PopID();
}

void controls(Ui& ui) {
  RunList& list = ui.bench.views.log;
  text_field(ui, "log.filter", "filter, such as: tiled !wrong", list.filter,
             std::clamp(ImGui::GetContentRegionAvail().x - px(100), px(130), px(320)),
             "Words that a row has in its name, problem, verdict, device or note; !word: has not.");
  flow(px(90));
  const size_t all = list.rows().size(), shown = list.shown().size();
  label((shown == all ? "" : count_text(shown) + " of ") + counted(all, "run"));
}

void draw_session_log(Ui& ui) {
  Workbench& bench = ui.bench;
  if (bench.log.entries().empty())
    return empty_hint("Nothing tried yet",
                      "Every config that was dispatched is listed here, in order; the best is marked.");
  controls(ui);
  RunList& list = bench.views.log;
  FittedTable table;
  table.sorted_by(size_t(std::ranges::find(kFields, list.sort) - kFields), list.descending);
  if (!table.begin(ui, "log", columns(bench))) return;
  // What is shown now goes on: one median of it on the screen.
  const auto live = bench.live.timed() ? std::optional(bench.live.timed()->slim_record()) : std::nullopt;
  const std::string shown = live ? to_text(run_id(*live)) : "";
  rows_in_view(list.shown().size(), [&](size_t i) {
    table.row();
    const RunRow& t = list.rows()[list.shown()[i]];
    row(ui, table, t, !t.earlier && t.key == shown && t.record->outcome != Outcome::failed_verdict ? *live : *t.record);
  });
  if (table.clicked() && *table.clicked() < kMore) list.sort_by(kFields[*table.clicked()]);
  table.end();
}

void dump_session_log(const Workbench& bench, Json& j) {
  j["log"] = Json::array();
  for (const SessionLog::Entry& t : bench.log.entries()) {
    j["log"].push_back(brief(*t.record));
    j["log"].back()["label"] = bench.name_of(t);
  }
  const RunList& list = bench.views.log;
  j["log_list"]["sort"] = list.sort;
  j["log_list"]["numbers"] = mapped(list.shown(), [&](uint32_t i) { return list.rows()[i].number; });
}

}  // namespace

const Panel session_log_panel = {
    .name = "log", .title = "Log", .draw = draw_session_log, .dump = dump_session_log, .least_h = 80};

}  // namespace attnscope::gui
