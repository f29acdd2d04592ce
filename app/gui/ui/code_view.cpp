#include "app/gui/ui/code_view.hpp"

#include <imgui_internal.h>

namespace attnscope::gui {

ImU32 ink_colour(Ink ink) {
  const bool dark = theme_now() == Theme::dark;
  switch (ink) {
    case Ink::keyword: return dark ? IM_COL32(198, 160, 246, 255) : IM_COL32(124, 58, 190, 255);
    case Ink::type: return dark ? IM_COL32(139, 186, 255, 255) : IM_COL32(24, 86, 178, 255);
    case Ink::builtin: return dark ? IM_COL32(166, 200, 220, 255) : IM_COL32(52, 96, 120, 255);
    case Ink::number: return dark ? IM_COL32(238, 190, 190, 255) : IM_COL32(150, 60, 80, 255);
    case Ink::text: return dark ? IM_COL32(201, 209, 160, 255) : IM_COL32(88, 100, 20, 255);
    case Ink::comment: return dark ? IM_COL32(142, 154, 169, 255) : IM_COL32(84, 94, 108, 255);
    case Ink::directive: return dark ? IM_COL32(222, 160, 214, 255) : IM_COL32(150, 40, 140, 255);
    case Ink::section: return dark ? IM_COL32(222, 160, 214, 255) : IM_COL32(150, 40, 140, 255);
    case Ink::plain: break;
  }
  return colours::text;
}

namespace {

struct Geometry {
  ImVec2 origin;  ///< of the first line's text, scrolled
  float column = 8, line = 16, margin = 40;
  ImVec2 at(const std::string& text, TextPlace p) const {
    return {origin.x + column * float(TextBuffer::shown_column(text, p.column)), origin.y + line * float(p.line)};
  }
};

TextPlace place_at(const TextBuffer& buffer, const Geometry& g, ImVec2 mouse) {
  const auto last = double(buffer.lines().size() - 1);
  const auto line = size_t(std::clamp(std::floor(double(mouse.y - g.origin.y) / double(g.line)), 0.0, last));
  const double column = std::max(0.0, std::round(double(mouse.x - g.origin.x) / double(g.column)));
  return {line, TextBuffer::byte_of(buffer.lines()[line], size_t(column))};
}

std::string with_spaces(std::string_view text, size_t column) {
  std::string out;
  for (const char c : text) {
    const size_t width = c == '\t' ? TextBuffer::kTab - column % TextBuffer::kTab : 0;
    out += width > 0 ? std::string(width, ' ') : std::string(1, c);
    column += width > 0 ? width : (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  }
  return out;
}

void draw_line(Editor::Document& d, const Geometry& g, size_t line) {
  const std::string& text = d.buffer.lines()[line];
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const std::vector<InkSpan> spans = d.ink.spans(d.buffer.lines(), d.buffer.version(), line);
  size_t at = 0, next = 0;
  while (at < text.size()) {
    const bool inked = next < spans.size() && spans[next].begin <= at;
    const size_t end = inked ? spans[next].end : next < spans.size() ? spans[next].begin : text.size();
    const std::string piece = text.substr(at, end - at);
    if (piece.find_first_not_of(" \t\r") != piece.npos)
      draw->AddText(fonts.mono, fonts.mono->FontSize, g.at(text, {line, at}),
                    ink_colour(inked ? spans[next].ink : Ink::plain),
                    with_spaces(piece, TextBuffer::shown_column(text, at)).c_str());
    if (inked) ++next;
    at = end;
  }
}

void draw_selection(const TextBuffer& b, const Geometry& g, size_t first, size_t last) {
  if (!b.selected()) return;
  const TextPlace from = std::min(b.caret(), b.anchor()), to = std::max(b.caret(), b.anchor());
  for (size_t i = std::max(first, from.line); i <= std::min(last, to.line); ++i) {
    const std::string& text = b.lines()[i];
    const ImVec2 a = g.at(text, {i, i == from.line ? from.column : 0});
    ImVec2 e = g.at(text, {i, i == to.line ? to.column : text.size()});
    if (i < to.line) e.x += g.column * 0.6f;
    ImGui::GetWindowDrawList()->AddRectFilled(a, {e.x, e.y + g.line}, with_alpha(colours::accent_dim, kSelected));
  }
}

bool take_keys(TextBuffer& b, float page, CodeKeys& out) {
  ImGuiIO& io = ImGui::GetIO();
  bool acted = false;
  const auto pressed = [&](ImGuiKey key) {
    const bool is = ImGui::IsKeyPressed(key, true);
    acted = acted || is;
    return is;
  };
  const bool ctrl = io.KeyCtrl, shift = io.KeyShift;
  if (!ctrl && !io.KeyAlt)
    for (const ImWchar c : io.InputQueueCharacters) {
      if (c < 32 || c == 127) continue;
      char utf8[5]{};
      ImTextCharToUtf8(utf8, c);
      b.insert(utf8);
      acted = true;
    }
  io.InputQueueCharacters.resize(0);
  if (pressed(ImGuiKey_LeftArrow)) b.left(ctrl, shift);
  if (pressed(ImGuiKey_RightArrow)) b.right(ctrl, shift);
  if (!ctrl && pressed(ImGuiKey_UpArrow)) b.up(1, shift);
  if (!ctrl && pressed(ImGuiKey_DownArrow)) b.down(1, shift);
  if (pressed(ImGuiKey_PageUp)) b.up(size_t(page), shift);
  if (pressed(ImGuiKey_PageDown)) b.down(size_t(page), shift);
  if (pressed(ImGuiKey_Home)) ctrl ? b.move_to({0, 0}, shift) : b.home(shift);
  if (pressed(ImGuiKey_End)) ctrl ? b.move_to({b.lines().size() - 1, ~size_t{0}}, shift) : b.end(shift);
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter)) b.new_line();
  if (pressed(ImGuiKey_Backspace)) b.backspace(ctrl);
  if (pressed(ImGuiKey_Delete)) b.erase(ctrl);
  if (!ctrl && pressed(ImGuiKey_Tab)) b.tab(shift);
  if (!ctrl) return acted;
  if (pressed(ImGuiKey_A)) b.select_all();
  const bool cut = pressed(ImGuiKey_X);
  if (pressed(ImGuiKey_C) || cut) {
    // Without a selection it is the line, as elsewhere.
    const bool line = !b.selected();
    const TextPlace caret = b.caret();
    if (line) b.select_line(caret.line);
    ImGui::SetClipboardText(b.selection().c_str());
    if (cut)
      b.erase(false);
    else if (line)
      b.move_to(caret);
  }
  if (pressed(ImGuiKey_V))
    if (const char* text = ImGui::GetClipboardText()) b.insert(text);
  if (!shift && pressed(ImGuiKey_Z)) b.undo();
  if (pressed(ImGuiKey_Y) || (shift && pressed(ImGuiKey_Z))) b.redo();
  if (ImGui::IsKeyPressed(ImGuiKey_S, false)) out.save = true;
  if (ImGui::IsKeyPressed(ImGuiKey_F, false)) out.find = true;
  return acted;
}

/// The text whose keys they are; one at a time.
ImGuiID focused = 0;

}  // namespace

