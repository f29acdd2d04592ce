// When a search has to stop. Internal to this module.
#pragma once

#include <atomic>

#include "engine/clock.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

class Countdown {
 public:
  Countdown(const SearchBudget& budget, const std::atomic<bool>* cancel) : budget_(budget), cancel_(cancel) {}
  uint64_t spent() const { return spent_; }
  bool cancelled() const { return cancel_ != nullptr && *cancel_; }
  /// Counts one more candidate; false when there is none left, or no time.
  bool next() {
    if (spent_ > 0 && (cancelled() || spent_ >= budget_.candidates || late_)) return false;
    ++spent_;
    // Most candidates cost about a microsecond, and so would reading the clock.
    if (spent_ % 64 == 0) look_at_clock();
    return true;
  }
  /// After something that may have taken long, `compiling_ms` of the time since the start in a compiler: a search whose
  /// first step is slow has still to make the others.
  void look_at_clock(double compiling_ms = 0) {
    constexpr double kMostCompilingMs = 10'000;
    const double ms = ms_since(start_);
    compiling_ms_ = std::max(compiling_ms_, compiling_ms);
    late_ = ms - std::min(compiling_ms_, kMostCompilingMs) > budget_.ms;
  }

 private:
  SearchBudget budget_;
  const std::atomic<bool>* cancel_;
  Clock::time_point start_ = Clock::now();
  uint64_t spent_ = 0;
  double compiling_ms_ = 0;
  bool late_ = false;
};

}  // namespace attnscope
