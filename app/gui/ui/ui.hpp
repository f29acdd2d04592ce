// What panels share for one frame: the workbench they show, the layout they obey, and what they ask of the app around.
#pragma once

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
struct FileWish {
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
  std::vector<FileWish> files;
};

struct FrameFacts {
  double fps = 0, last_ms = 0;
  std::string renderer;
};

/// A row of Compare: a pin, or the heading of the dataset that it is the first of.
struct PinRow {
  size_t pin = 0;   ///< an index into Pins::all()
  size_t file = 0;  ///< of a heading, from 1
};

/// What is typed into a field that shows what is asked.
struct TextDraft {
  std::string text;
  std::string of;     ///< what it was written from
  std::string error;  ///< why it was not taken; ""
};

/// What panels keep between frames: text being edited, choices, charts.
struct Drafts {
  TextDraft problem, config, scaling_values;
  std::string bar_problem, bar_error;
  std::map<std::string, TextDraft> numbers;  ///< of number fields, by widget
  std::string number;                        ///< the one being edited
  bool help = false;
  std::string new_variant, new_variant_error, find;
  bool open_presets = false;                 ///< the list of presets is to open
  std::string preset_words;                  ///< typed to find some of them
  size_t preset_chosen = 0;                  ///< of those found, from 1: what Enter takes; 0 = none
  std::string gpu_words;                     ///< typed to find some of the GPUs
  std::string ask_save;                      ///< path of a file that ships, whose save waits for an answer
  std::set<std::filesystem::path> may_save;  ///< folders of variants that ship, to be changed in place
  bool naming = false;                       ///< a name for a new variant is asked for
  bool finding = false;                      ///< the field of what to find is open
  bool unfolded = false;                     ///< the variants that cannot run here are shown
  std::string path;                          ///< of a file to open or to write
  std::string run_name, run_note;            ///< of the run whose menu is open
  std::string edited_run;                    ///< its key
  size_t pins_sort = 0;                      ///< column that Compare is sorted by; 0 = as pinned
  bool pins_down = false;
  Memo<std::tuple<uint64_t, size_t, bool>, std::vector<PinRow>> pin_rows;
  bool choose_device = false;                 ///< the list of "Compare on…" is to open
  std::string beside_command, beside_device;  ///< of a device to be added
  // Charts as they were drawn last.
  DrawnRoofline roofline;
  Memo<ScalingKey, DrawnScaling> scaling;
  Memo<std::pair<Problem, Tiles>, TileMap> tiles;
};

/// The strip of Layout::steps_done.
struct Welcome {
  bool open = false;
  std::optional<Problem> shape = {};  ///< that was shown first
  std::string tab = {};               ///< that was in front first, until another was
};

// What the frame around the panels keeps between frames, and nobody else needs: menus, the palette, a tab being
// dragged.

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
  std::string copied;                                  ///< what was put on the clipboard last
  std::string obeyed;                                  ///< Layout::tab as it was brought to the front
  std::string under_mouse;                             ///< the panel, of the last frame
  bool view = false, files = false, messages = false;  ///< their popups are wanted
  bool opened = false;                                 ///< the pane at the bottom had something to show
  bool restored = false;                               ///< the layout was made fit for the panels there are
  std::vector<std::string> commands;                   ///< wanted by a script: done with the next frame
  std::string refused;                                 ///< why one of them was not done
};

struct Ui {
  Workbench& bench;
  Layout& layout;
  Drafts& drafts;
  std::map<std::string, WidgetRect>& widgets;
  Shell& shell;
  Requests requests;
  FrameFacts frame;

  /// Names the item drawn last, for scripts and tests. Ids are stable: "problem.seq_q", "param.BLOCK_M.64".
  void mark(const std::string& id, bool enabled = true);
  void mark(const std::string& id, ImVec2 min, ImVec2 max, bool enabled = true);
};

/// All panels as the layout has them, and what lies over them: menus, palette, help.
void draw_workbench(Ui&);

}  // namespace attnscope::gui
