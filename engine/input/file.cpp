#include "engine/input/file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "engine/grouped.hpp"

namespace attnscope {
namespace {

class Descriptor {
 public:
  // A FIFO without a writer would be waited for by open() itself.
  explicit Descriptor(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Error unreadable(const std::filesystem::path& path, const std::string& why) {
  return bad_input(fmt::format("'{}' cannot be read: {}.", path.string(), why));
}
Error unreadable(const std::filesystem::path& path, int code) {
  return unreadable(path, std::generic_category().message(code));
}

const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a folder";
  return "a device";
}

}  // namespace

std::string not_a_file(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) ? "" : kind_of(status.st_mode);
}

Result<void> check_own_file(const std::filesystem::path& path) {
  const std::string kind = not_a_file(path);
  if (kind.empty()) return {};
  return bad_input(fmt::format("'{}' cannot be used: it is {}, not a file.", path.string(), kind));
}

bool is_stream(const std::filesystem::path& path) {
  struct stat status {};
  struct statfs system {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISCHR(status.st_mode) ||
         (S_ISFIFO(status.st_mode) && ::statfs(path.c_str(), &system) == 0 && system.f_type == PIPEFS_MAGIC);
}

Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes, FileKind kind) {
  const Descriptor file(path);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) return unreadable(path, EISDIR);
  const bool regular = S_ISREG(status.st_mode);
  if (!regular && kind == FileKind::regular)
    return unreadable(path, fmt::format("it is {}, not a file", kind_of(status.st_mode)));
  const std::string most = grouped(max_bytes);
  if (regular && static_cast<uint64_t>(status.st_size) > max_bytes)
    return unreadable(path, fmt::format("it has {} bytes; at most {} are read", grouped(status.st_size), most));
  std::string text;
  // A file of /proc claims no bytes and has some; a growing file has more than it claimed.
  constexpr size_t kPiece = size_t{1} << 16;
  if (regular) text.reserve(static_cast<size_t>(status.st_size));
  for (;;) {
    const size_t had = text.size();
    text.resize(had + kPiece);
    const ssize_t n = ::read(file.get(), text.data() + had, kPiece);
    const int code = errno;
    text.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return text;
    if (text.size() > max_bytes)
      return unreadable(path, fmt::format("it does not end within {} bytes, the most that are read", most));
    if (n > 0 || code == EINTR) continue;
    if (code != EAGAIN) return unreadable(path, code);
    pollfd wait{file.get(), POLLIN, 0};
    if (::poll(&wait, 1, -1) < 0 && errno == EINTR)
      return Error{ErrorKind::cancelled, fmt::format("'{}': reading it was interrupted.", path.string())};
  }
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view extension,
                                            std::error_code& error) {
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == extension) files.push_back(it->path());
  std::ranges::sort(files);
  return files;
}

}  // namespace attnscope
