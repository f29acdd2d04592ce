// Input made by a script: played into ImGui one step a frame, as a person's would come.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include <imgui.h>

#include "engine/result.hpp"

namespace attnscope::gui {

class InputPlayer {
 public:
  void move(ImVec2 to);
  void click(ImVec2 at);
  void double_click(ImVec2 at);
  void right_click(ImVec2 at);
  /// Turns the wheel there; upwards is positive.
  void scroll(ImVec2 at, int steps);
  /// Presses at `from`, moves in small steps to `to`, releases there.
  void drag(ImVec2 from, ImVec2 to);
  void type(const std::string& text);
  /// "P", "Ctrl+Z", "Space", "Enter", "F5"; the error lists what is known.
  Result<void> key(const std::string& name);
  /// Before ImGui::NewFrame: the next step, if there is one.
  void play();
  bool busy() const { return !steps_.empty(); }

 private:
  struct Step {
    enum class Kind { move, button, wheel, patience, key, text, rest } kind = Kind::rest;
    ImVec2 at{};
    bool down = false;
    int button = ImGuiMouseButton_Left;
    ImGuiKey key = ImGuiKey_None;
    std::string text{};
  };
  std::deque<Step> steps_;
};

}  // namespace attnscope::gui
