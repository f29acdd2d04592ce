#include <imgui_internal.h>

#include "app/gui/model/explain.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

/// A row: a pin, or the heading of the dataset that it is the first of.
struct PinRow {
  size_t pin = 0;   ///< an index into Pins::all()
  size_t file = 0;  ///< of a heading, from 1
};
/// Of rows of files: a problem, and by variant its fastest row there.
struct ProblemRow {
  Problem problem;
  std::map<std::string, const Pin*> fastest;
};
struct CompareState {
  size_t sort = 0;  ///< the column that it is sorted by; 0 = as pinned
  bool down = false;
  Memo<std::tuple<uint64_t, size_t, bool>, std::vector<PinRow>> rows;
  std::string command, device;  ///< to be added
  Memo<uint64_t, std::vector<ProblemRow>> problems;
};

/// Numbers of this table, each with how soon it goes where room is short.
constexpr std::pair<const char*, int> kShown[] = {{"median", 0}, {"spread", 5}, {"FLOP/s", 4},
                                                  {"B/s", 6},    {"moved", 8},  {"workspace", 9}};
enum Columns : size_t { kSwatch, kConfig, kProblem, kNumbers, kWord = kNumbers + std::size(kShown), kRemove };

// Devices that measure the shown config beside the first: which, and what each does.

struct DeviceWord {
  std::string word;
  ImU32 colour = 0;
  std::string why = {};  ///< a sentence, of what is wrong
};

std::string worker_name(const ExtraDevice& d) { return d.command.empty() ? "this program" : d.command; }

DeviceWord state_of(const Workbench& bench, const ExtraDevice& d) {
  if (!d.failure.empty()) return {"not reached", colours::bad, d.failure};
  if (!d.connected) return {"disconnected", colours::faint, "Press Connect to start its worker."};
  if (!d.device) return {"connecting\u2026", colours::soft};
  const std::string why = why_not_measured(d, bench.request.selection);
  const bool own = d.live.selection == bench.request.selection && d.live.modes == bench.request.modes;
  if (!why.empty() && own && !d.live.failure.empty()) return {"lost", colours::bad, why};
  if (!why.empty() && own && d.live.wrong()) return {"wrong", colours::bad, why};
  if (!why.empty()) return {"cannot run it", colours::warning, why};
  if (bench.request.paused) return {"paused", colours::soft};
  if (bench.search.measuring()) return {"waits for the search", colours::soft};
  if (const std::string job = bench.jobs.text(); !job.empty()) return {"waits: " + job, colours::soft};
  if (own && d.reading) return {"sampling", colours::good};
  return {own && !d.live.stage.empty() ? stage_text(d.live.stage) + "\u2026" : "waiting\u2026", colours::soft};
}

/// What is wrong with them, each in its colour.
std::vector<std::pair<std::string, ImU32>> device_notes(const Workbench& bench) {
  std::vector<std::pair<std::string, ImU32>> out;
  const auto name = [](const ExtraDevice& d) { return d.device ? d.device->name : worker_name(d); };
  for (const ExtraDevice& d : bench.others.beside.all())
    if (const DeviceWord s = state_of(bench, d); d.connected && !s.why.empty())
      out.emplace_back(fmt::format("{}: {}", name(d), s.why), s.colour);
  std::vector<std::tuple<const DeviceInfo*, std::string, size_t>> opened;  // the last: its row, from 1
  if (bench.device_state.device) opened.emplace_back(&*bench.device_state.device, bench.device_state.machine, 1);
  size_t row = 1;
  for (const ExtraDevice& d : bench.others.beside.all())
    if (++row; d.connected && d.device) opened.emplace_back(&*d.device, d.machine, row);
  for (size_t a = 0; a < opened.size(); ++a)
    for (size_t b = a + 1; b < opened.size(); ++b) {
      const auto& [first, machine, row_a] = opened[a];
      const auto& [second, other, row_b] = opened[b];
      if (const std::string why = disturb_each_other(*first, machine, *second, other); !why.empty())
        out.emplace_back(fmt::format("Rows {} and {}: {}", row_a, row_b, why), colours::warning);
    }
  return out;
}

