// Reads and writes files whole, or not at all.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/input/file.hpp"
#include "engine/record/new_file.hpp"
#include "engine/record/results.hpp"

namespace attnscope {

namespace {

/// A temporary file beside `path`, removed unless it was renamed into place.
class Sibling {
 public:
  explicit Sibling(const std::filesystem::path& path) {
    // The name cannot be guessed, and an existing file or link is never opened.
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      name_ = fmt::format("{}.{:08x}{:08x}.tmp", path.string(), random(), random());
      fd_ = create_like(name_, path);
      error_ = fd_ < 0 ? errno : 0;
      if (error_ != EEXIST) break;
    }
  }
  ~Sibling() {
    if (fd_ >= 0) ::close(fd_);
    if (!kept_ && error_ == 0) ::unlink(name_.c_str());
  }
  Sibling(const Sibling&) = delete;
  Sibling& operator=(const Sibling&) = delete;
  int error() const { return error_; }

  int write(std::string_view text) { return write_all(fd_, text); }
  int rename_to(const std::filesystem::path& path) {
    // A full disk may show itself only when the file is closed.
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0 || ::rename(name_.c_str(), path.c_str()) != 0) return errno;
    kept_ = true;
    return 0;
  }

 private:
  std::string name_;
  int fd_ = -1;
  int error_ = 0;
  bool kept_ = false;
};

/// A pipe with a name would be waited for until somebody reads it, at the end of all the work.
Error not_writable(const std::filesystem::path& path) {
  return bad_input(
      fmt::format("'{}' cannot be written: it is {}, not a file. For a pipe: `>(command)`, or a file and a command "
                  "after it.",
                  path.string(), not_a_file(path)));
}

}  // namespace

std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code none;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, none); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, none);
  return path;
}

int create_like(const std::filesystem::path& name, const std::filesystem::path& like) {
  struct stat old {};
  const bool replaces = ::stat(like.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const int fd =
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, replaces ? 0600 : 0666);
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

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(size_t(n));
  }
  return 0;
}

bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

Error file_error(const char* action, const std::filesystem::path& path, int code) {
  return bad_input(fmt::format("'{}' cannot be {}: {}.", path.string(), action, std::generic_category().message(code)));
}

Result<std::string> read_text(const std::filesystem::path& path) {
  return read_file(path, kMaxResultBytes, FileKind::any_input);
}

Result<void> write_text(const std::filesystem::path& name, std::string_view text) {
  const std::filesystem::path path = behind_links(name);
  if (is_special(path)) {
    if (!is_stream(path)) return not_writable(path);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
      return file_error("written", path, errno);
    return {};
  }
  Sibling sibling(path);
  if (sibling.error() != 0) return file_error("written", path, sibling.error());
  if (const int code = sibling.write(text); code != 0) return file_error("written", path, code);
  if (const int code = sibling.rename_to(path); code != 0) return file_error("written", path, code);
  return {};
}

Result<void> check_writable(const std::filesystem::path& name) {
  const std::filesystem::path path = behind_links(name);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return file_error("written", path, EISDIR);
  if (is_special(path) && !is_stream(path)) return not_writable(path);
  if (is_special(path)) return ::access(path.c_str(), W_OK) == 0 ? Result<void>() : file_error("written", path, errno);
  const Sibling sibling(path);
  if (sibling.error() != 0) return file_error("written", path, sibling.error());
  return {};
}

}  // namespace attnscope
