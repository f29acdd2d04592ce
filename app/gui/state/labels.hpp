// Names of runs that stand beside one another: short, and different where the runs are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/gui/state/known.hpp"
#include "engine/record/record.hpp"

namespace attnscope::gui {

/// Whether the problem stands beside the name anyway, as in a table with a column for it.
enum class ProblemShown { beside, nowhere };

/// One for each record, in order: the engine's short name of its config ("tiled M=16 N=32"). Where the records differ
/// in device, cache or launch mode every name says its own ("cold"); where names would still be the same, they say what
/// differs: the problem (unless it is shown beside), the version of the shader ("#1" is the oldest), the seed, and at
/// last which of several takes of the very same run it is ("take 2").
std::vector<std::string> labels_of(std::span<const Record* const>, const Known&, ProblemShown = ProblemShown::beside);

/// For each record, in order, a name of its device that no other device here has, as short as that can be.
std::vector<std::string> device_names(std::span<const Record* const>);

/// All that a record is of, for a hover: device, problem, config in full, modes, shader, samples.
std::string described(const Record&);

}  // namespace attnscope::gui
