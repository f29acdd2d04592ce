// Every command in one list, found by a few of its letters.
#include <algorithm>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/state/fuzzy.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr int kRows = 12;  ///< in view

void row(Ui& ui, const Command& c, bool chosen, bool can, float height) {
  const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (chosen)
    draw->AddRectFilled(at, end, with_alpha(colours::accent_dim, 0.65f), px(5));
  else if (ImGui::IsItemHovered())
    draw->AddRectFilled(at, end, colours::raised, px(5));
  const float y = at.y + (height - fonts.body->FontSize) / 2, small = at.y + (height - fonts.small->FontSize) / 2;
  const std::string keys = keys_text(c);
  float right = end.x - px(8);
  if (!keys.empty()) {
    right -= width_of(fonts.mono, keys);
    draw->AddText(fonts.mono, fonts.mono->FontSize, {right, small},
                  chosen ? colours::text
                  : can  ? colours::accent
                         : colours::faint,
                  keys.c_str());
    right -= px(14);
  } else {
    right -= width_of(fonts.small, c.group);
    // On the lit row the faint ink would be lost.
    draw->AddText(fonts.small, fonts.small->FontSize, {right, small}, chosen ? colours::text : colours::soft,
                  c.group.c_str());
    right -= px(14);
  }
  draw_cut(fonts.body, {at.x + px(8), y}, right - at.x - px(8),
           can      ? colours::text
           : chosen ? colours::soft
                    : colours::faint,
           c.title);
  ui.mark("palette." + c.id, can);
}

}  // namespace

void palette(Ui& ui) {
  Shell::Palette& p = ui.shell.palette;
  constexpr const char* kId = "##palette";
  if (p.open && !ImGui::IsPopupOpen(kId)) {
    p = {true, true, p.start, 0, ""};
    ImGui::OpenPopup(kId);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(560), display.x - px(24));
  ImGui::SetNextWindowPos({(display.x - width) / 2, px(52)});
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup(kId, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    p.open = false;
    return;
  }
  if (p.focus) ImGui::SetKeyboardFocusHere();
  p.focus = false;
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool taken = ImGui::InputTextWithHint("##find", "Find a command, panel, variant, problem\u2026", &p.text,
                                              ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) p.chosen = 0;
  ui.mark("palette.text");
  const std::vector<Command> all = all_commands(ui);
  std::vector<std::string> titles;
  for (const Command& c : all) titles.push_back(c.title + " " + c.group);
  const std::vector<size_t> found = fuzzy_order(p.text, titles);
  const int count = int(found.size()), before = p.chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++p.chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --p.chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_PageDown)) p.chosen += kRows;
  if (ImGui::IsKeyPressed(ImGuiKey_PageUp)) p.chosen -= kRows;
  p.chosen = std::clamp(p.chosen, 0, std::max(0, count - 1));
  const float height = ImGui::GetFrameHeight();
  const float rows = std::min({float(std::max(1, std::min(count, kRows))) * height, display.y - px(150)});
  const Command* wanted = taken && count > 0 ? &all[found[size_t(p.chosen)]] : nullptr;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("list", {0, rows}, 0, ImGuiWindowFlags_NoBackground);
  if (count == 0) text_in(fonts.body, colours::faint, "There is no such command.");
  ImGuiListClipper clipper;
  clipper.Begin(count, height);
  clipper.IncludeItemByIndex(p.chosen);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Command& c = all[found[size_t(i)]];
      ImGui::PushID(i);
      if (ImGui::InvisibleButton("row", {ImGui::GetContentRegionAvail().x, height})) wanted = &c;
      row(ui, c, i == p.chosen, !c.can || c.can(ui), height);
      if (i == p.chosen && before != p.chosen) ImGui::SetScrollHereY();
      ImGui::PopID();
    }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  // Its own keys close it as they opened it.
  const bool leave = !p.open || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (wanted || leave) {
    p.open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (wanted && (!wanted->can || wanted->can(ui))) wanted->run(ui);
}

}  // namespace attnscope::gui
