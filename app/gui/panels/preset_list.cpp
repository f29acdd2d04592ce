#include "app/gui/panels/preset_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/gui/state/preset_order.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr float kLeastHeight = 160, kBelow = 70;  ///< of the list, and left below it; pixels at scale 1

std::string title_of(const ProblemPreset& preset) { return preset.summary.empty() ? preset.name : preset.summary; }

/// Of all lines, whichever are in view: what is typed does not move the list.
ImVec2 size_of(const std::vector<const ProblemPreset*>& all) {
  float wide = 0, lines = 0;
  for (const ProblemPreset* preset : all) {
    const float named = preset->summary.empty() ? 0 : px(8) + width_of(fonts.small, preset->name);
    wide = std::max(wide, width_of(fonts.bold, title_of(*preset)) + named);
    for (const Problem& problem : preset->problems)
      wide = std::max(wide, width_of(fonts.mono, "  " + to_text(problem)));
    lines += 1 + float(preset->problems.size());
  }
  const ImVec2 at = ImGui::GetCursorScreenPos(), display = ImGui::GetIO().DisplaySize;
  const float most = std::max(px(kLeastHeight), display.y - at.y - px(kBelow));
  return {std::min(wide + ImGui::GetStyle().ScrollbarSize + px(12), display.x - px(40)),
          std::min(most, std::max(1.f, lines) * ImGui::GetTextLineHeightWithSpacing() + px(8))};
}

/// Which of `count` lines Enter takes, from 1, after this frame's keys; whether it is another.
bool step(size_t& chosen, size_t count) {
  const size_t before = chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 1) --chosen;
  chosen = std::min(chosen, count);
  return chosen != before;
}

/// The problem that was clicked, or nullptr. `chosen`: the line that is lit, from 1; 0 = none.
const Problem* rows_of(Ui& ui, const std::vector<PresetRow>& rows, size_t chosen, bool scroll) {
  const Problem* taken = nullptr;
  const ProblemPreset* under = nullptr;
  for (size_t r = 0; r < rows.size(); ++r) {
    const ProblemPreset& preset = *rows[r].preset;
    if (&preset != under) {
      under = &preset;
      text_in(fonts.bold, colours::accent, title_of(preset));
      if (!preset.summary.empty()) {
        ImGui::SameLine(0, px(8));
        text_in(fonts.small, colours::faint, preset.name);
        tip_for_last("As --preset takes it");
      }
    }
    const Problem& problem = preset.problems[rows[r].problem];
    ImGui::PushFont(fonts.mono);
    if (ImGui::Selectable(fmt::format("  {}##{}.{}", to_text(problem), preset.name, rows[r].problem).c_str(),
                          r + 1 == chosen || problem == ui.bench.asked.ask.problem))
      taken = &problem;
    ImGui::PopFont();
    if (r + 1 == chosen) {
      const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
      ImGui::GetWindowDrawList()->AddRect(min, max, colours::accent, px(3));
      if (scroll) ImGui::SetScrollHereY();
    }
    ui.mark(fmt::format("problem.preset.{}.{}", preset.name, rows[r].problem));
  }
  return taken;
}

}  // namespace

void preset_list(Ui& ui) {
  Workbench& bench = ui.bench;
  const bool software = bench.known.device && bench.known.device->type == DeviceType::software;
  const std::vector<const ProblemPreset*> all = in_order(bench.presets, software);
  std::string shown = "Presets";
  for (const ProblemPreset* preset : all)
    if (std::find(preset->problems.begin(), preset->problems.end(), bench.asked.ask.problem) !=
        preset->problems.end()) {
      shown = title_of(*preset);
      break;
    }
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (std::exchange(ui.drafts.open_presets, false)) {
    // As BeginCombo names its popup.
    ImGui::OpenPopupEx(ImHashStr("##ComboPopup", 0, ImGui::GetID("##presets")));
  }
  const bool open = begin_combo("##presets", shown, ImGuiComboFlags_HeightLargest);
  ui.mark("problem.presets");
  tip_for_last("Problems of the published systems, odd shapes, long and decode ones. In the open list, type to find.");
  if (!open) return;
  std::string& words = ui.drafts.preset_words;
  size_t& chosen = ui.drafts.preset_chosen;
  if (ImGui::IsWindowAppearing()) {
    words.clear();
    chosen = 0;
    ImGui::SetKeyboardFocusHere();
  }
  const ImVec2 size = size_of(all);
  ImGui::SetNextItemWidth(std::max(size.x, ImGui::GetContentRegionAvail().x));
  const bool entered = ImGui::InputTextWithHint("##find", "Type to find: decode, causal f16\u2026", &words,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  const bool edited = ImGui::IsItemEdited();
  // Until something is typed or stepped to, none is lit: the list is looked through.
  if (edited) chosen = words.empty() ? 0 : 1;
  // Where Enter takes nothing, typing goes on.
  if (entered && chosen == 0) ImGui::SetKeyboardFocusHere(-1);
  ui.mark("problem.find");
  const std::vector<PresetRow> rows = find_presets(all, words);
  const bool moved = step(chosen, rows.size());
  ImGui::BeginChild("##list", {std::max(size.x, ImGui::GetContentRegionAvail().x), size.y}, 0,
                    ImGuiWindowFlags_NoBackground);
  if (bench.presets.empty())
    text_in(fonts.small, colours::faint, "No presets were found.");
  else if (rows.empty())
    text_in(fonts.small, colours::faint, fmt::format("No preset has '{}'.", words));
  if (rows.empty()) ui.mark("problem.preset.none");
  const Problem* taken = rows_of(ui, rows, chosen, moved || edited);
  ImGui::EndChild();
  if (entered && chosen > 0) taken = &rows[chosen - 1].preset->problems[rows[chosen - 1].problem];
  if (taken) {
    bench.set_problem(*taken);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndCombo();
}

}  // namespace attnscope::gui
