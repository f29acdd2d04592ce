// What plots are drawn with: axes, lines with their dash, swatches, legends.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/charts/maps.hpp"
#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// A plot with its axes, over the rest of the pane: without ImPlot's own menus, input and legend. Where it is open:
/// draw into `frame`, and close() it.
class Plot {
 public:
  explicit Plot(const char* id, ImVec2 least = {120, 60});
  bool open() const { return open_; }
  /// `named_from`: height, in pixels at scale 1, that gives the x axis' name a line; else it stands before the first
  /// tick. `x_flags` of ImPlotAxisFlags.
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
/// A bar from the ground line up to `top`, filled as its dash is.
void draw_bar(const Frame&, double x, double width, double top, const SeriesStyle&);
/// What is missing leaves a small cross, to ask why.
void draw_cross(ImDrawList*, ImVec2 at, float arm, ImU32 colour, float width = 1.5f);
/// Colour and dash at the cursor, one text line high, `width` wide at scale 1; not an item, the cursor stays. A hidden
/// series is faint.
void draw_swatch(const SeriesStyle&, bool shown, float width = 18);
/// The same as an item.
void series_swatch(const SeriesStyle&, bool shown = true, float width = 18);

struct LegendEntry {
  std::string id;  ///< of the widget
  std::string label;
  SeriesStyle style;
  bool shown = true;
  std::string tip;
  float dot = 0;  ///< its radius in pixels, of what is drawn as points
};
/// Rows of swatches and names, at most `rows`; what does not fit is counted, and named on hover. The index of the entry
/// that was clicked, or -1.
int legend(Ui&, const char* id, const std::vector<LegendEntry>&, int rows);

/// Of pins, to show and to hide their curves: `first` entries stand before them. Those that are shown and not `drawn`
/// have none.
void pin_legend(Ui&, const char* id, std::vector<LegendEntry> first, const std::vector<const Pin*>& drawn,
                const Problem* only, const char* tip);
/// A tooltip beside the mouse: a name, with the swatch of a series where there is one, and lines of text below.
void lines_tip(const std::optional<SeriesStyle>&, const std::string& name, std::span<const std::string> lines);
/// The colours of a heat map, from `brightest` at the top down; labels stand evenly, as many of them as have room.
void heat_scale(ImVec2 min, float tall, double brightest, const std::vector<std::string>& labels);
/// The last item's right neighbour if something this wide still fits on the line, else a new line.
void flow(float width, float gap = -1);

// How plots and tables get out of the window.

/// Onto the clipboard, with a message: "Copied {what}."
void copy(Workbench&, Shell&, const std::string& text, const std::string& what);

/// After the item that a plot's input goes to: its context menu.
void plot_menu(Ui&, const std::string& widget);
/// Within a table, before it ends. Rows with menus of their own come first.
void table_menu(Ui&, const std::string& widget);
/// The same entries within a menu that is open.
void table_entries(Ui&, const std::string& widget);

}  // namespace attnscope::gui
