// What the panel of searches shares with its views and the status bar: how far one is, and the words of its trials.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// "searching 1x4x64x32: 123 of 400, 40 s left, best 1.2 ms"
std::string search_line(const Workbench&);
/// The variant and what sets the config apart from its defaults.
std::string trial_name(const Workbench&, const SlimTrial&);
/// What a hover tells of a trial.
std::vector<std::string> trial_lines(const Workbench&, const SlimTrial&);
/// What a hover tells of a config that was compiled for another GPU.
std::string compiled_text(const Resources&);
/// Which variant the map is of, and for the map alone its axes and what becomes of the other parameters.
void map_controls(Ui&, bool axes);

}  // namespace attnscope::gui
