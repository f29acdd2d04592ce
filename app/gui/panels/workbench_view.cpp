// The whole window: panes and the splitters between them; keyboard shortcuts.
#include <algorithm>
#include <array>
#include <utility>

#include "app/gui/chords.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void left_column(Ui& ui, float width, float height) {
  ImGui::BeginChild("left", {width, height}, 0, ImGuiWindowFlags_NoBackground);
  begin_card("problem", "Problem", {0, 0}, ImGuiChildFlags_AutoResizeY);
  problem_panel(ui);
  end_card();
  begin_card("variants", "Variants", {0, std::max(ImGui::GetContentRegionAvail().y, px(160))});
  variants_panel(ui);
  end_card();
  ImGui::EndChild();
}

void right_column(Ui& ui, float width, float height) {
  ImGui::BeginChild("right", {width, height}, 0, ImGuiWindowFlags_NoBackground);
  begin_card("verdict", "Verdict", {0, 0}, ImGuiChildFlags_AutoResizeY);
  verdict_panel(ui);
  end_card();
  begin_card("resources", "Resources", {0, std::max(ImGui::GetContentRegionAvail().y, px(160))});
  resources_panel(ui);
  end_card();
  ImGui::EndChild();
}

void tabs(Ui& ui, float height) {
  struct Tab {
    const char *id, *label;
    void (*draw)(Ui&);
  };
  static constexpr std::array all = {Tab{"compare", "Compare", compare_panel}, Tab{"across", "Across problems", across_panel},
                                     Tab{"tried", "Session log", session_log_panel}, Tab{"messages", "Messages", messages_panel}};
  begin_card("tabs", nullptr, {0, height});
  std::vector<std::string> labels, ids;
  int selected = 0;
  float width = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    labels.emplace_back(all[i].label);
    ids.emplace_back(all[i].id);
    if (ui.layout.tab == all[i].id) selected = int(i);
    width = std::max(width, ImGui::CalcTextSize(all[i].label).x + px(22));
  }
  width = std::min(width * float(all.size()), ImGui::GetContentRegionAvail().x);
  if (const int chosen = segmented(ui, "tab", labels, selected, width, {}, nullptr, ids); chosen >= 0) {
    selected = chosen;
    ui.layout.tab = all[size_t(chosen)].id;
  }
  ImGui::Dummy({0, px(1)});
  all[size_t(selected)].draw(ui);
  end_card();
}

void centre(Ui& ui, float width, float height) {
  ImGui::BeginChild("centre", {width, height}, 0, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const float bottom = px(ui.layout.bottom), gap = px(8);
  begin_card("parameters", "Parameters", {0, 0}, ImGuiChildFlags_AutoResizeY);
  parameters_panel(ui);
  end_card();
  const float left = ImGui::GetContentRegionAvail().y;
  begin_card("timing", nullptr, {0, std::max(px(200), left - bottom - gap)});
  timing_panel(ui);
  end_card();
  // The splitter itself is the gap.
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  splitter(ui, "splitter.bottom", false, ui.layout.bottom, -1, 120, height / px(1) - 260, width);
  ImGui::PopStyleVar();
  tabs(ui, std::max(px(120), ImGui::GetContentRegionAvail().y));
  ImGui::EndChild();
}

}  // namespace

void draw_workbench(Ui& ui) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  // The ground is the frame's clear colour: no need to fill it twice.
  ImGui::Begin("attnscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  top_bar(ui);
  ImGui::Dummy({0, px(1)});
  const float status = ImGui::GetTextLineHeightWithSpacing();
  const float height = ImGui::GetContentRegionAvail().y - status, whole = ImGui::GetContentRegionAvail().x;
  const float least_centre = 300;
  left_column(ui, px(ui.layout.left), height);
  ImGui::SameLine(0, 0);
  splitter(ui, "splitter.left", true, ui.layout.left, 1, 200, std::min(520.f, whole / px(1) - ui.layout.right - least_centre), height);
  ImGui::SameLine(0, 0);
  centre(ui, std::max(px(200), whole - px(ui.layout.left + ui.layout.right + 16)), height);
  ImGui::SameLine(0, 0);
  splitter(ui, "splitter.right", true, ui.layout.right, -1, 200, std::min(520.f, whole / px(1) - ui.layout.left - least_centre), height);
  ImGui::SameLine(0, 0);
  right_column(ui, px(ui.layout.right), height);
  status_bar(ui);
  help_popup(ui);
  ImGui::End();
}

void shortcuts(Ui& ui) {
  const ImGuiIO& io = ImGui::GetIO();
  Workbench& bench = ui.bench;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
  const std::vector<int> chords = std::exchange(pending_chords(), {});
  const auto ctrl = [&](ImGuiKey key) {
    return (io.KeyCtrl && pressed(key)) || std::find(chords.begin(), chords.end(), 'A' + (key - ImGuiKey_A)) != chords.end();
  };
  if (ctrl(ImGuiKey_Q)) ui.requests.quit = true;
  if (ctrl(ImGuiKey_E)) ui.requests.export_results = true;
  if (ctrl(ImGuiKey_S)) ui.requests.save_window = true;
  if (pressed(ImGuiKey_F1)) ui.drafts.help = true;
  if (pressed(ImGuiKey_F5)) bench.reload_shaders();
  if (io.WantTextInput) return;
  if (io.KeyCtrl || !chords.empty()) {
    if (ctrl(ImGuiKey_Y) || (io.KeyCtrl && io.KeyShift && pressed(ImGuiKey_Z))) bench.redo();
    else if (ctrl(ImGuiKey_Z)) bench.undo();
    if (ctrl(ImGuiKey_D))
      if (const VariantInfo* v = bench.current_variant()) bench.set_config(default_config(*v));
    return;
  }
  if (pressed(ImGuiKey_Space)) bench.paused = !bench.paused;
  if (pressed(ImGuiKey_P)) bench.pin();
  if (pressed(ImGuiKey_M) && !bench.job.running) ui.requests.job = bench.measure_all();
  if (pressed(ImGuiKey_1)) bench.metric = Metric::time;
  if (pressed(ImGuiKey_2)) bench.metric = Metric::tflops;
  if (pressed(ImGuiKey_3)) bench.metric = Metric::gbps;
}

}  // namespace attnscope::gui
