// The list of variants: every folder that was found, with why one cannot serve the problem or the device.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

std::string about(const VariantInfo& v, const std::string& why) {
  std::string text = v.title.empty() ? v.name : v.title;
  if (!v.summary.empty()) text += "\n" + v.summary;
  if (!v.system.empty()) text += "\n\nSystem " + v.system;
  if (!v.dtypes.empty()) text += fmt::format("\nStorage: {}", fmt::join(v.dtypes, ", "));
  text += v.features.empty() ? "\nNeeds nothing beyond Vulkan 1.3" : fmt::format("\nNeeds: {}", fmt::join(v.features, ", "));
  if (!why.empty()) text += (v.error.empty() ? "\n\nCannot run: " : "\n\nDid not load: ") + why;
  return text;
}

void row(Ui& ui, const VariantInfo& v) {
  Workbench& bench = ui.bench;
  const std::string why = bench.known.why_not(v.name, bench.asked.ask.problem);
  const bool chosen = bench.asked.ask.variant == v.name;
  const float height = ImGui::GetTextLineHeight() * 2 + px(12);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  // What did not load or lacks the device's support stays to be read about, but not to be chosen.
  const bool usable = v.error.empty() && v.why_not.empty();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(3)});
  if (ImGui::InvisibleButton(("##variant." + v.name).c_str(), {width, height}) && usable) bench.set_variant(v.name);
  ImGui::PopStyleVar();
  ui.mark("variant." + v.name, usable);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  if (chosen || ImGui::IsItemHovered())
    draw->AddRectFilled(at, end, chosen ? with_alpha(colours::accent_dim, 0.45f) : colours::raised, px(6));
  if (chosen && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
  if (chosen) draw->AddRectFilled(at, {at.x + px(3), end.y}, colours::accent, px(2));
  tip_for_last(about(v, why));
  const ImU32 ink = why.empty() ? colours::text : colours::faint;
  draw->PushClipRect(at, end, true);
  draw->AddText(fonts.bold, fonts.bold->FontSize, {at.x + px(11), at.y + px(5)}, ink, v.name.c_str());
  const std::string note = !v.error.empty() ? "did not load" : !why.empty() ? "not here" : v.system.empty() ? "" : v.system;
  if (!note.empty()) {
    const ImVec2 size = fonts.small->CalcTextSizeA(fonts.small->FontSize, FLT_MAX, 0, note.c_str());
    draw->AddText(fonts.small, fonts.small->FontSize, {end.x - size.x - px(9), at.y + px(6)},
                  !v.error.empty() ? colours::bad : !why.empty() ? colours::warning : colours::soft, note.c_str());
  }
  const std::string& second = why.empty() ? (v.title.empty() ? v.summary : v.title) : why;
  draw->AddText(fonts.small, fonts.small->FontSize, {at.x + px(11), at.y + px(6) + fonts.bold->FontSize + px(2)},
                why.empty() ? colours::soft : colours::faint, second.c_str());
  draw->PopClipRect();
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!bench.known.variants_failure.empty()) wrapped_in(colours::bad, bench.known.variants_failure);
  const float reload = ImGui::CalcTextSize("Reload").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - reload - ImGui::GetStyle().ItemSpacing.x);
  ImGui::InputTextWithHint("##filter", "Search variants", &ui.layout.filter);
  ui.mark("variants.search");
  ImGui::SameLine();
  if (button(ui, "variants.reload", "Reload", "Read the shader folders again, after an edit (F5)")) bench.reload_shaders();
  if (bench.known.variants.empty()) {
    empty_hint(bench.known.variants_known ? "No variants" : "Loading\u2026",
               bench.known.variants_known ? "No shader folder with a manifest.toml was found; --shaders DIR names one."
                                    : "Compiling the shader folders.");
    return;
  }
  const std::string wanted = lower(ui.layout.filter);
  size_t shown = 0;
  // What can run comes first.
  std::vector<const VariantInfo*> order;
  for (const VariantInfo& v : bench.known.variants) order.push_back(&v);
  std::stable_partition(order.begin(), order.end(), [](const VariantInfo* v) { return v->error.empty() && v->why_not.empty(); });
  for (const VariantInfo* each : order) {
    const VariantInfo& v = *each;
    if (lower(v.name + " " + v.title + " " + v.summary + " " + v.system).find(wanted) == std::string::npos) continue;
    row(ui, v);
    ++shown;
  }
  if (shown == 0) wrapped_in(colours::faint, "None matches.");
}

void dump(const Workbench& bench, Json& j) {
  j["variants_known"] = bench.known.variants_known;
  j["variants"] = Json::array();
  for (const VariantInfo& v : bench.known.variants)
    j["variants"].push_back({{"name", v.name}, {"why_not", bench.known.why_not(v.name, bench.asked.ask.problem)}, {"error", v.error}});
}

}  // namespace

const Panel variants_panel = {"variants", "Variants", Place::left, draw, dump};

}  // namespace attnscope::gui
