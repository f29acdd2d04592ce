// A panel: one file, and one line in the list below.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/gui/ui.hpp"

namespace attnscope::gui {

struct Panel {
  const char* name;   ///< stable: of the layout, scripts and the dump
  const char* title;  ///< "" = a bar, which is no panel to move or close
  Place place;        ///< where it lies until somebody moves it
  void (*draw)(Ui&);
  /// What it shows, as fields of the dumped state. It may not compute more than draw() does.
  void (*dump)(const Workbench&, nlohmann::ordered_json&);
  float height = 0;     ///< at the bottom: what it has at least, where there is room (pixels at scale 1)
  bool closer = false;  ///< it shows the config's plan and its neighbours': they are made while it is in view
  bool bare = false;    ///< alone in its group it stands without its title
};

#define ATTNSCOPE_PANELS(PANEL) \
  PANEL(top_bar)                \
  PANEL(problem_panel)          \
  PANEL(variants_panel)         \
  PANEL(parameters_panel)       \
  PANEL(timing_panel)           \
  PANEL(compare_panel)          \
  PANEL(matrix_panel)           \
  PANEL(devices_panel)          \
  PANEL(across_panel)           \
  PANEL(scaling_panel)          \
  PANEL(sweep_map_panel)        \
  PANEL(tuning_panel)           \
  PANEL(why_panel)              \
  PANEL(tiles_panel)            \
  PANEL(editor_panel)           \
  PANEL(correctness_panel)      \
  PANEL(session_log_panel)      \
  PANEL(messages_panel)         \
  PANEL(verdict_panel)          \
  PANEL(resources_panel)        \
  PANEL(status_bar)

#define ATTNSCOPE_PANEL(name) extern const Panel name;
ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)
#undef ATTNSCOPE_PANEL

const std::vector<const Panel*>& all_panels();
/// nullptr: there is none of this name.
const Panel* panel_named(const std::string& name);
/// Their names and places, as the layout takes them.
const std::vector<Placed>& placed_panels();

}  // namespace attnscope::gui
