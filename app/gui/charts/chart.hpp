// A plot as plain data, told apart from how it is drawn: what a file of it is written from.
#pragma once

#include <imgui.h>

#include "app/gui/worker/series.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

// The axes of a plot as plain numbers: which range shows a set of values, zooming, ticks, where a value lies in pixels.

struct Range {
  double low = 0, high = 0;
  bool empty = true;
  static Range of(double low, double high) { return {low, high, false}; }
  double width() const { return high - low; }
  void include(double value);
  void include(const Range&);
  /// Some air, and never nothing; on a logarithmic axis by a factor.
  void pad(bool log);
  bool operator==(const Range&) const = default;
};

/// All values but far outliers: what lies more than three interquartile distances beyond a quartile is left out, of
/// each side at most a twentieth of the values (or two). On a logarithmic axis distances are ratios, and only positive
/// values count. Costs the same for a million values as for a few thousand.
Range robust_range(std::span<const double> values, bool log);

/// `factor` < 1 is closer; `at` stays where it is.
Range zoomed(const Range&, double at, double factor, bool log);
Range panned(const Range&, double from, double to, bool log);

/// A plot's data in pixels. y grows upwards.
struct Frame {
  ImVec2 min, max;
  Range x, y;
  bool log = false;  ///< of y
  ImVec2 pixel(double x, double y) const;
  double x_at(float pixel) const { return x.low + double(pixel - min.x) / (max.x - min.x) * x.width(); }
  double y_at(float pixel) const;
};

struct Tick {
  double at = 0;
  std::string text;
};
/// Values within the range, above 0, that are these multiples of every such power of ten.
std::vector<double> decades(const Range&, const std::vector<double>& multiples, int every = 1);
/// About `most` round values in the metric, at least two, in one unit, with enough digits: "19.50 ms".
std::vector<Tick> metric_ticks(const Range&, bool log, Metric, int most);

/// Whether a place is within reach of the mouse; then the reach is its distance.
inline bool nearer(ImVec2 at, ImVec2 mouse, float& reach) {
  const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
  if (distance > reach) return false;
  reach = distance;
  return true;
}

// How a series is told apart from the others: its colour and its dash, both, wherever it is drawn or named.

enum class Dash { solid, dashed, dotted, dash_dot };
/// Lengths of strokes and gaps in turn, in pixels at scale 1; none for a solid line.
std::span<const float> pattern(Dash);

struct SeriesStyle {
  ImU32 colour = 0;
  Dash dash = Dash::solid;
  bool operator==(const SeriesStyle&) const = default;
};

/// Distinct styles of pins; a slot beyond them has the style of an earlier one.
inline constexpr size_t kSeriesStyles = 24;
/// Of a pin, from its slot: the same for as long as it lives. Six colours that stay apart with every common form of
/// colour blindness, and none that a state has (good, warning, bad); then the same ones with another dash.
SeriesStyle series_style(size_t slot);
/// Of what is measured now; no pin has it.
SeriesStyle live_style();

// How the curves of variants differ from each other where no pin is drawn.

/// As many as can be told apart.
inline constexpr size_t kVariantStyles = 8;
/// By shade and dash alone: a colour is a pin's, wherever it is seen.
SeriesStyle variant_style(size_t number);

// A line in pixels cut into the strokes of its dash, and to the box it is drawn in. Plain geometry.

/// Lines behind one another in one list; each ends before points[ends[i]].
struct Strokes {
  std::vector<ImVec2> points;
  std::vector<size_t> ends;
};

struct Box {
  ImVec2 min, max;
};

/// What of `line` lies in the box, dashed; `scale` multiplies the dash, which runs on along the whole line: it does not
/// crawl when the box cuts it elsewhere. A point that is not finite breaks the line.
Strokes strokes(std::span<const ImVec2> line, Dash dash, float scale, const Box& box);

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
  std::function<std::vector<Tick>(int most)> ticks = {};  ///< about so many; absent: none
  std::string unit = {};                                  ///< of the values as they are kept; ticks write their own
};
ChartAxis count_axis(const char* name, const Range&);
/// Named by what the metric tells; its ticks have the unit of their size, a table that of in_metric().
ChartAxis metric_axis(const Range&, bool log, Metric);

struct Chart {
  std::string title;
  std::vector<std::string> about;  ///< lines below it: problem, variant and config, device, how
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  bool empty() const { return series.empty(); }
};

/// An SVG document that needs nothing else, on the ground that the window has.
std::string to_svg(const Chart&);
/// One line a point: series, x, y, high, text, with all digits and no NaN; title and about stand above as comments (#).
std::string to_csv(const Chart&);
/// A table of text as CSV (RFC 4180), without the columns that are empty in every row.
std::string to_csv(const TextTable&);

}  // namespace attnscope::gui