bool worker_form(Ui& ui) {
  CompareState& typed = ui.states.of<CompareState>();
  bool wanted = text_field(ui, "devices.command", "ssh gpu-box attnscope worker", typed.command, 0,
                           "The command that starts a worker. Empty: another worker of this program.");
  wanted |= text_field(ui, "devices.selector", "its best device", typed.device,
                       ImGui::GetContentRegionAvail().x - button_width("Add") - px(8),
                       "Which of its devices: an index, part of a name, or cpu. Empty: the best there is.");
  ImGui::SameLine(0, px(8));
  const bool room = ui.bench.others.beside.all().size() < ExtraDevices::kMost;
  wanted |= button(ui, "devices.add", "Add",
                   room ? "Start that worker, and measure the shown config there too" : "No more devices at once", room,
                   true);
  if (!wanted || !room) return false;
  if (const auto id = ui.bench.others.beside.add(typed.command, typed.device)) ui.bench.others.beside.connect(*id);
  typed.command.clear();
  typed.device.clear();
  return true;
}

/// Devices that are known already, to be ticked.
void known_devices(Ui& ui) {
  const DeviceState& known = ui.bench.device_state;
  ExtraDevices& beside = ui.bench.others.beside;
  for (const DeviceEntry& entry : known.devices) {
    const bool shown =
        known.device && ui.bench.request.worker == entry.worker && known.device->index == entry.info.index;
    if (shown || !entry.info.unsuitable.empty()) continue;
    const std::string &command = known.workers[entry.worker], selector = std::to_string(entry.info.index);
    const auto listed = std::ranges::find_if(
        beside.all(), [&](const ExtraDevice& d) { return d.command == command && d.selector == selector; });
    bool on = listed != beside.all().end();
    const std::string name = entry.info.name + (command.empty() ? "" : "  @ " + command);
    if (!check_box(ui, fmt::format("devices.known.{}.{}", entry.worker, selector), name.c_str(), on)) continue;
    if (!on)
      beside.remove(listed->id);
    else if (const auto id = beside.add(command, selector))
      beside.connect(*id);
  }
}

