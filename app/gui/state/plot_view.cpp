#include "app/gui/state/plot_view.hpp"

#include <algorithm>

#include "app/gui/plot/rolling.hpp"

namespace attnscope::gui {

void PlotView::show(const Ask& ask, const Modes& modes, Metric metric, const Series& series) {
  const bool same = ask == ask_ && modes == modes_;
  // A series of its own: what is counted now is another run's.
  if (!same || (held_ && series.id() != series_)) follow();
  if (!same) {
    ask_ = ask;
    modes_ = modes;
  }
  if (metric != metric_) y_ = {};
  metric_ = metric;
  if (held_) keep_in_reach(series);
}

void PlotView::follow() {
  held_ = false;
  x_ = y_ = base_ = {};
}

void PlotView::set_log(bool on) {
  if (on != log_) y_ = {};
  log_ = on;
}

Range PlotView::base(const Series& s) const {
  if (held_) return base_;
  const size_t shown = std::min(s.whole().all().size(), kShown);
  return Range::of(double(s.taken() - shown), double(std::max<uint64_t>(s.taken(), 1)));
}

Range PlotView::x(const Series& s) const { return held_ ? x_ : base(s); }

void PlotView::hold(const Range& x, const Series& series) {
  if (held_) return;
  base_ = base(series);
  x_ = x;
  series_ = series.id();
  held_ = true;
}

void PlotView::keep_in_reach(const Series& series) {
  const double begin = double(first(series)), end = double(series.taken());
  const double most = std::max(end - begin, base_.width());
  double width = std::clamp(x_.width(), std::min(kClosest, most), most);
  const double middle = (x_.low + x_.high) / 2;
  double low = middle - width / 2;
  if (low + width > end) low = end - width;
  if (low < begin) low = begin;
  x_ = Range::of(low, low + width);
}

void PlotView::zoom(const Frame& frame, double at_x, double at_y, double factor, bool x, bool y, const Series& series) {
  hold(frame.x, series);
  if (x) {
    const double width = frame.x.width();
    // At the closest a further step would only shift.
    const double least = std::min(1.0, kClosest / width);
    x_ = zoomed(frame.x, at_x, factor < 1 ? std::max(factor, least) : factor, false);
  }
  if (y) y_ = zoomed(frame.y, at_y, factor, frame.log);
  if (y && !frame.log && y_.low < 0) y_.low = 0;
  keep_in_reach(series);
}

void PlotView::pan(const Frame& frame, float dx, float dy, const Series& series) {
  hold(frame.x, series);
  if (dx != 0) x_ = panned(frame.x, frame.x_at(frame.min.x), frame.x_at(frame.min.x + dx), false);
  if (dy != 0) y_ = panned(frame.y, frame.y_at(frame.min.y), frame.y_at(frame.min.y + dy), frame.log);
  keep_in_reach(series);
}

void PlotView::go(double middle, const Series& series) {
  const Range now = x(series);
  hold(now, series);
  x_ = Range::of(middle - now.width() / 2, middle + now.width() / 2);
  keep_in_reach(series);
}

}  // namespace attnscope::gui
