#include "app/gui/ui/widgets.hpp"

#include <cfloat>

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {

void Ui::mark(const std::string& id, bool enabled) {
  const ImRect rect{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
  mark(id, rect.Min, rect.Max, enabled);
  // ImGui draws none round an invisible button.
  ImGui::RenderNavHighlight(rect, ImGui::GetItemID());
  if (ImGui::GetIO().NavVisible && ImGui::IsItemFocused()) shell.focused = id;
  widgets[id].visible = ImGui::IsItemVisible();
}

void Ui::mark(const std::string& id, ImVec2 min, ImVec2 max, bool enabled) {
  widgets[id] = {min.x, min.y, max.x, max.y, enabled, ImGui::IsRectVisible(min, max)};
}

void begin_wide(const char* id, float least) {
  const bool narrow = ImGui::GetContentRegionAvail().x < px(least);
  if (narrow) ImGui::SetNextWindowContentSize({px(least), 0});
  ImGui::BeginChild(id, {0, 0}, 0, kPart | (narrow ? ImGuiWindowFlags_HorizontalScrollbar : 0));
}

void column(const char* id, float width, const std::function<void()>& draw, bool scrolls) {
  ImGui::BeginChild(id, {width, 0}, 0, kPart | (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar));
  draw();
  ImGui::EndChild();
}

void rows_in_view(size_t count, const std::function<void(size_t)>& draw, float height) {
  ImGuiListClipper rows;
  rows.Begin(int(count), height);
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) draw(size_t(i));
}

bool hit_area(const std::string& id, ImVec2 size) {
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {std::max(1.f, size.x), std::max(1.f, size.y)});
  ImGui::PopItemFlag();
  return clicked;
}

namespace {

/// Where the cells begin, and the end of the last: all as wide as each other, unless one then could not hold its label.
std::vector<float> cell_edges(const std::vector<std::string>& labels, float width) {
  std::vector<float> needs;
  float widest = 0, sum = 0, written = 0;
  for (const std::string& label : labels) written += ImGui::CalcTextSize(label.c_str()).x;
  // Where room is short the gaps go before the labels.
  const float gap = std::clamp((width - written) / float(labels.size()), px(3), px(14));
  for (const std::string& label : labels) {
    needs.push_back(ImGui::CalcTextSize(label.c_str()).x + gap);
    widest = std::max(widest, needs.back());
    sum += needs.back();
  }
  const float even = width / float(labels.size()), spare = std::max(0.f, width - sum) / float(labels.size());
  std::vector<float> edges{0};
  for (const float need : needs)
    edges.push_back(edges.back() + (widest <= even ? even : sum <= width ? need + spare : need * width / sum));
  return edges;
}

std::string cut(ImFont* font, const std::string& whole, float width) {
  if (width_of(font, whole) <= width) return whole;
  const std::string text = with_initials(whole);
  if (width_of(font, text) <= width) return text;
  const char* rest = nullptr;
  float room = std::max(0.f, width - width_of(font, "\u2026"));
  const auto within = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  // A config is cut in its middle: its end may be all that tells it from another.
  size_t tail = text.size();
  const float third = text.find('=') == text.npos ? 0 : room / 3;
  while (tail > 0 && width_of(font, text.substr(tail - 1)) <= third) --tail;
  while (tail < text.size() && within(tail)) ++tail;
  room -= width_of(font, text.substr(tail));
  font->CalcTextSizeA(font->FontSize, room, 0, text.data(), text.data() + text.size(), &rest);
  size_t keep = rest ? size_t(rest - text.data()) : 0;
  while (keep > 0 && within(keep)) --keep;
  return text.substr(0, keep) + "\u2026" + text.substr(tail);
}

/// A click or a letter that is typed is over a tip: until the mouse moves on, none covers what came of it.
bool tips_wait() {
  static ImVec2 acted_at{-FLT_MAX, -FLT_MAX};
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.InputQueueCharacters.empty() || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) acted_at = io.MousePos;
  return std::hypot(io.MousePos.x - acted_at.x, io.MousePos.y - acted_at.y) < px(12);
}

}  // namespace

