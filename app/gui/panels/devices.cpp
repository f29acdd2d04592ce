// Devices that measure the shown config beside the first: which, and what each does. Compare has their rows.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

DeviceWord state_of(const Workbench& bench, const BesideDevice& d) {
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

std::vector<std::pair<std::string, ImU32>> device_notes(const Workbench& bench) {
  std::vector<std::pair<std::string, ImU32>> out;
  const auto name = [](const BesideDevice& d) { return d.device ? d.device->name : worker_name(d); };
  for (const BesideDevice& d : bench.others.beside.all())
    if (const DeviceWord s = state_of(bench, d); d.connected && !s.why.empty())
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

namespace {

/// A worker by its command; true when it was added.
bool worker_form(Ui& ui) {
  Drafts& drafts = ui.drafts;
  bool wanted = text_field(ui, "devices.command", "ssh gpu-box attnscope worker", drafts.beside_command, 0,
                           "The command of a worker, as --worker takes it. Empty: another worker of this program.");
  wanted |= text_field(ui, "devices.selector", "its best device", drafts.beside_device,
                       ImGui::GetContentRegionAvail().x - button_width("Add") - px(8),
                       "Which of its devices: an index, part of a name, or cpu. Empty: the best there is.");
  ImGui::SameLine(0, px(8));
  const bool room = ui.bench.others.beside.all().size() < ExtraDevices::kMost;
  wanted |= button(ui, "devices.add", "Add",
                   room ? "Start that worker, and measure the shown config there too" : "No more devices at once", room,
                   true);
  if (!wanted || !room) return false;
  if (const auto id = ui.bench.others.beside.add(drafts.beside_command, drafts.beside_device))
    ui.bench.others.beside.connect(*id);
  drafts.beside_command.clear();
  drafts.beside_device.clear();
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
        beside.all(), [&](const BesideDevice& d) { return d.command == command && d.selector == selector; });
    bool on = listed != beside.all().end();
    const std::string name = entry.info.name + (command.empty() ? "" : "  @ " + command);
    if (!check_box(ui, fmt::format("devices.known.{}.{}", entry.worker, selector), name.c_str(), on)) continue;
    if (!on)
      beside.remove(listed->id);
    else if (const auto id = beside.add(command, selector))
      beside.connect(*id);
  }
}

}  // namespace

void device_chooser(Ui& ui) {
  if (button(ui, "devices.choose", "Compare on\u2026", "The shown config on other devices, at the same time") ||
      std::exchange(ui.drafts.choose_device, false))
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

}  // namespace attnscope::gui
