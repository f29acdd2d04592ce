// A panel: one file, and one line in the list below.
#pragma once

#include <span>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "app/gui/ui/ui.hpp"
#include "engine/record/json.hpp"

namespace attnscope::gui {

/// One of several things that a panel shows in turn; found by its name as a panel is.
struct PanelView {
  const char *name, *title;
  void (*draw)(Ui&);
  void (*dump)(const Workbench&, nlohmann::ordered_json&);
};

struct Panel {
  const char* name;   ///< stable: of the layout, scripts and the dump
  const char* title;  ///< "" = a bar, which is no panel to move or close
  DockSide place;     ///< where it lies until somebody moves it
  void (*draw)(Ui&);  ///< nullptr: the view in front alone
  /// What it shows, as fields of the dumped state. It may not compute more than draw() does.
  void (*dump)(const Workbench&, nlohmann::ordered_json&);
  bool closer = false;  ///< it shows the config's plan and its neighbours': they are made while it is in view
  bool bare = false;    ///< alone in its group it stands without its title
  std::span<const PanelView* const> views = {};
  bool (*empty)(const Ui&) = nullptr;  ///< it has nothing to show: at the bottom it is low meanwhile
  float height = 0;                    ///< of Placed
};

#define ATTNSCOPE_PANELS(PANEL) \
  PANEL(top_bar)                \
  PANEL(parameters_panel)       \
  PANEL(timing_panel)           \
  PANEL(compare_panel)          \
  PANEL(search_panel)           \
  PANEL(why_panel)              \
  PANEL(across_panel)           \
  PANEL(editor_panel)           \
  PANEL(correctness_panel)      \
  PANEL(session_log_panel)      \
  PANEL(resources_panel)        \
  PANEL(status_bar)

#define ATTNSCOPE_PANEL(name) extern const Panel name;
ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)
#undef ATTNSCOPE_PANEL

/// Views of panels that are files of their own.
extern const PanelView matrix_view, devices_view, scaling_view, tiles_view, isa_view, map_view, lines_view, tuning_view;

const std::vector<const Panel*>& all_panels();
/// The panel of this name, or with a view of it; nullptr: there is none.
const Panel* panel_named(const std::string& name);
/// The view of a panel that is in front; nullptr: it has none.
const PanelView* view_of(const Ui&, const Panel&);
/// Brings a view to the front of its panel; nothing where `name` is a panel's own.
void choose_view(Ui&, const std::string& name);
/// Their names and places, as the layout takes them.
const std::vector<Placed>& placed_panels();
/// Panels that are not in the tree.
std::vector<std::string> closed_panels(const Area& tree);

// Pieces of the dumped state that several panels write.

Json ask_json(const Selection&);
/// A record without its samples: the state is for reading.
Json brief(const Record&);
/// Its predicted time, its lower bound and what part of the peak it reaches; false without ceilings. why.cpp
bool floor_facts(const Record&);
/// What a predicted time is, for a hover. why.cpp
std::string predicted_tip(const PredictedTime&);

}  // namespace attnscope::gui
