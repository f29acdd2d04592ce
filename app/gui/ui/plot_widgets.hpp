// What plots are drawn with: axes, lines with their dash, swatches, legends.
#pragma once

#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

/// A plot with its axes, over the rest of the pane. Where it is open: draw into `frame`, and close() it.
class Plot {
 public:
  explicit Plot(const char* id, ImVec2 least = {120, 60});
  bool open() const { return open_; }
  /// `named_from`: height, in pixels at scale 1, that gives the x axis' name a line; else it precedes the first tick.
  void axes(const ChartAxis& x, const ChartAxis& y, float named_from = 150, int x_flags = 0);
  /// Lays an invisible item over it, with the name for scripts: whether that is hovered, and then the wheel is its own.
  bool close(Ui&, const std::string& name);
  /// the mouse, and not over an axis
  bool over_data() const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return mouse.x >= frame.min.x && mouse.y <= frame.max.y;
  }

  ImVec2 min, max;  ///< with its axes
  Frame frame;      ///< the data

 private:
  bool open_ = false;
};
/// Within the plot being drawn. `x`, `y` in plot coordinates.
void draw_series(const Frame&, std::span<const double> x, std::span<const double> y, const SeriesStyle&, float width);
void draw_series(const Frame&, const ChartSeries&);
/// What is missing leaves a small cross, to ask why.
void draw_cross(ImDrawList*, ImVec2 at, float arm, ImU32 colour, float width = 1.5f);
/// Colour and dash at the cursor, `width` wide at scale 1; not an item, the cursor stays. A hidden series is faint.
void draw_swatch(const SeriesStyle&, bool shown, float width = 18);
/// The same as an item.
void series_swatch(const SeriesStyle&);

struct LegendEntry {
  std::string id;  ///< of the widget
  std::string label;
  SeriesStyle style;
  bool shown = true;
  std::string tip;
  float dot = 0;  ///< its radius in pixels, of what is drawn as points
};
/// Rows of swatches and names, at most `rows`; what does not fit is counted. The index of the clicked entry, or -1.
int legend(Ui&, const char* id, const std::vector<LegendEntry>&, int rows);

/// Of pins, to show and hide their curves, `first` entries before them. Those that are shown and not `drawn` have none.
void pin_legend(Ui&, const char* id, std::vector<LegendEntry> first, const std::vector<const Pin*>& drawn,
                const Problem* only, const char* tip);
/// A tooltip beside the mouse: a name, with the swatch of a series where there is one, and lines of text below.
void lines_tip(const std::optional<SeriesStyle>&, const std::string& name, std::span<const std::string> lines);
/// The colours of a heat map, from `brightest` at the top down; labels stand evenly, as many of them as have room.
void heat_scale(ImVec2 min, float tall, double brightest, const std::vector<std::string>& labels);
/// The last item's right neighbour if something this wide still fits on the line, else a new line.
void flow(float width, float gap = -1);

/// Onto the clipboard, with a message: "Copied {what}."
void copy(Workbench&, Shell&, const std::string& text, const std::string& what);

/// After the item that a plot's input goes to: its context menu.
void plot_menu(Ui&, const std::string& widget);
/// Within a table, before it ends. Rows with menus of their own come first.
void table_menu(Ui&, const std::string& widget);
/// The same entries within a menu that is open.
void table_entries(Ui&, const std::string& widget);

/// The keys go from its panel into the table that was just begun, as through any other part (kPart).
void join_keys();
/// A cell as a target, below all that is drawn in it afterwards; whether it was clicked, by the mouse, Space or Enter.
/// The arrow keys come to it, Tab where it `stops`.
bool cell_target(Ui&, const std::string& id, bool selected, bool stops, ImGuiSelectableFlags flags = 0);

/// A table that shows what fits: columns go in the order of their worth, and every heading says on hover what it means.
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
    float whole = 0;               ///< pixels of its widest text: where it has fewer, each is with_initials()
  };
  /// Scrolls below its headings; false when nothing of it is to be drawn, and then end() must not be called.
  bool begin(Ui&, const char* id, std::vector<Column>, float height = 0);
  void row() { ImGui::TableNextRow(); }
  /// Goes to the column of the row; false when it was left out.
  bool cell(size_t column) { return at_[column] >= 0 && ImGui::TableSetColumnIndex(at_[column]); }
  /// The same, and the text in it on the baseline of the row, cut where it must be; `tip`: on hover.
  bool text(size_t column, ImFont* font, ImU32 colour, const std::string& words, const std::string& tip = "") {
    if (!cell(column)) return false;
    const float room = ImGui::GetContentRegionAvail().x;
    if (columns_[column].number)
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, room - width_of(font, words)));
    to_baseline(font);
    text_cut(fitted(column, words), room + 1, colour, font, false);
    tip_for_last(tip);
    return true;
  }
  /// Within a cell: as all texts of its column are written.
  std::string fitted(size_t column, const std::string& words) const;
  /// From this column on the whole row is one. Tab stops at the first row, the arrow keys go on, to the headings too.
  bool target(size_t column, const std::string& id, bool selected = false);
  bool shows(size_t column) const { return at_[column] >= 0; }
  /// The heading that was clicked in this frame.
  std::optional<size_t> clicked() const { return clicked_; }
  /// Marks the column that the rows are sorted by; before begin().
  void sorted_by(size_t column, bool descending) {
    sorted_ = column;
    descending_ = descending;
  }
  /// The arrow keys click the rows that they come to, and Tab stops at this one; before its rows.
  void follow(const std::string& row) { follows_ = row; }
  /// Its context menu is how it gets out (app/gui/ui/plot_widgets.hpp).
  void end() {
    table_menu(*ui_, id_);
    ImGui::EndTable();
  }

 private:
  Ui* ui_ = nullptr;
  std::string id_, follows_;
  std::optional<size_t> clicked_, sorted_;
  bool descending_ = false, stop_ = false;  ///< a row of this frame is where Tab stops
  std::vector<Column> columns_;
  std::vector<int> at_;  ///< place among the columns shown; -1 = left out
};

}  // namespace attnscope::gui
