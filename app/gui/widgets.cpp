#include "app/gui/widgets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <implot.h>

namespace attnscope::gui {

void Ui::mark(const std::string& id, bool enabled) {
  mark(id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
  widgets[id].visible = ImGui::IsItemVisible();
}

void Ui::mark(const std::string& id, ImVec2 min, ImVec2 max, bool enabled) {
  widgets[id] = {min.x, min.y, max.x, max.y, enabled, ImGui::IsRectVisible(min, max)};
}

bool begin_card(const char* id, const char* title, ImVec2 size, ImGuiChildFlags extra) {
  const bool open = ImGui::BeginChild(id, size, ImGuiChildFlags_Border | ImGuiChildFlags_AlwaysUseWindowPadding | extra);
  if (title) {
    text_in(fonts.bold, colours::text, title);
    ImGui::Dummy({0, px(1)});
  }
  return open;
}

void end_card() { ImGui::EndChild(); }

int segmented(Ui& ui, const std::string& id, const std::vector<std::string>& labels, int selected, float width,
              const std::function<std::string(size_t)>& why_not, ImFont* font, const std::vector<std::string>& ids) {
  if (labels.empty()) return -1;
  if (font) ImGui::PushFont(font);
  const float height = ImGui::GetFrameHeight();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float cell = width / float(labels.size());
  ImGui::InvisibleButton(id.c_str(), {width, height});
  ui.mark(id);
  const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled), active = ImGui::IsItemActive();
  // A button held still chooses nothing again: what an undo took back stays so.
  const bool moved = active && (ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0);
  const float along = (ImGui::GetIO().MousePos.x - origin.x) / cell;
  const int under = std::clamp(int(std::floor(along)), 0, int(labels.size()) - 1);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float round = ImGui::GetStyle().FrameRounding;
  draw->AddRectFilled(origin, {origin.x + width, origin.y + height}, colours::raised, round);
  int chosen = -1;
  std::string reason_under;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string reason = why_not ? why_not(i) : "";
    const ImVec2 min{origin.x + cell * float(i), origin.y}, max{min.x + cell, origin.y + height};
    ui.mark(id + "." + (i < ids.size() ? ids[i] : labels[i]), min, max, reason.empty());
    const bool here = hovered && int(i) == under;
    if (here) reason_under = reason;
    if (int(i) == selected)
      draw->AddRectFilled({min.x + px(1), min.y + px(1)}, {max.x - px(1), max.y - px(1)},
                          reason.empty() ? colours::accent : colours::bad, round - 1);
    else if (here && reason.empty())
      draw->AddRectFilled({min.x + px(1), min.y + px(1)}, {max.x - px(1), max.y - px(1)}, colours::raised_hover, round - 1);
    const ImVec2 size = ImGui::CalcTextSize(labels[i].c_str());
    const ImU32 ink = int(i) == selected ? colours::window : reason.empty() ? colours::text : colours::faint;
    const ImVec2 at{std::floor((min.x + max.x - size.x) / 2), std::floor((min.y + max.y - size.y) / 2)};
    if (size.x <= cell - px(2) || int(i) == selected || here) draw->AddText(at, ink, labels[i].c_str());
    if (!reason.empty() && int(i) != selected && size.x <= cell - px(2))
      draw->AddLine({at.x - px(2), at.y + size.y / 2}, {at.x + size.x + px(2), at.y + size.y / 2}, colours::faint, px(1));
    if (i > 0 && int(i) != selected && int(i) - 1 != selected)
      draw->AddLine({min.x, min.y + px(6)}, {min.x, max.y - px(6)}, colours::line, px(1));
    if (moved && int(i) == under && int(i) != selected && reason.empty()) chosen = int(i);
  }
  if (hovered && !active) {
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

bool begin_combo(const char* id, const std::string& shown, ImGuiComboFlags flags) {
  if (!ImGui::BeginCombo(id, shown.c_str(), flags)) return false;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  return true;
}

bool button(Ui& ui, const char* id, const char* label, const char* tip, bool enabled, bool primary) {
  ImGui::BeginDisabled(!enabled);
  if (primary) {
    ImGui::PushStyleColor(ImGuiCol_Button, colours::accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, IM_COL32(122, 198, 240, 255));
    ImGui::PushStyleColor(ImGuiCol_Text, colours::window);
  }
  const bool pressed = ImGui::Button((std::string(label) + "##" + id).c_str());
  if (primary) ImGui::PopStyleColor(3);
  ImGui::EndDisabled();
  ui.mark(id, enabled);
  if (tip) tip_for_last(tip);
  return pressed;
}

void tip_for_last(const std::string& text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_DelayNormal |
                            ImGuiHoveredFlags_NoSharedDelay))
    return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(10), px(8)});
  if (ImGui::BeginTooltip()) {
    ImGui::PushTextWrapPos(px(380));
    ImGui::PushFont(fonts.small);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopFont();
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

void text_in(ImFont* font, ImU32 colour, const std::string& text) {
  if (font) ImGui::PushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  if (font) ImGui::PopFont();
}

void wrapped_in(ImU32 colour, const std::string& text) {
  ImGui::PushFont(fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void fact(const char* label, const std::string& value, ImU32 colour, const char* tip) {
  text_in(fonts.small, colours::soft, label);
  if (tip) tip_for_last(tip);
  ImGui::PushFont(fonts.mono);
  const float width = ImGui::CalcTextSize(value.c_str()).x;
  ImGui::PopFont();
  ImGui::SameLine(std::max(ImGui::GetCursorPosX() + px(90), ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - width -
                                                              (ImGui::GetScrollMaxY() > 0 ? ImGui::GetStyle().ScrollbarSize : 0)));
  text_in(fonts.mono, colour, value);
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

void badge(const std::string& text, ImU32 colour) {
  ImGui::PushFont(fonts.small);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 pad{px(7), px(2)};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + size.x + 2 * pad.x, at.y + size.y + 2 * pad.y}, with_alpha(colour, 0.18f), px(5));
  draw->AddText({at.x + pad.x, at.y + pad.y}, colour, text.c_str());
  ImGui::Dummy({size.x + 2 * pad.x, size.y + 2 * pad.y});
  ImGui::PopFont();
}

void meter(float fraction, ImU32 colour, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, tall = px(height);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + width, at.y + tall}, colours::raised, tall / 2);
  const float filled = width * std::clamp(fraction, 0.f, 1.f);
  if (filled > 1) draw->AddRectFilled(at, {at.x + std::max(filled, tall), at.y + tall}, colour, tall / 2);
  ImGui::Dummy({width, tall});
}

