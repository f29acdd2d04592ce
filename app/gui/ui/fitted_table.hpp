// Which columns of a table are shown in the room there is, and how wide: numbers in, numbers out.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

struct ColumnWish {
  float natural = 0;   ///< width that its widest content needs
  float least = 0;     ///< width below which it is of no use; at most `natural`
  int expendable = 0;  ///< where room is short the highest goes first; what is 0 always stays
  bool grows = false;  ///< takes what is left over when all have what they need
};

/// A width for each column, 0 for one that is left out. `padding` is what every column shown costs beside its width.
/// Columns go until the rest fit at their least widths; what room is left then is shared by what they lack. Columns
/// that always stay are never narrower than their least width, even where that does not fit.
std::vector<float> fit_columns(std::span<const ColumnWish>, float room, float padding);

// A table that shows what fits: columns go in the order of their worth, and every heading says on hover what it means.

class FittedTable {
 public:
  struct Column {
    std::string title;
    const char* explanation;  ///< "" = none
    ColumnWish request;       ///< widths in pixels; the heading's own need is added to them
    bool number = false;      ///< aligned to the right
  };
  /// As wide as this text.
  static ColumnWish fixed(ImFont*, const char* widest, int expendable = 0);
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
