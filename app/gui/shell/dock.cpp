#include "app/gui/shell/commands.hpp"

#include <imgui_internal.h>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

constexpr float kGap = 8;       ///< between groups: a splitter
constexpr float kDragFrom = 6;  ///< pixels before a press on a tab becomes a drag
constexpr float kTabPadding = 18;
constexpr float kLow = 140;  ///< height of a group whose panel needs all of it: commands lead to its views

/// What is done when nothing of the tree is being drawn any more.
using Later = std::function<void()>;

struct Scene {
  Ui& ui;
  Later later = {};
  std::string tab_under_mouse = {};
  bool closer = false;
};

Needs needs_of(const TabGroup& group) {
  Needs n{0, 80};
  // Of all of them: the tabs stay where they are when one is clicked.
  for (const std::string& name : group.panels)
    if (const Panel* panel = panel_named(name)) {
      n.least_w = std::max(n.least_w, panel->least_w);
      n.least_h = std::max(n.least_h, panel->least_h);
    }
  if (const Panel* front = panel_named(group.active)) n.kept_h = front->kept_h;
  return n;
}

void toggle_full(Ui& ui, const std::string& name) { ui.layout.full = ui.layout.full == name ? "" : name; }

void handle(Scene& s, const Panel& panel) {
  Ui& ui = s.ui;
  const std::string name = panel.name;
  ui.mark("tab." + name);
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) s.tab_under_mouse = name;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) toggle_full(ui, name);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(kDragFrom)) && ui.layout.full.empty())
    ui.shell.dragged = name;
  if (!begin_context_menu("tab." + name)) return;
  if (menu_item(ui, "tab." + name + ".menu.full", ui.layout.full == name ? "Restore panel" : "Maximize panel", true,
                keys_of("full")))
    toggle_full(ui, name);
  const PanelLayout& all = ui.layout.panels;
  if (menu_item(ui, "tab." + name + ".menu.close", "Close", panels_of(all).size() > all.closed.size() + 1, "",
                icons::close))
    s.later = [&ui, name] { close_panel(ui, name); };
  ImGui::EndPopup();
}

/// What of a line of tabs, or of a title, is free at its right: the views of the panel stand there, or below it.
struct Free {
  ImVec2 at;
  float width = 0;
};

/// The title of a panel that is alone, to hold and drag it; `kept`: for a button at its right.
Free title(Scene& s, const Panel& panel, float kept = 0) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x - kept, named = width_of(fonts.bold, panel.title) + px(14);
  const float height = panel.views.empty() && kept == 0 ? fonts.bold->FontSize : ImGui::GetFrameHeight();
  ImGui::SetNextItemAllowOverlap();
  hit_area("##title", {room, height});
  handle(s, panel);
  ImGui::GetWindowDrawList()->AddText(fonts.bold, fonts.bold->FontSize,
                                      {from.x, from.y + (height - fonts.bold->FontSize) / 2}, colours::text,
                                      panel.title);
  if (kept == 0) ImGui::Dummy({0, px(1)});
  return {{from.x + named, from.y}, room - named};
}

Free tabs(Scene& s, const std::vector<const Panel*>& panels, const std::string& active) {
  Ui& ui = s.ui;
  const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetFrameHeight();
  float sum = 0;
  for (const Panel* p : panels) sum += width_of(fonts.body, p->title) + px(kTabPadding);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float x = origin.x;
  for (const Panel* panel : panels) {
    const float named = width_of(fonts.body, panel->title);
    const float wide = (named + px(kTabPadding)) * std::min(1.f, room / sum);
    const ImVec2 min{x, origin.y}, max{x + wide, origin.y + height};
    x = max.x;
    const bool selected = active == panel->name;
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton(fmt::format("##tab.{}", panel->name).c_str(), {wide, height});
    if (ImGui::IsItemActivated()) s.later = [&ui, name = std::string(panel->name)] { show_panel(ui, name); };
    if (selected || ImGui::IsItemHovered())
      draw->AddRectFilled({min.x + px(1), min.y + px(1)}, {max.x - px(1), max.y - px(1)},
                          selected ? colours::chosen : colours::raised, ImGui::GetStyle().FrameRounding - 1);
    const float from = std::max(px(2), std::floor((wide - named) / 2));
    draw_cut(fonts.body, {min.x + from, std::floor((min.y + max.y - fonts.body->FontSize) / 2)}, wide - from + 1,
             selected ? colours::text : colours::soft, panel->title);
    handle(s, *panel);
  }
  ImGui::SetCursorScreenPos({origin.x, origin.y + height + ImGui::GetStyle().ItemSpacing.y});
  ImGui::Dummy({0, px(1)});
  return {{x + px(10), origin.y}, origin.x + room - x - px(10)};
}