CodeKeys code_view(Ui& ui, const std::string& id, Editor::Document& d, const std::vector<CodeMark>& marks, long go_to,
                   bool focus, bool show_caret) {
  CodeKeys out;
  TextBuffer& b = d.buffer;
  Geometry g;
  g.column = fonts.mono->CalcTextSizeA(fonts.mono->FontSize, FLT_MAX, 0, "0").x;
  g.line = std::ceil(fonts.mono->FontSize * 1.25f);
  g.margin = g.column * float(std::max<size_t>(3, std::to_string(b.lines().size()).size())) + px(22);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, colours::window);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(id.c_str(), {0, 0}, ImGuiChildFlags_Border,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  // In another place, such as the whole window, ImGui knows it as another region.
  if (ImGui::IsWindowAppearing())
    ImGui::SetScrollY(d.top * g.line);
  else
    d.top = ImGui::GetScrollY() / g.line;
  const ImGuiID own = ImGui::GetID("text");
  const ImVec2 view = ImGui::GetContentRegionAvail(), corner = ImGui::GetWindowPos();
  size_t widest = 0;
  const auto first_seen = size_t(std::max(0.f, ImGui::GetScrollY() / g.line));
  const auto last_seen = std::min(b.lines().size() - 1, first_seen + size_t(ImGui::GetWindowHeight() / g.line) + 1);
  for (size_t i = first_seen; i <= last_seen; ++i)
    widest = std::max(widest, TextBuffer::shown_column(b.lines()[i], b.lines()[i].size()));
  widest = std::max(widest, TextBuffer::shown_column(b.lines()[b.caret().line], b.caret().column));
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("text", {std::max(view.x, g.margin + g.column * float(widest + 4)),
                                  std::max(view.y, g.line * (float(b.lines().size()) + 1) + px(6))});
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  ui.mark(id, corner, {corner.x + ImGui::GetWindowWidth(), corner.y + ImGui::GetWindowHeight()});
  g.origin = {start.x + g.margin, start.y + px(3)};
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);

  const ImGuiIO& io = ImGui::GetIO();
  if (focus || ImGui::IsItemActivated()) focused = own;
  // A click elsewhere, or another field, takes the keys away.
  const bool other = ImGui::GetActiveID() != 0 && ImGui::GetActiveID() != ImGui::GetItemID();
  if (focused == own && ((io.MouseClicked[0] && !hovered) || other || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)))
    focused = 0;
  bool follow = show_caret;
  if (active && ImGui::IsMouseDown(0)) {
    const TextPlace at = place_at(b, g, io.MousePos);
    if (io.MouseClickedCount[0] == 2 && io.MouseClicked[0])
      b.select_word(at);
    else if (io.MouseClickedCount[0] == 3 && io.MouseClicked[0])
      b.select_line(at.line);
    else if (io.MouseClicked[0])
      b.move_to(at, io.KeyShift);
    else if (io.MouseDownDurationPrev[0] >= 0 && io.MouseClickedCount[0] < 2 &&
             (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
      b.move_to(at, true);
      follow = true;
    }
  }
  if (focused == own) {
    ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
    for (const ImGuiKey key :
         {ImGuiKey_Tab, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::SetKeyOwner(key, own);
    follow = take_keys(b, std::max(1.f, std::floor(ImGui::GetWindowHeight() / g.line) - 2), out) || follow;
    if (out.find || (ImGui::IsKeyPressed(ImGuiKey_Escape) && !focus)) focused = 0;
  }
  if (go_to >= 0) b.move_to({size_t(go_to), 0});

  const float height = ImGui::GetWindowHeight(), width = ImGui::GetWindowWidth();
  if (follow || go_to >= 0) {
    const float x = g.column * float(TextBuffer::shown_column(b.lines()[b.caret().line], b.caret().column));
    const ImVec2 caret{g.origin.x + x, g.origin.y + g.line * float(b.caret().line)};
    ImGui::ScrollToRect(ImGui::GetCurrentWindow(),
                        {caret.x - g.margin - px(24), caret.y - g.line, caret.x + px(60), caret.y + 2 * g.line},
                        go_to >= 0 ? ImGuiScrollFlags_AlwaysCenterY : ImGuiScrollFlags_KeepVisibleEdgeY);
  }

  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end{corner.x + width, corner.y + height};
  const auto first = size_t(std::clamp((corner.y - g.origin.y) / g.line, 0.f, float(b.lines().size() - 1)));
  const auto last = size_t(std::clamp((end.y - g.origin.y) / g.line + 1, 0.f, float(b.lines().size() - 1)));
  const float gutter = corner.x + g.margin - px(6);
  draw->PushClipRect({gutter, corner.y}, end, true);
  const float caret_y = g.origin.y + g.line * float(b.caret().line);
  if (focused == own && !b.selected())
    draw->AddRectFilled({gutter, caret_y}, {end.x, caret_y + g.line}, with_alpha(colours::raised, 0.5f));
  for (const CodeMark& m : marks)
    if (m.line >= first && m.line <= last) {
      const float y = g.origin.y + g.line * float(m.line);
      draw->AddRectFilled({gutter, y}, {end.x, y + g.line}, with_alpha(colours::bad, 0.14f));
    }
  draw_selection(b, g, first, last);
  for (size_t i = first; i <= last; ++i) draw_line(d, g, i);
  if (focused == own) {
    const ImVec2 at = g.at(b.lines()[b.caret().line], b.caret());
    draw->AddRectFilled({at.x - px(0.75f), at.y}, {at.x + px(0.75f), at.y + g.line}, colours::text);
  }
  draw->PopClipRect();
  draw->AddRectFilled({corner.x + px(1), corner.y + px(1)}, {gutter, end.y - px(1)}, colours::panel, px(6),
                      ImDrawFlags_RoundCornersLeft);
  for (size_t i = first; i <= last; ++i) {
    const std::string number = std::to_string(i + 1);
    const float y = g.origin.y + g.line * float(i);
    draw->AddText(fonts.mono, fonts.mono->FontSize, {gutter - px(6) - g.column * float(number.size()), y},
                  i == b.caret().line ? colours::soft : colours::faint, number.c_str());
  }
  const bool over = ImGui::IsWindowHovered() && io.MousePos.y < end.y;
  for (const CodeMark& m : marks) {
    if (m.line < first || m.line > last) continue;
    const float y = g.origin.y + g.line * float(m.line);
    draw->AddCircleFilled({corner.x + px(8), y + g.line / 2}, px(4), colours::bad);
    if (over && io.MousePos.y >= y && io.MousePos.y < y + g.line) ImGui::SetTooltip("%s", m.text.c_str());
  }
  ImGui::EndChild();
  return out;
}

}  // namespace attnscope::gui
