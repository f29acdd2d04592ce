#include "app/gui/state/toasts.hpp"

#include <algorithm>

namespace attnscope::gui {

void Toasts::step(const MessagesLog& log, double now, bool pointed_at) {
  const double passed = std::max(0.0, now - now_);
  now_ = now;
  if (pointed_at)
    for (Toast& t : all_) t.until += passed;
  std::erase_if(all_, [&](const Toast& t) { return t.until <= now; });
  if (all_.empty()) placed_ = false;
  const auto& lines = log.lines();
  const uint64_t first = log.said() - lines.size();
  for (uint64_t n = std::max(seen_, first); n < log.said(); ++n) {
    const LogLine& line = lines[size_t(n - first)];
    if (line.panel.empty()) continue;
    all_.push_back({n, line, now + kSeconds});
    if (all_.size() > kMost) all_.erase(all_.begin());
  }
  seen_ = log.said();
}

void Toasts::dismiss(uint64_t number) {
  std::erase_if(all_, [&](const Toast& t) { return t.number == number; });
  if (all_.empty()) placed_ = false;
}

void Toasts::keep_clear(const Rectangle& where, float mouse_x, float mouse_y) {
  constexpr float kAround = 40;
  if (all_.empty() || placed_) return;
  placed_ = true;
  const Rectangle around{where.x - kAround, where.y - kAround, where.w + 2 * kAround, where.h + 2 * kAround};
  at_left_ = around.holds(mouse_x, mouse_y);
}

}  // namespace attnscope::gui
