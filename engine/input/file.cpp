#include "engine/input/file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <random>
#include <thread>

#include "engine/number.hpp"

namespace attnscope {
namespace {

Error unreadable(const std::filesystem::path& path, const std::string& why) {
  return bad_input("'{}' cannot be read: {}.", path.string(), why);
}
Error unreadable(const std::filesystem::path& path, int code) {
  return unreadable(path, std::generic_category().message(code));
}

namespace fs = std::filesystem;

const char* kind_of(fs::file_type type) {
  if (type == fs::file_type::fifo) return "a pipe";
  if (type == fs::file_type::socket) return "a socket";
  return type == fs::file_type::directory ? "a folder" : "a device";
}

using std::chrono::milliseconds;
constexpr milliseconds kSilent{1000}, kStep{20};

}  // namespace

std::string not_a_file(const std::filesystem::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::status_known(status) || !fs::exists(status) || fs::is_regular_file(status) ? "" : kind_of(status.type());
}

Result<void> check_own_file(const std::filesystem::path& path) {
  const std::string kind = not_a_file(path);
  if (kind.empty()) return {};
  return bad_input("'{}' cannot be used: it is {}, not a file.", path.string(), kind);
}

std::string why_not_written(const std::filesystem::path& path) {
  std::error_code error;
  fs::path at = fs::absolute(path, error);
  if (fs::is_regular_file(at, error)) {
    if (!may_write(at)) return fmt::format("the file '{}' cannot be written to", at.string());
    at = at.parent_path();
  }
  while (at.has_relative_path() && !fs::exists(at, error)) at = at.parent_path();
  if (!fs::is_directory(at, error)) return fmt::format("'{}' is not a folder", at.string());
  return may_write(at) ? "" : fmt::format("the folder '{}' cannot be written to", at.string());
}

bool is_stream(const std::filesystem::path& path) {
  std::error_code error;
  return fs::is_character_file(path, error) || is_unnamed_pipe(path);
}

Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes, FileKind kind) {
  // A FIFO without a writer would be waited for by open() itself.
  const Fd file(open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) return unreadable(path, EISDIR);
  const bool regular = S_ISREG(status.st_mode);
  if (!regular && kind == FileKind::regular)
    return unreadable(path, fmt::format("it is {}, not a file", not_a_file(path)));
  const std::string most = grouped(max_bytes);
  if (regular && uint64_t(status.st_size) > max_bytes)
    return unreadable(path, fmt::format("it has {} bytes; at most {} are read", grouped(status.st_size), most));
  std::string text;
  // A file of /proc claims no bytes and has some; a growing file has more than it claimed.
  constexpr size_t kPiece = size_t{1} << 16;
  if (regular) text.reserve(size_t(status.st_size));
  for (;;) {
    const size_t had = text.size();
    text.resize(had + kPiece);
    const ssize_t n = read_some(file.get(), text.data() + had, kPiece);
    const int code = errno;
    text.resize(had + size_t(std::max<ssize_t>(n, 0)));
    if (n == 0) return text;
    if (text.size() > max_bytes)
      return unreadable(path, fmt::format("it does not end within {} bytes, the most that are read", most));
    if (n > 0 || code == EINTR) continue;
    if (code != EAGAIN) return unreadable(path, code);
    if (!await_input(file.get())) return cancelled_error("'{}': reading it was interrupted.", path.string());
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

std::string set_aside(const std::filesystem::path& path) {
  for (int i = 1; i < 1000; ++i) {
    const fs::path aside = fmt::format("{}.aside-{}", path.string(), i);
    std::error_code error;
    if (fs::exists(aside, error)) continue;
    fs::rename(path, aside, error);
    return error ? std::string() : aside.string();
  }
  return {};
}

int replace_file(const std::filesystem::path& path, const std::function<int(int)>& fill, bool keep) {
  // The name cannot be guessed, and an existing file or link is never opened.
  std::random_device random;
  std::string name;
  Fd fd;
  for (int attempt = 0; attempt < 100 && !fd; ++attempt) {
    name = fmt::format("{}.{:08x}{:08x}.tmp", path.string(), random(), random());
    fd = Fd(create_like(name, path));
    if (!fd && errno != EEXIST) break;
  }
  if (!fd) return errno;
  int code = fill(fd.get());
  // A full disk may show itself only when the file is closed.
  if (::close(fd.release()) != 0 && code == 0) code = errno;
  std::error_code error;
  if (keep && code == 0) {
    std::filesystem::rename(name, path, error);
    code = error.default_error_condition().value();
  }
  if (!keep || code != 0) std::filesystem::remove(name, error);
  return code;
}

int replace_file(const std::filesystem::path& path, std::string_view text, bool keep) {
  return replace_file(
      path, [&](int fd) { return write_all(fd, text); }, keep);
}

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
