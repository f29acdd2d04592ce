// What happened, in words, newest last.
#pragma once

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
    if (lines_.size() > kKept) lines_.pop_front();
  }
  const std::deque<LogLine>& lines() const { return lines_; }
  /// The newest line while it is news: a warning or an error for 20 s, what finished for 6; nullptr: it is none.
  const LogLine* news(double now) const {
    if (lines_.empty()) return nullptr;
    const LogLine& newest = lines_.back();
    const double told = newest.level >= Level::warning ? 20 : newest.panel.empty() ? 0 : 6;
    return now - newest.at < told ? &newest : nullptr;
  }

 private:
  static constexpr size_t kKept = 500;
  std::deque<LogLine> lines_;
};

}  // namespace attnscope::gui
