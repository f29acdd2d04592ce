// A panel: one file, and one line in the list below.
#pragma once

#include "app/gui/ui/plot_widgets.hpp"

namespace attnscope::gui {

/// One of several things that a panel shows in turn; found by its name as a panel is.
struct PanelView {
  const char *name, *title;
  void (*draw)(Ui&);
  void (*dump)(const Workbench&, nlohmann::ordered_json&);
};

struct Panel {
  const char* name;             ///< stable: of the layout, scripts and the dump
  const char* title;            ///< "" = a bar, which is no panel to move or close
  void (*draw)(Ui&) = nullptr;  ///< none: the view in front alone
  /// What it shows, as fields of the dumped state. It may not compute more than draw() does.
  void (*dump)(const Workbench&, nlohmann::ordered_json&) = nullptr;
  bool closer = false;  ///< it shows the config's plan and its neighbours': they are made while it is in view
  bool bare = false;    ///< alone in its group it stands without its title
  std::span<const PanelView* const> views = {};
  float least_w = 220, least_h = 174, kept_h = 0;  ///< of Needs
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
extern const PanelView scaling_view, tiles_view, map_view, lines_view;

const std::vector<const Panel*>& all_panels();
/// The panel of this name, or with a view of it; nullptr: there is none.
const Panel* panel_named(const std::string& name);
/// The view of a panel that is in front; nullptr: it has none.
const PanelView* view_of(const Ui&, const Panel&);
/// Brings a view to the front of its panel; nothing where `name` is a panel's own.
void choose_view(Ui&, const std::string& name);
/// Names of those that are no bars.
const std::vector<std::string>& panel_names();

/// The copy of a variant that Editor asks a name for, and that the app makes.
struct NewVariant {
  std::string name, error;
  bool naming = false;
};

Json ask_json(const Selection&);
/// A record without its samples: the state is for reading.
Json brief(const Record&);
/// Its predicted time, its lower bound and what part of the peak it reaches; false without ceilings. why.cpp
bool floor_facts(const Record&);
/// What a predicted time is, for a hover. why.cpp
std::string predicted_tip(const PredictedTime&);

// Searches: how far one is, and the words of its trials.

/// "searching 1x4x64x32: 123 of 400, 40 s left, best 1.2 ms"
std::string search_line(const Workbench&);
/// The variant and what sets the config apart from its defaults.
std::string trial_name(const Workbench&, const SlimTrial&);
/// What a hover tells of a trial.
std::vector<std::string> trial_lines(const Workbench&, const SlimTrial&);
/// Which variant the map is of, and for the map alone its axes and what becomes of the other parameters.
void map_controls(Ui&, bool axes);

/// Cancels the job that runs, once; until it ends it says so. across.cpp
void cancel_button(Ui&, const char* id, const std::string& label, const char* tip);

/// A column of numbers in any table, by its title: its heading, and its cell in the row of a record.
FittedTable::Column number_column(std::string_view title, int expendable = 0);
void number_cell(FittedTable&, size_t column, std::string_view title, const Record&);
ImU32 relation_colour(Relation);
/// Its word and ratio; true when it is shown.
bool word_cell(FittedTable&, size_t column, const Comparison&, const std::string& what, bool in_turn = false);
ImU32 verdict_colour(const Record&);

// The verdict in few words, as the headline of the timing and the panel of Correctness tell it.

struct VerdictLight {
  ImU32 colour = 0;
  std::string word = {};  ///< "Correct"
  std::string more = {};  ///< "6 % of allowed"; ""
  std::string why = {};   ///< a sentence, of what is not correct; ""
};
VerdictLight verdict_light(const Workbench&);
bool can_pin(const Workbench&);  ///< there are samples, or nothing forbids them
/// Of live sampling; a search is ended.
void pause_or_resume(Ui&);

/// Which list it stands in: what can be done differs.
enum class RunPlace { log, pins };

/// Opens with open_run_menu(); call each frame for each row in view, within its id. `id`: "log.7"; `pin`: or 0.
void run_menu(Ui&, const std::string& id, const RunRow&, RunPlace, uint64_t pin = 0);
void open_run_menu();

/// Opening and saving: a small menu with a path, wherever it is offered; opens with ImGui::OpenPopup("files").
void files_menu(Ui&);

// The pickers of the top bar. Of presets, the first things a person may want stand first.

/// Those for a first look on such a device, a quick look, then all others as they come. Valid as long as the presets.
std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>&, bool software);

/// One line of the list: a problem of a preset.
struct PresetRow {
  const ProblemPreset* preset = nullptr;
  size_t problem = 0;  ///< into ProblemPreset::problems
};
/// Those that have every typed word in their own text, or their preset's name or summary, whatever its case.
std::vector<PresetRow> find_presets(const std::vector<const ProblemPreset*>&, std::string_view typed);

/// The text, and an arrow that opens the fields and the presets; `width` in pixels.
void problem_picker(Ui&, float width);
void variant_picker(Ui&, float width);
void dump_variants(const Workbench&, Json&);

/// Over what is kept of a variant whose present text does not load.
inline constexpr const char* kLastGood = "Of the last good version; the Editor shows why.";

}  // namespace attnscope::gui
