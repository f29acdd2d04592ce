#include "app/gui/state/why.hpp"

#include "engine/record/explain.hpp"

namespace attnscope::gui {
namespace {

constexpr double kEverySeconds = 0.5;

}  // namespace

void Why::step(const Live* live, const Surroundings* around, const std::optional<Peaks>& peaks, double now) {
  if (live == nullptr) {
    if (record_) ++version_;
    record_.reset();
    return;
  }
  const bool same = record_ && same_run(run_of(*record_), run_of(*live->began)) && peaks_ == peaks &&
                    resources_ == live->resources && around_ == (around ? std::optional(*around) : std::nullopt);
  if (same && (taken_ == live->series.taken() || now - made_at_ < kEverySeconds)) return;
  peaks_ = peaks;
  resources_ = live->resources;
  around_ = around ? std::optional(*around) : std::nullopt;
  taken_ = live->series.taken();
  made_at_ = now;
  Record r = *live->began;
  r.verdict = live->verdict;
  if (resources_) r.resources = *resources_;
  if (peaks_) r.environment.peaks = peaks_;
  r.outcome = Outcome::measured;
  r.statistics = live->series.statistics();
  rate(r);
  if (around_) explain(r, *around_);
  record_ = std::move(r);
  ++version_;
}

}  // namespace attnscope::gui
