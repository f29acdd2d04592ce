// The variants of a search in the order of their best.
#pragma once

#include <vector>

#include "app/gui/state/searched.hpp"

namespace attnscope::gui {

/// Those with a time, the fastest first; of equal ones that which was told first.
std::vector<const Searched::Arm*> fastest_first(const Searched&);

}  // namespace attnscope::gui
