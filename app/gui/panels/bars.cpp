// What is measured: device, problem and variant; whether it is; and the menus.
// One line: what is running, samples, frames, throttling, what has just happened; and all messages above it.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

void pause_or_resume(Ui& ui) {
  // The device is to be left alone: what a search tried is kept, and a later one goes on there.
  const bool searching = ui.bench.search.measuring(), working = !ui.bench.jobs.text().empty();
  if (searching) ui.requests.cancel_search = true;
  if (working) ui.requests.cancel_job = true;
  ui.bench.request.paused = searching || working || !ui.bench.request.paused;
}

namespace {

std::string device_facts(const DeviceInfo& d) {
  return fmt::format("{}\n{}, Vulkan {}\nshared memory {} a workgroup, {} invocations\nsubgroup size {}\nmemory {}{}",
                     d.name, d.driver, d.api_version, bytes_text(d.limits.max_shared_bytes),
                     d.limits.max_workgroup_invocations, d.limits.subgroup_size,
                     bytes_text(double(d.limits.device_memory_bytes)),
                     d.unsuitable.empty() ? "" : "\n\nCannot be used: " + d.unsuitable);
}

void device_picker(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  const DeviceState& known = bench.device_state;
  std::string shown = known.device                   ? known.device->name
                      : known.device_failure.empty() ? "Looking for devices\u2026"
                                                     : "No device";
  if (known.workers.size() > 1 && known.device && !known.workers[bench.request.worker].empty())
    shown += "  @ " + known.workers[bench.request.worker];
  const std::string tip = known.device ? device_facts(*known.device) : known.device_failure;
  if (!begin_combo(ui, "device", shown, width, tip, ImGuiComboFlags_HeightLarge)) return;
  for (size_t w = 0; w < known.workers.size(); ++w) {
    if (known.workers.size() > 1)
      text_in(fonts.small, colours::faint, known.workers[w].empty() ? "This machine" : known.workers[w]);
    bool listed = false;
    for (const DeviceEntry& entry : known.devices) {
      if (entry.worker != w) continue;
      listed = true;
      const bool usable = entry.info.unsuitable.empty();
      const bool current = known.device && bench.request.worker == w && known.device->index == entry.info.index;
      ImGui::BeginDisabled(!usable);
      const std::string label = fmt::format("{}##{}.{}", entry.info.name, w, entry.info.index);
      if (ImGui::Selectable(label.c_str(), current)) bench.set_device(w, std::to_string(entry.info.index));
      ImGui::EndDisabled();
      ui.mark(fmt::format("device.{}.{}", w, entry.info.index), usable);
      tip_for_last(device_facts(entry.info));
      ImGui::SameLine();
      text_in(fonts.small, colours::faint, std::string(usable ? to_text(entry.info.type) : "unsuitable"));
    }
    if (listed) continue;
    if (ImGui::Selectable(fmt::format("Connect and list its devices##{}", w).c_str())) bench.set_device(w, "");
    ui.mark(fmt::format("device.{}", w));
  }
  ImGui::EndCombo();
}

/// What goes on with what is shown, in a word or two: "sampling", "refused". bars.cpp
std::string state_text(const Workbench& bench) {
  if (bench.search.measuring()) return "searching";
  if (!bench.jobs.text().empty()) return bench.jobs.runs(JobKind::pins) ? "racing" : "measuring";
  if (!bench.device_state.peaks_stage.empty()) return "peak rates";
  if (const VerdictLight light = verdict_light(bench); !light.why.empty()) return lower_case(light.word);
  if (const Live* live = bench.live.shown(); live && !live->stage.empty()) return stage_text(live->stage);
  return bench.request.paused ? "paused" : "starting";
}

/// Whether it measures: a lamp and, where there is room, its word.
void state_lamp(const Workbench& bench, float width) {
  const std::string word = state_text(bench);
  const VerdictLight light = verdict_light(bench);
  lamp(word == "sampling"               ? colours::good
       : word == lower_case(light.word) ? light.colour
       : word == "paused"               ? colours::faint
                                        : colours::accent,
       true);
  if (width <= 0) return tip_for_last(word);
  const float left = ImGui::GetCursorPosX();
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  text_cut(word, width, colours::soft);
  ImGui::SameLine(std::max(left, ImGui::GetItemRectMin().x - ImGui::GetWindowPos().x + width), 0);
}

void draw_top_bar(Ui& ui) {
  Workbench& bench = ui.bench;
  const float whole = ImGui::GetContentRegionAvail().x;
  const bool wide = whole > px(1000);
  const auto labelled = [&](const char* icon, const char* text) { return wide ? with_icon(icon, text) : text; };
  const std::string find_label = labelled(icons::search, "Find\u2026"), files_label = labelled(icons::folder, "Files"),
                    view_label = labelled(icons::panels, "View");
  const float gap = px(10),
              menus = button_width(files_label) + button_width(view_label) + button_width("?") + 2 * px(6),
              pause = button_width(with_icon(icons::play, "Resume"));
  const float word = whole > px(900) ? px(112) : 0, find = wide ? button_width(find_label) + px(6) : 0;
  const float rest = whole - ImGui::GetTextLineHeight() - word - pause - menus - find - 5 * gap;
  device_picker(ui, std::clamp(rest * 0.36f, px(64), px(290)));
  ImGui::SameLine(0, gap);
  problem_picker(ui, std::clamp(rest * 0.40f, px(120), px(440)));
  ImGui::SameLine(0, gap);
  variant_picker(ui, std::clamp(rest * 0.24f, px(64), px(240)));
  ImGui::SameLine(0, gap);
  const bool paused = bench.request.paused && !bench.search.measuring() && bench.jobs.text().empty();
  if (button(ui, "measure", paused ? with_icon(icons::play, "Resume") : with_icon(icons::pause, "Pause"),
             "Dispatch the current config continuously, or stop, a search or measurement too (Space)",
             bench.request.variant() != nullptr, paused, pause))
    pause_or_resume(ui);
  ImGui::SameLine(0, gap);
  state_lamp(bench, word);
  ImGui::SameLine(0, gap);
  ImGui::SetCursorPosX(
      std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - menus - find - ImGui::GetStyle().WindowPadding.x));
  if (wide) {
    if (button(ui, "find", find_label, "Every command, panel, variant, config, preset and device by name (Ctrl+P)"))
      ui.shell.palette.open = true;
    ImGui::SameLine(0, px(6));
  }
  if (button(ui, "files", files_label, "Open results or a session; save this session, a report, all results") ||
      std::exchange(ui.shell.files, false))
    ImGui::OpenPopup("files");
  files_menu(ui);
  ImGui::SameLine(0, px(6));
  if (button(ui, "view", view_label, "Panels, layouts and settings of this window")) ui.shell.view = true;
  ImGui::SameLine(0, px(6));
  if (button(ui, "help", "?", "Shortcuts and what is shown (F1)")) ui.shell.help = true;
}

