// Has the device's clock risen? A device that was idle raises its clock in steps that last a tenth of a second and
// more, and samples taken on one step agree with each other as well as those at the top.
#pragma once

#include <limits>

namespace attnscope {

/// Fed with the times of one fixed piece of arithmetic, from the first use of a device to its last. GPU-less: the times
/// come from ClockGate.
class ClockRule {
 public:
  /// A new wait for the clock begins.
  void begin();
  /// The piece took `probe_ns`, and so much time has passed since begin().
  void add(double probe_ns, double elapsed_ms);
  /// Risen, or the wait timed out.
  bool finished() const { return risen() || given_up(); }
  /// At the fastest that was ever seen, and seen for long enough to be believed the top.
  bool risen() const;
  /// A device that is hot, or at its power limit, may never get there again: each wait without success halves the next,
  /// and after kForgetAfter of them what it reaches now is its top.
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
