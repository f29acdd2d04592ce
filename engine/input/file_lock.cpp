#include "engine/input/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include <fmt/format.h>

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
    : fd_(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (fd_ < 0) {
    error_ = errno;
    return;
  }
  Wait wait(lock_file, waiting);
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    error_ = errno;
    if (error_ == EINTR || (error_ == EWOULDBLOCK && wait.again(most))) continue;
    return;
  }
  error_ = 0;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace attnscope
