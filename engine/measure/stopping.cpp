#include "engine/measure/stopping.hpp"

#include <algorithm>
#include <cmath>

#include "engine/measure/compare.hpp"
#include "engine/measure/statistics.hpp"

namespace attnscope {
namespace {

double median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

/// Consecutive windows of samples. A window is as long as the least warm-up, so that a clock that is still rising has
/// time to show in the next one, and holds a few samples, unless they are so long that a few would use up the cap.
class WarmupRule final : public StoppingRule {
 public:
  explicit WarmupRule(const Protocol& protocol) : protocol_(protocol) {}
  void initialize() override {
    window_.clear();
    window_start_ms_ = last_ms_ = 0;
    previous_ = 0;
    settled_ = false;
  }
  void add(double sample_ns, double elapsed_ms) override {
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
  bool finished() const override { return capped() || reached(); }
  bool capped() const override { return !reached() && last_ms_ >= protocol_.warmup_cap_ms; }

 private:
  static constexpr size_t kWindowSamples = 5;
  static constexpr double kLongestWindow = 8;  ///< windows in a capped warm-up, at least
  static constexpr double kAgreement = 0.02;
  bool reached() const { return settled_ && last_ms_ >= protocol_.warmup_ms; }

  Protocol protocol_;
  std::vector<double> window_;
  double window_start_ms_ = 0, last_ms_ = 0;
  double previous_ = 0;  ///< median of the window before; 0 = there is none yet
  bool settled_ = false;
};

class SamplingRule final : public StoppingRule {
 public:
  SamplingRule(const Protocol& protocol, double patience) : protocol_(protocol), patience_(patience) {}
  void initialize() override {
    samples_.clear();
    measured_ms_ = last_ms_ = 0;
    next_check_ = 0;
    quiet_ = false;
  }
  void add(double sample_ns, double elapsed_ms) override {
    // What it decided stands: a run that goes on without end would have all its samples kept and sorted, ever again.
    if (finished()) return;
    samples_.push_back(sample_ns);
    measured_ms_ += sample_ns * 1e-6;
    last_ms_ = elapsed_ms;
    if (quiet_ || measured_ms_ < protocol_.min_ms || samples_.size() < protocol_.min_samples ||
        samples_.size() < next_check_)
      return;
    const auto s = summarize(samples_);
    quiet_ =
        s->noise <= protocol_.target_noise && std::abs(s->drift) <= kDriftWarning &&
        (measured_ms_ >= patience_ * protocol_.min_ms || make_sample_summary(samples_).low_frequency_drift <= kSteady);
    // A summary sorts all samples: after each tenth more keeps the cost of a long run near linear.
    next_check_ = samples_.size() + samples_.size() / 10 + 1;
  }
  bool finished() const override { return quiet_ || capped(); }
  bool capped() const override {
    // Whatever the cap, a measurement has a sample.
    return !quiet_ && !samples_.empty() && (last_ms_ >= protocol_.max_ms || samples_.size() >= protocol_.max_samples);
  }

 private:
  Protocol protocol_;
  double patience_;
  std::vector<double> samples_;
  double measured_ms_ = 0, last_ms_ = 0;
  size_t next_check_ = 0;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<StoppingRule> make_warmup_rule(const Protocol& protocol) {
  return std::make_unique<WarmupRule>(protocol);
}
std::unique_ptr<StoppingRule> make_sampling_rule(const Protocol& protocol, double patience) {
  return std::make_unique<SamplingRule>(protocol, patience);
}

namespace {

/// By how much the shortest of so many samples must exceed the best.
struct Step {
  size_t samples;
  double factor;
};
constexpr Step kSteps[] = {{3, 1.5}, {6, 1.2}, {12, 1.08}, {24, 1.04}};
constexpr size_t kLeast = 16;
constexpr double kNoise = 0.003;  ///< of the median, at which fewer samples than the most are enough

}  // namespace

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

}  // namespace attnscope