int segmented(Ui& ui, const std::string& id, const std::vector<std::string>& labels, int selected, float width,
              const std::function<std::string(size_t)>& why_not, ImFont* font, const std::vector<std::string>& ids) {
  if (labels.empty()) return -1;
  if (font) ImGui::PushFont(font);
  const float height = ImGui::GetFrameHeight();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<float> edges = cell_edges(labels, width);
  ImGui::InvisibleButton(id.c_str(), {width, height});
  ui.mark(id);
  // The first click after the keys is the mouse's.
  const bool keys = ImGui::GetIO().NavVisible && ImGui::IsItemFocused() && !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const bool hovered = !keys && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled),
             active = ImGui::IsItemActive();
  // A button held still chooses nothing again: what an undo took back stays so.
  const bool moved = active && !keys && (ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0);
  const auto right_of_mouse = std::upper_bound(edges.begin(), edges.end(), ImGui::GetIO().MousePos.x - origin.x);
  const int under = std::clamp(int(right_of_mouse - edges.begin()) - 1, 0, int(labels.size()) - 1);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float round = ImGui::GetStyle().FrameRounding;
  draw->AddRectFilled(origin, {origin.x + width, origin.y + height}, colours::raised, round);
  int chosen = -1;
  std::string reason_under;
  // What is chosen or pointed at is written whole: last, on a ground of its own where it reaches over its neighbours.
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) {
    return int(i) == selected ? 1 : hovered && int(i) == under ? 2 : 0;
  });
  for (const size_t i : order) {
    const std::string reason = why_not ? why_not(i) : "";
    const ImVec2 min{origin.x + edges[i], origin.y}, max{origin.x + edges[i + 1], origin.y + height};
    const float cell = max.x - min.x;
    ui.mark(id + "." + (i < ids.size() ? ids[i] : labels[i]), min, max, reason.empty());
    const bool here = hovered && int(i) == under;
    if (here) reason_under = reason;
    const ImVec2 size = ImGui::CalcTextSize(labels[i].c_str());
    const float over = std::max(0.f, (size.x + px(4) - cell) / 2);
    const ImVec2 from{min.x + px(1) - over, min.y + px(1)}, to{max.x - px(1) + over, max.y - px(1)};
    if (int(i) == selected)
      draw->AddRectFilled(from, to, reason.empty() ? colours::chosen : colours::bad, round - 1);
    else if (here && (reason.empty() || over > 0))
      draw->AddRectFilled(from, to, colours::raised_hover, round - 1);
    const ImU32 ink = !reason.empty()      ? int(i) == selected ? colours::window : colours::faint
                      : int(i) == selected ? colours::text
                                           : colours::soft;
    const ImVec2 at{std::floor((min.x + max.x - size.x) / 2), std::floor((min.y + max.y - size.y) / 2)};
    const bool fits = size.x <= cell - px(2), whole = fits || int(i) == selected || here;
    const ImVec4 clip{min.x, min.y, max.x, max.y};
    draw->AddText(nullptr, 0, whole ? at : ImVec2{min.x + px(2), at.y}, ink, labels[i].c_str(), nullptr, 0,
                  whole ? nullptr : &clip);
    if (!reason.empty() && int(i) != selected && fits)
      draw->AddLine({at.x - px(2), at.y + size.y / 2}, {at.x + size.x + px(2), at.y + size.y / 2}, colours::faint,
                    px(1));
    if (i > 0 && int(i) != selected && int(i) - 1 != selected)
      draw->AddLine({min.x, min.y + px(6)}, {min.x, max.y - px(6)}, colours::line, px(1));
    if (moved && int(i) == under && int(i) != selected && reason.empty()) chosen = int(i);
  }
  if ((hovered || keys) && !active && !ImGui::GetIO().WantTextInput) {
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) ImGui::SetKeyOwner(key, ImGui::GetItemID());
    const auto step = [&](int direction) {
      for (int i = selected + direction; i >= 0 && i < int(labels.size()); i += direction)
        if (!why_not || why_not(size_t(i)).empty()) return i;
      return -1;
    };
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) chosen = step(-1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) chosen = step(+1);
  }
  if (font) ImGui::PopFont();
  if (!reason_under.empty()) tip_for_last(labels[size_t(under)] + ": " + reason_under);
  return chosen;
}

float segments_width(const std::vector<std::string>& labels) {
  float width = 0;
  for (const std::string& label : labels) width += width_of(fonts.small, label) + px(16);
  return width;
}

void keys_to_next_field(const char* id) {
  // ImGui's SetKeyboardFocusHere() acts a frame later: until then a letter would be a command.
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavActivateId = ImGui::GetID(id);
  g.NavActivateFlags = ImGuiActivateFlags_PreferInput;
}

