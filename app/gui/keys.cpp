#include "app/gui/keys.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

namespace attnscope::gui {
namespace {

/// What is pressed with Ctrl for a command; ImGuiKey_None: any other key.
ImGuiKey chord_key(int key) {
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return ImGuiKey(ImGuiKey_A + (key - GLFW_KEY_A));
  switch (key) {
    case GLFW_KEY_0: return ImGuiKey_0;
    case GLFW_KEY_KP_0: return ImGuiKey_Keypad0;
    case GLFW_KEY_EQUAL: return ImGuiKey_Equal;
    case GLFW_KEY_MINUS: return ImGuiKey_Minus;
    case GLFW_KEY_KP_ADD: return ImGuiKey_KeypadAdd;
    case GLFW_KEY_KP_SUBTRACT: return ImGuiKey_KeypadSubtract;
    default: return ImGuiKey_None;
  }
}

void set_modifiers(bool ctrl, bool shift) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
}

bool held(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

}  // namespace

void Keys::feed(GLFWwindow* window) {
  if (chord_ != 0) {
    ImGui::GetIO().AddKeyEvent(chord_key(chord_), false);
    set_modifiers(held(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
                  held(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT));
    chord_ = 0;
    return;
  }
  while (!waiting_.empty()) {
    const Event e = waiting_.front();
    waiting_.pop_front();
    const bool chords = chord_key(e.key) != ImGuiKey_None;
    if (e.codepoint != 0) {
      ImGui_ImplGlfw_CharCallback(window, e.codepoint);
    } else if (chords && e.action != GLFW_RELEASE && (e.mods & GLFW_MOD_CONTROL) != 0) {
      set_modifiers(true, (e.mods & GLFW_MOD_SHIFT) != 0);
      ImGui::GetIO().AddKeyEvent(chord_key(e.key), true);
      chord_ = e.key;
      consumed_.insert(e.key);
      return;
    } else if (chords && e.action == GLFW_RELEASE && consumed_.erase(e.key) > 0) {
      continue;
    } else {
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.mods);
    }
  }
}

}  // namespace attnscope::gui
