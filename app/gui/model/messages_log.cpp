#include "app/gui/model/messages_log.hpp"

namespace attnscope::gui {

void MessagesLog::say(Level level, std::string text, double now, std::string panel) {
  if (!lines_.empty() && lines_.back().text == text && lines_.back().level == level && panel.empty()) {
    lines_.back().at = now;
    return;
  }
  lines_.push_back({now, level, std::move(text), std::move(panel)});
  ++said_;
  if (lines_.size() > kKept) lines_.pop_front();
}

const LogLine* MessagesLog::alarm(double now, double seconds) const {
  if (lines_.empty() || lines_.back().level < Level::warning || now - lines_.back().at > seconds) return nullptr;
  return &lines_.back();
}

}  // namespace attnscope::gui
