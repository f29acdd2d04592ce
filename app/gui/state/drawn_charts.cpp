#include "app/gui/state/drawn_charts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace attnscope::gui {
namespace {

bool same_row(const ScaleRow& a, const ScaleRow& b) {
  return a.kind == b.kind && a.id == b.id && a.name == b.name && a.key == b.key && a.style == b.style &&
         a.shown == b.shown && (a.kind == ScaleCurve::Kind::live ? !a.own == !b.own : a.own == b.own);
}

/// But for what the live samples move.
bool same(const DrawnScaling::Of& a, const DrawnScaling::Of& b) {
  return a.tried == b.tried && a.known == b.known && a.metric == b.metric && a.log == b.log && a.axis == b.axis &&
         a.baseline == b.baseline && a.left_out == b.left_out && a.values == b.values && a.problem == b.problem &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row);
}

}  // namespace

bool DrawnScaling::stale(Of of, double now) {
  const bool moved = last_ && last_->live_samples != of.live_samples && now - made_at_ >= kPeriod;
  if (last_ && same(*last_, of) && !moved) return false;
  made_at_ = now;
  last_ = std::move(of);
  return true;
}

void DrawnScaling::take(ScalingPlot plot, size_t due) {
  plot_ = std::move(plot);
  due_ = due;
  ++made_;
}

const AcrossChart& DrawnAcross::look(const Pins& pins, const Across& across, Metric metric) {
  const Of of{pins.version(), pins.shown_version(), across.version(), pins.all().data(), pins.all().size(), metric};
  if (of_ == of) return chart_;
  of_ = of;
  pins_ = drawn_pins(pins, nullptr, &left_out_);
  chart_ = across_chart(pins_, across, metric);
  names_.clear();
  for (const AcrossBar& bar : chart_.bars) names_.push_back(fmt::format("across.bar.{}.{}", bar.pin->id, bar.problem));
  ++made_;
  return chart_;
}

}  // namespace attnscope::gui
