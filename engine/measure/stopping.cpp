#include "engine/measure/stopping.hpp"

#include "engine/measure/compare.hpp"
#include "engine/measure/statistics.hpp"

namespace attnscope {
namespace {

constexpr size_t kWindowSamples = 5;
constexpr double kLongestWindow = 8;  ///< windows in a capped warm-up, at least
constexpr double kAgreement = 0.02;

/// By how much the shortest of so many samples must exceed the best.
struct Step {
  size_t samples;
  double factor;
};
constexpr Step kSteps[] = {{3, 1.5}, {6, 1.2}, {12, 1.08}, {24, 1.04}};
constexpr size_t kLeast = 16;
constexpr double kNoise = 0.003;  ///< of the median, at which fewer samples than the most are enough

}  // namespace

void WarmupRule::add(double sample_ns, double elapsed_ms) {
  last_ms_ = elapsed_ms;
  window_.push_back(sample_ns);
  const double length_ms = elapsed_ms - window_start_ms_;
  const bool full = length_ms >= protocol_.warmup_ms && window_.size() >= kWindowSamples;
  if (!full && length_ms < protocol_.warmup_cap_ms / kLongestWindow) return;
  const double median = median_of(window_);
  settled_ = previous_ > 0 && std::abs(median - previous_) <= kAgreement * previous_;
  previous_ = median;
  window_start_ms_ = elapsed_ms;
  window_.clear();
}

void SamplingRule::add(double sample_ns, double elapsed_ms) {
  // What it decided stands: a run that goes on without end would have all its samples kept and sorted, ever again.
  if (finished()) return;
  samples_.push_back(sample_ns);
  measured_ms_ += sample_ns * 1e-6;
  last_ms_ = elapsed_ms;
  if (measured_ms_ < protocol_.min_ms || samples_.size() < protocol_.min_samples || samples_.size() < next_check_)
    return;
  const auto s = summarize(samples_);
  quiet_ =
      s->noise <= protocol_.target_noise && std::abs(s->drift) <= kDriftWarning &&
      (measured_ms_ >= patience_ * protocol_.min_ms || make_sample_summary(samples_).low_frequency_drift <= kSteady);
  // A summary sorts all samples: after each tenth more keeps the cost of a long run near linear.
  next_check_ = samples_.size() + samples_.size() / 10 + 1;
}

bool SamplingRule::capped() const {
  // Whatever the cap, a measurement has a sample.
  return !quiet_ && !samples_.empty() && (last_ms_ >= protocol_.max_ms || samples_.size() >= protocol_.max_samples);
}

Screening screen(std::span<const double> samples_ns, double best_ns) {
  if (samples_ns.empty()) return Screening::more;
  const double least = *std::min_element(samples_ns.begin(), samples_ns.end());
  if (best_ns > 0)
    for (const Step& step : kSteps)
      if (samples_ns.size() >= step.samples && least > step.factor * best_ns) return Screening::drop;
  if (samples_ns.size() >= kScreeningMost) return Screening::enough;
  if (samples_ns.size() < kLeast) return Screening::more;
  const auto statistics = summarize({samples_ns.begin(), samples_ns.end()});
  return statistics && statistics->noise <= kNoise ? Screening::enough : Screening::more;
}

void ClockRule::begin() {
  // What the last wait came to decides how long this one may be.
  if (last_ns_ > 0 && risen()) {
    patience_ms_ = kPatienceMs;
    in_vain_ = 0;
  } else if (last_ns_ > 0 && given_up()) {
    patience_ms_ = std::max(patience_ms_ / 2, kLeastPatienceMs);
    if (++in_vain_ >= kForgetAfter) {
      fastest_ns_ = reference_ns_ = last_ns_;
      in_vain_ = 0;
    }
  }
  elapsed_ms_ = at_last_ms_ = 0;
}

void ClockRule::add(double probe_ns, double elapsed_ms) {
  last_ns_ = probe_ns;
  elapsed_ms_ = elapsed_ms;
  // Against the reference, not against the newest: a clock that creeps upwards is not at its top either.
  if (probe_ns < reference_ns_ * (1 - kAgreement)) {
    reference_ns_ = probe_ns;
    unbeaten_ms_ = 0;
  } else {
    unbeaten_ms_ += elapsed_ms - at_last_ms_;
  }
  at_last_ms_ = elapsed_ms;
  fastest_ns_ = std::min(fastest_ns_, probe_ns);
}

bool ClockRule::risen() const {
  return last_ns_ > 0 && unbeaten_ms_ >= kTopMs && last_ns_ <= fastest_ns_ * (1 + kAgreement);
}

}  // namespace attnscope
