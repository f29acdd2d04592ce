// What happened, newest last.
#include <fmt/format.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

const char* word(Level level) {
  switch (level) {
    case Level::good: return "good";
    case Level::warning: return "warning";
    case Level::error: return "error";
    default: return "info";
  }
}

void draw(Ui& ui) {
  ImGui::BeginChild("messages", {0, 0}, 0, ImGuiWindowFlags_NoBackground);
  for (const LogLine& line : ui.bench.messages.lines()) {
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

void dump(const Workbench& bench, Json& j) {
  j["log"] = Json::array();
  for (const LogLine& line : bench.messages.lines())
    j["log"].push_back({{"at", line.at}, {"level", word(line.level)}, {"text", line.text}});
}

}  // namespace

const Panel messages_panel = {"messages", "Messages", Place::bottom, draw, dump};

}  // namespace attnscope::gui
