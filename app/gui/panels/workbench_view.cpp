// The whole window: panes and the splitters between them; keyboard shortcuts.
#include <algorithm>
#include <cfloat>

#include "app/gui/layout.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void draw_at(Ui& ui, Place place) {
  for (const Panel* panel : all_panels())
    if (panel->place == place) panel->draw(ui);
}

/// Panels below each other as cards: the last takes what is left of the height, the others what they need. A list has
/// its own scroll bar and so keeps to its card; facts grow, and the column scrolls.
void column(Ui& ui, Place place, float width, float height) {
  std::vector<const Panel*> panels;
  for (const Panel* panel : all_panels())
    if (panel->place == place) panels.push_back(panel);
  const bool left = place == Place::left;
  ImGui::BeginChild(left ? "left" : "right", {width, height}, 0, ImGuiWindowFlags_NoBackground);
  for (const Panel* panel : panels) {
    const float room = std::max(ImGui::GetContentRegionAvail().y, px(left ? 150 : 0));
    const bool fills = panel == panels.back() && left;
    if (panel == panels.back() && !left) ImGui::SetNextWindowSizeConstraints({0, room}, {FLT_MAX, FLT_MAX});
    // What stands above the list scrolls before the list has no room.
    if (left && panel != panels.back())
      ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, std::max(px(120), height - px(158))});
    begin_card(panel->name, panel->title, {0, fills ? room : 0}, fills ? 0 : ImGuiChildFlags_AutoResizeY);
    panel->draw(ui);
    end_card();
  }
  ImGui::EndChild();
}

void tabs(Ui& ui, float height) {
  begin_card("tabs", nullptr, {0, height});
  std::vector<const Panel*> panels;
  std::vector<std::string> labels, ids;
  int selected = 0;
  float widest = 0, sum = 0;
  for (const Panel* panel : all_panels()) {
    if (panel->place != Place::bottom) continue;
    if (ui.layout.tab == panel->name) selected = int(panels.size());
    panels.push_back(panel);
    labels.emplace_back(panel->title);
    ids.emplace_back(panel->name);
    const float need = ImGui::CalcTextSize(panel->title).x;
    widest = std::max(widest, need + px(22));
    sum += need + px(10);
  }
  const float room = ImGui::GetContentRegionAvail().x;
  ImFont* font = sum > room ? fonts.small : nullptr;
  if (const int chosen =
          segmented(ui, "tab", labels, selected, std::min(widest * float(panels.size()), room), {}, font, ids);
      chosen >= 0) {
    selected = chosen;
    ui.layout.tab = panels[size_t(chosen)]->name;
  }
  ImGui::Dummy({0, px(1)});
  ui.bench.asked.closer = panels[size_t(selected)]->closer;
  panels[size_t(selected)]->draw(ui);
  end_card();
}

/// The last panel of the centre gets the height that is left, so that it can hold a plot.
void centre(Ui& ui, float width, float height) {
  ImGui::BeginChild("centre", {width, height}, 0, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const Rows rows = rows_of(height / px(1));
  const Panel* tall = nullptr;
  float wanted = ui.layout.bottom;
  for (const Panel* panel : all_panels()) {
    if (panel->place == Place::centre) tall = panel;
    if (panel->place == Place::bottom && ui.layout.tab == panel->name) wanted = std::max(wanted, panel->height);
  }
  const float bottom = std::min(wanted, rows.most_bottom), gap = px(8);
  // A panel that needs the room gets some of the plot's.
  const float least_plot = wanted > ui.layout.bottom ? std::max(140.f, 0.8f * rows.least_plot) : rows.least_plot;
  for (const Panel* panel : all_panels()) {
    if (panel->place != Place::centre) continue;
    const float left = ImGui::GetContentRegionAvail().y;
    if (panel != tall) ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, px(rows.most_parameters)});
    begin_card(panel->name, *panel->title ? panel->title : nullptr,
               {0, panel == tall ? std::max(px(least_plot), left - px(bottom) - gap) : 0},
               panel == tall ? 0 : ImGuiChildFlags_AutoResizeY);
    panel->draw(ui);
    end_card();
  }
  // The splitter itself is the gap.
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  splitter(ui, "splitter.bottom", false, ui.layout.bottom, bottom, -1, 110, rows.most_bottom, width);
  ImGui::PopStyleVar();
  tabs(ui, std::max(px(80), ImGui::GetContentRegionAvail().y));
  ImGui::EndChild();
}

}  // namespace