void views(Scene& s, const Panel& panel, const Free& free) {
  Ui& ui = s.ui;
  std::vector<std::string> titles, names;
  const PanelView* front = view_of(ui, panel);
  int chosen = 0;
  for (const PanelView* view : panel.views) {
    if (view == front) chosen = int(titles.size());
    titles.emplace_back(view->title);
    names.emplace_back(view->name);
  }
  const float needs = segments_width(titles);
  const ImVec2 below = ImGui::GetCursorScreenPos();
  const bool beside = free.width >= needs;
  if (!beside && ImGui::GetWindowHeight() < px(kLow)) return;
  if (beside) ImGui::SetCursorScreenPos({free.at.x + free.width - needs, free.at.y});
  const int now = segmented(ui, std::string("view_of.") + panel.name, titles, chosen,
                            std::min(needs, ImGui::GetContentRegionAvail().x), {}, fonts.small, names);
  if (now >= 0) s.later = [&ui, name = names[size_t(now)]] { show_panel(ui, name); };
  if (!beside) return;
  ImGui::SetCursorScreenPos(below);
  ImGui::Dummy({0, 0});
  ImGui::SetCursorScreenPos(below);
}

void draw_panel(Scene& s, const Panel& panel, const Free& free) {
  s.closer |= panel.closer;
  if (!panel.views.empty()) views(s, panel, free);
  panel.draw ? panel.draw(s.ui) : view_of(s.ui, panel)->draw(s.ui);
}

void draw_group(Scene& s, const TabGroup& group, const ImVec2& min, const ImVec2& max) {
  Ui& ui = s.ui;
  std::vector<const Panel*> panels;
  const Panel* active = nullptr;
  for (const std::string& name : group.panels)
    if (const Panel* p = panel_named(name)) {
      panels.push_back(p);
      if (group.active == name || !active) active = p;
    }
  if (!active) return;
  const bool alone = panels.size() == 1;
  const ImVec2 size{max.x - min.x, max.y - min.y};
  ImGui::SetCursorScreenPos(min);
  ImGui::BeginChild(alone ? active->name : fmt::format("tabs.{}", panels.front()->name).c_str(), size,
                    ImGuiChildFlags_Border);
  draw_panel(s, *active, !alone ? tabs(s, panels, active->name) : active->bare ? Free{} : title(s, *active));
  ImGui::EndChild();
  ui.mark(fmt::format("group.{}", panels.front()->name), min, max);
  if (ImGui::IsMouseHoveringRect(min, max)) ui.shell.under_mouse = active->name;
}

void draw_full(Scene& s, const Panel& panel, ImVec2 size) {
  Ui& ui = s.ui;
  ImGui::BeginChild(panel.name, size, ImGuiChildFlags_Border);
  const float close = ImGui::CalcTextSize("Esc").x + 2 * ImGui::GetStyle().FramePadding.x;
  const Free free = title(s, panel, close + px(8));
  ImGui::SameLine(ImGui::GetWindowWidth() - close - ImGui::GetStyle().WindowPadding.x);
  if (button(ui, "full.close", "Esc", "Back to all panels")) ui.layout.full.clear();
  ImGui::Dummy({0, px(1)});
  draw_panel(s, panel, free);
  ImGui::EndChild();
  ui.shell.under_mouse = panel.name;
}

/// Over a tab it comes before that one, in its own group too; else to the end of the group under the mouse.
void drag(Scene& s, const Fitted& fitted) {
  Ui& ui = s.ui;
  const bool down = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const std::string held = down ? ui.shell.dragged : std::exchange(ui.shell.dragged, "");
  // Let go of while nothing looked, in a maximized panel: nothing moves.
  if (held.empty() || (!down && !ImGui::IsMouseReleased(ImGuiMouseButton_Left))) return;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    ui.shell.dragged.clear();
    return ImGui::ClearActiveID();  // else it would begin again
  }
  const std::string& before = s.tab_under_mouse;
  std::string target = before == held ? "" : before;
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  for (const GroupBox& g : fitted.groups) {
    const Rectangle& b = g.box;
    const ImVec2 min{b.x * px(1), b.y * px(1)}, max{b.right() * px(1), b.bottom() * px(1)};
    if (contains(g.group.panels, held) || !ImGui::IsMouseHoveringRect(min, max, false)) continue;
    if (target.empty()) target = g.group.panels.front();
    draw->AddRectFilled(min, max, with_alpha(colours::accent, 0.22f), px(7));
    draw->AddRect(min, max, colours::accent, px(7), 0, px(2));
  }
  if (!down && !target.empty())
    s.later = [&ui, held, target, before] {
      move_to_group(ui.layout.panels, held, target, before);
      ui.layout.tab = ui.shell.obeyed = held;
    };
  if (!down) return;
  if (!before.empty() && before != held) {
    const auto& tab = ui.widgets["tab." + before];
    draw->AddRectFilled({tab.x0 - px(1.5f), tab.y0}, {tab.x0 + px(1.5f), tab.y1}, colours::accent);
  }
  ImGui::SetTooltip("%s", panel_named(held)->title);
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

