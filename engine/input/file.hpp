// Reads files whole, up to a limit, without waiting for what is not one; replaces them whole.
#pragma once

#include <system_error>

#include "engine/clock.hpp"
#include "engine/platform/descriptor.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// Most bytes of each kind of file. What is larger is none of ours, and would only fill memory.
inline constexpr uint64_t kMaxSourceBytes = uint64_t{1} << 20;    ///< a manifest, a shader, a preset, an action script
inline constexpr uint64_t kMaxResultBytes = uint64_t{256} << 20;  ///< a session, a baseline from a pipe
inline constexpr uint64_t kMaxRecordsBytes = uint64_t{2} << 30;   ///< a file of records, read one by one
inline constexpr uint64_t kMaxCachedBytes = uint64_t{256} << 20;  ///< SPIR-V, a driver's pipeline cache

enum class FileKind {
  regular,   ///< for what is found in a folder: a FIFO or device there is refused without being waited for
  any_input  ///< for what a person names: /dev/stdin and <(command) too, within the same limit
};

/// "" for a regular file, and where nothing is there; else "a folder", "a pipe", "a socket" or "a device".
std::string not_a_file(const std::filesystem::path&);
/// For a file that the program keeps: the error names the path and says what it is instead of a file.
Result<void> check_own_file(const std::filesystem::path&);
/// "" where this process may write or make the file or folder; else why not, of the nearest folder that is there.
std::string why_not_written(const std::filesystem::path&);
/// A device such as /dev/null, or a pipe without a name, such as /dev/stdout in a pipeline: nobody has to be awaited.
bool is_stream(const std::filesystem::path&);

/// The whole file. bad_input names the path and says why: the system's reason, over `max_bytes`, or no file. A pipe is
/// read to its end, until a signal is caught (`cancelled`); one without a writer is empty.
Result<std::string> read_file(const std::filesystem::path&, uint64_t max_bytes, FileKind = FileKind::regular);

/// Writes a file through a temporary one beside it, which `fill` may write to piece by piece: 0 or an errno, also that
/// of `fill`. Without `keep` it only tries.
int replace_file(const std::filesystem::path&, const std::function<int(int fd)>& fill, bool keep = true);
int replace_file(const std::filesystem::path&, std::string_view text, bool keep = true);

/// Renames it to a free name beside it ("tuned.json.aside-1"), and gives that; "" when it could not.
std::string set_aside(const std::filesystem::path&);

/// The files of a folder with this extension (".json"), sorted; `error`: why the folder cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view extension,
                                            std::error_code& error);

// Files that one process at a time may change: waits for another process, with a message and a limit.

struct Waiting {
  std::function<void(const std::string&)> say = {};  ///< told once, after a second, what is waited for
  const Cancel* cancel = nullptr;                    ///< when true the wait ends within a second of its beginning
};

class Wait {
 public:
  Wait(std::filesystem::path path, Waiting waiting) : path_(std::move(path)), waiting_(std::move(waiting)) {}
  /// From now on it is another wait.
  void begin();
  /// Sleeps for a moment. False, at once, when the wait was cancelled or took `most`.
  bool again(std::chrono::milliseconds most);

 private:
  std::filesystem::path path_;
  Waiting waiting_;
  Clock::time_point began_ = Clock::now();
  bool said_ = false;
};

/// Held as long as it lives. Other processes of this program leave the file alone meanwhile.
class FileLock {
 public:
  static constexpr std::chrono::milliseconds kMost{30'000};
  /// Makes the lock's file if need be.
  explicit FileLock(const std::filesystem::path& lock_file, const Waiting& = {},
                    std::chrono::milliseconds most = kMost);
  /// 0, or an errno: EWOULDBLOCK where another process still has it.
  int error() const { return error_; }

 private:
  Fd fd_;
  int error_ = 0;
};

}  // namespace attnscope