bool begin_popup(const char* id) {
  if (!ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) return false;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !ImGui::IsAnyItemActive()) ImGui::CloseCurrentPopup();
  return true;
}

bool begin_combo(Ui& ui, const std::string& id, const std::string& shown, float width, const std::string& tip,
                 ImGuiComboFlags flags) {
  ImGui::SetNextItemWidth(width);
  const ImVec2 padding = ImGui::GetStyle().FramePadding, at = ImGui::GetCursorScreenPos();
  const float left = ImGui::CalcItemWidth() - ImGui::GetFrameHeight();
  const std::string text = cut(ImGui::GetFont(), shown, left - padding.x);
  const bool open = ImGui::BeginCombo(("##" + id).c_str(), text.c_str(), flags | ImGuiComboFlags_NoArrowButton);
  if (open && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  // ImGui's own has the ink of the text.
  if (!open)
    ImGui::RenderArrow(ImGui::GetWindowDrawList(), {at.x + left + padding.y, at.y + padding.y}, colours::soft,
                       ImGuiDir_Down);
  ui.mark(id);
  if (!open) tip_for_last(tip);
  return open;
}

bool button(Ui& ui, const char* id, const std::string& label, const char* tip, bool enabled, bool primary,
            float width) {
  ImGui::BeginDisabled(!enabled);
  // What cannot be done now is no first choice; its ink would fade into its colour. One is: the first of a frame.
  primary = primary && enabled && !std::exchange(ui.accented, true);
  if (primary) {
    ImGui::PushStyleColor(ImGuiCol_Button, colours::accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, colours::accent_hover);
    ImGui::PushStyleColor(ImGuiCol_Text, colours::window);
  }
  const bool pressed = ImGui::Button((label + "##" + id).c_str(), {width, 0});
  if (primary) ImGui::PopStyleColor(3);
  ImGui::EndDisabled();
  ui.mark(id, enabled);
  if (tip) tip_for_last(tip);
  return pressed;
}

bool text_field(Ui& ui, const std::string& id, const char* hint, std::string& text, float width, const std::string& tip,
                ImGuiInputTextFlags flags) {
  ImGui::SetNextItemWidth(width > 0 ? width : -FLT_MIN);
  const bool entered =
      ImGui::InputTextWithHint(("##" + id).c_str(), hint, &text, flags | ImGuiInputTextFlags_EnterReturnsTrue);
  // They choose in the list below it.
  for (const ImGuiKey key : {ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    if (ImGui::IsItemActive()) ImGui::SetKeyOwner(key, ImGui::GetItemID());
  mark_with_tip(ui, id, tip);
  return entered;
}

bool check_box(Ui& ui, const std::string& id, const char* label, bool& on, const std::string& tip) {
  // The box is as high as the text, in the middle of a line of buttons.
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  ImGui::BeginGroup();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + padding.y);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {padding.x, 0});
  // The frame's ground is too near to that of a panel for a box that is empty.
  ImGui::PushStyleColor(ImGuiCol_Border, colours::faint);
  const bool clicked = ImGui::Checkbox(label, &on);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  mark_with_tip(ui, id, tip);
  return clicked;
}

bool small_button(Ui& ui, const std::string& id, const char* label, const std::string& tip) {
  // Tab passes those of a row, which the arrow keys reach.
  ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, ImGui::GetCurrentContext()->CurrentTable != nullptr);
  const bool pressed = ImGui::SmallButton(label);
  ImGui::PopItemFlag();
  mark_with_tip(ui, id, tip);
  return pressed;
}

bool choice(Ui& ui, const std::string& id, const std::string& label, bool chosen) {
  const bool clicked = ImGui::Selectable(label.c_str(), chosen);
  ui.mark(id);
  return clicked;
}

