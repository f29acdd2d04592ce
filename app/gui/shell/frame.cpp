// The whole window: bars, panels, and what lies over them.
#include <string>
#include <utility>
#include <vector>

#include "app/gui/panels/panel.hpp"
#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void draw_at(Ui& ui, Place place) {
  for (const Panel* panel : all_panels())
    if (panel->place == place) panel->draw(ui);
}

/// Back from a full panel, unless the key has something nearer to close.
void escape(Ui& ui) {
  if (ui.layout.full.empty() || !ImGui::IsKeyPressed(ImGuiKey_Escape, false)) return;
  if (ImGui::GetIO().WantTextInput || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  ui.layout.full.clear();
}

}  // namespace

void draw_workbench(Ui& ui) {
  // What is changed while a button is held is one step of undo.
  static uint64_t presses = 0;
  if (ImGui::IsMouseClicked(0)) ++presses;
  ui.bench.history.gesture(ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0) ? presses : 0);
  shortcuts(ui);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  // The ground is the frame's clear colour: no need to fill it twice.
  ImGui::Begin("attnscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  escape(ui);
  draw_at(ui, Place::top);
  ImGui::Dummy({0, px(1)});
  welcome_strip(ui);
  const float status = ImGui::GetTextLineHeightWithSpacing();
  draw_dock(ui, status);
  draw_at(ui, Place::status);
  view_menu(ui);
  settings_popup(ui);
  palette(ui);
  help_popup(ui);
  quit_popup(ui);
  for (const std::string& wanted : std::exchange(ui.shell.commands, {}))
    if (!run_command(ui, wanted))
      ui.bench.say(Level::warning, "There is no command '" + wanted + "', or it cannot be done now.");
  ImGui::End();
  toasts(ui, status);
}

}  // namespace attnscope::gui
