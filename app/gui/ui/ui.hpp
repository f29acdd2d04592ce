// What panels share for one frame: the workbench they show, the layout they obey, and what they ask of the app around.
#pragma once

#include <typeindex>

#include "app/gui/draw/theme.hpp"
#include "app/gui/ui/layout.hpp"
#include "app/gui/workbench/exports.hpp"
#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

/// Remembered between starts.
struct Layout {
  PanelLayout panels;           ///< none in it: the default, with the first frame
  std::string full;             ///< the panel that fills the window; "" = none
  std::string tab = "compare";  ///< the panel brought to the front last: set it, and that one comes, wherever it lies
  std::map<std::string, std::set<std::string>> hidden;  ///< by table: columns that a person does without
  Theme theme = Theme::dark;
  float zoom = 1;                              ///< of everything drawn, times the monitor's scale
  bool welcomed = false;                       ///< the steps of a first start were shown once
  std::array<bool, 5> steps_done{};            ///< of them: pick a shape, find the best, see why, compare, export
  std::string filter;                          ///< of the variant list
  std::map<std::string, std::string> view_of;  ///< by panel with several views: the one in front
};

/// Where a named widget was drawn in the last frame, in pixels of the window.
struct WidgetRect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool enabled = true, visible = true;
};

/// What a window's files are asked to do.
struct FileRequest {
  enum class What { open, save_session, report, results } what = What::open;
  std::string path = {};  ///< "" = a free name in the current folder; not to open
};

/// What a panel asks for; the app does it after the frame.
struct Requests {
  std::optional<Job> job;
  bool cancel_job = false, quit = false;
  std::optional<Search> search;
  bool cancel_search = false, keep_search = false;
  std::vector<SaveRequest> save_texts;
  std::optional<std::string> new_variant;  ///< a copy of the one that is shown, under this name
  std::vector<WayOut> out;
  std::vector<FileRequest> files;
};

struct FrameFacts {
  double fps = 0, last_ms = 0;
  std::string renderer;
};

/// What is typed into a field that shows what is asked.
struct TextDraft {
  std::string text;
  std::string of;     ///< what it was written from
  std::string error;  ///< why it was not taken; ""
};

/// What panels keep between frames, text being edited, choices, charts: of each a struct that its own file declares.
class PanelStates {
 public:
  template <class State>
  State& of() {
    std::shared_ptr<void>& state = all_[typeid(State)];
    if (!state) state = std::make_shared<State>();
    return *static_cast<State*>(state.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> all_;
};

/// The line of Layout::steps_done.
struct Welcome {
  bool open = false;
  float left = 0;                     ///< of it, in the status bar
  std::optional<Problem> shape = {};  ///< that was shown first
};

// What the frame around the panels alone keeps between frames: menus, the palette, a tab being dragged.

/// What a chooser of the desktop answers, on a thread of its own.
struct ChosenFile {
  std::atomic<bool> done = false;
  std::string path;  ///< "" = none
};

struct Shell {
  struct Palette {
    bool open = false;
    std::string text;
    int chosen = 0;
  } palette;
  std::string dragged;                                                  ///< panel whose tab is held; "" = none
  std::shared_ptr<ChosenFile> choosing;                                 ///< a chooser of the desktop is open
  bool browsing = false;                                                ///< the list of a folder is open in its place
  Memo<std::string, std::vector<std::pair<std::string, bool>>> folder;  ///< its entries; whether one is a folder
  std::vector<std::string> recent;  ///< commands taken from the palette, the newest first
  Welcome welcome;
  std::string copied;                                   ///< what was put on the clipboard last
  std::string obeyed;                                   ///< Layout::tab as it was brought to the front
  std::string under_mouse;                              ///< the panel, of the last frame
  std::string focused;                                  ///< the widget that the keys act on; "" = none
  bool view = false, files = false, messages = false;   ///< their popups are wanted
  bool help = false, presets = false, devices = false;  ///< and theirs
  bool restored = false;                                ///< the layout was made fit for the panels there are
  std::vector<std::string> commands;                    ///< wanted by a script: done with the next frame
  std::string refused;                                  ///< why one of them was not done
};

struct Ui {
  Workbench& bench;
  Layout& layout;
  PanelStates& states;
  std::map<std::string, WidgetRect>& widgets;
  Shell& shell;
  Requests requests;
  FrameFacts frame;
  bool accented = false;  ///< a button of this frame has the accent: no other gets it

  /// Names the item drawn last, for scripts and tests. Ids are stable: "problem.seq_q", "param.BLOCK_M.64".
  void mark(const std::string& id, bool enabled = true);
  void mark(const std::string& id, ImVec2 min, ImVec2 max, bool enabled = true);
};

/// All panels as the layout has them, and what lies over them: menus, palette, help.
void draw_workbench(Ui&);

}  // namespace attnscope::gui
