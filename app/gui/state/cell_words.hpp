// What is known of a cell of the sweep map that nothing was tried of. Plain values.
#pragma once

#include <string>
#include <vector>

#include "app/gui/plot/sweep_grid.hpp"

namespace attnscope::gui {

/// Whether its config can run, as far as that is known, and what would try it: sentences, for a hover.
std::vector<std::string> untried_lines(const Searched&, const SweepGrid&, size_t column, size_t row);

}  // namespace attnscope::gui
