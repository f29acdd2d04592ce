#include "engine/session/lines.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace attnscope {

void LineSplitter::add(std::string_view bytes) {
  // Once for all lines taken: one at a time, many short lines would each move all the others.
  buffer_.erase(0, taken_);
  scanned_ -= taken_;
  taken_ = 0;
  buffer_.append(bytes);
}

bool LineSplitter::next(std::string& line) {
  const size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line.assign(buffer_, taken_, end - taken_);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  taken_ = scanned_ = end + 1;
  return true;
}

std::string LineSplitter::take_rest() {
  std::string rest = buffer_.substr(taken_);
  buffer_.clear();
  taken_ = scanned_ = 0;
  return rest;
}

Result<void> LineWriter::write(std::string_view line, double timeout_s) {
  const std::lock_guard lock(mutex_);
  std::string text(line);
  text += '\n';
  size_t done = 0;
  const int failed = write_within(fd_, text, timeout_s, done);
  if (failed == ETIMEDOUT)
    return internal_error(
        fmt::format("the other side read {} of {} bytes in {:.1f} s and then no more", done, text.size(), timeout_s));
  if (failed != 0)
    return Error{ErrorKind::device_lost, fmt::format("cannot write to the other side: {}", std::strerror(failed))};
  return {};
}

}  // namespace attnscope
