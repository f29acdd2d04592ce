// What the frame around the panels keeps between frames, and nobody else needs: menus, the palette, a tab being
// dragged.
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "app/gui/state/toasts.hpp"
#include "app/gui/state/welcome.hpp"

namespace attnscope::gui {

struct Shell {
  struct Palette {
    bool open = false, focus = false;
    std::string text;
    int chosen = 0;
    std::string start;  ///< what it is opened with
  } palette;
  struct Drag {
    std::string panel;  ///< "" = none
    bool moving = false;
    bool cancelled = false;               ///< by Escape: not again before the button is let go
    std::string pressed, pressed_before;  ///< tabs under the last two presses; "" = none
    void let_go() {
      panel.clear();
      moving = cancelled = false;
    }
  } drag;
  /// Whether the recent files can be opened: asked on a thread of its own, since a disk may be far away.
  struct RecentLook {
    std::future<std::map<std::string, std::string>> asked;
    std::map<std::string, std::string> why;  ///< why not, by path; "" = it can
  } recent_look;
  Toasts toasts;
  std::map<uint64_t, Rectangle> toast_rects;  ///< of the last frame, in pixels of the window
  Welcome welcome;
  std::string command_line;                            ///< what `attnscope --help` prints
  std::string obeyed;                                  ///< Layout::tab as it was brought to the front
  std::string under_mouse;                             ///< the panel, of the last frame
  std::map<std::string, float> content;                ///< heights that panels need, pixels at scale 1
  float would_be_higher = 0;                           ///< the panel being drawn, had it room; pixels
  std::string layout_name;                             ///< being typed
  bool settings = false, view = false, files = false;  ///< their popups are wanted
  bool help_options = false;                           ///< of the help, the command line's part
  bool restored = false;                               ///< the layout was made fit for the panels there are
  std::vector<std::string> commands;                   ///< wanted by a script: done with the next frame
};

}  // namespace attnscope::gui
