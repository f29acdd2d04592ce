#include "app/gui/fitted_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/ways_out.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {

bool FittedTable::begin(Ui& ui, const char* id, std::vector<Column> columns, float height) {
  columns_ = std::move(columns);
  ui_ = &ui;
  id_ = id;
  std::vector<ColumnWish> wishes;
  for (Column& c : columns_) {
    const float heading = width_of(fonts.small, c.title);
    c.wish.natural = std::max(c.wish.natural, heading);
    c.wish.least = std::min(std::max(c.wish.least, heading), c.wish.natural);
    wishes.push_back(c.wish);
  }
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x - style.ScrollbarSize;
  const std::vector<float> widths = fit_columns(wishes, room, 2 * style.CellPadding.x);
  at_.assign(columns_.size(), -1);
  int shown = 0;
  for (size_t i = 0; i < widths.size(); ++i)
    if (widths[i] > 0) at_[i] = shown++;
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
                                    ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable(id, shown, flags, {0, height})) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t i = 0; i < widths.size(); ++i)
    if (at_[i] >= 0)
      ImGui::TableSetupColumn(columns_[i].title.c_str(),
                              ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize, widths[i]);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].title.empty() || !text(i, fonts.small, colours::soft, columns_[i].title)) continue;
    if (*columns_[i].explanation) tip_for_last(columns_[i].explanation);
    if (ImGui::IsItemClicked()) clicked_ = i;
    if (sorted_ == i) {
      // Beside the words, where there is always some air between columns.
      const ImVec2 right{ImGui::GetItemRectMax().x + px(6),
                         (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2};
      const float up = px(descending_ ? 2.5f : -2.5f), side = px(3.5f);
      ImGui::GetWindowDrawList()->AddTriangleFilled({right.x - side, right.y - up}, {right.x + side, right.y - up},
                                                    {right.x, right.y + up}, colours::accent);
    }
    ui.mark(fmt::format("{}.head.{}", id, columns_[i].title));
  }
  return true;
}

void FittedTable::end() {
  table_menu(*ui_, id_);
  ImGui::EndTable();
}

bool FittedTable::cell(size_t column) { return at_[column] >= 0 && ImGui::TableSetColumnIndex(at_[column]); }

bool FittedTable::text(size_t column, ImFont* font, ImU32 colour, const std::string& words) {
  if (!cell(column)) return false;
  const float room = ImGui::GetContentRegionAvail().x;
  if (columns_[column].number)
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, room - width_of(font, words)));
  text_cut(words, room + 1, colour, font, false);
  return true;
}

}  // namespace attnscope::gui
