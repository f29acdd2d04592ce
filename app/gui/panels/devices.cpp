// The config that is shown on further devices at the same time: a row for each, held against the first.

#include "app/gui/model/explain.hpp"
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

/// What sets a row apart beside its device: whose worker it is.
std::string through(const std::string& command) { return command.empty() ? "this program" : command; }

struct State {
  std::string word;
  ImU32 colour = 0;
  std::string why = {};  ///< a sentence
};

State state_of(const Workbench& bench, const BesideDevice& d) {
  if (!d.failure.empty()) return {"not reached", colours::bad, d.failure};
  if (!d.connected) return {"disconnected", colours::faint, "Press Connect to start its worker."};
  if (!d.device) return {"connecting\u2026", colours::soft};
  const std::string why = why_not_measured(d, bench.request.selection);
  const bool own = d.live.selection == bench.request.selection && d.live.modes == bench.request.modes;
  if (!why.empty() && own && !d.live.failure.empty()) return {"lost", colours::bad, why};
  if (!why.empty() && own && d.live.verdict && !d.live.verdict->pass) return {"wrong", colours::bad, why};
  if (!why.empty()) return {"cannot run it", colours::warning, why};
  if (bench.request.paused) return {"paused", colours::soft};
  if (bench.search.measuring()) return {"waits for the search", colours::soft};
  if (const std::string job = bench.job_text(); !job.empty()) return {"waits: " + job, colours::soft};
  if (own && d.reading) return {"sampling", colours::good};
  return {own && !d.live.stage.empty() ? stage_text(d.live.stage) + "\u2026" : "waiting\u2026", colours::soft};
}

State state_of_first(const Workbench& bench) {
  const VerdictLight light = verdict_light(bench);
  if (!light.why.empty()) return {lower_case(light.word), light.colour, light.why};
  const bool waits = bench.request.paused || bench.search.measuring() || !bench.job_text().empty();
  return {state_text(bench), bench.timed() && !waits ? colours::good : colours::soft};
}

