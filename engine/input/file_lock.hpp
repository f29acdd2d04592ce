// Files that one process at a time may change: waits for another process, with a message and a limit.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>

#include "engine/clock.hpp"
#include "engine/platform/descriptor.hpp"

namespace attnscope {

struct Waiting {
  std::function<void(const std::string&)> say = {};  ///< told once, after a second, what is waited for
  const std::atomic<bool>* cancel = nullptr;         ///< when true the wait ends within a second of its beginning
};

/// One wait for `path`, in steps.
class Wait {
 public:
  Wait(std::filesystem::path path, Waiting waiting) : path_(std::move(path)), waiting_(std::move(waiting)) {}
  /// From now on it is another wait.
  void begin();
  /// Sleeps for a moment. False, at once, when the wait was cancelled or took `most`.
  bool again(std::chrono::milliseconds most);

 private:
  std::filesystem::path path_;
  Waiting waiting_;
  Clock::time_point began_ = Clock::now();
  bool said_ = false;
};

/// Held as long as it lives. Other processes of this program leave the file alone meanwhile.
class FileLock {
 public:
  static constexpr std::chrono::milliseconds kMost{30'000};
  /// Makes the lock's file if need be.
  explicit FileLock(const std::filesystem::path& lock_file, const Waiting& = {},
                    std::chrono::milliseconds most = kMost);
  /// 0, or an errno: EWOULDBLOCK where another process still has it.
  int error() const { return error_; }

 private:
  Fd fd_;
  int error_ = 0;
};

}  // namespace attnscope
