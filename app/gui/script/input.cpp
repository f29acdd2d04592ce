#include "app/gui/script/input.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace attnscope::gui {
namespace {

constexpr int kDragSteps = 8;
constexpr float kDoubleClick = 0.3f;  ///< seconds; ImGui's own

ImGuiKey key_named(const std::string& name) {
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') return ImGuiKey(ImGuiKey_A + (name[0] - 'A'));
  if (name.size() == 1 && name[0] >= '0' && name[0] <= '9') return ImGuiKey(ImGuiKey_0 + (name[0] - '0'));
  if (name == "F10") return ImGuiKey_F10;
  if (name == "F11") return ImGuiKey_F11;
  if (name == "F12") return ImGuiKey_F12;
  if (name.size() == 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9')
    return ImGuiKey(ImGuiKey_F1 + (name[1] - '1'));
  if (name == "Space") return ImGuiKey_Space;
  if (name == "Enter") return ImGuiKey_Enter;
  if (name == "Escape") return ImGuiKey_Escape;
  if (name == "Tab") return ImGuiKey_Tab;
  if (name == "Left") return ImGuiKey_LeftArrow;
  if (name == "Right") return ImGuiKey_RightArrow;
  if (name == "Up") return ImGuiKey_UpArrow;
  if (name == "Down") return ImGuiKey_DownArrow;
  if (name == "Plus") return ImGuiKey_Equal;
  if (name == "Minus") return ImGuiKey_Minus;
  if (name == "Backspace") return ImGuiKey_Backspace;
  if (name == "Home") return ImGuiKey_Home;
  if (name == "End") return ImGuiKey_End;
  if (name == "Delete") return ImGuiKey_Delete;
  return ImGuiKey_None;
}

}  // namespace

void InputPlayer::move(ImVec2 to) {
  steps_.push_back({.kind = Step::Kind::move, .at = to});
  steps_.push_back({});
}

void InputPlayer::click(ImVec2 at) {
  move(at);
  steps_.push_back({.kind = Step::Kind::button, .down = true});
  steps_.push_back({.kind = Step::Kind::button, .down = false});
  steps_.push_back({});
}

void InputPlayer::double_click(ImVec2 at) {
  // Two clicks are two clicks on however slow a machine they are played.
  steps_.push_back({.kind = Step::Kind::patience, .down = true});
  click(at);
  click(at);
  steps_.push_back({.kind = Step::Kind::patience, .down = false});
}

void InputPlayer::right_click(ImVec2 at) {
  move(at);
  for (const bool down : {true, false})
    steps_.push_back({.kind = Step::Kind::button, .down = down, .button = ImGuiMouseButton_Right});
  steps_.push_back({});
}

void InputPlayer::scroll(ImVec2 at, int steps) {
  move(at);
  for (int i = 0; i < std::abs(steps); ++i) steps_.push_back({.kind = Step::Kind::wheel, .down = steps < 0});
  steps_.push_back({});
}

void InputPlayer::drag(ImVec2 from, ImVec2 to) {
  move(from);
  steps_.push_back({.kind = Step::Kind::button, .down = true});
  for (int i = 1; i <= kDragSteps; ++i) {
    const float part = float(i) / float(kDragSteps);
    steps_.push_back(
        {.kind = Step::Kind::move, .at = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part}});
  }
  steps_.push_back({});
  steps_.push_back({.kind = Step::Kind::button, .down = false});
  steps_.push_back({});
}

void InputPlayer::type(const std::string& text) {
  steps_.push_back({.kind = Step::Kind::text, .text = text});
  steps_.push_back({});
}

Result<void> InputPlayer::key(const std::string& name) {
  std::string rest = name;
  std::vector<ImGuiKey> held;
  for (const auto& [prefix, key] :
       {std::pair{std::string("Ctrl+"), ImGuiMod_Ctrl}, std::pair{std::string("Shift+"), ImGuiMod_Shift}}) {
    if (!rest.starts_with(prefix)) continue;
    held.push_back(key);
    rest = rest.substr(prefix.size());
  }
  const ImGuiKey key = key_named(rest);
  if (key == ImGuiKey_None)
    return bad_input(
        fmt::format("there is no key '{}'; there are A-Z, 0-9, F1-F12, Space, Enter, Escape, Tab, Left, Right, "
                    "Up, Down, Home, End, Delete, Plus, Minus, Backspace, each after Ctrl+ or Shift+ too.",
                    name));
  for (ImGuiKey h : held) steps_.push_back({.kind = Step::Kind::key, .down = true, .key = h});
  steps_.push_back({.kind = Step::Kind::key, .down = true, .key = key});
  steps_.push_back({.kind = Step::Kind::key, .down = false, .key = key});
  for (ImGuiKey h : held) steps_.push_back({.kind = Step::Kind::key, .down = false, .key = h});
  steps_.push_back({});
  return {};
}

void InputPlayer::play() {
  if (steps_.empty()) return;
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  ImGuiIO& io = ImGui::GetIO();
  switch (step.kind) {
    case Step::Kind::move: io.AddMousePosEvent(step.at.x, step.at.y); break;
    case Step::Kind::button: io.AddMouseButtonEvent(step.button, step.down); break;
    case Step::Kind::wheel: io.AddMouseWheelEvent(0, step.down ? -1.f : 1.f); break;
    case Step::Kind::patience: io.MouseDoubleClickTime = step.down ? 60.f : kDoubleClick; break;
    case Step::Kind::key: io.AddKeyEvent(step.key, step.down); break;
    case Step::Kind::text: io.AddInputCharactersUTF8(step.text.c_str()); break;
    case Step::Kind::rest: break;
  }
}

}  // namespace attnscope::gui