void draw_workbench(Ui& ui) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  // The ground is the frame's clear colour: no need to fill it twice.
  ImGui::Begin("attnscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  draw_at(ui, Place::top);
  ImGui::Dummy({0, px(1)});
  const float status = ImGui::GetTextLineHeightWithSpacing();
  const float height = ImGui::GetContentRegionAvail().y - status, whole = ImGui::GetContentRegionAvail().x;
  Layout& chosen = ui.layout;
  const Columns shown = columns_of(whole / px(1), 8, {chosen.left, chosen.right, chosen.bottom});
  const float room = shown.left + shown.right + std::max(0.f, shown.centre - 400);  // what both sides may share
  column(ui, Place::left, px(shown.left), height);
  ImGui::SameLine(0, 0);
  splitter(ui, "splitter.left", true, chosen.left, shown.left, 1, 188, std::min(520.f, room - shown.right), height);
  ImGui::SameLine(0, 0);
  centre(ui, px(shown.centre), height);
  ImGui::SameLine(0, 0);
  splitter(ui, "splitter.right", true, chosen.right, shown.right, -1, 178, std::min(520.f, room - shown.left), height);
  ImGui::SameLine(0, 0);
  column(ui, Place::right, px(shown.right), height);
  draw_at(ui, Place::status);
  help_popup(ui);
  quit_popup(ui);
  ImGui::End();
}

void shortcuts(Ui& ui) {
  const ImGuiIO& io = ImGui::GetIO();
  Workbench& bench = ui.bench;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
  const auto ctrl = [&](ImGuiKey key) { return io.KeyCtrl && pressed(key); };
  if (ctrl(ImGuiKey_Q)) ui.requests.quit = true;
  if (ctrl(ImGuiKey_E)) ui.requests.export_results = true;
  // In a shader's text it saves the shader.
  if (ctrl(ImGuiKey_S) && !ui.drafts.editing) ui.requests.save_window = true;
  ui.drafts.editing = false;
  if (pressed(ImGuiKey_F1)) ui.drafts.help = true;
  if (pressed(ImGuiKey_F5)) bench.reload_shaders();
  if (io.WantTextInput) return;
  if (io.KeyCtrl) {
    if (ctrl(ImGuiKey_Y) || (io.KeyShift && ctrl(ImGuiKey_Z)))
      bench.redo();
    else if (ctrl(ImGuiKey_Z))
      bench.undo();
    if (ctrl(ImGuiKey_D))
      if (const VariantInfo* v = bench.current_variant()) bench.set_config(default_config(*v));
    return;
  }
  if (pressed(ImGuiKey_Space)) bench.asked.paused = !bench.asked.paused;
  if (pressed(ImGuiKey_P)) bench.pin();
  if (pressed(ImGuiKey_M) && !bench.across.job.running) ui.requests.job = bench.measure_all();
  if (pressed(ImGuiKey_S)) {
    ui.layout.tab = "map";
    if (!bench.searched.measuring()) ui.requests.search = bench.sweep_best();
  }
  if (pressed(ImGuiKey_1)) bench.asked.metric = Metric::time;
  if (pressed(ImGuiKey_2)) bench.asked.metric = Metric::tflops;
  if (pressed(ImGuiKey_3)) bench.asked.metric = Metric::gbps;
}

}  // namespace attnscope::gui
