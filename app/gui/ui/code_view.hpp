// A text with colours, line numbers and marks, to be edited: draws the lines in view, and gives keys to a TextBuffer.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// Apart from each other, and none that a state (good, warning, bad) or the accent has; read on the ground of the text.
ImU32 ink_colour(Ink);
/// Of colours::accent_dim, over selected text.
constexpr float kSelected = 0.4f;

/// At a line (from 0): shown in the margin, the text on hover.
struct CodeMark {
  size_t line = 0;
  std::string text;
};

struct CodeKeys {
  bool save = false, find = false;  ///< were pressed while the caret was in the text
};

/// Over all the room there is. `id`: of the widget, and of what is remembered between frames (scrolling). `go_to`: a
/// line to bring into view with the caret at it, or -1. `focus`: the keys are the text's from now on. `show_caret`:
/// the caret was moved, and is brought into view.
CodeKeys code_view(Ui&, const std::string& id, Editor::Document&, const std::vector<CodeMark>&, long go_to = -1,
                   bool focus = false, bool show_caret = false);

}  // namespace attnscope::gui
