// Comparisons in few words.
#pragma once

#include <string>

#include "app/gui/state/matrix.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

/// "FASTER 1.23×", "SAME", "UNSURE"
std::string relation_text(const Comparison&);
/// The same of a cell; where the two cannot be compared the ratio of their medians alone, without a word: "(0.52×)".
std::string cell_text(const MatrixCell&);

/// The headline over Inspection::why_not.
std::string cannot_run(const Inspection&);

}  // namespace attnscope::gui
