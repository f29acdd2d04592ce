// Ctrl chords as the window system reports them with the key itself. ImGui asks for the modifier's own state instead, which
// a fast or synthetic chord may have changed already.
#pragma once

#include <vector>

namespace attnscope::gui {

/// Upper-case letters pressed with Ctrl since the last frame; shortcuts() empties it.
inline std::vector<int>& pending_chords() {
  static std::vector<int> chords;
  return chords;
}

}  // namespace attnscope::gui
