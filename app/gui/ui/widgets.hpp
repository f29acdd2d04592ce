// Small pieces that every panel is made of.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// Of a child window that is part of its panel, for the keys too.
inline constexpr ImGuiWindowFlags kPart = ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NavFlattened;

/// Over the rest of the pane; below `least` pixels (at scale 1) its content scrolls sideways. Pair with EndChild().
void begin_wide(const char* id, float least);

/// A column of a panel, `width` pixels wide (0 = the rest); it scrolls unless `scrolls` is false.
void column(const char* id, float width, const std::function<void()>& draw, bool scrolls = true);

/// Draws those of `count` rows that are in view; `height`: of each, with its spacing, or -1 = as the first is.
void rows_in_view(size_t count, const std::function<void(size_t)>& draw, float height = -1);

/// What the mouse alone acts on: the keys' focus passes it. True when it was clicked.
bool hit_area(const std::string& id, ImVec2 size);

/// Joined cells to click, drag along or reach by arrows; `why_not(i)` greys one. Returns the newly chosen index, or -1.
int segmented(Ui&, const std::string& id, const std::vector<std::string>& labels, int selected, float width,
              const std::function<std::string(size_t)>& why_not = {}, ImFont* font = nullptr,
              const std::vector<std::string>& ids = {});
/// How wide such a row is with labels in the small font.
float segments_width(const std::vector<std::string>& labels);
/// The same of a value that counts from 0.
template <class Value>
void choose(Ui& ui, const std::string& id, const std::vector<std::string>& labels, Value& value, float width,
            ImFont* font = nullptr, const std::vector<std::string>& ids = {}) {
  const int chosen = segmented(ui, id, labels, int(value), width, {}, font, ids);
  if (chosen >= 0) value = Value(chosen);
}

/// A popup that stays in its place and that Escape closes, unless a field takes that; pair with EndPopup() when true.
bool begin_popup(const char* id);
/// A combo box that Escape closes; pair with ImGui::EndCombo() when true. `tip`: of a closed one.
bool begin_combo(Ui&, const std::string& id, const std::string& shown, float width, const std::string& tip = "",
                 ImGuiComboFlags flags = 0);
/// `primary`: what comes next, in the accent's colour. `width` in pixels; 0 = of its label.
bool button(Ui&, const char* id, const std::string& label, const char* tip, bool enabled = true, bool primary = false,
            float width = 0);
inline float button_width(const std::string& label) {
  return ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}
/// A field of one line, `width` pixels wide (0 = the rest); true when Enter ended it.
bool text_field(Ui&, const std::string& id, const char* hint, std::string& text, float width = 0,
                const std::string& tip = "", ImGuiInputTextFlags = 0);
bool check_box(Ui&, const std::string& id, const char* label, bool& on, const std::string& tip = "");
bool small_button(Ui&, const std::string& id, const char* label, const std::string& tip);
/// A line of an open list; true when it was clicked.
bool choice(Ui&, const std::string& id, const std::string& label, bool chosen);
/// A field of text that is taken with Enter, or when it is left. What was refused stays to be mended; Escape brings
/// back what is asked: `now` gives a key of that and how it is written.
void draft_field(Ui&, const char* id, TextDraft&, float width, const std::string& tip,
                 const std::function<Result<void>(const std::string&)>& take,
                 const std::function<std::pair<std::string, std::string>()>& now, ImGuiInputTextFlags = 0);
void tip_for_last(const std::string& text);
/// Names the last item for scripts, and says more when it is hovered.
void mark_with_tip(Ui&, const std::string& id, const std::string& tip);
ImU32 colour_of(Level);
float width_of(ImFont*, const std::string& text);
void text_in(ImFont* font, ImU32 colour, const std::string& text);
/// Small and soft, on the line of the buttons beside it.
void label(const std::string& text);
/// In the small font at a place of one's own, without an item.
void draw_text(ImVec2 at, ImU32 colour, const std::string& text);
void wrapped_in(ImU32 colour, const std::string& text, float width = 0);  ///< 0: to the right edge
/// On a line of the body font, text in `font` has its baseline.
void to_baseline(ImFont* font);
/// On to the line of a label in the small font: text in `font` has its baseline.
void beside_label(float gap, ImFont* font);
/// A label at the left and a value in the number font at the right of the row, or below it where both do not fit.
void fact(const char* label, const std::string& value, ImU32 colour = colours::text, const char* tip = nullptr);
/// A filled disc of a state's colour, on the text line. `framed`: centred on a line of buttons instead.
void lamp(ImU32 colour, bool framed = false);
void meter(float fraction, ImU32 colour, float height = 6);
/// A fact with a bar below it: `amount` of `limit`, bad beyond it. No bar where there is no limit.
void fact_of_limit(const char* label, double amount, double limit, const std::string& text, const char* tip);
/// Text cut to `width` with an ellipsis; with `tip` the whole on hover when it was cut.
void text_cut(const std::string& text, float width, ImU32 colour, ImFont* font = nullptr, bool tip = true);
/// The same at a place of one's own, without an item.
void draw_cut(ImFont*, ImVec2 at, float width, ImU32 colour, const std::string& text);
/// A bar to drag between two areas; how far it was dragged in this frame, in pixels at scale 1.
float splitter(Ui&, const std::string& id, bool upright, ImVec2 size);
/// What is typed from this frame on goes into the next field, whose ImGui name is `id`.
void keys_to_next_field(const char* id);
/// A centred hint for a pane that has nothing to show.
void empty_hint(const std::string& title, const std::string& text, const std::function<void()>& below = {});

/// An entry of a menu, for scripts named `id`; true when it was clicked. `keys` do the same; `icon` stands before it.
bool menu_item(Ui&, const std::string& id, const char* label, bool enabled = true, const std::string& keys = "",
               const char* icon = "");
/// Of the item drawn last, opened by a right click; pair with ImGui::EndPopup() when true.
bool begin_context_menu(const std::string& id);

}  // namespace attnscope::gui
