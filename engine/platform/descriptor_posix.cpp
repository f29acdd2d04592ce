#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>

#include "engine/clock.hpp"
#include "engine/platform/descriptor.hpp"

namespace attnscope {
namespace {

/// While it lives, a write of this thread to a closed pipe gives EPIPE and no signal; SIGPIPE's disposition stays.
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
  PipeSignalBlocked& operator=(PipeSignalBlocked&&) = delete;

 private:
  sigset_t set_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace

struct Incoming::Native {
  std::vector<pollfd> fds;  ///< -1: no more of it; the last one wakes
  Fd wake;
  size_t last = 0;
  std::array<char, 65536> bytes{};
};

Incoming::Incoming(const std::vector<int>& descriptors) : native_(std::make_unique<Native>()) {
  for (const int fd : descriptors) native_->fds.push_back({fd, POLLIN, 0});
  native_->wake = Fd(::eventfd(0, EFD_CLOEXEC));
  native_->fds.push_back({native_->wake.get(), POLLIN, 0});
}
Incoming::~Incoming() = default;

std::optional<Incoming::Piece> Incoming::next() {
  std::vector<pollfd>& fds = native_->fds;
  const size_t count = fds.size() - 1;
  for (;;) {
    bool any = false;
    for (size_t i = 0; i < count; ++i) any |= fds[i].fd >= 0;
    if (!any) return std::nullopt;
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return std::nullopt;
    }
    if (fds[count].revents != 0) return std::nullopt;
    for (size_t step = 1; step <= count; ++step) {
      const size_t i = (native_->last + step) % count;  // in turns: who says much does not drown the others
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, native_->bytes.data(), native_->bytes.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      native_->last = i;
      if (n <= 0) leave_out(i);
      return Piece{i, {native_->bytes.data(), size_t(n > 0 ? n : 0)}};
    }
  }
}

void Incoming::leave_out(size_t descriptor) { native_->fds[descriptor].fd = -1; }

void Incoming::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(native_->wake.get(), &one, sizeof one);
}

bool Incoming::await_unread(int output) {
  for (;;) {
    std::array<pollfd, 2> fds{pollfd{output, 0, 0}, pollfd{native_->wake.get(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) <= 0) continue;
    if ((fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return true;
    if (fds[1].revents != 0) return false;
  }
}

int open_file(const std::filesystem::path& path, int flags, int mode) {
  return ::open(path.c_str(), flags | O_CLOEXEC, mode);
}

int write_within(int fd, std::string_view text, double timeout_s, size_t& done) {
  const PipeSignalBlocked no_signal;
  const auto start = Clock::now();
  for (done = 0; done < text.size();) {
    if (timeout_s > 0) {
      const double left = timeout_s - seconds_since(start);
      pollfd p{fd, POLLOUT, 0};
      const int ready = left > 0 ? ::poll(&p, 1, int(left * 1000) + 1) : 0;
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return ETIMEDOUT;
    }
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n > 0) {
      done += size_t(n);
    } else if (n < 0 && errno == EAGAIN) {
      pollfd p{fd, POLLOUT, 0};
      ::poll(&p, 1, 100);
    } else if (n < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int create_like(const std::filesystem::path& name, const std::filesystem::path& like) {
  struct stat old {};
  const bool replaces = ::stat(like.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const int fd = open_file(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND, replaces ? 0600 : 0666);
  if (fd >= 0 && replaces) {
    // Another owner's group may not be ours to give; the mode then still is no wider than it was.
    [[maybe_unused]] const int ignored = ::fchown(fd, uid_t(-1), old.st_gid);
    if (::fchmod(fd, old.st_mode & 0777) != 0) {
      const int code = errno;
      ::close(fd);
      ::unlink(name.c_str());
      errno = code;
      return -1;
    }
  }
  return fd;
}

bool may_write(const std::filesystem::path& path) {
  std::error_code ignored;
  return ::access(path.c_str(), std::filesystem::is_directory(path, ignored) ? W_OK | X_OK : W_OK) == 0;
}

bool is_unnamed_pipe(const std::filesystem::path& path) {
  struct stat status {};
  struct statfs system {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode) && ::statfs(path.c_str(), &system) == 0 &&
         system.f_type == PIPEFS_MAGIC;
}

int try_lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

bool await_input(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, -1) >= 0 || errno != EINTR;
}

std::optional<std::array<int64_t, 4>> file_stamp(const std::filesystem::path& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return std::nullopt;
  return std::array{int64_t(s.st_mtim.tv_sec), int64_t(s.st_mtim.tv_nsec), int64_t(s.st_size), int64_t(s.st_ino)};
}

}  // namespace attnscope
