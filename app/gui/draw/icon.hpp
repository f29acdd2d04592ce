// The window's icon, as assets/icons/attnscope.svg has it: a causal mask in three rows.
#pragma once

#include "app/gui/draw/canvas.hpp"

namespace attnscope::gui {

/// `size` x `size` pixels.
Picture icon(int size);

}  // namespace attnscope::gui
