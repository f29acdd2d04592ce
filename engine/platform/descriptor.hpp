// Bytes over file descriptors: pipes to other processes, files. No signals, no blocking for ever.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>

#include "engine/standard.hpp"

#ifdef _WIN32  // what its open() has no flag for is so anyway, or is nothing there
constexpr int O_CLOEXEC = _O_NOINHERIT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0;
#endif

namespace attnscope {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

/// Reads from several descriptors, in the order in which data arrives.
class Incoming {
 public:
  struct Piece {
    size_t from = 0;         ///< index of the descriptor
    std::string_view bytes;  ///< valid until the next call; empty: the descriptor has ended
  };
  explicit Incoming(const std::vector<int>& descriptors);
  ~Incoming();
  /// Waits for more. nullopt after wake(), and when nothing can come any more.
  std::optional<Piece> next();
  void leave_out(size_t descriptor);
  /// From any thread: from now on nothing here waits.
  void wake();
  /// Waits until nobody reads `output` any more, or wake(), which gives false. Windows tells only who writes.
  bool await_unread(int output);

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

/// As open(2), -1 with errno; the program's children do not inherit it.
int open_file(const std::filesystem::path&, int flags, int mode = 0666);
/// As read(2).
ssize_t read_some(int fd, char* to, size_t bytes);
/// 0 or errno.
int write_all(int fd, std::string_view text);
/// To a pipe, awaited `timeout_s` (0 = for ever): 0, errno (EPIPE, no signal), or ETIMEDOUT after `done` bytes.
int write_within(int fd, std::string_view text, double timeout_s, size_t& done);

/// Makes `name` to be appended to, with mode and group of `like`, or as the umask says. -1 with errno: EEXIST where
/// there is such a name. What is there, a planted link too, is never opened.
int create_like(const std::filesystem::path& name, const std::filesystem::path& like);
/// Whether this process may write to the file, or make files in the folder.
bool may_write(const std::filesystem::path&);
/// A pipe of a shell's pipeline, such as /dev/stdout, which is in no folder.
bool is_unnamed_pipe(const std::filesystem::path&);
/// Locks the file for this descriptor's process: 0, EWOULDBLOCK while another has it locked, or another errno.
int try_lock(int fd);
/// Waits until there is something to read; false when a signal was caught.
bool await_input(int fd);
/// Times, size and identity of the file: a value that differs after each change of it.
std::optional<std::array<int64_t, 4>> file_stamp(const std::filesystem::path&);

}  // namespace attnscope
