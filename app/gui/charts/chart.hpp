// A plot as plain data, told apart from how it is drawn: what a file of it is written from.
#pragma once

#include <string>
#include <vector>

#include "app/gui/charts/axis.hpp"
#include "app/gui/charts/style.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

struct ChartSeries {
  enum class Kind {
    line,    ///< through (x, y)
    points,  ///< at (x, y)
    band,    ///< between y and high
    bars     ///< from the ground, or from `low`, to y; `width` of an x wide
  };
  std::string name;
  Kind kind = Kind::line;
  SeriesStyle style = {};
  std::vector<double> x = {}, y = {}, high = {};  ///< parallel
  std::vector<std::string> text = {};             ///< of each point, for the table
  double width = 0.8;
};

struct ChartAxis {
  std::string name;
  Range range;
  bool log = false;
  std::vector<Tick> ticks;
  std::string unit = {};  ///< of the values as they are kept, for a table; ticks write their own
};

struct Chart {
  std::string title;
  std::vector<std::string> about;  ///< lines below it: problem, variant and config, device, how
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  bool empty() const { return series.empty(); }
};

/// An SVG document that needs nothing else, on the ground that the window has.
std::string to_svg(const Chart&, int width = 960, int height = 540);
/// One line a point: series, x, y, high, text; the lines of title and about stand above as comments (#). Numbers have
/// all their digits, and no cell is NaN.
std::string to_csv(const Chart&);
/// A table of text as CSV (RFC 4180), without the columns that are empty in every row.
std::string to_csv(const TextTable&);

}  // namespace attnscope::gui