void dump_top_bar(const Workbench& bench, Json& j) {
  j["paused"] = bench.request.paused;
  j["state"] = state_text(bench);
  j["ask"] = ask_json(bench.request.selection);
  j["cache"] = to_text(bench.request.modes.cache);
  dump_variants(bench, j);
}

std::string running(const Workbench& bench) {
  const auto named = [&](const Selection& selection) {
    const bool automatic =
        bench.request.automatic() && !bench.request.why_automatic().empty() && selection == bench.request.selection;
    return fmt::format("{}{} on {}", automatic ? "auto: " : "", bench.short_name(selection.variant, selection.config),
                       to_text(selection.problem));
  };
  const JobState& job = bench.jobs.now;
  if (job.running && job.kind <= JobKind::scaling)
    return fmt::format("measured {}{}", how_far(job, bench.now()), job.current ? "; now " + named(*job.current) : "");
  if (bench.search.measuring()) return search_line(bench);
  if (std::string what = bench.jobs.text(); !what.empty()) return what + bench.elapsed_text();
  if (const std::string& peak = bench.device_state.peaks_stage; !peak.empty())
    return "measuring the peak rates: " + peak + bench.elapsed_text();
  const Live& live = bench.live.newest;
  if (live.stage.empty()) return state_text(bench);
  return fmt::format("{}{}: {}", stage_text(live.stage), live.stage == "sample" ? "" : bench.elapsed_text(),
                     named(live.selection));
}

void messages(Ui& ui) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(640), display.x - px(20));
  ImGui::SetNextWindowPos({display.x - px(10), display.y - px(34)}, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.6f});
  if (!begin_popup("##messages")) return;
  for (const LogLine& line : ui.bench.messages.lines()) {
    const int seconds = int(line.at);
    text_in(fonts.mono, colours::faint, fmt::format("{:02}:{:02}", seconds / 60, seconds % 60));
    ImGui::SameLine(0, px(12));
    wrapped_in(colour_of(line.level), line.text);
  }
  if (ImGui::IsWindowAppearing() || ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - px(4)) ImGui::SetScrollHereY(1);
  ui.mark("messages");
  ImGui::EndPopup();
}

