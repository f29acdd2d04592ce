// What happened, in words, newest last.
#pragma once

#include <deque>

#include "engine/standard.hpp"

namespace attnscope::gui {

enum class Level { info, good, warning, error };
struct LogLine {
  double at = 0;  ///< seconds since the window opened
  Level level = Level::info;
  std::string text;
  std::string panel;  ///< that shows what finished, or what is wrong
  std::string about;  ///< the variant that is wrong, "" = no certain one
  bool over = false;  ///< it is not so any more: no news
};

class MessagesLog {
 public:
  double now = 0;  ///< as LogLine::at
  /// The same line again only moves its time.
  void say(Level level, std::string text, std::string panel = "", std::string about = "") {
    if (!lines_.empty() && lines_.back().text == text && lines_.back().level == level &&
        (panel.empty() || level >= Level::warning)) {
      lines_.back().at = now;
      lines_.back().over = false;
      return;
    }
    lines_.push_back({now, level, std::move(text), std::move(panel), std::move(about)});
    if (lines_.size() > kKept) lines_.pop_front();
  }
  /// What was wrong there is not so any more.
  void settle(const std::string& panel, const std::string& about = "") {
    for (LogLine& line : lines_)
      line.over |= line.panel == panel && line.about == about && line.level >= Level::warning;
  }
  /// Says so; nullopt.
  std::nullopt_t refuse(std::string why) {
    refused_ = why;
    say(Level::warning, std::move(why));
    return std::nullopt;
  }
  /// Why what was asked for last could not be done; once.
  std::string take_refusal() { return std::exchange(refused_, {}); }
  const std::deque<LogLine>& lines() const { return lines_; }
  /// The newest line that is news: a warning or an error for 20 s, what finished for 6; nullptr: there is none.
  const LogLine* news(double when) const {
    const auto is_news = [&](const LogLine& line) {
      return !line.over && when - line.at < (line.level >= Level::warning ? 20 : line.panel.empty() ? 0 : 6);
    };
    const auto at = std::find_if(lines_.rbegin(), lines_.rend(), is_news);
    return at == lines_.rend() ? nullptr : &*at;
  }

 private:
  static constexpr size_t kKept = 500;
  std::string refused_;
  std::deque<LogLine> lines_;
};

}  // namespace attnscope::gui