/// What is wrong, each in its colour.
std::vector<std::pair<std::string, ImU32>> notes(const Workbench& bench) {
  std::vector<std::pair<std::string, ImU32>> out;
  const auto name = [](const BesideDevice& d) { return d.device ? d.device->name : through(d.command); };
  for (const BesideDevice& d : bench.others.beside.all())
    if (const State s = state_of(bench, d); d.connected && !s.why.empty())
      out.emplace_back(fmt::format("{}: {}", name(d), s.why), s.colour);
  std::vector<std::tuple<const DeviceInfo*, std::string, size_t>> opened;  // the last: its row, from 1
  if (bench.device_state.device) opened.emplace_back(&*bench.device_state.device, bench.device_state.machine, 1);
  size_t row = 1;
  for (const BesideDevice& d : bench.others.beside.all())
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

void form(Ui& ui) {
  Drafts& drafts = ui.drafts;
  const float width = ImGui::GetContentRegionAvail().x, device = std::min(px(130), width * 0.25f), add = px(84);
  bool wanted = text_field(ui, "devices.command", "ssh gpu-box attnscope worker", drafts.beside_command,
                           std::clamp(width - device - add - 2 * ImGui::GetStyle().ItemSpacing.x, px(60), px(520)),
                           "The command of a worker, as --worker takes it. Empty: another worker of this program.");
  ImGui::SameLine();
  wanted |= text_field(ui, "devices.selector", "its best device", drafts.beside_device, device,
                       "Which of its devices: an index, part of a name, or cpu. Empty: the best there is.");
  ImGui::SameLine();
  const bool room = ui.bench.others.beside.all().size() < ExtraDevices::kMost;
  wanted |= button(ui, "devices.add", "Add",
                   room ? "Start that worker, and measure there too what is shown, at the same time"
                        : "No more devices at once than these",
                   room, ui.bench.others.beside.all().empty());
  if (!wanted || !room) return;
  if (const auto id = ui.bench.others.beside.add(drafts.beside_command, drafts.beside_device))
    ui.bench.others.beside.connect(*id);
  drafts.beside_command.clear();
  drafts.beside_device.clear();
}

bool stuck(const Workbench& bench, const BesideDevice& d) {
  return !d.failure.empty() || (d.connected && d.lost(bench.request.selection, bench.request.modes));
}

enum Columns : size_t { kDevice, kThrough, kState, kMedian, kSpread, kSamples, kWord, kButtons };
constexpr std::tuple<size_t, const char*, int> kNumbers[] = {
    {kMedian, "median", 0}, {kSpread, "spread", 5}, {kSamples, "samples", 6}};

std::vector<FittedTable::Column> columns() {
  float wide = 3 * px(5);
  for (const char* label : {"Try again", "Pin", "End", "\u00d7"})
    wide += width_of(fonts.body, label) + 2 * ImGui::GetStyle().FramePadding.x;
  std::vector<FittedTable::Column> all(kButtons + 1);
  all[kDevice] = {.title = "device", .width = px(120), .grows = true};
  all[kThrough] = {"worker", "Whose worker it is: this program's own, or the command that started it.", px(130), 4};
  // The rest of a long state is told on hover; what is wrong stands below the table.
  all[kState] = {"state", "What is wrong with one stands below, and stops none of the others.",
                 ImGui::GetTextLineHeight() + px(6) + width_of(fonts.small, "waits for the")};
  for (const auto& [column, title, expendable] : kNumbers) all[column] = number_column(title, expendable);
  all[kWord] = {"vs first", "This device against that of the first row, by the samples of both; SAME is within 2 %.",
                width_of(fonts.small, "SLOWER 88.88\u00d7")};
  all[kButtons] = {.width = wide};
  return all;
}

void state_cell(FittedTable& table, const State& s) {
  if (!table.cell(kState)) return;
  lamp(s.colour);
  ImGui::SameLine(0, px(6));
  text_cut(s.word, ImGui::GetContentRegionAvail().x + 1, colours::soft, fonts.small);
}

void numbers(FittedTable& table, const BesideReading* r) {
  for (const auto& [column, title, expendable] : kNumbers)
    if (r) number_cell(table, column, title, r->record);
}

/// Before its worker has told the device's name, the worker stands for it: what Connect would start is to be read at
/// any width.
void device_cells(FittedTable& table, const DeviceInfo* device, const std::string& worker) {
  if (table.text(kDevice, device ? fonts.body : fonts.mono, device ? colours::text : colours::soft,
                 device ? device->name : worker))
    tip_for_last(device ? fmt::format("{}\n{}\nworker: {}", device->name, device->driver, worker) : worker);
  if (table.text(kThrough, fonts.mono, colours::soft, worker)) tip_for_last(worker);
}

void reading_word(FittedTable& table, const BesideReading* r) {
  if (r && r->word)
    word_cell(table, kWord, *r->word, "This device against the first, from the samples of two runs, not interleaved.");
  else
    table.text(kWord, fonts.small, colours::faint, r ? r->why_no_verdict : "\u2013");
}

/// `later`: what was clicked, done when nothing of the table is being drawn any more.
void buttons(Ui& ui, const BesideDevice& d, std::function<void()>& later) {
  Workbench& bench = ui.bench;
  const auto small = [&](const char* label, const char* what, const char* tip, const std::function<void()>& then) {
    if (small_button(ui, fmt::format("devices.{}.{}", d.id, what), label, tip)) later = then;
    ImGui::SameLine(0, px(5));
  };
  ExtraDevices& all = bench.others.beside;
  const uint64_t id = d.id;
  if (!d.connected)
    small("Connect", "connect", "Start its worker, and measure there too.", [&all, id] { all.connect(id); });
  else if (stuck(bench, d))
    small("Try again", "again", "Start it again, and measure what is shown.", [&all, id] { all.try_again(id); });
  if (d.reading)
    small("Pin", "pin", "Keep its samples as a pin: for Compare, Matrix and the result file.",
          [&bench, &d] { bench.pin(d.reading->record); });
  if (d.connected)
    small("End", "disconnect", "End its worker; it stays in the list.", [&all, id] { all.disconnect(id); });
  small("\u00d7", "remove", "End its worker and take it off the list.", [&all, id] { all.remove(id); });
  ImGui::NewLine();
}

void table_of(Ui& ui, float height) {
  Workbench& bench = ui.bench;
  FittedTable table;
  if (!table.begin(ui, "devices", columns(), height)) return;
  table.row();
  device_cells(table, bench.device_state.device ? &*bench.device_state.device : nullptr,
               through(bench.device_state.workers[bench.request.worker]));
  state_cell(table, state_of_first(bench));
  numbers(table, bench.others.beside.first());
  table.text(kWord, fonts.small, colours::faint, "the first");
  if (table.cell(kButtons)) ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  std::function<void()> later;
  for (const BesideDevice& d : bench.others.beside.all()) {
    ImGui::PushID(int(d.id));
    table.row();
    device_cells(table, d.device ? &*d.device : nullptr, through(d.command));
    state_cell(table, state_of(bench, d));
    numbers(table, d.reading ? &*d.reading : nullptr);
    reading_word(table, d.reading ? &*d.reading : nullptr);
    if (table.cell(kButtons)) buttons(ui, d, later);
    ImGui::PopID();
  }
  table.end();
  if (later) later();
}

void draw_devices(Ui& ui) {
  const Workbench& bench = ui.bench;
  form(ui);
  if (bench.others.beside.all().empty())
    return empty_hint("One device so far",
                      "Add a worker by its command: it measures the shown config at the same time.");
  const auto said = notes(bench);
  const float line = ImGui::GetTextLineHeightWithSpacing(), left = ImGui::GetContentRegionAvail().y;
  const float below = std::min(float(said.size()) * 2 * line, left * 0.45f);
  const float rows = px(24) * float(bench.others.beside.all().size() + 2) + px(4);
  table_of(ui, std::max(std::min(left - below, rows), px(60)));
  for (const auto& [text, colour] : said) wrapped_in(colour, text);
}

}  // namespace

const PanelView devices_view = {"devices", "Devices", draw_devices, nullptr};

}  // namespace attnscope::gui
