#include "engine/input/file_lock.hpp"

#include <cerrno>
#include <thread>

#include "engine/platform/files.hpp"

namespace attnscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kSilent{1000}, kStep{20};

}  // namespace

void Wait::begin() {
  began_ = Clock::now();
  said_ = false;
}

bool Wait::again(milliseconds most) {
  const auto waited = Clock::now() - began_;
  // Who ends the program has a moment to keep what is done.
  if (waited >= most || (waited >= kSilent && waiting_.cancel != nullptr && *waiting_.cancel)) return false;
  if (waited >= kSilent && !said_ && waiting_.say) {
    said_ = true;
    waiting_.say(fmt::format("Another process has '{}' locked; waiting for it.", path_.string()));
  }
  std::this_thread::sleep_for(kStep);
  return true;
}

FileLock::FileLock(const std::filesystem::path& lock_file, const Waiting& waiting, milliseconds most)
    : fd_(open_file(lock_file, O_RDWR | O_CREAT)) {
  if (!fd_) {
    error_ = errno;
    return;
  }
  Wait wait(lock_file, waiting);
  while ((error_ = try_lock(fd_.get())) != 0) {
    if (error_ == EINTR || (error_ == EWOULDBLOCK && wait.again(most))) continue;
    return;
  }
}

}  // namespace attnscope