void prepare(Ui& ui) {
  Layout& layout = ui.layout;
  Shell& shell = ui.shell;
  if (!shell.restored || panels_of(layout.panels).empty()) {
    complete(layout.panels, panel_names());
    shell.restored = true;
  }
  if (shell.obeyed == layout.tab) return;
  const bool first = shell.obeyed.empty();
  shell.obeyed = layout.tab;
  // What was closed when the window was closed stays so.
  if (!first || is_open(ui, layout.tab)) show_panel(ui, std::string(layout.tab));
}

}  // namespace

void draw_dock(Ui& ui, float below) {
  prepare(ui);
  Scene s{ui};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room{ImGui::GetContentRegionAvail().x, std::max(px(80), ImGui::GetContentRegionAvail().y - below)};
  ui.shell.under_mouse.clear();
  const Panel* full = panel_named(ui.layout.full);
  if (!full || !*full->title) ui.layout.full.clear();
  if (!ui.layout.full.empty()) {
    draw_full(s, *full, room);
  } else {
    const float unit = px(1);
    const Rectangle window{at.x / unit, at.y / unit, room.x / unit, room.y / unit};
    const Fitted fitted = fit(ui.layout.panels, window, kGap, needs_of);
    const auto corner = [&](float x, float y) { return ImVec2{std::round(x * unit), std::round(y * unit)}; };
    for (const GroupBox& g : fitted.groups)
      draw_group(s, g.group, corner(g.box.x, g.box.y), corner(g.box.right(), g.box.bottom()));
    for (const SplitterBox& bar : fitted.splitters) {
      const ImVec2 min = corner(bar.box.x, bar.box.y), max = corner(bar.box.right(), bar.box.bottom());
      ImGui::SetCursorScreenPos(min);
      const float moved = splitter(ui, "splitter." + bar.name, bar.upright, {max.x - min.x, max.y - min.y});
      if (moved != 0) s.later = [bar, moved] { resize(bar, moved); };
    }
    drag(s, fitted);
  }
  ui.bench.request.closer = s.closer;
  ImGui::SetCursorScreenPos({at.x, at.y + room.y});
  ImGui::Dummy({0, 0});
  if (s.later) s.later();
}

bool is_open(const Ui& ui, const std::string& name) {
  const Panel* panel = panel_named(name);
  return panel && !ui.layout.panels.closed.contains(panel->name);
}

void show_panel(Ui& ui, const std::string& name) {
  // No panel: over the status bar.
  if (name == "messages") ui.shell.messages = true;
  const Panel* panel = panel_named(name);
  if (!panel || !*panel->title) return;
  choose_view(ui, name);
  show(ui.layout.panels, panel->name);
  ui.layout.tab = ui.shell.obeyed = name;
  if (!ui.layout.full.empty()) ui.layout.full = panel->name;
}

void close_panel(Ui& ui, const std::string& name) {
  const Panel* front = panel_named(ui.layout.tab);
  if (!close(ui.layout.panels, name)) return;
  if (ui.layout.full == name) ui.layout.full.clear();
  if (front && front->name != name) return;
  const std::string& next = group_of(ui.layout.panels, name)->active;
  ui.layout.tab = ui.shell.obeyed = next == name ? "" : next;
}

void take_layout(Ui& ui, const ShippedLayout& l) {
  ui.layout.panels = l.make();
  ui.layout.full.clear();
  // Whatever is in front now is what was asked for last.
  const Panel* front = panel_named(ui.layout.tab);
  if (const TabGroup* group = front ? group_of(ui.layout.panels, front->name) : nullptr;
      group && group->active != front->name)
    ui.layout.tab = group->active;
  ui.shell.obeyed = ui.layout.tab;
}

}  // namespace attnscope::gui
