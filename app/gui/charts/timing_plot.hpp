// What of the live samples the timing plot shows: the newest, or a stretch that a person chose, and then just that one,
// however many samples come after it, for as long as they are in reach.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/model/live.hpp"
#include "app/gui/model/pins.hpp"

namespace attnscope::gui {

/// The samples in view, of each column the highest and the lowest.
struct ThinnedSamples {
  std::vector<double> x, y;          ///< within the value axis
  std::vector<double> above, below;  ///< x of what lies beyond its edges, once a column
  uint64_t count_above = 0, count_below = 0;
  /// Series::id(), the numbers of its samples, metric, columns and value axis.
  using Key = std::tuple<uint64_t, uint64_t, uint64_t, Metric, size_t, double, double>;
};

class PlotView {
 public:
  static constexpr double kClosest = 4;  ///< samples across, at the least

  /// To be told each frame: another run is followed from its newest sample, another metric has heights of its own.
  void show(Metric, const Series&);
  bool follows() const { return !held_; }
  void follow() {
    held_ = held_to_mark_ = false;
    x_ = y_ = base_ = {};
  }
  /// The value axis. Remembered between starts.
  bool log() const { return log_; }
  void set_log(bool on) {
    if (on != log_) y_ = {};
    log_ = on;
  }

  enum class Axis { samples, values };
  /// Around a point of the plot as drawn, along one axis; `factor` < 1 is closer. From then on the stretch stays; its
  /// values are scaled to what is in view until their own axis is zoomed or moved.
  void zoom(const Frame&, Axis, double at, double factor, const Series&);
  void pan(const Frame& frame, Axis axis, float by, const Series& series) {
    hold(frame.x, series);
    if (axis == Axis::samples)
      x_ = panned(frame.x, frame.x_at(frame.min.x), frame.x_at(frame.min.x + by), false);
    else
      y_ = panned(frame.y, frame.y_at(frame.min.y), frame.y_at(frame.min.y + by), frame.log);
    keep_in_reach(series);
  }

  /// The sample numbers at the edges.
  Range x(const Series& s) const { return held_ ? x_ : base(s); }
  /// What following showed, or would show.
  Range base(const Series& s) const {
    if (held_) return base_;
    return Range::of(double(s.taken() - std::min(s.all().size(), kShown)), double(std::max<uint64_t>(s.taken(), 1)));
  }
  /// The values at the edges; empty: whatever the samples in view need.
  const Range& y() const { return y_; }

  /// Marks the samples between two places of the x axis, and holds the view, until nothing is marked any more.
  void mark(const Frame& frame, double from, double to, const Series& series) {
    held_to_mark_ |= follows();
    hold(frame.x, series);
    const auto number = [&](double at) {
      return uint64_t(std::clamp(std::round(at), double(series.first()), double(series.taken())));
    };
    marked = {series.id(), number(std::min(from, to)), number(std::max(from, to)), MarkedSamples::Use::all};
  }
  void unmark() {
    marked = {};
    if (held_to_mark_) follow();
  }
  /// What a person marked of the series that is shown; series 0: nothing.
  MarkedSamples marked;
  std::optional<double> marking;  ///< where on the x axis the mouse went down to mark

  /// As last drawn; for the dump.
  Range drawn_x, drawn_y;
  /// A stretch of millions is looked through once, not in each frame.
  mutable Memo<ThinnedSamples::Key, ThinnedSamples> thinned;

 private:
  void hold(const Range& x, const Series& series) {
    if (held_) return;
    base_ = base(series);
    x_ = x;
    series_ = series.id();
    held_ = true;
  }
  void keep_in_reach(const Series&);

