// The device picker and what governs measuring as a whole.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/gui/panels/menus.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/shell.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {
namespace {

const char* kind(DeviceType type) {
  switch (type) {
    case DeviceType::discrete_gpu: return "discrete GPU";
    case DeviceType::integrated_gpu: return "integrated GPU";
    case DeviceType::virtual_gpu: return "virtual GPU";
    case DeviceType::software: return "software";
    default: return "other";
  }
}

std::string device_facts(const DeviceInfo& d) {
  return fmt::format("{}\n{}, Vulkan {}\nshared memory {} a workgroup, {} invocations\nsubgroup size {}\nmemory {}{}",
                     d.name, d.driver, d.api_version, bytes_text(d.limits.max_shared_bytes),
                     d.limits.max_workgroup_invocations, d.limits.subgroup_size,
                     bytes_text(double(d.limits.device_memory_bytes)),
                     d.unsuitable.empty() ? "" : "\n\nCannot be used: " + d.unsuitable);
}

void device_picker(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  std::string shown = bench.device_state.device                   ? bench.device_state.device->name
                      : bench.device_state.device_failure.empty() ? "Looking for devices\u2026"
                                                                  : "No device";
  if (bench.device_state.workers.size() > 1 && bench.device_state.device &&
      !bench.device_state.workers[bench.request.worker].empty())
    shown += "  @ " + bench.device_state.workers[bench.request.worker];
  ImGui::SetNextItemWidth(width);
  const bool open = begin_combo("##device", shown, ImGuiComboFlags_HeightLarge);
  ui.mark("device");
  if (!open) {
    if (bench.device_state.device)
      tip_for_last(device_facts(*bench.device_state.device));
    else if (!bench.device_state.device_failure.empty())
      tip_for_last(bench.device_state.device_failure);
    return;
  }
  for (size_t w = 0; w < bench.device_state.workers.size(); ++w) {
    if (bench.device_state.workers.size() > 1)
      text_in(fonts.small, colours::faint,
              bench.device_state.workers[w].empty() ? "This machine" : bench.device_state.workers[w]);
    bool listed = false;
    for (const DeviceEntry& entry : bench.device_state.devices) {
      if (entry.worker != w) continue;
      listed = true;
      const bool usable = entry.info.unsuitable.empty();
      const bool current = bench.device_state.device && bench.request.worker == w &&
                           bench.device_state.device->index == entry.info.index;
      ImGui::BeginDisabled(!usable);
      const std::string label = fmt::format("{}##{}.{}", entry.info.name, w, entry.info.index);
      if (ImGui::Selectable(label.c_str(), current)) bench.set_device(w, std::to_string(entry.info.index));
      ImGui::EndDisabled();
      ui.mark(fmt::format("device.{}.{}", w, entry.info.index), usable);
      tip_for_last(device_facts(entry.info));
      ImGui::SameLine();
      text_in(fonts.small, colours::faint, usable ? kind(entry.info.type) : "unsuitable");
    }
    if (listed) continue;
    if (ImGui::Selectable(fmt::format("Connect and list its devices##{}", w).c_str())) bench.set_device(w, "");
    ui.mark(fmt::format("device.{}", w));
  }
  ImGui::EndCombo();
}

// Pixels at scale 1.
constexpr float kLeastDevice = 64, kCache = 76, kLaunch = 152, kApart = 8;

float framed_width(const char* words) { return ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x; }

/// Of all that stands right of the device.
float controls_width() {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float quiet = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + ImGui::CalcTextSize("quiet").x;
  return 3 * px(kApart) + framed_width("Resume") + px(kCache) + px(kLaunch) + quiet + 2 * style.ItemSpacing.x +
         framed_width("Files") + framed_width("View") + 2 * px(6) + framed_width("?");
}

void draw_top_bar(Ui& ui) {
  Workbench& bench = ui.bench;
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = ImGui::GetFrameHeight() * 0.72f, top = at.y + (ImGui::GetFrameHeight() - side) / 2;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  // The mark: a causal mask in three rows.
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      const float cell = side / 3;
      const ImVec2 min{at.x + float(column) * cell, top + float(row) * cell};
      draw->AddRectFilled(min, {min.x + cell - px(1.5f), min.y + cell - px(1.5f)},
                          column <= row ? colours::accent : colours::raised_hover, px(1.5f));
    }
  ImGui::Dummy({side + px(2), side});
  // The device gets what the rest leaves; where that is little, the name of the program goes first.
  const float word = width_of(fonts.title, "attnscope") + px(30);
  const float room = ImGui::GetContentRegionAvail().x - side - px(2 + 14);
  const float rest = room - controls_width();
  const bool named = rest - word >= px(200);
  if (named) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text_in(fonts.title, colours::text, "attnscope");
  }
  ImGui::SameLine(0, px(named ? 22 : 14));
  device_picker(ui, std::clamp(named ? rest - word : rest, px(kLeastDevice), px(330)));
  ImGui::SameLine(0, px(kApart));
  if (button(ui, "measure", bench.request.paused ? "Resume" : "Pause",
             "Dispatch the current config continuously, or stop (Space)", bench.current_variant() != nullptr,
             bench.request.paused, framed_width("Resume")))
    bench.request.paused = !bench.request.paused;

  ImGui::SameLine(0, px(kApart));
  const int cache = segmented(ui, "cache", {"hot", "cold"}, bench.request.modes.cache == CacheMode::cold, px(kCache),
                              {}, fonts.small);
  if (cache >= 0) bench.request.modes.cache = cache ? CacheMode::cold : CacheMode::hot;
  tip_for_last("Cache mode: hot keeps the caches between samples, cold overwrites them outside the timed span.");
  ImGui::SameLine();
  const int launch =
      segmented(ui, "launch", {"isolated", "back-to-back"}, bench.request.modes.launch == LaunchMode::back_to_back,
                px(kLaunch), {}, fonts.small, {"isolated", "back_to_back"});
  if (launch >= 0) bench.request.modes.launch = launch ? LaunchMode::back_to_back : LaunchMode::isolated;
  tip_for_last("Launch mode: isolated dispatches wait for each other, back-to-back ones may overlap.");
  ImGui::SameLine(0, px(kApart));
  bool quiet = bench.quiet();
  if (ImGui::Checkbox("quiet", &quiet)) bench.request.quiet = quiet;
  ui.mark("quiet");
  tip_for_last(
      "Quiet mode: nothing is drawn while a batch of samples is taken, so that the window does not slow a device "
      "that shares the CPU with it. On by default for software devices.");

  const float right = framed_width("Files") + framed_width("View") + framed_width("?") + 2 * px(6);
  ImGui::SameLine(0, ImGui::GetStyle().ItemSpacing.x);
  ImGui::SetCursorPosX(
      std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - right - ImGui::GetStyle().WindowPadding.x));
  if (button(ui, "files", "Files", "Open results or a session; save this session, a report, all results") ||
      std::exchange(ui.shell.files, false))
    ImGui::OpenPopup("files");
  files_menu(ui);
  ImGui::SameLine(0, px(6));
  if (button(ui, "view", "View", "Panels, layouts and settings of this window")) ui.shell.view = true;
  ImGui::SameLine(0, px(6));
  if (button(ui, "help", "?", "Shortcuts and what is shown (F1)")) ui.drafts.help = true;
}

void dump_top_bar(const Workbench& bench, Json& j) {
  j["devices"] = Json::array();
  for (const DeviceEntry& d : bench.device_state.devices)
    j["devices"].push_back(
        {{"worker", d.worker}, {"index", d.info.index}, {"name", d.info.name}, {"unsuitable", d.info.unsuitable}});
  if (bench.device_state.device) j["device"] = *bench.device_state.device;
  j["device_failure"] = bench.device_state.device_failure;
  j["paused"] = bench.request.paused;
  j["quiet"] = bench.quiet();
  j["cache"] = to_text(bench.request.modes.cache);
  j["launch"] = to_text(bench.request.modes.launch);
}

}  // namespace

const Panel top_bar = {"top", "", DockSide::top, draw_top_bar, dump_top_bar};

}  // namespace attnscope::gui