void device_chooser(Ui& ui) {
  if (button(ui, "devices.choose", "Compare on\u2026", "The shown config on other devices, at the same time") ||
      std::exchange(ui.shell.devices, false))
    ImGui::OpenPopup("##devices.choose");
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const bool right = to.x > ImGui::GetIO().DisplaySize.x / 2;
  ImGui::SetNextWindowPos({right ? to.x : from.x, from.y - px(6)}, ImGuiCond_Appearing, {right ? 1.f : 0.f, 1});
  ImGui::SetNextWindowSizeConstraints({px(380), 0}, {px(380), FLT_MAX});
  if (!begin_popup("##devices.choose")) return;
  known_devices(ui);
  text_in(fonts.small, colours::soft, "Through a worker, by its command");
  if (worker_form(ui)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

std::string device_name(const ExtraDevice& d) { return "on " + (d.device ? d.device->name : worker_name(d)); }

std::vector<FittedTable::Column> columns(const Workbench& bench) {
  const Problem& asked = bench.request.selection.problem;
  const bool one_problem =
      std::ranges::all_of(bench.pins.all(), [&](const Pin& p) { return p.record->problem == asked; });
  std::vector<FittedTable::Column> all(kRemove + 1);
  all[kSwatch] = {.width = px(18)};
  // As wide as the names drawn, where that leaves the first numbers their room.
  float name = std::max(px(170), width_of(fonts.body, bench.name_of_asked()));
  float problem = std::max(px(96), width_of(fonts.mono, to_text(asked)));
  const std::span pins(bench.pins.all());
  for (const Pin& p : pins.first(std::min(pins.size(), FittedTable::kMeasured))) {
    name = std::max(name, width_of(fonts.body, bench.name_of(p)));
    problem = std::max(problem, width_of(fonts.mono, to_text(p.record->problem)));
  }
  for (const ExtraDevice& d : bench.others.beside.all())
    name = std::max(name, width_of(fonts.body, device_name(d) + "  Pin") + px(20));
  const float most = std::max(px(170), ImGui::GetContentRegionAvail().x * (one_problem ? 0.45f : 0.33f));
  all[kConfig] = {
      .title = "config", .explanation = explain::config, .width = std::min(name, most), .grows = true, .whole = name};
  // One problem for all rows is what is asked: the first to go.
  all[kProblem] = {"problem", explain::problem, problem, one_problem ? 9 : 1};
  for (size_t at = kNumbers; const auto& [title, expendable] : kShown) all[at++] = number_column(title, expendable);
  // The medians of a race have room in any window.
  const char* beside = ImGui::GetContentRegionAvail().x > px(720)          ? "  not taken interleaved: race them"
                       : bench.live.comparisons.any_raced() && one_problem ? "  in pairs; 8.88 vs 8.88 ms"
                                                                           : "";
  all[kWord] = {bench.pins.find(bench.pins.baseline) ? "vs baseline" : "vs live", explain::live_is,
                std::max(width_of(fonts.small, fmt::format("SLOWER 88.88\u00d7{}", beside)),
                         width_of(fonts.small, fmt::format("UNSURE  {}", kRaceThem)))};
  all[kRemove] = {.width = button_width(icon_or(icons::close, "\u00d7"))};
  return all;
}

void numbers(FittedTable& table, const Record& r) {
  for (size_t at = kNumbers; const auto& shown : kShown) number_cell(table, at++, shown.first, r);
}

/// What was clicked, done when nothing of the table is being drawn any more.
using Later = std::function<void()>;

/// `none` where there is no word, for the reason `why`.
void show_word(FittedTable& table, const Compared* of, const std::string& none, const std::string& why) {
  const Comparison* c = of ? &of->word : nullptr;
  if (!c) return void(table.text(kWord, fonts.small, colours::faint, none, why));
  const std::string what = of->in_turn ? fmt::format("{} Medians of the race: {}.", explain::in_turn,
                                                     raced_text(of->first_ns, of->second_ns))
                                       : explain::live_is;
  if (!word_cell(table, kWord, *c, what, of->in_turn)) return;
  const bool unsure = c->relation == Relation::unsure;
  ImGui::SameLine(0, px(6));
  for (const std::string& beside : {beside_text(*of), std::string(of->in_turn ? "in pairs" : unsure ? kRaceThem : "")})
    if (width_of(fonts.small, beside) <= ImGui::GetContentRegionAvail().x + 1)
      return text_in(fonts.small, colours::soft, beside);
}

/// Of a config with itself UNSURE says nothing.
bool of_itself(const Workbench& bench, const Pin& p, const Compared* c) {
  return c && c->word.relation == Relation::unsure && p.run == run_id(bench.record_of_asked());
}

void pin_word(const Workbench& bench, FittedTable& table, const Pin& p) {
  const Compared* c = bench.live.verdict(p);
  const bool itself = of_itself(bench, p, c);
  std::string none = itself ? "same config" : bench.live.why_no_verdict(p), why = explain::live_is;
  if (itself) c = nullptr;
  if (const Pin* base = bench.pins.find(bench.pins.baseline)) {
    const Compared* cell = p.id == base->id ? nullptr : bench.live.comparisons.of(p.record, base->record);
    c = cell && cell->why_not.empty() ? cell : nullptr;
    none = p.id == base->id ? "baseline" : cell ? cell_text(*cell) : "comparing";
    why = cell ? cell->why_not : "";
  }
  show_word(table, c, none, why);
}

void heading_row(Ui& ui, FittedTable& table, const Pin& first, size_t number, Later& later) {
  ImGui::PushID(first.dataset.c_str());
  table.text(kConfig, fonts.bold, colours::soft, std::filesystem::path(first.dataset).filename().string(),
             first.dataset + "\n" + first.record->environment.device.name);
  ui.mark(fmt::format("dataset.{}.name", number));
  const auto rows = size_t(std::ranges::count(ui.bench.pins.all(), first.dataset, &Pin::dataset));
  table.text(kProblem, fonts.small, colours::soft, counted(rows, "row"));
  if (table.cell(kRemove) &&
      small_button(ui, fmt::format("dataset.{}.close", number), icon_or(icons::close, "\u00d7"), "Close this file"))
    later = [&bench = ui.bench, file = first.dataset] { bench.close_dataset(file); };
  ImGui::PopID();
}

void pin_row(Ui& ui, FittedTable& table, const Pin& p, Later& later) {
  Workbench& bench = ui.bench;
  ImGui::PushID(int(p.id));
  // A click or Space selects, a double click or Enter takes.
  if (table.target(kSwatch, fmt::format("pin.{}.row", p.id), p.id == bench.pins.selected)) {
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false);
    bench.pins.selected = bench.pins.selected == p.id && !ImGui::GetIO().NavVisible ? 0 : p.id;
    if (enter || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      later = [&bench, r = p.record] { bench.request.take(*r); };
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) open_run_menu();
  if (table.cell(kSwatch)) {
    draw_swatch(series_style(p.slot), p.shown);
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, true);
    if (ImGui::InvisibleButton("show", {px(18), ImGui::GetTextLineHeight()}))
      later = [&bench, id = p.id, shown = !p.shown] { bench.pins.show(id, shown); };
    ImGui::PopItemFlag();
    mark_with_tip(ui, fmt::format("pin.{}.show", p.id), "Show or hide its curves.");
  }
  if (p.id == bench.pins.selected && ImGui::IsKeyPressed(ImGuiKey_F2, false) && !ImGui::GetIO().WantTextInput)
    open_run_menu();
  const Remark remark = bench.log.remarks.of(remark_key(p));
  if (table.cell(kConfig)) {
    text_cut(table.fitted(kConfig, bench.name_of(p)), ImGui::GetContentRegionAvail().x + 1, colours::text, fonts.body,
             false);
    tip_for_last(described(*p.record) + (remark.note.empty() ? "" : "\n\n" + remark.note) +
                 "\n\nClick: its facts in Resources and Why. Double click: take its problem, variant and config.");
    ui.mark(fmt::format("pin.{}.name", p.id));
  }
  table.text(kProblem, fonts.mono, colours::soft, to_text(p.record->problem), to_text(p.record->problem));
  numbers(table, *p.record);
  pin_word(bench, table, p);
  if (table.cell(kRemove) && p.dataset.empty() &&
      small_button(ui, fmt::format("pin.{}.remove", p.id), icon_or(icons::close, "\u00d7"), "Remove this pin"))
    later = [&bench, id = p.id] { bench.unpin(id); };
  if (ImGui::IsPopupOpen("run.menu"))
    run_menu(ui, fmt::format("pin.{}", p.id), {p.slot + 1, p.record, remark_key(p), bench.name_of(p), remark, false},
             RunPlace::pins, p.id);
  ImGui::PopID();
}

/// What is shown, on another device.
void device_row(Ui& ui, FittedTable& table, const ExtraDevice& d, Later& later) {
  Workbench& bench = ui.bench;
  ExtraDevices& all = bench.others.beside;
  const DeviceWord state = state_of(bench, d);
  const auto small = [&](const char* label, const char* what, const char* tip, const auto& then) {
    if (small_button(ui, fmt::format("devices.{}.{}", d.id, what), label, tip)) later = then;
  };
  ImGui::PushID(int(d.id));
  if (table.cell(kSwatch)) lamp(state.colour);
  if (table.cell(kConfig)) {
    const bool stuck = !d.failure.empty() || d.lost(bench.request.selection, bench.request.modes);
    const char* act = !d.connected ? "Connect" : stuck ? "Try again" : d.reading ? "Pin" : "";
    const float right = ImGui::GetContentRegionMax().x - width_of(fonts.body, act) - px(16);
    text_cut(device_name(d), right - ImGui::GetCursorPosX(), colours::text, fonts.body, false);
    tip_for_last(fmt::format("{}\nworker: {}{}", d.device ? d.device->name + "\n" + d.device->driver : "not open yet",
                             worker_name(d), d.selector.empty() ? "" : "\ndevice: " + d.selector));
    ui.mark(fmt::format("devices.{}.name", d.id));
    ImGui::SameLine(0, 0);
    ImGui::SetCursorPosX(right);
    if (!d.connected)
      small(act, "connect", "Start its worker, and measure there too.", [&all, id = d.id] { all.connect(id); });
    else if (stuck)
      small(act, "again", "Start it again, and measure what is shown.", [&all, id = d.id] { all.try_again(id); });
    else if (d.reading)
      small(act, "pin", "Keep its samples as a pin.", [&bench, &d] { bench.pin(d.reading->record); });
  }
  table.text(kProblem, fonts.mono, colours::soft, to_text(bench.request.selection.problem));
  if (d.reading) numbers(table, d.reading->record);
  if (d.reading && d.reading->word)
    word_cell(table, kWord, *d.reading->word, "Against the device that is shown, by the samples of both.");
  else
    table.text(kWord, fonts.small, colours::faint, d.reading ? d.reading->why_no_verdict : state.word, state.why);
  if (table.cell(kRemove))
    small(icon_or(icons::close, "\u00d7"), "remove", "End its worker and take it off the list.",
          [&all, id = d.id] { all.remove(id); });
  ImGui::PopID();
}

/// A person's pins, then each file with its rows; sorted within.
std::vector<PinRow> pin_rows(const Workbench& bench, size_t sort, bool down) {
  const auto& all = bench.pins.all();
  std::map<std::string, size_t> files;  // by the place of their first row, after the pins
  for (size_t i = 0; i < all.size(); ++i) files.try_emplace(all[i].dataset, all[i].dataset.empty() ? 0 : i + 1);
  std::vector<PinRow> rows;
  std::vector<std::string> names(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    rows.push_back({i});
    if (sort == kConfig) names[i] = bench.name_of(all[i]);
    if (sort == kProblem) names[i] = to_text(all[i].record->problem);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const PinRow& a, const PinRow& b) {
    const Pin &p = all[(down ? b : a).pin], &q = all[(down ? a : b).pin];
    const size_t file_a = files.at(all[a.pin].dataset), file_b = files.at(all[b.pin].dataset);
    if (file_a != file_b || sort == 0) return file_a < file_b;
    if (sort <= kProblem) return names[(down ? b : a).pin] < names[(down ? a : b).pin];
    const auto value = number_of(kShown[sort - kNumbers].first).value;
    return value(*p.record) < value(*q.record);
  });
  std::vector<PinRow> with;
  size_t number = 0;
  for (const PinRow& row : rows) {
    if (const std::string& file = all[row.pin].dataset;
        !file.empty() && (with.empty() || all[with.back().pin].dataset != file))
      with.push_back({row.pin, ++number});
    with.push_back(row);
  }
  return with;
}

