// What the panels of searches share: how far one is, and what begins and ends one.
#pragma once

#include "app/gui/ui.hpp"

namespace attnscope::gui {

/// "sweeping 1x4x64x32: 123 of 400, 40 s left, best 1.2 ms"
std::string search_line(const Workbench&);
/// Variants, order and budget of a search, whatever the form says by now.
std::string begun_with(const Search&);
/// A meter and a line of how far the search is, while it runs; else what came of it.
void search_progress(Ui&);
/// To show the best so far, and to remember it too; nothing where there is none. `first`: remembering it is what comes
/// next.
void best_buttons(Ui&, const char* show_id, const char* remember_id, bool first);
/// "of another problem, 1x4x64x32" in a warning's colour, where the search is not of what is asked.
void search_of_other(Ui&);
/// The variant and what sets the config apart from its defaults.
std::string trial_name(const Workbench&, const SlimTrial&);
/// What a hover tells of a trial.
std::vector<std::string> trial_lines(const Workbench&, const SlimTrial&);

}  // namespace attnscope::gui
