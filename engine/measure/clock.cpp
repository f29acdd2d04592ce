#include "engine/measure/clock.hpp"

#include <algorithm>

namespace attnscope {

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
