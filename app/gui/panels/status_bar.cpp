// One line: what is running, samples, frames, throttling, what has just happened; and all messages above it.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

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
  if (std::string what = bench.jobs.text(); !what.empty()) return what;
  if (const std::string& peak = bench.device_state.peaks_stage; !peak.empty())
    return "measuring the peak rates: " + peak;
  const Live& live = bench.live.newest;
  if (!live.stage.empty()) return fmt::format("{}: {}", stage_text(live.stage), named(live.selection));
  return bench.request.paused ? "paused" : "idle";
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
      counted(taken, "sample") + (disturbed ? fmt::format(", {} left out", count_text(disturbed)) : "");
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
  // An error is said once, where it is.
  const bool told = alarm && alarm->level == Level::error && in_front(ui, alarm->panel);
  const float left_over =
      words_end - ImGui::GetCursorPosX() - gap - (alarm ? width_of(fonts.small, alarm->text) + px(24) : 0);
  if (cut(colours::soft, running(bench), alarm && !told ? std::max(whole * 0.22f, left_over) : whole))
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

const Panel status_bar = {"status", "", draw_status_bar, dump_messages};

}  // namespace attnscope::gui
