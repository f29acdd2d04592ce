#include "engine/platform/descriptor.hpp"

#include <cerrno>

namespace attnscope {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

void Fd::reset() {
  if (const int fd = release(); fd >= 0) ::close(fd);
}

namespace {

/// Windows takes an unsigned int.
constexpr size_t kMostAtOnce = size_t{1} << 30;

}  // namespace

ssize_t read_some(int fd, char* to, size_t bytes) { return ::read(fd, to, unsigned(std::min(bytes, kMostAtOnce))); }

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), unsigned(std::min(text.size(), kMostAtOnce)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(size_t(n));
  }
  return 0;
}

}  // namespace attnscope
