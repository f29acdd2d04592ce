#include "app/gui/state/standing.hpp"

#include <chrono>

#include "app/gui/plot/rolling.hpp"
#include "engine/record/compare_records.hpp"

namespace attnscope::gui {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

void Standings::clear() {
  made_.reset();
  making_.reset();
  left_.clear();
}

const Comparison* Standings::word(uint64_t pin) const {
  if (!made_) return nullptr;
  const auto at = made_->words.find(pin);
  return at == made_->words.end() ? nullptr : &at->second;
}

void Standings::step(const std::optional<Record>& live, const Pins& pins, double now, double budget_s) {
  if (!live || !live->statistics) return clear();
  // Of another run: what stood is not of what is shown now.
  if (made_ && !same_run(run_of(made_->live), run_of(*live))) clear();
  if (making_ && (!same_run(run_of(making_->live), run_of(*live)) || pins_ != pins.version())) {
    making_.reset();
    left_.clear();
  }
  if (!making_) {
    if (made_ && now - made_at_ < period(live->samples_ns.size()) && pins_ == pins.version()) return;
    making_ = Standing{*live, quantiles(live->samples_ns), {}};
    evidence_ = weigh(live->samples_ns);
    pins_ = pins.version();
    for (const Pin& p : pins.all())
      if (p.record->samples_ns.size() >= kEnough && live->samples_ns.size() >= kEnough &&
          why_not_comparable(*p.record, *live).empty())
        left_.emplace_back(p.id, p.record);
  }
  const double limit = seconds() + budget_s;
  bool over = false;
  std::erase_if(left_, [&](const auto& pin) {
    if (over) return false;
    const auto weighed = pins_weighed_.of(pin.second);
    if (weighed) making_->words[pin.first] = compare_records(*pin.second, *weighed, making_->live, evidence_);
    over = seconds() > limit;
    return weighed != nullptr;
  });
  if (!left_.empty()) return;
  made_ = std::move(making_);
  making_.reset();
  made_at_ = now;
}

}  // namespace attnscope::gui
