// Keys and gestures from the table of commands, and what the command line takes, in its own words.
#include <algorithm>
#include <map>

#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void line(const std::string& keys, const std::string& does) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_in(fonts.mono, colours::accent, keys);
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0);
  text_in(fonts.body, colours::text, does);
  ImGui::PopTextWrapPos();
}

void keys() {
  if (ImGui::BeginTable("keys", 2)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, px(150));
    ImGui::TableSetupColumn("does", ImGuiTableColumnFlags_WidthStretch);
    for (const Command& c : fixed_commands())
      if (!c.chords.empty()) line(keys_text(c), c.title);
    for (const Gesture& g : gestures()) line(g.with, g.does);
    ImGui::EndTable();
  }
  ImGui::Dummy({0, px(4)});
  wrapped_in(
      colours::soft,
      "The config shown is compiled, verified against a double-precision CPU reference and then dispatched over and "
      "over by a worker process. The plot shows the newest samples, their rolling median and the band from the 20th "
      "to the 80th percentile; the headline is the median. A worker that hangs or crashes is ended and started "
      "again: only the config in flight is lost.");
}

void command_line(const Ui& ui) {
  if (ui.shell.command_line.empty()) return wrapped_in(colours::faint, "The command line is not known here.");
  ImGui::PushFont(fonts.mono);
  ImGui::TextUnformatted(ui.shell.command_line.c_str());
  ImGui::PopFont();
}

}  // namespace

void help_popup(Ui& ui) {
  if (ui.drafts.help) ImGui::OpenPopup("attnscope##help");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const bool options = ui.shell.help_options;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(px(options ? 940 : 640), display.x - px(20)), std::min(px(640), display.y - px(20))});
  if (!ImGui::BeginPopupModal("attnscope##help", &ui.drafts.help,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings))
    return;
  text_in(fonts.small, colours::soft, "attnscope " ATTNSCOPE_VERSION ", drawn with " + ui.frame.renderer);
  const int chosen =
      segmented(ui, "help.part", {"Keys", "Command line"}, options, px(220), {}, nullptr, {"keys", "options"});
  if (chosen >= 0) ui.shell.help_options = chosen == 1;
  ImGui::Dummy({0, px(2)});
  const float below = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginChild("help.text", {0, std::max(px(60), ImGui::GetContentRegionAvail().y - below)}, 0,
                    ImGuiWindowFlags_NoBackground | (options ? ImGuiWindowFlags_HorizontalScrollbar : 0));
  options ? command_line(ui) : keys();
  ImGui::EndChild();
  const auto leave = [&] {
    ui.drafts.help = false;
    ImGui::CloseCurrentPopup();
  };
  if (button(ui, "help.close", "Close", nullptr, true, true) || ImGui::IsKeyPressed(ImGuiKey_Escape)) leave();
  ImGui::SameLine(0, px(8));
  if (button(ui, "help.welcome", "First steps", "Pick a shape, find the best, see why")) {
    ui.shell.welcome.restart();
    leave();
  }
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
