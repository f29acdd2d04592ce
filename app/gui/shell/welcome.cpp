// The three steps of a first start, as a strip above the panels: it covers nothing and can be put away.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/layout/tree.hpp"
#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"
#include "engine/attention/problem.hpp"

namespace attnscope::gui {
namespace {

struct Step {
  const char *id, *title, *text;
};
constexpr std::array steps = {
    Step{"shape", "Pick a shape", "a preset, the text form or the fields of Problem"},
    Step{"best", "Find the best", "S tries the configs and fills the map"},
    Step{"why", "See why", "what bounds the time, and what to change"},
};

void go(Ui& ui, size_t step) {
  if (step == 0) {
    show_panel(ui, "problem");
    ui.shell.palette.open = true;
    ui.shell.palette.start = "Problem ";
  }
  if (step == 1) run_command(ui, "sweep");
  if (step == 2) show_panel(ui, "why");
}

void step_card(Ui& ui, size_t i, ImVec2 size, bool tall) {
  const Step& step = steps[i];
  const bool done = ui.shell.welcome.done[i], next = ui.shell.welcome.next() == i;
  if (ImGui::InvisibleButton(fmt::format("##welcome.{}", step.id).c_str(), size)) go(ui, i);
  ui.mark(fmt::format("welcome.{}", step.id));
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(min, max, hovered ? colours::raised_hover : next ? colours::raised : colours::panel, px(7));
  draw->AddRect(min, max, next ? colours::accent : colours::line, px(7), 0, px(1));
  const float radius = fonts.bold->FontSize * 0.62f;
  const ImVec2 centre{min.x + px(10) + radius, (min.y + max.y) / 2};
  draw->AddCircleFilled(centre, radius, done ? colours::good : next ? colours::accent : colours::raised_hover);
  if (done) {
    draw->AddLine({centre.x - radius * 0.45f, centre.y}, {centre.x - radius * 0.1f, centre.y + radius * 0.4f},
                  colours::window, px(2));
    draw->AddLine({centre.x - radius * 0.1f, centre.y + radius * 0.4f},
                  {centre.x + radius * 0.5f, centre.y - radius * 0.4f}, colours::window, px(2));
  } else {
    const std::string number = std::to_string(i + 1);
    draw->AddText(fonts.bold, fonts.bold->FontSize,
                  {centre.x - width_of(fonts.bold, number) / 2, centre.y - fonts.bold->FontSize / 2},
                  next ? colours::window : colours::soft, number.c_str());
  }
  const float x = centre.x + radius + px(10), room = max.x - x - px(8);
  const float lines = tall ? fonts.bold->FontSize + px(3) + fonts.small->FontSize : fonts.bold->FontSize;
  const float y = (min.y + max.y - lines) / 2;
  draw_cut(fonts.bold, {x, y}, room, colours::text, step.title);
  if (tall) draw_cut(fonts.small, {x, y + fonts.bold->FontSize + px(3)}, room, colours::soft, step.text);
  tip_for_last(fmt::format("{}: {}", step.title, step.text));
}

}  // namespace

void welcome_strip(Ui& ui) {
  Welcome& welcome = ui.shell.welcome;
  const Workbench& bench = ui.bench;
  const Area* why = group_of(ui.layout.tree, "why");
  welcome.watch(bench.known.variants_known ? to_text(bench.asked.ask.problem) : "",
                !bench.searched.running() && bench.searched.best() >= 0,
                (why && why->active == "why" && ui.layout.full.empty()) || ui.layout.full == "why");
  if (!welcome.open) return;
  const bool tall = ImGui::GetIO().DisplaySize.y > px(700);
  const float height = tall ? px(48) : px(30), gap = px(8), close = ImGui::GetFrameHeight();
  const float room = ImGui::GetContentRegionAvail().x - close - 3 * gap;
  const ImVec2 at = ImGui::GetCursorPos();
  for (size_t i = 0; i < steps.size(); ++i) {
    ImGui::SetCursorPos({at.x + float(i) * (room / 3 + gap), at.y});
    step_card(ui, i, {room / 3, height}, tall);
  }
  ImGui::SetCursorPos({at.x + room + 3 * gap, at.y + (height - close) / 2});
  if (button(ui, "welcome.close", "\u00d7", "Put the first steps away; Help brings them back")) welcome.open = false;
  ImGui::SetCursorPos({at.x, at.y + height + px(8)});
}

}  // namespace attnscope::gui
