// A thread that does something again and again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace attnscope {

/// Calls `step` on a thread of its own, at least once, until destruction, which waits for the call in hand.
class Repeater {
 public:
  /// `step` gives the pause in milliseconds before the next call; negative: there is none.
  explicit Repeater(std::function<double()> step)
      : thread_([step = std::move(step)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any stopped;
          std::unique_lock lock(mutex);
          do {
            const double ms = step();
            if (ms < 0) return;
            stopped.wait_for(lock, stop, std::chrono::microseconds(int64_t(1e3 * ms)), [] { return false; });
          } while (!stop.stop_requested());
        }) {}
  Repeater(const Repeater&) = delete;  // `step` may use what owns this
  Repeater& operator=(const Repeater&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace attnscope
