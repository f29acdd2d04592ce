// When to stop warming up and when to stop sampling: rules that see only numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/measure/protocol.hpp"

namespace attnscope {

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  virtual void initialize() = 0;
  /// One sample, in ns, taken `elapsed_ms` of wall-clock time after the start. One after it finished changes nothing.
  virtual void add(double sample_ns, double elapsed_ms) = 0;
  virtual bool finished() const = 0;
  /// True when it finished by reaching a cap rather than its goal.
  virtual bool capped() const = 0;
};

/// Finished when warmup_ms have passed and the last window's median agrees with the window before it within 2 %; a
/// window is at least warmup_ms and 5 samples long, or an eighth of the cap.
std::unique_ptr<StoppingRule> make_warmup_rule(const Protocol&);
/// Finished when min_ms of measured time, min_samples and target_noise are all reached and the samples do not drift by
/// more than kDriftWarning, or at a cap (max_ms since the start, max_samples). Samples that drift slowly
/// (SampleSummary::low_frequency_drift) by more than kSteady are taken for `patience` times min_ms: a step of the clock
/// is then a small part of them.
std::unique_ptr<StoppingRule> make_sampling_rule(const Protocol&, double patience = 1);
inline constexpr double kSteady = 0.001;

// Screening: how long a candidate is measured when only the best matters. Plain numbers, no GPU.
enum class Screening {
  more,   ///< undecided yet
  drop,   ///< surely slower than the best: not another sample
  enough  ///< as good as the best or near it, and its median is known well enough for a race to decide later
};

/// After these samples (ns, in the order taken). Whatever disturbs a sample makes it longer, so the shortest one bounds
/// a candidate from below; the more samples there are, the nearer it lies to what the candidate can do, and the less it
/// has to exceed `best_ns` (the median of the best so far; 0 = none) for the candidate to be dropped.
Screening screen(std::span<const double> samples_ns, double best_ns);

/// The most samples after which screen() still asks for more.
inline constexpr size_t kScreeningMost = 60;

}  // namespace attnscope
