// The keyboard, in the order in which it was played, given to ImGui a piece a frame. ImGui looks at the state of keys
// and modifiers once a frame, so of Ctrl+A typed within one (which a fast hand or a slow renderer makes easy) it may
// see the A without its Ctrl: here every chord (of Ctrl, and of Shift with keys that move) has a frame to itself, and
// what was typed after it comes after it.
#pragma once

#include <deque>
#include <set>

struct GLFWwindow;

namespace attnscope::gui {

class Keys {
 public:
  /// As GLFW's callbacks report them.
  void key(int key, int scancode, int action, int mods) { waiting_.push_back({key, scancode, action, mods, 0}); }
  void character(unsigned codepoint) { waiting_.push_back({0, 0, 0, 0, codepoint}); }
  /// Before ImGui's frame begins.
  void feed(GLFWwindow*);
  /// More is to be fed: another frame is due.
  bool busy() const { return !waiting_.empty() || chord_ != 0; }

 private:
  struct Event {
    int key, scancode, action, mods;
    unsigned codepoint;
  };
  std::deque<Event> waiting_;
  int chord_ = 0;           ///< GLFW key held down in ImGui for this frame
  std::set<int> consumed_;  ///< keys whose press was a chord: their release was given already
};

}  // namespace attnscope::gui