void compare_table(Ui& ui, float height) {
  Workbench& bench = ui.bench;
  CompareState& d = ui.states.of<CompareState>();
  FittedTable table;
  if (d.sort > 0) table.sorted_by(d.sort, d.down);
  const bool enter = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
                     !ImGui::GetIO().NavVisible && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (!table.begin(ui, "pins", columns(bench), height)) return;
  table.follow(bench.pins.selected ? fmt::format("pin.{}.row", bench.pins.selected) : "pins.live");
  const auto& all = d.rows({bench.pins.version() * 1'000'003 + bench.log.remarks.version(), d.sort, d.down},
                           [&] { return pin_rows(bench, d.sort, d.down); });
  const Live* live = bench.live.timed();
  // A row's menu may remove rows: the others are drawn again in the next frame.
  const uint64_t version = bench.pins.version();
  const auto& devices = bench.others.beside.all();
  Later later;
  rows_in_view(all.size() + devices.size() + 1, [&](size_t i) {
    if (bench.pins.version() != version) return;
    table.row();
    if (i > 0 && i <= devices.size()) return device_row(ui, table, devices[i - 1], later);
    if (i > 0) {
      const PinRow& row = all[i - 1 - devices.size()];
      const Pin& p = bench.pins.all()[row.pin];
      return row.file > 0 ? heading_row(ui, table, p, row.file, later) : pin_row(ui, table, p, later);
    }
    if (table.target(kSwatch, "pins.live")) bench.pins.selected = 0;
    if (table.cell(kSwatch)) series_swatch(live_style());
    const Record r = live ? live->slim_record() : bench.record_of_asked();
    table.text(kConfig, fonts.body, colours::text, bench.name_of_asked(), described(r));
    table.text(kProblem, fonts.mono, colours::soft, to_text(r.problem));
    if (live) numbers(table, r);
    const Live* shown = bench.live.shown();
    const std::string state = live                             ? "live"
                              : shown && shown->wrong()        ? "wrong"
                              : !shown || shown->stage.empty() ? "no samples"
                                                               : stage_text(shown->stage) + "\u2026";
    const Pin* base = bench.pins.find(bench.pins.baseline);
    const Compared* word = live && base ? bench.live.verdict(*base) : nullptr;
    const Compared against =
        word ? Compared{turned_round(word->word), "", 0, word->in_turn, word->second_ns, word->first_ns} : Compared{};
    show_word(table, word ? &against : nullptr, state,
              base && live ? "Against the baseline: " + bench.live.why_no_verdict(*base) : "");
    if (table.cell(kRemove)) ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  });
  if (const auto column = table.clicked(); column && *column < kWord) {
    d.down = *column == d.sort && !d.down;
    d.sort = *column == d.sort && !d.down ? 0 : *column;
  }
  table.end();
  if (const Pin* p = enter ? bench.pins.find(bench.pins.selected) : nullptr) bench.request.take(*p->record);
  if (later) later();
}

