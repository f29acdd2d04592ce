// What happened, in words, newest last.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace attnscope::gui {

enum class Level { info, good, warning, error };
struct LogLine {
  double at = 0;  ///< seconds since the window opened
  Level level = Level::info;
  std::string text;
  std::string panel;  ///< of something that finished: the panel that shows it
};

class MessagesLog {
 public:
  /// The same line again only moves its time.
  void say(Level level, std::string text, double now, std::string panel = "") {
    if (!lines_.empty() && lines_.back().text == text && lines_.back().level == level && panel.empty()) {
      lines_.back().at = now;
      return;
    }
    lines_.push_back({now, level, std::move(text), std::move(panel)});
    ++said_;
    if (lines_.size() > kKept) lines_.pop_front();
  }
  const std::deque<LogLine>& lines() const { return lines_; }
  /// How many there have been; the last of lines() is the one before this number.
  uint64_t said() const { return said_; }
  /// The newest line when it is a warning or an error not older than `seconds`.
  const LogLine* alarm(double now, double seconds = 20) const {
    const bool any = !lines_.empty() && lines_.back().level >= Level::warning && now - lines_.back().at <= seconds;
    return any ? &lines_.back() : nullptr;
  }

 private:
  static constexpr size_t kKept = 500;
  std::deque<LogLine> lines_;
  uint64_t said_ = 0;
};

}  // namespace attnscope::gui
