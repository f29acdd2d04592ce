// Panels and layouts to choose from, and the few settings of the window.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/context_menu.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void heading(const char* text) {
  ImGui::Dummy({0, px(1)});
  text_in(fonts.small, colours::faint, text);
}

/// Three columns, so that the menu fits a low window: which are open, each with a click.
void panels(Ui& ui) {
  std::vector<const Panel*> all;
  for (const Panel* p : all_panels())
    if (*p->title) all.push_back(p);
  const size_t rows = (all.size() + 2) / 3;
  if (!ImGui::BeginTable("panels", 3)) return;
  for (size_t r = 0; r < rows; ++r)
    for (const size_t i : {r, r + rows, r + 2 * rows}) {
      ImGui::TableNextColumn();
      if (i >= all.size()) continue;
      const std::string name = all[i]->name;
      bool open = is_open(ui, name);
      if (ImGui::Checkbox(all[i]->title, &open)) {
        if (open)
          show_panel(ui, name);
        else
          close_panel(ui, name);
      }
      ui.mark("view.panel." + name);
    }
  ImGui::EndTable();
}

void layouts(Ui& ui) {
  for (const ShippedLayout& l : shipped_layouts()) {
    if (&l != &shipped_layouts().front()) ImGui::SameLine(0, px(5));
    if (button(ui, fmt::format("view.layout.{}", l.name).c_str(), l.title, l.summary)) take_layout(ui, l);
  }
  std::string gone;
  for (const auto& [name, layout] : ui.layout.own) {
    ImGui::PushID(name.c_str());
    const float remove = ImGui::GetFrameHeight();
    if (ImGui::Selectable("##take", false, 0,
                          {ImGui::GetContentRegionAvail().x - remove - px(8), ImGui::GetFrameHeight()}))
      take_layout(ui, std::string(name));
    ui.mark("view.own." + name);
    const ImVec2 at = ImGui::GetItemRectMin();
    draw_cut(fonts.body, {at.x + px(4), at.y + (ImGui::GetItemRectSize().y - fonts.body->FontSize) / 2},
             ImGui::GetItemRectSize().x - px(8), colours::text, name);
    ImGui::SameLine();
    if (button(ui, ("view.forget." + name).c_str(), "\u00d7", "Forget this layout")) gone = name;
    ImGui::PopID();
  }
  if (!gone.empty()) ui.layout.own.erase(gone);
  std::string& name = ui.shell.layout_name;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - px(62));
  const bool entered =
      ImGui::InputTextWithHint("##name", "Name of this layout", &name, ImGuiInputTextFlags_EnterReturnsTrue);
  ui.mark("view.name");
  ImGui::SameLine(0, px(6));
  const bool possible = !name.empty() && name.size() <= kMostNameBytes &&
                        (ui.layout.own.size() < kMostLayouts || ui.layout.own.contains(name));
  if ((button(ui, "view.keep", "Keep", "Keep where everything lies under this name", possible) || entered) &&
      possible) {
    keep_layout(ui, name);
    name.clear();
  }
  if (ui.layout.before) {
    if (button(
            ui, "view.before", "Before the session",
            "Where everything lay before a session that was opened brought its own layout; once more: as that had it"))
      take_layout_before(ui);
    ImGui::SameLine(0, px(5));
  }
  if (button(ui, "view.reset", "Reset to default", "Every panel where it lay at first")) reset_layout(ui);
}

}  // namespace

void view_menu(Ui& ui) {
  if (std::exchange(ui.shell.view, false)) ImGui::OpenPopup("##view");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(470), display.x - px(20));
  ImGui::SetNextWindowPos({display.x - width - px(10), px(46)});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y - px(56)});
  if (!ImGui::BeginPopup("##view", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) return;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !ImGui::GetIO().WantTextInput) ImGui::CloseCurrentPopup();
  heading("Layouts");
  layouts(ui);
  heading("Panels");
  panels(ui);
  ImGui::Separator();
  const auto command = [&](const char* id, const char* title) {
    return MenuItem{id, title, [&ui, id] { run_command(ui, id); }, true, keys_of(id)};
  };
  menu_items(ui, "view",
             {command("palette", "Find a command\u2026"), command("full", "Fill the window with a panel"),
              command("settings", "Settings\u2026"), command("welcome", "First steps")});
  ImGui::EndPopup();
}

namespace {

/// What changes the size of everything stays under the mouse, to be clicked again.
struct Anchor {
  bool held = false;
  ImVec2 at, inside;  ///< middle of the button: in pixels of the window, and in its popup at scale 1

  /// Of the last item.
  void hold() {
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax(), from = ImGui::GetWindowPos();
    at = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    inside = {(at.x - from.x) / px(1), (at.y - from.y) / px(1)};
    held = true;
  }
  ImVec2 place(ImVec2 usual, float width, ImVec2 display) const {
    if (!held) return usual;
    return {std::clamp(at.x - inside.x * px(1), 0.f, std::max(0.f, display.x - width)),
            std::max(0.f, at.y - inside.y * px(1))};
  }
};

}  // namespace

void settings_popup(Ui& ui) {
  if (std::exchange(ui.shell.settings, false)) ImGui::OpenPopup("##settings");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(320), display.x - px(20));
  static Anchor anchor;
  ImGui::SetNextWindowPos(anchor.place({display.x - width - px(10), px(46)}, width, display));
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup("##settings", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    anchor.held = false;
    return;
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  text_in(fonts.bold, colours::text, "Settings");
  const float label = px(96), room = ImGui::GetContentRegionAvail().x - label;
  const auto row = [&](const char* text) {
    ImGui::AlignTextToFramePadding();
    text_in(fonts.small, colours::soft, text);
    ImGui::SameLine(label + ImGui::GetStyle().WindowPadding.x);
  };
  row("Size");
  // At the right edge, which moves least.
  const float wide = ImGui::CalcTextSize("+").x + ImGui::CalcTextSize("\u2212").x + ImGui::CalcTextSize("100 %").x +
                     6 * ImGui::GetStyle().FramePadding.x + 2 * px(6);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - wide);
  if (button(ui, "settings.smaller", "\u2212", "Everything smaller (Ctrl+-)", ui.layout.zoom > kZooms.least)) {
    run_command(ui, "zoom.out");
    anchor.hold();
  }
  ImGui::SameLine(0, px(6));
  if (button(ui, "settings.zoom", fmt::format("{:.0f} %", 100 * ui.layout.zoom).c_str(), "Usual size (Ctrl+0)"))
    run_command(ui, "zoom.reset");
  ImGui::SameLine(0, px(6));
  if (button(ui, "settings.larger", "+", "Everything larger (Ctrl++)", ui.layout.zoom < kZooms.most)) {
    run_command(ui, "zoom.in");
    anchor.hold();
  }
  row("Theme");
  const int theme = segmented(ui, "settings.theme", {"Dark", "Light"}, ui.layout.theme == Theme::light, room, {},
                              nullptr, {"dark", "light"});
  if (theme >= 0) ui.layout.theme = theme ? Theme::light : Theme::dark;
  row("While sampling");
  bool quiet = ui.bench.quiet();
  if (ImGui::Checkbox("draw nothing", &quiet)) ui.bench.asked.quiet = quiet;
  ui.mark("settings.quiet");
  row("Timing plot");
  if (bool log = ui.bench.view.log(); ImGui::Checkbox("logarithmic", &log)) ui.bench.view.set_log(log);
  ui.mark("settings.log");
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
