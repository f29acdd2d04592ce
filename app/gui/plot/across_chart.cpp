#include "app/gui/plot/across_chart.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope::gui {
namespace {

constexpr double kWide = 30;  ///< highest over lowest bar, from which the axis is logarithmic

}  // namespace

std::vector<const Pin*> drawn_pins(const Pins& pins, const Problem* only, size_t* left_out) {
  std::vector<const Pin*> drawn;
  for (const Pin& p : pins.all())
    if (p.shown && (!only || p.record->problem == *only)) drawn.push_back(&p);
  const size_t over = drawn.size() - std::min(drawn.size(), kSeriesStyles);
  drawn.erase(drawn.begin(), drawn.begin() + std::ptrdiff_t(over));
  if (left_out) *left_out = over;
  return drawn;
}

AcrossChart across_chart(const std::vector<const Pin*>& pins, const Across& across, Metric metric) {
  AcrossChart chart;
  chart.bar_width = 0.8 / double(std::max<size_t>(1, pins.size()));
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < pins.size(); ++k)
    for (size_t i = 0; i < std::min(across.problems().size(), kChartProblems); ++i) {
      AcrossBar bar{pins[k], i, across.result(*pins[k], i), 0, 0, 0, 0};
      bar.x = double(i) + (double(k) - double(pins.size() - 1) / 2) * chart.bar_width;
      if (bar.record && (!bar.record->statistics || bar.record->outcome != Outcome::measured)) bar.record = nullptr;
      if (const Record* r = bar.record) {
        const Work work{r->flops, r->bytes};
        const double a = in_metric(metric, r->statistics->p20, work), b = in_metric(metric, r->statistics->p80, work);
        bar.value = in_metric(metric, r->statistics->median, work);
        bar.low = std::min(a, b);
        bar.high = std::max(a, b);
        if (bar.value > 0) least = std::min(least, bar.value);
        most = std::max(most, bar.high);
      }
      chart.bars.push_back(bar);
    }
  if (!(most > 0)) {
    chart.y = Range::of(0, 1);
    return chart;
  }
  chart.log = most / least > kWide;
  chart.y = chart.log ? Range::of(least / 2, most * 1.5) : Range::of(0, most * 1.08);
  return chart;
}

const AcrossBar* bar_at(const AcrossChart& chart, double x) {
  for (const AcrossBar& bar : chart.bars)
    if (std::abs(x - bar.x) <= chart.bar_width / 2) return &bar;
  return nullptr;
}

std::string why_missing(const Pin& pin, const Problem& problem, const Tried& tried, bool measuring) {
  for (auto e = tried.entries().rbegin(); e != tried.entries().rend(); ++e) {
    const Record& r = *e->record;
    if (r.problem != problem || r.variant != pin.record->variant || r.config != pin.record->config ||
        run_key(r) != pin.key)
      continue;
    if (r.outcome == Outcome::measured) break;
    if (!r.message.empty()) return r.message;
    if (r.verdict && !r.verdict->pass) return "Wrong results are not timed: " + r.verdict->reason;
    return "Its run ended without samples.";
  }
  return measuring ? "Not measured yet." : "Not measured: Measure all does that.";
}

}  // namespace attnscope::gui