void draft_field(Ui& ui, const char* id, TextDraft& d, float width, const std::string& tip,
                 const std::function<Result<void>(const std::string&)>& take,
                 const std::function<std::pair<std::string, std::string>()>& now, ImGuiInputTextFlags flags) {
  ImGui::PushFont(fonts.mono);
  ImGui::SetNextItemWidth(width);
  const std::string name = std::string("##") + id;
  const ImVec2 padding = ImGui::GetStyle().FramePadding, at = ImGui::GetCursorScreenPos();
  const float room = ImGui::CalcItemWidth() - 2 * padding.x;
  // While nobody edits it, what is too long ends as cut texts do.
  const bool cuts = ImGui::GetActiveID() != ImGui::GetID(name.c_str()) && width_of(fonts.mono, d.text) > room;
  if (cuts) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  const bool entered = ImGui::InputText(name.c_str(), &d.text, flags | ImGuiInputTextFlags_EnterReturnsTrue);
  if (cuts) ImGui::PopStyleColor();
  if (cuts) draw_cut(fonts.mono, {at.x + padding.x, at.y + padding.y}, room, colours::text, d.text);
  const bool editing = ImGui::IsItemActive(), left = ImGui::IsItemDeactivated() && !entered,
             edited = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::PopFont();
  ui.mark(id);
  if (!editing || !d.error.empty()) tip_for_last(d.error.empty() ? tip : d.error);
  const bool told = !d.error.empty();
  if (editing && ImGui::IsItemEdited()) d.error.clear();
  if (entered || edited) {
    const Result<void> taken = take(d.text);
    d.error = taken ? "" : "Not taken: " + taken.error().message;
    if (entered && !taken) ImGui::SetKeyboardFocusHere(-1);  // to be mended: its letters are no commands
  }
  // Who leaves what was refused goes back to what there is.
  const bool dropped = left && !d.error.empty();
  if (dropped && edited && !told && !ImGui::IsKeyPressed(ImGuiKey_Escape))
    ui.bench.messages.say(Level::warning, d.error);
  const auto [of, text] = now();
  if (!editing && (d.of != of || dropped)) d = {text, of, ""};
}

void tip_for_last(const std::string& text) {
  if (tips_wait() || text.empty() ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_DelayNormal |
                            ImGuiHoveredFlags_NoSharedDelay))
    return;
  float width = px(380);
  // That of a row of a list lies beside the list, where that has room: it would cover the next rows.
  const ImGuiWindow* list = ImGui::GetCurrentWindow()->RootWindow;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float end = list->Pos.x + list->Size.x, left = list->Pos.x, right = window.x - end, more = px(22);
  if ((list->Flags & ImGuiWindowFlags_Popup) && ImGui::GetItemRectSize().x > list->Size.x * 0.6f &&
      std::max(left, right) > px(240)) {
    width = std::min(width, std::max(left, right) - more);
    const ImVec2 text_size = ImGui::CalcTextSize(text.c_str(), nullptr, false, width);
    ImGui::SetNextWindowPos(
        {right > left ? end : left, std::max(0.f, std::min(ImGui::GetItemRectMin().y, window.y - text_size.y - more))},
        ImGuiCond_Always, {right > left ? 0.f : 1.f, 0});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(10), px(8)});
  if (ImGui::BeginTooltip()) {
    wrapped_in(colours::text, text, width);
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

void mark_with_tip(Ui& ui, const std::string& id, const std::string& tip) {
  ui.mark(id);
  tip_for_last(tip);
}

ImU32 colour_of(Level level) {
  return std::array{colours::soft, colours::good, colours::warning, colours::bad}[size_t(level)];
}

float width_of(ImFont* font, const std::string& text) {
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

void text_in(ImFont* font, ImU32 colour, const std::string& text) {
  if (font) ImGui::PushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  if (font) ImGui::PopFont();
}

void label(const std::string& text) {
  ImGui::AlignTextToFramePadding();
  text_in(fonts.small, colours::soft, text);
}

void draw_text(ImVec2 at, ImU32 colour, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(fonts.small, fonts.small->FontSize, at, colour, text.c_str());
}

void wrapped_in(ImU32 colour, const std::string& text, float width) {
  if (width == 0) width = ImGui::GetContentRegionAvail().x;
  // Broken at spaces: ImGui's own break is after any full stop or comma, which a number has too.
  std::string lines, line;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = std::min(text.find_first_of(" \n", at), text.size() - 1) + 1;
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && width_of(fonts.small, line + word.substr(0, word.find_last_not_of(" \n") + 1)) > width) {
      lines.back() = '\n';
      line.clear();
    }
    lines += word;
    line += word;
    if (word.back() == '\n') line.clear();
  }
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width + 1);  // a word alone may be longer
  text_in(fonts.small, colour, lines);
  ImGui::PopTextWrapPos();
}

void to_baseline(ImFont* font) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::max(0.f, fonts.body->Ascent - font->Ascent));
}

void beside_label(float gap, ImFont* font) {
  ImGui::SameLine(0, gap);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + fonts.small->Ascent - font->Ascent);
}

