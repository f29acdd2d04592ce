// What has just finished, for a few seconds in a corner: messages that lead to a panel. They stay in the log.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/model/memo.hpp"
#include "app/gui/model/messages_log.hpp"

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

 private:
  std::vector<Toast> all_;
  uint64_t seen_ = 0;
};

// The steps of a first start: pick a shape, find the best, see why, compare, export. What of them was done.

/// What went on since the last frame.
struct WelcomeNews {
  std::string problem;  ///< as text; "" while none is known
  bool search_ended = false, why_in_view = false;
  bool compared = false;  ///< what is shown has a word against a pin
};

struct Welcome {
  static constexpr size_t kAll = 5;

  bool open = false;
  /// In the order of the steps.
  std::array<bool, kAll> done{};

  /// A step once done stays done.
  void watch(const WelcomeNews&);
  /// A file was written.
  void got_out() { done[4] = true; }
  /// The step to do next; kAll = all are done.
  size_t next() const;
  /// Begins anew.
  void restart();

 private:
  std::string first_;
};

// Finding a line by a few of its letters.

/// How well `typed` names `text`, more is better; nullopt: not at all. Its words, in any order and whatever their case,
/// are pieces of the text, or letters that begin its words. Nothing typed: 0.
/// `letters`: takes the places of the letters found.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text, std::vector<size_t>* letters = nullptr);
/// Indices of those that match, the best first; equal ones in their order.
std::vector<size_t> fuzzy_order(std::string_view typed, const std::vector<std::string>& texts);

// What the frame around the panels keeps between frames, and nobody else needs: menus, the palette, a tab being
// dragged.

/// What a chooser of the desktop answers, on a thread of its own.
struct ChosenFile {
  std::atomic<bool> done = false;
  std::string path;  ///< "" = none
};

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
  std::shared_ptr<ChosenFile> choosing;                                 ///< a chooser of the desktop is open
  bool browsing = false;                                                ///< the list of a folder is open in its place
  Memo<std::string, std::vector<std::pair<std::string, bool>>> folder;  ///< its entries; whether one is a folder
  std::vector<std::string> recent;  ///< commands taken from the palette, the newest first
  Toasts toasts;
  bool toast_hovered = false;  ///< in the last frame
  Welcome welcome;
  std::string copied;                                                    ///< what was put on the clipboard last
  std::string obeyed;                                                    ///< Layout::tab as it was brought to the front
  std::string under_mouse;                                               ///< the panel, of the last frame
  std::string layout_name;                                               ///< being typed
  bool settings = false, view = false, files = false, messages = false;  ///< their popups are wanted
  bool restored = false;              ///< the layout was made fit for the panels there are
  std::vector<std::string> commands;  ///< wanted by a script: done with the next frame
};

}  // namespace attnscope::gui
