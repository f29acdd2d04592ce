// What has just finished, for a few seconds in a corner: messages that lead to a panel. They stay in the log.
#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/layout/fit.hpp"
#include "app/gui/state/messages_log.hpp"

namespace attnscope::gui {

struct Toast {
  uint64_t number = 0;  ///< of the line in the log
  LogLine line;
  double until = 0;  ///< seconds since the window opened
};

class Toasts {
 public:
  static constexpr size_t kMost = 3;
  static constexpr double kSeconds = 6;

  /// Takes up what was said since, drops what is over. While one is pointed at none goes.
  void step(const MessagesLog&, double now, bool pointed_at);
  void dismiss(uint64_t number);
  const std::vector<Toast>& all() const { return all_; }
  /// At the left or the right: chosen when the first of them appears, away from the mouse, and kept until the last is
  /// gone, so that none jumps.
  bool at_left() const { return at_left_; }
  /// `where`: what they would cover at the right; the mouse, at the same scale.
  void keep_clear(const Rectangle& where, float mouse_x, float mouse_y);

 private:
  std::vector<Toast> all_;
  uint64_t seen_ = 0;
  double now_ = 0;
  bool at_left_ = false, placed_ = false;
};

}  // namespace attnscope::gui
