#include "app/gui/shell/keys.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

namespace attnscope::gui {
namespace {

ImGuiKey chord_key(int key) {
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return ImGuiKey(ImGuiKey_A + (key - GLFW_KEY_A));
  switch (key) {
    case GLFW_KEY_LEFT: return ImGuiKey_LeftArrow;
    case GLFW_KEY_RIGHT: return ImGuiKey_RightArrow;
    case GLFW_KEY_UP: return ImGuiKey_UpArrow;
    case GLFW_KEY_DOWN: return ImGuiKey_DownArrow;
    case GLFW_KEY_HOME: return ImGuiKey_Home;
    case GLFW_KEY_END: return ImGuiKey_End;
    case GLFW_KEY_PAGE_UP: return ImGuiKey_PageUp;
    case GLFW_KEY_PAGE_DOWN: return ImGuiKey_PageDown;
    case GLFW_KEY_BACKSPACE: return ImGuiKey_Backspace;
    case GLFW_KEY_DELETE: return ImGuiKey_Delete;
    case GLFW_KEY_TAB: return ImGuiKey_Tab;
    case GLFW_KEY_SLASH: return ImGuiKey_Slash;
    case GLFW_KEY_0: return ImGuiKey_0;
    case GLFW_KEY_KP_0: return ImGuiKey_Keypad0;
    case GLFW_KEY_EQUAL: return ImGuiKey_Equal;
    case GLFW_KEY_MINUS: return ImGuiKey_Minus;
    case GLFW_KEY_KP_ADD: return ImGuiKey_KeypadAdd;
    case GLFW_KEY_KP_SUBTRACT: return ImGuiKey_KeypadSubtract;
    default: return ImGuiKey_None;
  }
}

/// With Shift alone only what moves or deletes is one: the rest are characters, which come by themselves.
bool is_chord(int key, int mods) {
  if (chord_key(key) == ImGuiKey_None) return false;
  const bool moves = key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END;
  return (mods & (GLFW_MOD_CONTROL | (moves ? GLFW_MOD_SHIFT : 0))) != 0;
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
    if (e.codepoint != 0) {
      ImGui_ImplGlfw_CharCallback(window, e.codepoint);
    } else if (e.action != GLFW_RELEASE && is_chord(e.key, e.mods)) {
      set_modifiers((e.mods & GLFW_MOD_CONTROL) != 0, (e.mods & GLFW_MOD_SHIFT) != 0);
      ImGui::GetIO().AddKeyEvent(chord_key(e.key), true);
      chord_ = e.key;
      consumed_.insert(e.key);
      return;
    } else if (e.action == GLFW_RELEASE && consumed_.erase(e.key) > 0) {
      continue;
    } else {
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.mods);
    }
  }
}

}  // namespace attnscope::gui
