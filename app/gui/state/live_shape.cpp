#include "app/gui/state/live_shape.hpp"

namespace attnscope::gui {

void LiveShape::step(const Live* timed, Metric metric, const Work& work, bool log) {
  if (!timed) {
    if (series_ == 0) return;
    histogram_ = {};
    whole_ = {};
    series_ = taken_ = 0;
    return;
  }
  const Series& s = timed->series;
  whole_.step(s);
  if (s.id() == series_ && s.taken() == taken_ && metric == metric_ && log == log_) return;
  series_ = s.id();
  taken_ = s.taken();
  metric_ = metric;
  log_ = log;
  histogram_ = gui::histogram(s.samples(), metric, work, log, kBins);
}

}  // namespace attnscope::gui
