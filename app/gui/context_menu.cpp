#include "app/gui/context_menu.hpp"

namespace attnscope::gui {

void menu_items(Ui& ui, const std::string& id, const std::vector<MenuItem>& items) {
  for (const MenuItem& item : items) {
    if (item.label.empty()) {
      ImGui::Separator();
      continue;
    }
    const std::string label = item.label + "##" + item.id;
    if (ImGui::MenuItem(label.c_str(), item.keys.empty() ? nullptr : item.keys.c_str(), false, item.enabled) &&
        item.run)
      item.run();
    ui.mark(id + ".menu." + item.id, item.enabled);
  }
}

void context_menu(Ui& ui, const std::string& id, const std::function<std::vector<MenuItem>()>& items) {
  const std::string popup = "##menu." + id;
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && ImGui::IsMouseReleased(ImGuiMouseButton_Right))
    ImGui::OpenPopup(popup.c_str());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(6)});
  if (ImGui::BeginPopup(popup.c_str())) {
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
    menu_items(ui, id, items());
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace attnscope::gui
