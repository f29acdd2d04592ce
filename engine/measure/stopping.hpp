// When to stop warming up and when to stop sampling: rules that see only numbers.
#pragma once

#include "engine/measure/protocol.hpp"

namespace attnscope {

/// Finished when warmup_ms have passed and the last two windows' medians agree within 2 %. A window is at least
/// warmup_ms and 5 samples long, or an eighth of the cap.
class WarmupRule {
 public:
  explicit WarmupRule(const Protocol& protocol) : protocol_(protocol) {}
  /// One sample, in ns, taken `elapsed_ms` of wall-clock time after the start.
  void add(double sample_ns, double elapsed_ms);
  bool finished() const { return capped() || reached(); }
  /// It finished by reaching a cap rather than its goal.
  bool capped() const { return !reached() && last_ms_ >= protocol_.warmup_cap_ms; }

 private:
  bool reached() const { return settled_ && last_ms_ >= protocol_.warmup_ms; }

  Protocol protocol_;
  std::vector<double> window_;
  double window_start_ms_ = 0, last_ms_ = 0;
  double previous_ = 0;  ///< median of the window before; 0 = there is none yet
  bool settled_ = false;
};

/// Finished when min_ms of measured time, min_samples and target_noise are reached without drift over kDriftWarning, or
/// at a cap (max_ms since the start, max_samples). Samples with slow drift over kSteady take `patience` times min_ms.
class SamplingRule {
 public:
  explicit SamplingRule(const Protocol& protocol, double patience = 1) : protocol_(protocol), patience_(patience) {}
  /// As of WarmupRule; one after it finished changes nothing.
  void add(double sample_ns, double elapsed_ms);
  bool finished() const { return quiet_ || capped(); }
  bool capped() const;

 private:
  Protocol protocol_;
  double patience_;
  std::vector<double> samples_;
  double measured_ms_ = 0, last_ms_ = 0;
  size_t next_check_ = 0;
  bool quiet_ = false;
};
inline constexpr double kSteady = 0.001;

// Screening: how long a candidate is measured when only the best matters. Plain numbers, no GPU.
enum class Screening {
  more,   ///< undecided yet
  drop,   ///< surely slower than the best: not another sample
  enough  ///< as good as the best or near it, and its median is known well enough for a race to decide later
};

/// After these samples (ns, in order). Disturbances make samples longer, so the shortest bounds a candidate from below,
/// the nearer the more there are: the less it has to exceed `best_ns` (0 = none) to be dropped.
Screening screen(std::span<const double> samples_ns, double best_ns);

/// The most samples after which screen() still asks for more.
inline constexpr size_t kScreeningMost = 60;

/// Has the device's clock risen? It does so in steps of a tenth of a second, on each of which samples agree.
/// Fed with the times of one fixed piece of arithmetic, from the first use of a device to its last.
class ClockRule {
 public:
  void begin();
  /// The piece took `probe_ns`, and so much time has passed since begin().
  void add(double probe_ns, double elapsed_ms);
  bool finished() const { return risen() || given_up(); }
  /// At the fastest that was ever seen, and seen for long enough to be believed the top.
  bool risen() const;
  /// A hot device may never get there: each wait in vain halves the next, and kForgetAfter of them lower the top.
  bool given_up() const { return !risen() && elapsed_ms_ >= patience_ms_; }
  /// How many times as long as at its fastest the piece took last; 1 before the first.
  double slowdown() const { return last_ns_ > 0 ? last_ns_ / fastest_ns_ : 1; }

  static constexpr double kAgreement = 0.02;  ///< of a piece's time: one step of a clock is more
  static constexpr double kTopMs = 250;       ///< without a faster one, until the fastest is believed the top
  static constexpr double kPatienceMs = 800;  ///< of one wait
  static constexpr double kLeastPatienceMs = 5;
  static constexpr int kForgetAfter = 12;

 private:
  double fastest_ns_ = std::numeric_limits<double>::infinity();
  double reference_ns_ = std::numeric_limits<double>::infinity();  ///< the fastest when the unbeaten time began
  double last_ns_ = 0;
  int in_vain_ = 0;  ///< waits one after the other
  double elapsed_ms_ = 0;
  double unbeaten_ms_ = 0;  ///< time in which the fastest was not beaten, of all waits
  double at_last_ms_ = 0;
  double patience_ms_ = kPatienceMs;
};

}  // namespace attnscope