  bool log_ = false, held_ = false;
  bool held_to_mark_ = false;  ///< it was followed before samples were marked
  Metric metric_ = Metric::time;
  Range x_, y_, base_;
  uint64_t series_ = 0;  ///< Series::id()
};

// All that the timing plot draws, made from the samples in view: plain numbers, in the metric shown.

/// Its samples are of another time than the axis: what is drawn of them lies along all of it.
struct PinLevel {
  const Pin* pin = nullptr;
  double median = 0;
  Range band;      ///< p20 to p80
  int beyond = 0;  ///< 1: the median is above the axis, -1: below
};

struct TimingPlot {
  Range x, y;
  bool log = false;
  ThinnedSamples samples;
  uint64_t in_view = 0;
  Rolling rolling;  ///< x in sample numbers
  std::vector<PinLevel> pins;
};

/// The value axis is led by the live samples, and shows the levels of pins too.
/// `columns`: pixels across, at scale 1. No more levels of pins than there are styles: the newest ones. A pin that lies
/// so far off that the live curve would be flat does not stretch the axis.
TimingPlot timing_plot(const PlotView&, const Series&, Metric, const Work&, std::span<const Pin* const> pins,
                       size_t columns);

/// Its band, samples, pinned medians and rolling median, from the ground up; `name`: of a pin.
std::vector<ChartSeries> timing_series(const TimingPlot&, const std::function<std::string(const Pin&)>& name);

/// What is nearest to a place in the plot, in pixels.
struct Nearest {
  const Pin* pin = nullptr;  ///< none: the live series
  uint64_t sample = 0;       ///< number of the live sample
  double value = 0;          ///< of the sample; of a pin, its median
  ImVec2 at;                 ///< where it is drawn: at the edge when the value lies beyond
};
/// nullopt: nothing is in view. Samples count as they are, not only the ones drawn.
std::optional<Nearest> nearest(const TimingPlot&, const Frame&, const Series&, Metric, const Work&, ImVec2 mouse);

// How often a sample took how long: bins along the value axis, and the marks that summarize them.

struct HistogramMark {
  const char* name;  ///< "median", "mean", "p99" (of rates "p1"), "mode": the most telling first
  double value = 0;  ///< in the metric
};
struct Histogram {
  Range range;  ///< of the bins: all but far outliers
  bool log = false;
  std::vector<uint64_t> counts;     ///< bins of equal width on that axis, from range.low
  uint64_t below = 0, above = 0;    ///< outside the range
  uint64_t total = 0, highest = 0;  ///< samples in all; in the fullest bin
  std::vector<HistogramMark> marks;

  Range bin(size_t i) const {
    const auto edge = [&](size_t k) {
      const double part = double(k) / double(counts.size());
      return log ? range.low * std::pow(range.high / range.low, part) : range.low + part * range.width();
    };
    return Range::of(edge(i), edge(i + 1));
  }
  std::optional<size_t> bin_at(double value) const;
};

/// Marks are of the slow samples: p90 of times, which is p10 of rates. The mode is the middle of the fullest bin.
Histogram histogram(std::span<const double> samples_ns, Metric, const Work&, bool log, size_t bins);

/// How the samples of what is shown are distributed: made anew when there are more of them, not for each frame.
class LiveShape {
 public:
  static constexpr size_t kMostBins = 80;

  /// `timed`: what is shown now, or nullptr; `log`: of the value axis; `marked`: of its samples, or none.
  void step(const Live* timed, Metric, const Work&, bool log, const MarkedSamples& marked);
  /// Of the very samples that the headline's median is of.
  const Histogram& histogram() const { return judged_.value().histogram; }
  /// The headline's: of the newest samples, or of what a person made of them by marking some.
  const Statistics& statistics(const Series& s) const {
    const Judged& judged = judged_.value();
    return judged.series == s.id() && judged.statistics ? *judged.statistics : *s.statistics();
  }
  /// Of the marked samples; none: nothing is marked.
  const std::optional<Statistics>& marked() const { return marked_.value(); }

 private:
  struct Judged {
    uint64_t series = 0;  ///< Series::id(); 0 = of none
    Histogram histogram;
    std::optional<Statistics> statistics;  ///< where it is not the series' own
  };
  Memo<std::tuple<uint64_t, uint64_t, Metric, bool, MarkedSamples>, Judged> judged_;
  Memo<MarkedSamples, std::optional<Statistics>> marked_;
};

}  // namespace attnscope::gui