void buttons(Ui& ui) {
  Workbench& bench = ui.bench;
  const bool racing = bench.jobs.runs(JobKind::pins);
  // As wide in both: what is beside it stays where it is.
  const std::string cancel = with_icon(icons::stop, "Cancel the race");
  const bool can = bench.live.timed() &&
                   std::ranges::any_of(bench.pins.all(), [&](const Pin& p) { return bench.why_no_race(p).empty(); });
  if (racing) cancel_button(ui, "pins.race.cancel", cancel, "Nothing of it is kept");
  if (!racing && button(ui, "pins.race", with_icon(icons::flag, "Race"),
                        "Take the pins of this problem and the live config in turn: it tells small differences", can,
                        false, button_width(cancel)))
    ui.requests.job = bench.race_pins();
  ImGui::SameLine();
  if (button(ui, "pins.clear", with_icon(icons::trash, "Remove all"), "Remove every pin; Ctrl+Z brings them back",
             ui.bench.pins.any_own()))
    ui.bench.clear_pins();
  ImGui::SameLine();
  device_chooser(ui);
  if (!racing) return;
  ImGui::SameLine();
  label(stage_text(bench.jobs.now.stage) + "\u2026" + bench.elapsed_text());
}

bool nothing_beside(const Workbench& bench) { return bench.pins.empty() && bench.others.beside.all().empty(); }

