// Lines over file descriptors: the framing of the worker's protocol.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "engine/platform/descriptor.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// Cuts a byte stream into lines. A line longer than `kMaxLine` ends the stream: nothing of ours is that long.
class LineSplitter {
 public:
  static constexpr size_t kMaxLine = size_t{64} << 20;
  void add(std::string_view bytes);
  /// True and the next whole line, without its end.
  bool next(std::string& line);
  /// The text after the last line end.
  std::string take_rest();
  bool overflow() const { return buffer_.size() - taken_ > kMaxLine; }

 private:
  std::string buffer_;
  size_t taken_ = 0;    ///< of the buffer, by lines
  size_t scanned_ = 0;  ///< of the buffer, without a line end
};

/// Writes whole lines; safe from several threads. A reader that is gone is an Error, never a SIGPIPE.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}
  /// Waits at most `timeout_s` for the other side to take it; 0 = as long as it needs.
  Result<void> write(std::string_view line, double timeout_s = 0);

 private:
  int fd_;
  std::mutex mutex_;
};

}  // namespace attnscope