bool in_front(Ui& ui, const std::string& name) {
  const Panel* panel = panel_named(name);
  if (!panel || !*panel->title) return false;
  if (!ui.layout.full.empty()) return ui.layout.full == panel->name;
  return !ui.layout.panels.closed.contains(panel->name) &&
         group_of(ui.layout.panels, panel->name)->active == panel->name;
}

void draw_status_bar(Ui& ui) {
  const Workbench& bench = ui.bench;
  const float gap = px(18), whole = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const Live* timed = bench.live.timed();
  const uint64_t taken = timed ? timed->series.taken() : 0, disturbed = timed ? timed->series.disturbed() : 0;
  const std::string frames = fmt::format("{:.0f} frames/s  {:.0f} ms", ui.frame.fps, ui.frame.last_ms);
  const std::string samples =
      counted(taken, "sample") + (disturbed ? fmt::format(", {} more left out", count_text(disturbed)) : "");
  // How the window itself does is the first to go where it is narrow.
  const float framed = whole > px(900) ? width_of(fonts.small, frames) + gap : 0;
  const std::string count = counted(bench.messages.lines().size(), "message");
  const float end = left + whole - framed - width_of(fonts.small, count) - width_of(fonts.small, samples) - 2 * gap;
  const float words_end = ui.shell.welcome.open ? std::min(end, ui.shell.welcome.left - gap) : end;
  const auto cut = [&](ImU32 colour, const std::string& text, float most) {
    const float room = std::min(most, words_end - ImGui::GetCursorPosX());
    if (room < px(40)) return false;
    text_cut(text, room, colour, fonts.small);
    return true;
  };
  const bool failed = !bench.device_state.device_failure.empty();
  if (failed && cut(colours::bad, bench.device_state.device_failure, whole)) ImGui::SameLine(0, gap);
  // What is wrong needs the room more than what goes on.
  const LogLine* alarm = bench.messages.news(bench.now());
  // An error is said once, where it is, and how a search ended.
  const bool told = alarm && (alarm->level == Level::error || alarm->panel == "map") && in_front(ui, alarm->panel);
  const float left_over =
      words_end - ImGui::GetCursorPosX() - gap - (alarm ? width_of(fonts.small, alarm->text) + px(24) : 0);
  if (cut(colours::soft, running(bench), alarm && !told ? std::max(whole * 0.15f, left_over) : whole))
    ImGui::SameLine(0, gap);
  const bool bad = alarm && (alarm->level == Level::warning || alarm->level == Level::error);
  if (alarm && !told &&
      cut(colour_of(alarm->level), bad ? with_icon(icons::warning, alarm->text) : alarm->text, whole)) {
    ui.mark("status.message");
    if (ImGui::IsItemHovered() && !alarm->panel.empty()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsItemClicked() && alarm->panel == "messages")
      ui.shell.messages = true;
    else if (ImGui::IsItemClicked() && !alarm->panel.empty())
      ui.layout.tab = alarm->panel;
    ImGui::SameLine(0, gap);
  }
  ImGui::SetCursorPosX(std::max(left, end + gap));
  text_in(fonts.small, colours::soft, samples);
  tip_for_last("Samples of the config shown. Left out: batches during which the window had to draw.");
  ImGui::SameLine(0, gap);
  text_in(fonts.small, alarm ? colour_of(alarm->level) : colours::soft, count);
  ui.mark("status.messages");
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tip_for_last("What happened, newest last");
  if (ImGui::IsItemClicked() || std::exchange(ui.shell.messages, false)) ImGui::OpenPopup("##messages");
  messages(ui);
  if (framed == 0) return;
  ImGui::SameLine(0, gap);
  text_in(fonts.small, colours::faint, frames);
}

void dump_messages(const Workbench& bench, Json& j) {
  j["messages"] = Json::array();
  for (const LogLine& line : bench.messages.lines())
    j["messages"].push_back(
        {{"level", word_of(line.level, {"info", "good", "warning", "error"})}, {"text", line.text}});
}

}  // namespace

const Panel top_bar = {"top", "", draw_top_bar, dump_top_bar};

const Panel status_bar = {"status", "", draw_status_bar, dump_messages};

}  // namespace attnscope::gui
