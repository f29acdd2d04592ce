// The file of --trace: events as chrome://tracing and ui.perfetto.dev read them, whole at any moment.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "engine/platform/descriptor.hpp"
#include "engine/result.hpp"
#include "engine/session/session.hpp"

namespace attnscope::cli {

/// Every write ends with the document's end, and the next one begins over it: whatever ends the process, the file is
/// JSON with all that was told before.
class TraceFile {
 public:
  /// Events kept; what comes after them is counted.
  static constexpr size_t kMostEvents = 500'000;
  static Result<std::unique_ptr<TraceFile>> create(const std::filesystem::path&, size_t most = kMostEvents);
  /// Adds events of the `session`-th session. Thread-safe.
  void add(size_t session, const TraceSpans&);

 private:
  TraceFile(Fd fd, size_t most);
  void append(const std::string& events);

  std::mutex mutex_;
  Fd fd_;
  size_t most_, events_ = 0;
  uint64_t left_out_ = 0;
  bool calibrated_ = true, shifted_ = false, broken_ = false;
  int64_t start_ns_ = 0;        ///< where the axis begins
  uint64_t at_ = 0;             ///< in the file, where the next event goes
  std::vector<bool> sessions_;  ///< those that have names in the file
};

}  // namespace attnscope::cli
