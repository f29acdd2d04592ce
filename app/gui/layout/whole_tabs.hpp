// Which of several tabs have room side by side, each with its whole name. Numbers in, numbers out.
#pragma once

#include <cstddef>
#include <vector>

namespace attnscope::gui {

/// Indices in order: as many of the first as fit into `room`, and `chosen` (an index, or -1) in any case, in the place
/// of the last ones where it would have none.
std::vector<size_t> whole_tabs(const std::vector<float>& widths, float room, int chosen);

}  // namespace attnscope::gui