void text_cut(const std::string& text, float width, ImU32 colour, ImFont* font) {
  if (font) ImGui::PushFont(font);
  std::string shown = text;
  const bool cut = ImGui::CalcTextSize(shown.c_str()).x > width;
  if (cut) {
    size_t keep = shown.size();
    while (keep > 1 && ImGui::CalcTextSize((text.substr(0, keep) + "\u2026").c_str()).x > width) --keep;
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0) == 0x80) --keep;
    shown = text.substr(0, keep) + "\u2026";
  }
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  if (font) ImGui::PopFont();
  if (cut) tip_for_last(text);
}

void splitter(Ui& ui, const char* id, bool vertical, float& size, float sign, float least, float most, float length) {
  const float thick = px(8);
  ImGui::InvisibleButton(id, vertical ? ImVec2{thick, length} : ImVec2{length, thick});
  ui.mark(id);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (active || hovered) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const ImVec2 mid{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const float half = px(1);
    ImGui::GetWindowDrawList()->AddRectFilled(
        vertical ? ImVec2{mid.x - half, a.y + px(8)} : ImVec2{a.x + px(8), mid.y - half},
        vertical ? ImVec2{mid.x + half, b.y - px(8)} : ImVec2{b.x - px(8), mid.y + half},
        active ? colours::accent : colours::accent_dim, half);
  }
  if (active) {
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    size += sign * (vertical ? delta.x : delta.y) / px(1);
  }
  size = std::clamp(size, least, std::max(least, most));
}

bool begin_plot(const char* id, bool legend) {
  ImPlotFlags flags = ImPlotFlags_NoTitle | ImPlotFlags_NoMouseText | ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect;
  if (!legend) flags |= ImPlotFlags_NoLegend;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  const bool open = ImPlot::BeginPlot(id, {-1, -1}, flags);
  ImGui::PopStyleVar();
  return open;
}

void format_axis(int axis, Metric metric) {
  const auto text = [](double value, char* into, int size, void*) {
    return std::snprintf(into, size_t(size), "%s", value <= 0 ? "0" : time_text(value * 1e3).c_str());
  };
  if (metric == Metric::time) ImPlot::SetupAxisFormat(axis, text);
}

void empty_hint(const std::string& title, const std::string& text) {
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float width = std::min(space.x, px(420));
  ImGui::PushFont(fonts.small);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, width);
  ImGui::PopFont();
  const ImVec2 start = ImGui::GetCursorPos();
  const float block = ImGui::GetTextLineHeightWithSpacing() + size.y;
  const float top = start.y + std::max(0.f, (space.y - block) / 2);
  ImGui::SetCursorPos({start.x + (space.x - ImGui::CalcTextSize(title.c_str()).x) / 2, top});
  text_in(fonts.body, colours::soft, title);
  ImGui::SetCursorPos({start.x + (space.x - size.x) / 2, top + ImGui::GetTextLineHeightWithSpacing()});
  ImGui::PushTextWrapPos(start.x + (space.x - size.x) / 2 + width);
  text_in(fonts.small, colours::faint, text);
  ImGui::PopTextWrapPos();
}

}  // namespace attnscope::gui
