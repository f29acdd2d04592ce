// Small pieces that every panel is made of.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// A bordered pane with a title; `size` as BeginChild takes it. Always pair with end_card().
bool begin_card(const char* id, const char* title, ImVec2 size, ImGuiChildFlags extra = 0);
void end_card();
/// Over the rest of the pane; below `least` pixels (at scale 1) its content scrolls sideways. Pair with EndChild().
void begin_wide(const char* id, float least);

/// One row of joined cells to click or drag along. `why_not(i)` greys a cell and is shown on hover. Returns the newly
/// chosen index, or -1.
int segmented(Ui&, const std::string& id, const std::vector<std::string>& labels, int selected, float width,
              const std::function<std::string(size_t)>& why_not = {}, ImFont* font = nullptr,
              const std::vector<std::string>& ids = {});
/// The same of a value that counts from 0.
template <class Value>
void choose(Ui& ui, const std::string& id, const std::vector<std::string>& labels, Value& value, float width,
            ImFont* font = nullptr, const std::vector<std::string>& ids = {}) {
  const int chosen = segmented(ui, id, labels, int(value), width, {}, font, ids);
  if (chosen >= 0) value = Value(chosen);
}

/// A popup that stays where it opened, and that Escape closes, unless it takes back first what was typed in a field;
/// pair with ImGui::EndPopup() when true.
bool begin_popup(const char* id);
/// One in the middle of the window that takes all input; pair with ImGui::EndPopup() when true.
bool begin_modal(const char* title, ImVec2 size, bool* open);
/// A combo box that Escape closes; pair with ImGui::EndCombo() when true.
bool begin_combo(const char* id, const std::string& shown, ImGuiComboFlags flags = 0);
/// `primary`: what comes next, in the accent's colour. `width` in pixels; 0 = of its label.
bool button(Ui&, const char* id, const char* label, const char* tip, bool enabled = true, bool primary = false,
            float width = 0);
/// A field of text that is taken with Enter, or when it is left. What was refused stays to be mended; Escape brings
/// back what is asked: `now` gives a key of that and how it is written.
void draft_field(Ui&, const char* id, TextDraft&, float width, const std::string& tip,
                 const std::function<Result<void>(const std::string&)>& take,
                 const std::function<std::pair<std::string, std::string>()>& now);
/// A button that stays down.
void toggle(Ui&, const char* id, const char* label, bool& on, const char* tip);
/// The sign at the right end of what opens a list.
void opens(ImVec2 min, ImVec2 max);
/// Text that says more when hovered.
void tip_for_last(const std::string& text);
ImU32 colour_of(Level);
/// Width of `text` in pixels.
float width_of(ImFont*, const std::string& text);
void text_in(ImFont* font, ImU32 colour, const std::string& text);
/// Small and soft, on the line of the buttons beside it.
void label(const std::string& text);
/// In the small font at a place of one's own, without an item.
void draw_text(ImVec2 at, ImU32 colour, const std::string& text);
void wrapped_in(ImU32 colour, const std::string& text);
/// A label at the left and a value at the right of the row, or below it where both do not fit, the value in the number
/// font.
void fact(const char* label, const std::string& value, ImU32 colour = colours::text, const char* tip = nullptr);
/// A filled disc of a state's colour, on the text line.
/// `framed`: centred on a line of buttons instead.
void lamp(ImU32 colour, bool framed = false);
/// A bar `fraction` full.
void meter(float fraction, ImU32 colour, float height = 6);
/// Text cut to `width` with an ellipsis; the whole on hover when it was cut, unless a hover text of the caller's
/// follows.
void text_cut(const std::string& text, float width, ImU32 colour, ImFont* font = nullptr, bool tip = true);
/// The same at a place of one's own, without an item.
void draw_cut(ImFont*, ImVec2 at, float width, ImU32 colour, const std::string& text);
/// A bar to drag between two areas; how far it was dragged in this frame, in pixels at scale 1.
float splitter(Ui&, const std::string& id, bool upright, ImVec2 size);
/// What is typed from this frame on goes into the next field, whose ImGui name is `id`.
void keys_to_next_field(const char* id);
/// A centred hint for a pane that has nothing to show.
void empty_hint(const std::string& title, const std::string& text);

// What a right click on something offers.

struct MenuItem {
  std::string id = {};     ///< for scripts, within the menu
  std::string label = {};  ///< "" = a line between entries
  std::function<void()> run = {};
  bool enabled = true;
  std::string keys = {};  ///< that do the same; "" = none
};

/// Of the item drawn last; call right after it. Entries are widgets "ID.menu.ENTRY", where `id` is the item's own name.
/// `items` is asked only while the menu is open, so a row of a table may have one. The caller's item must have an ID
/// that is no other's, which rows get by PushID.
void context_menu(Ui&, const std::string& id, const std::function<std::vector<MenuItem>()>& items);

/// The entries alone, within any popup.
void menu_items(Ui&, const std::string& id, const std::vector<MenuItem>&);

}  // namespace attnscope::gui
