// The clock of waits and budgets.
#pragma once

#include <chrono>
#include <cstdint>

namespace attnscope {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }
inline double ms_since(Clock::time_point t) { return 1e3 * seconds_since(t); }
inline Clock::time_point after(Clock::time_point t, double seconds) {
  return t + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace attnscope
