#include "app/gui/ui/fitted_table.hpp"

#include <algorithm>

#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

std::vector<float> fit_columns(std::span<const ColumnWish> requests, float room, float padding) {
  std::vector<bool> shown(requests.size(), true);
  const auto needed = [&] {
    float sum = 0;
    for (size_t i = 0; i < requests.size(); ++i)
      if (shown[i]) sum += requests[i].least + padding;
    return sum;
  };
  while (needed() > room) {
    size_t first = requests.size();
    for (size_t i = 0; i < requests.size(); ++i)
      if (shown[i] && requests[i].expendable > 0 &&
          (first == requests.size() || requests[i].expendable > requests[first].expendable))
        first = i;
    if (first == requests.size()) break;
    shown[first] = false;
  }
  const float left = std::max(0.f, room - needed());
  float lacking = 0;
  for (size_t i = 0; i < requests.size(); ++i)
    if (shown[i]) lacking += std::max(0.f, requests[i].natural - requests[i].least);
  const float part = lacking > left ? left / lacking : 1;
  std::vector<float> widths(requests.size(), 0);
  float spare = left;
  size_t growing = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!shown[i]) continue;
    const float more = std::max(0.f, requests[i].natural - requests[i].least) * part;
    widths[i] = requests[i].least + more;
    spare -= more;
    growing += requests[i].grows;
  }
  for (size_t i = 0; i < requests.size(); ++i)
    if (shown[i] && requests[i].grows) widths[i] += std::max(0.f, spare) / float(growing);
  return widths;
}

ColumnWish FittedTable::fixed(ImFont* font, const char* widest, int expendable) {
  const float width = width_of(font, widest);
  return {width, width, expendable, false};
}

bool FittedTable::begin(Ui& ui, const char* id, std::vector<Column> columns, float height) {
  columns_ = std::move(columns);
  ui_ = &ui;
  id_ = id;
  std::vector<ColumnWish> requests;
  for (Column& c : columns_) {
    const float heading = width_of(fonts.small, c.title);
    c.request.natural = std::max(c.request.natural, heading);
    c.request.least = std::min(std::max(c.request.least, heading), c.request.natural);
    requests.push_back(c.request);
  }
  std::set<std::string>& hidden = ui.layout.hidden[id];
  for (size_t i = 0; i < columns_.size(); ++i)
    if (hidden.contains(columns_[i].title)) requests[i] = {1e6f, 1e6f, 100, false};
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x - style.ScrollbarSize;
  const std::vector<float> widths = fit_columns(requests, room, 2 * style.CellPadding.x);
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
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup("columns");
    if (sorted_ == i) {
      const ImVec2 right{ImGui::GetItemRectMax().x + px(6),
                         (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2};
      const float up = px(descending_ ? 2.5f : -2.5f), side = px(3.5f);
      ImGui::GetWindowDrawList()->AddTriangleFilled({right.x - side, right.y - up}, {right.x + side, right.y - up},
                                                    {right.x, right.y + up}, colours::accent);
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
