#include "app/gui/state/before.hpp"

#include <cmath>

#include <fmt/format.h>

#include "app/gui/state/labels.hpp"
#include "engine/record/compare_records.hpp"

namespace attnscope::gui {

bool complete(const Live& live) {
  if (!live.timed()) return false;
  const Protocol& p = live.began->protocol;
  const double ns = live.series.statistics()->mean * double(live.series.taken());
  const uint32_t each = live.sampling ? live.sampling->dispatches_per_sample : 1;
  return live.series.taken() >= p.min_samples && ns * each >= p.min_ms * 1e6;
}

std::string change_text(const Change& c, Metric metric, const Work& work) {
  const double a = in_metric(metric, c.before_ns, work), b = in_metric(metric, c.now_ns, work);
  std::string from = metric_text(metric, a), to = metric_text(metric, b);
  const size_t unit = from.find(' ');
  if (unit != from.npos && to.ends_with(from.substr(unit))) from.resize(unit);
  const double percent = a > 0 ? (b / a - 1) * 100 : 0;
  const std::string size = fmt::format("{:.{}f}", std::abs(percent), std::abs(percent) < 9.95 ? 1 : 0);
  const bool none = size == "0.0";
  return fmt::format("{} \u2192 {}, {}{} %", from, to, none ? "" : percent < 0 ? "\u2212" : "+", size);
}

void Before::leave(const Live& live) {
  if (!live.timed()) return;
  auto record = std::make_shared<const Record>(*live.record());
  newest_ = record;
  if (!complete(live)) return;
  if (complete_[0] && !same_run(run_of(*complete_[0]), run_of(*record))) complete_[1] = complete_[0];
  complete_[0] = std::move(record);
}

const Record* Before::beside(const Record& now) const {
  for (const auto& r : complete_)
    if (r && !same_run(run_of(*r), run_of(now)) && why_not_comparable(*r, now).empty()) return r.get();
  return nullptr;
}

void Before::step(const Live* timed, const Known& known, double now) {
  if (!timed || !complete(*timed)) {
    change_.reset();
    series_ = 0;
    return;
  }
  if (timed->series.id() == series_ && now < due_) {
    // The number is the headline's; the word follows when it is due.
    if (change_) {
      change_->now_ns = timed->series.statistics()->median;
      change_->now_count = timed->series.statistics()->count;
    }
    return;
  }
  const auto record = *timed->record();
  const Record* other = beside(record);
  const bool another = timed->series.id() != series_ || (change_ && change_->before.get() != other);
  series_ = timed->series.id();
  due_ = now + kPeriod;
  if (!other) return change_.reset();
  if (another || !change_) {
    evidence_ = weigh(other->samples_ns);
    change_.emplace();
    change_->before = other == complete_[0].get() ? complete_[0] : complete_[1];
  }
  const Record* both[] = {other, &record};
  const auto names = labels_of(both, known);
  change_->before_name = names[0];
  change_->now_name = names[1];
  change_->before_ns = other->statistics->median;
  change_->now_ns = record.statistics->median;
  change_->before_count = other->samples_ns.size();
  change_->now_count = record.samples_ns.size();
  change_->word = compare_records(*other, evidence_, record, weigh(record.samples_ns));
}

}  // namespace attnscope::gui
