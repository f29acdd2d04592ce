#include "app/gui/ui/fitted_table.hpp"

#include <imgui_internal.h>

namespace attnscope::gui {

bool FittedTable::begin(Ui& ui, const char* id, std::vector<Column> columns, float height) {
  columns_ = std::move(columns);
  ui_ = &ui;
  id_ = id;
  std::set<std::string>& hidden = ui.layout.hidden[id];
  const float padding = 2 * ImGui::GetStyle().CellPadding.x;
  float spare = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  std::vector<Column*> shown;
  for (Column& c : columns_) {
    if (hidden.contains(c.title)) continue;
    c.width = std::max(c.width, width_of(fonts.small, c.title));
    spare -= c.width + padding;
    shown.push_back(&c);
  }
  while (spare < 0) {
    const auto first = std::ranges::max_element(shown, {}, &Column::expendable);
    if (first == shown.end() || (*first)->expendable == 0) break;
    spare += (*first)->width + padding;
    shown.erase(first);
  }
  at_.assign(columns_.size(), -1);
  for (size_t i = 0; i < shown.size(); ++i) at_[size_t(shown[i] - columns_.data())] = int(i);
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
                                    ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable(id, int(shown.size()), flags, {0, height})) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const Column* c : shown)
    ImGui::TableSetupColumn(c->title.c_str(),
                            c->grows ? ImGuiTableColumnFlags_WidthStretch
                                     : ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize,
                            c->grows ? 0 : c->width);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].title.empty() || !text(i, fonts.small, colours::soft, columns_[i].title)) continue;
    if (*columns_[i].explanation) tip_for_last(columns_[i].explanation);
    if (ImGui::IsItemClicked()) clicked_ = i;
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup("columns");
    if (sorted_ == i) {
      // Where a heading ends at the right edge of its column the next one begins.
      const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
      ImGui::RenderArrow(ImGui::GetWindowDrawList(), {columns_[i].number ? min.x - px(14) : max.x + px(1), min.y},
                         colours::accent, descending_ ? ImGuiDir_Down : ImGuiDir_Up, 0.7f);
    }
    ui.mark(fmt::format("{}.head.{}", id, columns_[i].title));
  }
  if (!begin_popup("columns")) return true;
  for (const Column& c : columns_) {
    if (c.title.empty()) continue;
    bool on = !hidden.contains(c.title);
    if (ImGui::Checkbox(c.title.c_str(), &on)) {
      hidden.erase(c.title);
      if (!on) hidden.insert(c.title);
    }
    ui.mark(fmt::format("{}.column.{}", id, c.title));
  }
  ImGui::EndPopup();
  return true;
}

}  // namespace attnscope::gui