void draw_pins(Ui& ui) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (nothing_beside(ui.bench)) {
    const float button = button_width("Compare on\u2026");
    column("pins.none", room.x - button - px(8),
           [] { empty_hint("Nothing pinned yet", "Pin this config (P), then choose another."); });
    ImGui::SameLine(0, px(8));
    return device_chooser(ui);
  }
  const auto notes = device_notes(ui.bench);
  const float below = std::min(float(notes.size()) * 2 * ImGui::GetTextLineHeightWithSpacing(), room.y * 0.4f);
  compare_table(ui, room.y - below - ImGui::GetFrameHeightWithSpacing());
  for (const auto& [text, colour] : notes) wrapped_in(colour, text);
  buttons(ui);
}

void dump_pins(const Workbench& bench, Json& j) {
  j["pins"] = Json::array();
  for (const Pin& p : bench.pins.all()) {
    Json& pin = j["pins"].emplace_back(brief(*p.record));
    pin["slot"] = p.slot;
    pin["shown"] = p.shown;
    pin["dataset"] = p.dataset;
    if (const Compared* c = bench.live.verdict(p); c && !of_itself(bench, p, c))
      pin["vs_live"] = {
          {"word", to_text(c->word.relation)}, {"raced", c->in_turn}, {"ns", {c->first_ns, c->second_ns}}};
  }
  j["pins_view"] = {{"selected", bench.pins.selected}, {"baseline", bench.pins.baseline}};
}

// The pinned configs against each other: a word and a ratio for each two, with the times behind it on hover.

/// What a hover tells of a comparison; `what`: of what with what.
std::string comparison_tip(const Comparison& c, const std::string& what, bool in_turn) {
  return fmt::format("{}\nThe ratio of the {} is {:.3g}, between {:.3g} and {:.3g} (99 %).{}", what,
                     in_turn ? "times in neighbouring turns, the middle of all pairs," : "medians", c.ratio, c.low,
                     c.high, c.reason.empty() ? "" : fmt::format("\nUNSURE: {}.", c.reason));
}

std::string tip_of(const Compared& cell) {
  if (!cell.why_not.empty())
    return cell.why_not +
           (cell.ratio > 0 ? fmt::format(". The ratio of the medians alone is {:.3g}.", cell.ratio) : ".");
  return comparison_tip(cell.word,
                        cell.in_turn ? fmt::format("From samples taken in turn (medians {}); SAME is within 0.5 %.",
                                                   raced_text(cell.first_ns, cell.second_ns))
                                     : "From all samples of two runs, not interleaved; SAME is within 2 %.",
                        cell.in_turn);
}

void draw_cell(Ui& ui, const Pin& row, const Pin& column, bool stops) {
  const Workbench& bench = ui.bench;
  const Compared* cell = row.id == column.id ? nullptr : bench.live.comparisons.of(row.record, column.record);
  if (cell && cell_target(ui, fmt::format("matrix.{}.{}", row.id, column.id), false, stops))
    ui.bench.pins.selected = row.id;
  if (cell) tip_for_last(tip_of(*cell) + "\n\nClick: the facts of the row in Resources and Why.");
  to_baseline(fonts.small);
  if (!cell) return text_in(fonts.small, colours::faint, row.id == column.id ? "\u2013" : "\u2026");
  const ImU32 colour = cell->why_not.empty() ? relation_colour(cell->word.relation) : colours::faint;
  const float room = ImGui::GetContentRegionAvail().x + 1;
  const std::string text = cell_text(*cell), raced = text + " raced";
  text_cut(cell->in_turn && width_of(fonts.small, raced) <= room ? raced : text, room, colour, fonts.small, false);
}

