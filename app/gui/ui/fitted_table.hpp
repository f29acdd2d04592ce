// A table that shows what fits: columns go in the order of their worth, and every heading says on hover what it means.
#pragma once

#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

class FittedTable {
 public:
  static constexpr size_t kMeasured = 64;  ///< rows that the width of a column is of: all that are seen at once
  struct Column {
    std::string title = {};
    const char* explanation = "";  ///< "" = none
    float width = 0;               ///< pixels; at least that of the heading
    int expendable = 0;            ///< where room is short the highest goes first; what is 0 always stays
    bool number = false;           ///< aligned to the right
    bool grows = false;            ///< takes what is left over
  };
  /// Scrolls below its headings; false when nothing of it is to be drawn, and then end() must not be called.
  bool begin(Ui&, const char* id, std::vector<Column>, float height = 0);
  void row() { ImGui::TableNextRow(); }
  /// Goes to the column of the row; false when it was left out.
  bool cell(size_t column) { return at_[column] >= 0 && ImGui::TableSetColumnIndex(at_[column]); }
  /// The same, and the text in it, cut where it must be; true when a hover text may follow.
  bool text(size_t column, ImFont* font, ImU32 colour, const std::string& words) {
    if (!cell(column)) return false;
    const float room = ImGui::GetContentRegionAvail().x;
    if (columns_[column].number)
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, room - width_of(font, words)));
    text_cut(words, room + 1, colour, font, false);
    return true;
  }
  /// From this column on the whole row is a target, below all that is drawn in it afterwards; whether it was clicked.
  bool target(size_t column, const std::string& id, bool selected = false) {
    if (!cell(column)) return false;
    const ImVec2 at = ImGui::GetCursorPos();
    constexpr ImGuiSelectableFlags flags =
        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap | ImGuiSelectableFlags_AllowDoubleClick;
    const bool clicked = ImGui::Selectable("##row", selected, flags, {0, ImGui::GetTextLineHeight()});
    ui_->mark(id);
    ImGui::SetCursorPos(at);
    return clicked;
  }
  bool shows(size_t column) const { return at_[column] >= 0; }
  /// The heading that was clicked in this frame.
  std::optional<size_t> clicked() const { return clicked_; }
  /// Marks the column that the rows are sorted by; before begin().
  void sorted_by(size_t column, bool descending) {
    sorted_ = column;
    descending_ = descending;
  }
  /// Its context menu is how it gets out (app/gui/ui/plot_widgets.hpp).
  void end() {
    table_menu(*ui_, id_);
    ImGui::EndTable();
  }

 private:
  Ui* ui_ = nullptr;
  std::string id_;
  std::optional<size_t> clicked_, sorted_;
  bool descending_ = false;
  std::vector<Column> columns_;
  std::vector<int> at_;  ///< place among the columns shown; -1 = left out
};

}  // namespace attnscope::gui
