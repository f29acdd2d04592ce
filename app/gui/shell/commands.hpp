// Everything that can be asked for by name: declared once, for the palette, the keys, the help, the menus and scripts.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

struct Chord {
  ImGuiKey key = ImGuiKey_None;
  bool ctrl = false, shift = false;
};

struct Command {
  std::string id;             ///< stable: "pin", "panel.why"
  std::string title;          ///< what it does, as the palette and the help say it
  std::string group;          ///< of the help and the palette
  std::vector<Chord> chords;  ///< the first one is told
  std::function<void(Ui&)> run;
  std::function<bool(const Ui&)> can = {};  ///< none: always
};

/// Those that are always there: with their keys.
const std::vector<Command>& fixed_commands();
/// And those of what there is now: panels, layouts, variants, configs, presets, devices.
std::vector<Command> all_commands(const Ui&);
/// "Ctrl+Z"; "" when it has none.
std::string keys_text(const Command&);
/// Of a fixed command; "" when there is none of this name.
std::string keys_of(const std::string& id);
/// The error says why it is not done: none has this name, it cannot be done now, or what it asked for was refused.
Result<void> run_command(Ui&, const std::string& id);
/// Does what the keys ask for; call once a frame.
void shortcuts(Ui&);

// The panels in their groups: drawn, dragged, closed, brought back. The layout says where each lies.

/// Over what is left of the window, but for `below` at its bottom (pixels).
void draw_dock(Ui&, float below);

/// To the front, opened where it was closed.
void show_panel(Ui&, const std::string& name);
void close_panel(Ui&, const std::string& name);
void take_layout(Ui&, const ShippedLayout&);
/// What is in a group but hidden behind another tab is open; so are all panels of the default.
bool is_open(const Ui&, const std::string& name);

}  // namespace attnscope::gui