std::vector<ProblemRow> problem_rows(const std::vector<Pin>& pins) {
  std::vector<ProblemRow> rows;
  const auto ns = [](const Pin& p) { return p.record->statistics ? p.record->statistics->median : INFINITY; };
  for (const Pin& p : pins) {
    auto row = std::ranges::find(rows, p.record->problem, &ProblemRow::problem);
    if (row == rows.end()) row = rows.insert(row, {p.record->problem, {}});
    const Pin*& best = row->fastest[p.record->variant];
    if (!best || ns(p) < ns(*best)) best = &p;
  }
  return rows;
}

/// Two rows of different problems have no word: each variant's time on each problem instead.
void problems_matrix(Ui& ui, const std::vector<ProblemRow>& rows) {
  Workbench& bench = ui.bench;
  std::set<std::string> variants;
  float wide = px(96);
  for (const ProblemRow& row : rows) {
    wide = std::max(wide, width_of(fonts.mono, to_text(row.problem)));
    for (const auto& [name, pin] : row.fastest) variants.insert(name);
  }
  std::vector<FittedTable::Column> columns = {{"problem", explain::problem, wide, 0, false, true}};
  for (const std::string& name : variants)
    columns.push_back({name, "The median of its fastest row; green: of all variants.",
                       width_of(fonts.mono, "888.8 \u00b5s"), int(columns.size()), true});
  FittedTable table;
  if (!table.begin(ui, "problems.matrix", std::move(columns))) return;
  bool stops = true;
  for (const ProblemRow& row : rows) {
    table.row();
    table.text(0, fonts.mono, colours::soft, to_text(row.problem));
    double least = INFINITY;
    for (const auto& [name, p] : row.fastest)
      if (p->record->statistics) least = std::min(least, p->record->statistics->median);
    for (const auto& [name, p] : row.fastest) {
      const auto& s = p->record->statistics;
      const ImU32 ink = !s ? colours::faint : s->median == least ? colours::good : colours::text;
      const auto column = 1 + size_t(std::distance(variants.begin(), variants.find(name)));
      if (!table.cell(column)) continue;
      if (cell_target(ui, fmt::format("matrix.problem.{}.{}", &row - rows.data(), name), p->id == bench.pins.selected,
                      std::exchange(stops, false)))
        bench.pins.selected = p->id;
      tip_for_last(described(*p->record) + "\n\nClick: its facts in Resources and Why.");
      table.text(column, fonts.mono, ink, s ? time_text(s->median) : verdict_of(*p->record));
    }
  }
  table.end();
}

void draw_matrix(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::vector<Pin>& pins = bench.pins.all();
  // More columns than a table may have scroll by a window of their own.
  constexpr int kMostColumns = 60;
  if (pins.size() < 2)
    return empty_hint("Nothing to compare yet",
                      "Pin two configs or more (P), or open result files (Files): every two are compared here.");
  if (!bench.pins.any_own()) {
    const auto& rows = ui.states.of<CompareState>().problems(bench.pins.version(), [&] { return problem_rows(pins); });
    if (rows.size() > 1) return problems_matrix(ui, rows);
  }
  text_cut("each row against each column", ImGui::GetContentRegionAvail().x, colours::faint, fonts.small, false);
  tip_for_last(explain::against);
  const int columns = int(std::min<size_t>(pins.size(), kMostColumns));
  const float room = ImGui::GetContentRegionAvail().x, median = px(76);
  // A time of another problem is told from the others by it.
  const bool several =
      std::ranges::any_of(pins, [&](const Pin& p) { return p.record->problem != pins.front().record->problem; });
  const int lead = several ? 3 : 2;
  float name = px(60), problem = 0;
  for (const Pin& p : pins) {
    name = std::max(name, width_of(fonts.small, bench.name_of(p)) + px(22));
    if (several) problem = std::max(problem, width_of(fonts.mono, to_text(p.record->problem)));
  }
  problem = std::min(problem, room * 0.25f);
  name = std::min({name, px(320), room * 0.4f});
  const float least = width_of(fonts.small, "SLOWER 88.88\u00d7") + px(6),
              padding = 2 * ImGui::GetStyle().CellPadding.x;
  const float cell =
      std::clamp((room - name - problem - median - padding * float(columns + lead) - px(12)) / float(columns), least,
                 std::max(least, name));
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInner | ImGuiTableFlags_ScrollX |
                                    ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                    ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("matrix", columns + lead, flags)) return;
  join_keys();
  ImGui::TableSetupScrollFreeze(lead, 1);
  ImGui::TableSetupColumn("row", ImGuiTableColumnFlags_WidthFixed, name);
  if (several) ImGui::TableSetupColumn("problem", ImGuiTableColumnFlags_WidthFixed, problem);
  ImGui::TableSetupColumn("median", ImGuiTableColumnFlags_WidthFixed, median);
  for (int c = 0; c < columns; ++c) ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, cell);
  const auto heading = [&](const Pin& p, float width) {
    draw_swatch(series_style(p.slot), p.shown, 14);
    ImGui::Dummy({px(14), ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, px(5));
    to_baseline(fonts.small);
    text_cut(bench.name_of(p), width - px(20), colours::text, fonts.small, false);
    tip_for_last(bench.name_of(p) + "\n" + described(*p.record));
  };
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int c = 1; c < lead; ++c) {
    ImGui::TableSetColumnIndex(c);
    to_baseline(fonts.small);
    text_in(fonts.small, colours::soft, c == lead - 1 ? "median" : "problem");
  }
  for (int c = 0; c < columns; ++c)
    if (ImGui::TableSetColumnIndex(c + lead)) heading(pins[size_t(c)], cell);
  rows_in_view(pins.size(), [&](size_t i) {
    const Pin& row = pins[i];
    ImGui::TableNextRow();
    ImGui::PushID(int(row.id));
    ImGui::TableSetColumnIndex(0);
    heading(row, name);
    ui.mark(fmt::format("matrix.row.{}", row.id));
    if (several && ImGui::TableSetColumnIndex(1)) {
      to_baseline(fonts.mono);
      text_cut(to_text(row.record->problem), problem, colours::soft, fonts.mono);
      ui.mark(fmt::format("matrix.problem_of.{}", row.id));
    }
    ImGui::TableSetColumnIndex(lead - 1);
    const auto& statistics = row.record->statistics;
    to_baseline(fonts.mono);
    text_in(fonts.mono, colours::text, statistics ? time_text(statistics->median) : "no samples");
    for (int c = 0; c < columns; ++c)
      if (ImGui::TableSetColumnIndex(c + lead)) draw_cell(ui, row, pins[size_t(c)], i == 0 && c == 1);
    ImGui::PopID();
  });
  ImGui::EndTable();
  ui.mark("matrix");
}