void fact(const char* label, const std::string& value, ImU32 colour, const char* tip) {
  const float left = ImGui::GetCursorPosX(), room = ImGui::GetContentRegionAvail().x;
  text_cut(label, room + 1, colours::soft, fonts.small);
  const float labelled = ImGui::GetItemRectSize().x;
  if (tip) tip_for_last(tip);
  const float width = std::ceil(width_of(fonts.mono, value));
  if (labelled + px(8) + width <= room) beside_label(0, fonts.mono);
  ImGui::SetCursorPosX(left + std::max(0.f, room - width));
  text_cut(value, room + 1, colour, fonts.mono);
  if (tip) tip_for_last(tip);
}

void lamp(ImU32 colour, bool framed) {
  const float size = ImGui::GetTextLineHeight(), height = framed ? ImGui::GetFrameHeight() : size;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 centre{at.x + size / 2, at.y + height / 2};
  draw->AddCircleFilled(centre, size * 0.46f, with_alpha(colour, 0.25f));
  draw->AddCircleFilled(centre, size * 0.30f, colour);
  ImGui::Dummy({size, height});
}

void meter(float fraction, ImU32 colour, float height) {
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, colour);
  ImGui::ProgressBar(fraction, {-FLT_MIN, px(height)}, "");
  ImGui::PopStyleColor();
}

void fact_of_limit(const char* label, double amount, double limit, const std::string& text, const char* tip) {
  const bool over = limit > 0 && amount > limit;
  fact(label, text, over ? colours::bad : colours::text, tip);
  if (limit > 0) meter(float(std::min(1.0, amount / limit)), over ? colours::bad : colours::soft, 5);
}

void text_cut(const std::string& text, float width, ImU32 colour, ImFont* font, bool tip) {
  const std::string shown = cut(font ? font : ImGui::GetFont(), text, width);
  text_in(font, colour, shown);
  if (tip && shown != text) tip_for_last(text);
}

void draw_cut(ImFont* font, ImVec2 at, float width, ImU32 colour, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, at, colour, cut(font, text, width).c_str());
}

float splitter(Ui& ui, const std::string& id, bool upright, ImVec2 size) {
  hit_area(id, size);
  ui.mark(id);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (active || hovered) {
    ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const ImVec2 mid{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const float half = px(1);
    ImGui::GetWindowDrawList()->AddRectFilled(
        upright ? ImVec2{mid.x - half, a.y + px(8)} : ImVec2{a.x + px(8), mid.y - half},
        upright ? ImVec2{mid.x + half, b.y - px(8)} : ImVec2{b.x - px(8), mid.y + half},
        active ? colours::accent : colours::accent_dim, half);
  }
  const ImVec2 delta = ImGui::GetIO().MouseDelta;
  return active ? (upright ? delta.x : delta.y) / px(1) : 0;
}

void empty_hint(const std::string& title, const std::string& text, const std::function<void()>& below) {
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float widest = std::max(width_of(fonts.body, title), width_of(fonts.small, text));
  const float width = std::min({space.x, px(420), widest + 1}), left = ImGui::GetCursorPosX() + (space.x - width) / 2;
  ImGui::SetCursorPos({left, ImGui::GetCursorPosY() + std::max(0.f, space.y / 2 - ImGui::GetFrameHeight())});
  // Its lines are of its own, also beside a higher column.
  ImGui::BeginGroup();
  width_of(fonts.body, title) <= width ? text_in(fonts.body, colours::soft, title)
                                       : wrapped_in(colours::soft, title, width);
  // In a low pane what can be done comes before the reason, which scrolls.
  const bool low = space.y < px(110);
  if (below && low) below();
  wrapped_in(colours::faint, text, width);
  if (below && !low) below();
  ImGui::EndGroup();
}

bool menu_item(Ui& ui, const std::string& id, const char* label, bool enabled, const std::string& keys,
               const char* icon) {
  const bool clicked = ImGui::MenuItemEx(label, icon_or(icon, ""), keys.c_str(), false, enabled);
  ui.mark(id, enabled);
  return clicked;
}

bool begin_context_menu(const std::string& id) {
  const std::string popup = id + ".menu";
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
      ImGui::IsMouseReleased(ImGuiMouseButton_Right))
    ImGui::OpenPopup(popup.c_str());
  return begin_popup(popup.c_str());
}

}  // namespace attnscope::gui
