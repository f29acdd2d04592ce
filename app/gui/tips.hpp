// What is told on hover just now.
#pragma once

#include <string>

namespace attnscope::gui {

/// The text of the tip that was drawn in this frame or the one before; "" = there is none.
std::string tip_shown();

}  // namespace attnscope::gui