void dump_matrix(const Workbench& bench, Json& j) {
  Json& cells = j["matrix"]["cells"] = Json::array();
  for (const Pin& row : bench.pins.all())
    for (const Pin& column : bench.pins.all())
      if (const Compared* cell = &row == &column ? nullptr : bench.live.comparisons.of(row.record, column.record))
        cells.push_back({{"row", row.id}, {"column", column.id}, {"text", cell_text(*cell)}});
}

const PanelView matrix_view = {"matrix", "Matrix", draw_matrix, dump_matrix};
const PanelView pins_view = {"pins", "Runs", draw_pins, dump_pins};
const PanelView* const compare_views[] = {&pins_view, &matrix_view};

}  // namespace

ImU32 relation_colour(Relation r) {
  return r == Relation::faster ? colours::good : r == Relation::slower ? colours::bad : colours::soft;
}

ImU32 verdict_colour(const Record& r) {
  if (r.outcome == Outcome::refused) return colours::warning;
  if (r.outcome == Outcome::error || (r.verdict && !r.verdict->pass)) return colours::bad;
  return r.verdict ? colours::good : colours::faint;
}

bool word_cell(FittedTable& table, size_t column, const Comparison& c, const std::string& what, bool in_turn) {
  return table.text(column, fonts.small, relation_colour(c.relation), relation_text(c),
                    comparison_tip(c, what, in_turn));
}

FittedTable::Column number_column(std::string_view title, int expendable) {
  const RunNumber& c = number_of(title);
  return {c.title, c.explanation, width_of(fonts.mono, c.widest), expendable, true};
}

void number_cell(FittedTable& table, size_t column, std::string_view title, const Record& r) {
  const RunNumber& c = number_of(title);
  const double x = c.value(r);
  if (!std::isfinite(x)) return;
  if (!table.text(column, fonts.mono, title == "median" ? colours::text : colours::soft, c.text(x)) || !r.statistics)
    return;
  const Statistics& s = *r.statistics;
  tip_for_last(fmt::format("median {}, p20 {}, p80 {}\nmin {}, mean {}, max {}\nof {} samples", time_text(s.median),
                           time_text(s.p20), time_text(s.p80), time_text(s.min), time_text(s.mean), time_text(s.max),
                           count_text(s.count)));
}

const Panel compare_panel = {.name = "compare", .title = "Compare", .views = compare_views, .least_h = 96};

}  // namespace attnscope::gui
