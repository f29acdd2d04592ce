// What happened, in words, newest last.
#pragma once

#include <deque>
#include <string>

namespace attnscope::gui {

enum class Level { info, good, warning, error };
struct LogLine {
  double at = 0;  ///< seconds since the window opened
  Level level = Level::info;
  std::string text;
};

class MessagesLog {
 public:
  /// The same line again only moves its time.
  void say(Level, std::string text, double now);
  const std::deque<LogLine>& lines() const { return lines_; }
  /// The newest line when it is a warning or an error not older than `seconds`.
  const LogLine* alarm(double now, double seconds = 20) const;

 private:
  static constexpr size_t kKept = 500;
  std::deque<LogLine> lines_;
};

}  // namespace attnscope::gui
