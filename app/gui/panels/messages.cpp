// What happened, newest last.
#include <fmt/format.h>

#include "app/gui/widgets.hpp"

namespace attnscope::gui {

void messages_panel(Ui& ui) {
  ImGui::BeginChild("messages", {0, 0}, 0, ImGuiWindowFlags_NoBackground);
  for (const LogLine& line : ui.bench.log) {
    const ImU32 colour = line.level == Level::error     ? colours::bad
                         : line.level == Level::warning ? colours::warning
                         : line.level == Level::good    ? colours::good
                                                        : colours::soft;
    const int seconds = int(line.at);
    text_in(fonts.mono, colours::faint, fmt::format("{:02}:{:02}", seconds / 60, seconds % 60));
    ImGui::SameLine(0, px(12));
    wrapped_in(colour, line.text);
  }
  if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - px(4)) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

}  // namespace attnscope::gui
