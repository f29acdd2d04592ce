#include "app/gui/model/live_runs.hpp"

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {

const Live* LiveRuns::shown() const {
  if (newest.selection != request_.selection || newest.modes != request_.modes || !device_state_.device) return nullptr;
  if (editor_.changing.contains(request_.selection.variant)) return nullptr;
  if (!newest.began) return &newest;
  const VariantInfo* v = request_.loaded();
  const Environment& e = newest.began->environment;
  const bool same = v && e.shader_hash == v->hash && same_device(e.device, *device_state_.device);
  return same ? &newest : nullptr;
}

std::pair<const Record*, std::span<const double>> LiveRuns::before() const {
  if (timed()) return {};
  // Its successor is not dispatched yet, or has not begun.
  if (newest.timed() && (newest.selection != request_.selection || newest.modes != request_.modes || !shown()))
    return {&*newest.began, newest.series.samples()};
  const Record* r = previous_.newest();
  return {r, r ? std::span<const double>(r->samples_ns) : std::span<const double>()};
}

const Compared* LiveRuns::verdict(const Pin& pin) const {
  if (!copy_ || !timed()) return nullptr;
  const Compared* c = comparisons.raced(*pin.record, *copy_->record);
  if (!c && std::min(pin.record->samples_ns.size(), copy_->record->samples_ns.size()) >= Comparisons::kEnough)
    c = comparisons.of(pin.record, copy_->record);
  return c && c->why_not.empty() ? c : nullptr;
}

std::string LiveRuns::why_no_verdict(const Pin& pin) const {
  const Live* live = timed();
  if (pin.record->problem != request_.selection.problem) return "other problem";
  if (!live) return "no samples yet";
  if (pin.record->samples_ns.empty()) return "no samples";
  if (const LiveCopy* copy = this->copy()) {
    if (const Compared* c = comparisons.raced(*pin.record, *copy->record); c && !c->why_not.empty()) return c->why_not;
    if (const std::string why = why_not_comparable(*pin.record, *copy->record); !why.empty()) {
      // "not comparable: two cache modes, hot and cold": its middle.
      const size_t from = why.find(": ") == std::string::npos ? 0 : why.find(": ") + 2;
      return why.substr(from, why.find(',', from) - from);
    }
  }
  // A pin gets no more of them.
  if (pin.record->samples_ns.size() < Comparisons::kEnough) return "few samples";
  return live->series.statistics()->count < Comparisons::kEnough ? "too few samples" : "comparing";
}

void LiveRuns::make_copy(double now) {
  constexpr double kPeriod = 1.5, kSoon = 0.25;  // seconds from one copy to the next, and with twice as many samples
  const Live* live = timed();
  if (copy_ && (!live || copy_->series != live->series.id())) copy_.reset();
  if (!live) return;
  if (copy_) {
    const bool twice = live->series.statistics()->count >= 2 * copy_->record->samples_ns.size();
    if (copy_->taken == live->series.taken() || now - copied_at_ < (twice ? kSoon : kPeriod)) return;
  }
  copied_at_ = now;
  copy_ = {std::make_shared<const Record>(*live->record()), live->series.id(), live->series.taken()};
}

}  // namespace attnscope::gui
