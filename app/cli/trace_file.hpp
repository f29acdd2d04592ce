// The file of --trace: events as chrome://tracing and ui.perfetto.dev read them, whole at any moment.
#pragma once

#include <filesystem>
#include <mutex>

#include "engine/platform/descriptor.hpp"
#include "engine/session/session.hpp"

namespace attnscope::cli {

/// Every write ends with the document's end, and the next one begins over it: whatever ends the process, the file is
/// JSON with all that was told before. A file that was there stays as it is until the first event.
class TraceFile {
 public:
  /// Events kept; what comes after them is counted.
  static constexpr size_t kMostEvents = 500'000;
  /// The errors are bad_input: the name, what is there already, another process that writes it, the system's reason.
  static Result<std::unique_ptr<TraceFile>> create(const std::filesystem::path&, size_t most = kMostEvents);
  /// Adds events of the `session`-th session. Thread-safe.
  void add(size_t session, const TraceSpans&);
  /// After the last add(). Where nothing was added all is as it was before, and `empty` is true. The error: events are
  /// left out because the file could not be written.
  Result<void> finish();
  bool empty() const { return at_ == 0; }

 private:
  TraceFile(std::filesystem::path path, bool is_new, Fd fd, size_t most);
  std::string end() const;
  int write(const std::string& text);
  void append(const std::string& events, size_t count);

  std::filesystem::path path_;
  bool new_;  ///< nothing was there
  std::mutex mutex_;
  Fd fd_;
  size_t most_, events_ = 0;
  uint64_t left_out_ = 0;
  bool dispatched_ = false, calibrated_ = true, shifted_ = false;
  int error_ = 0;               ///< errno of the first write that failed; no event is written after it
  int64_t start_ns_ = 0;        ///< where the axis begins
  uint64_t at_ = 0;             ///< in the file, where the next event goes
  std::vector<bool> sessions_;  ///< those that have names in the file
};

}  // namespace attnscope::cli
