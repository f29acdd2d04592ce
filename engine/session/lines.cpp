#include "engine/session/lines.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "engine/clock.hpp"

namespace attnscope {
namespace {

/// While it lives, a write of this thread to a closed pipe gives EPIPE and no signal. The process's own disposition of
/// SIGPIPE stays as it was: it belongs to the application.
class PipeSignalBlocked {
 public:
  PipeSignalBlocked() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~PipeSignalBlocked() {
    if (!was_pending_) {
      const timespec none{};
      while (sigtimedwait(&set_, nullptr, &none) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlocked(const PipeSignalBlocked&) = delete;
  PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

 private:
  sigset_t set_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void LineSplitter::add(std::string_view bytes) {
  // Once for all lines taken: one at a time, many short lines would each move all the others.
  buffer_.erase(0, taken_);
  scanned_ -= taken_;
  taken_ = 0;
  buffer_.append(bytes);
}

bool LineSplitter::next(std::string& line) {
  const size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line.assign(buffer_, taken_, end - taken_);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  taken_ = scanned_ = end + 1;
  return true;
}

std::string LineSplitter::take_rest() {
  std::string rest = buffer_.substr(taken_);
  buffer_.clear();
  taken_ = scanned_ = 0;
  return rest;
}

Result<void> LineWriter::write(std::string_view line, double timeout_s) {
  const std::lock_guard lock(mutex_);
  const PipeSignalBlocked no_signal;
  std::string text(line);
  text += '\n';
  const auto start = Clock::now();
  size_t done = 0;
  while (done < text.size()) {
    if (timeout_s > 0) {
      const double left = timeout_s - seconds_since(start);
      pollfd p{fd_, POLLOUT, 0};
      const int ready = left > 0 ? ::poll(&p, 1, static_cast<int>(left * 1000) + 1) : 0;
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0)
        return internal_error(fmt::format("the other side read {} of {} bytes in {:.1f} s and then no more", done,
                                          text.size(), timeout_s));
    }
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      pollfd p{fd_, POLLOUT, 0};
      ::poll(&p, 1, 100);
    } else if (n < 0 && errno != EINTR) {
      return Error{ErrorKind::device_lost, fmt::format("cannot write to the other side: {}", std::strerror(errno))};
    }
  }
  return {};
}

}  // namespace attnscope
