// What has just finished, in a corner of the window.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr float kWidth = 270, kAway = 14, kUsualHeight = 60;
constexpr float kMostPart = 0.4f;  ///< of the window's height

ImU32 colour_of(Level level) {
  switch (level) {
    case Level::error: return colours::bad;
    case Level::warning: return colours::warning;
    case Level::good: return colours::good;
    default: return colours::accent;
  }
}

}  // namespace

void toasts(Ui& ui, float above) {
  Toasts& all = ui.shell.toasts;
  const ImVec2 display = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  bool pointed_at = false;
  for (const Toast& t : all.all())
    if (const auto w = ui.shell.toast_rects.find(t.number); w != ui.shell.toast_rects.end())
      pointed_at |= w->second.holds(mouse.x, mouse.y);
  all.step(ui.bench.messages, ui.bench.now(), pointed_at);
  const float width = std::min(px(kWidth), display.x - px(2 * kAway));
  const float tall = px(kUsualHeight) * float(Toasts::kMost);
  const float base = display.y - above - px(kAway);
  all.keep_clear({display.x - width - px(kAway), base - tall, width, tall}, mouse.x, mouse.y);
  ui.shell.toast_rects.clear();
  float bottom = base;
  uint64_t gone = 0;
  bool any = false;
  std::string undo;
  for (size_t i = all.all().size(); i-- > 0;) {
    const Toast& t = all.all()[i];
    const ImU32 colour = colour_of(t.line.level);
    const float room = width - px(40);
    const ImVec2 text = fonts.small->CalcTextSizeA(fonts.small->FontSize, FLT_MAX, room, t.line.text.c_str());
    // Whole lines, and all of them where the window is not filled with it; the rest is in the log.
    const float lines = std::max(1.f, std::floor(display.y * kMostPart / fonts.small->FontSize));
    const float height = std::min(text.y, lines * fonts.small->FontSize) + px(18) + (t.line.undo.empty() ? 0 : px(24));
    const ImVec2 min{all.at_left() ? px(kAway) : display.x - width - px(kAway), bottom - height};
    ImGui::SetNextWindowPos(min);
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::Begin(fmt::format("##toast.{}", i).c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
    const ImVec2 link{px(14), height - px(28)}, wide{width_of(fonts.small, "Undo") + px(16), px(20)};
    bool back = false, over_link = false;
    if (!t.line.undo.empty()) {
      // First: what is below it, the whole, takes the rest.
      ImGui::SetCursorPos(link);
      back = ImGui::InvisibleButton("##undo", wide);
      over_link = ImGui::IsItemHovered();
      ui.mark(fmt::format("toast.{}.undo", i));
      ImGui::SetCursorPos({0, 0});
    }
    const bool clicked = ImGui::InvisibleButton("##go", {width, height});
    const bool hovered = ImGui::IsItemHovered();
    ui.mark(fmt::format("toast.{}", i));
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const ImVec2 max{min.x + width, min.y + height};
    draw->AddRectFilled(min, max, hovered ? colours::raised : colours::popup, px(7));
    draw->AddRect(min, max, hovered ? colours::accent_dim : colours::line, px(7));
    draw->AddRectFilled({min.x, min.y + px(6)}, {min.x + px(3), max.y - px(6)}, colour, px(2));
    draw->PushClipRect({min.x, min.y}, {max.x - px(8), max.y - px(8)}, true);
    draw->AddText(fonts.small, fonts.small->FontSize, {min.x + px(14), min.y + px(9)}, colours::text,
                  t.line.text.c_str(), nullptr, room);
    draw->PopClipRect();
    if (!t.line.undo.empty()) {
      const ImVec2 at{min.x + link.x, min.y + link.y};
      draw->AddRectFilled(at, {at.x + wide.x, at.y + wide.y}, over_link ? colours::raised_hover : colours::raised,
                          px(4));
      draw->AddRect(at, {at.x + wide.x, at.y + wide.y}, colours::line, px(4));
      draw->AddText(fonts.small, fonts.small->FontSize, {at.x + px(8), at.y + (wide.y - fonts.small->FontSize) / 2},
                    colours::accent, "Undo");
    }
    ImGui::End();
    ImGui::PopStyleVar(2);
    ui.shell.toast_rects[t.number] = {min.x, min.y, width, height};
    if (back) undo = t.line.undo;
    if (clicked) show_panel(ui, t.line.panel);
    if (clicked || back) {
      gone = t.number;
      any = true;
    }
    bottom = min.y - px(6);
  }
  if (any) all.dismiss(gone);
  if (!undo.empty()) run_command(ui, undo);
}

}  // namespace attnscope::gui
