#include "app/gui/keys.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

namespace attnscope::gui {
namespace {

ImGuiKey letter(int key) { return ImGuiKey(ImGuiKey_A + (key - GLFW_KEY_A)); }

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
    ImGui::GetIO().AddKeyEvent(letter(chord_), false);
    set_modifiers(held(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
                  held(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT));
    chord_ = 0;
    return;
  }
  while (!waiting_.empty()) {
    const Event e = waiting_.front();
    waiting_.pop_front();
    const bool is_letter = e.key >= GLFW_KEY_A && e.key <= GLFW_KEY_Z;
    if (e.codepoint != 0) {
      ImGui_ImplGlfw_CharCallback(window, e.codepoint);
    } else if (is_letter && e.action != GLFW_RELEASE && (e.mods & GLFW_MOD_CONTROL) != 0) {
      set_modifiers(true, (e.mods & GLFW_MOD_SHIFT) != 0);
      ImGui::GetIO().AddKeyEvent(letter(e.key), true);
      chord_ = e.key;
      consumed_.insert(e.key);
      return;
    } else if (is_letter && e.action == GLFW_RELEASE && consumed_.erase(e.key) > 0) {
      continue;
    } else {
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.mods);
    }
  }
}

}  // namespace attnscope::gui
