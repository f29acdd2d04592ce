#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>

#include "engine/platform/files.hpp"

namespace attnscope {

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
