// The list of variants below its name in the top bar: every folder that was found, with why one cannot serve the
// problem or the device.
#include <cfloat>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

struct VariantsState {
  bool unfolded = false;  ///< those that cannot run here are shown
};

std::string about(const VariantInfo& v, const WhyNot& why) {
  std::string text = v.title.empty() ? v.name : v.title;
  if (!v.summary.empty()) text += "\n" + v.summary;
  if (!v.shadows.empty()) text += "\nReplaces the variant of the same name in " + v.shadows;
  if (!v.dtypes.empty()) text += fmt::format("\n\nStorage: {}", fmt::join(v.dtypes, ", "));
  text += v.features.empty() ? "\nNeeds nothing beyond Vulkan 1.3"
                             : fmt::format("\nNeeds: {}", fmt::join(v.features, ", "));
  if (!why.text.empty())
    text += (!v.error.empty() ? "\n\nDid not load: "
             : why.broken     ? "\n\nDoes not compile: "
                              : "\n\nCannot run: ") +
            why.text;
  return text;
}

const std::set<std::string>& wrong_here(const Workbench& bench) {
  static Memo<std::tuple<const SessionLog*, uint64_t, std::string, std::string>, std::set<std::string>> memo;
  const std::string problem = to_text(bench.request.selection.problem),
                    device = bench.device_state.device ? device_key(*bench.device_state.device) : "";
  return memo({&bench.log, bench.log.version(), problem, device},
              [&] { return last_wrong(bench.log, problem, device); });
}

float row_height() { return ImGui::GetTextLineHeight() * 2 + px(12); }

void two_lines(bool chosen, const std::string& name, ImU32 ink, const std::string& note, ImU32 note_ink,
               const std::string& below, ImU32 below_ink) {
  const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  if (chosen || ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(at, end, chosen ? colours::raised_hover : colours::raised, px(6));
  const float room = end.x - at.x - px(20);
  // The name comes first; the note takes what is left of the line.
  const float noted = std::min(width_of(fonts.small, note), room - width_of(fonts.bold, name) - px(10));
  draw_cut(fonts.bold, {at.x + px(11), at.y + px(5)}, room, ink, name);
  if (noted > px(24)) draw_cut(fonts.small, {end.x - noted - px(9), at.y + px(6)}, noted + 1, note_ink, note);
  draw_cut(fonts.small, {at.x + px(11), at.y + px(8) + fonts.bold->FontSize}, room, below_ink, below);
}

void row(Ui& ui, const Catalogue::Row& listed) {
  Workbench& bench = ui.bench;
  const VariantInfo& v = bench.device_state.variants[listed.variant];
  const std::string& why = listed.why.text;
  const bool chosen = bench.request.selection.variant == v.name, broken = listed.why.broken, loaded = v.error.empty();
  // What did not load or lacks the device's support stays to be read about, but not to be chosen. What does not compile
  // is: its editor is where it is mended.
  const bool usable = loaded && v.why_not.empty();
  if (ImGui::InvisibleButton(("##variant." + v.name).c_str(), {ImGui::GetContentRegionAvail().x, row_height()}) &&
      usable) {
    bench.request.set_variant(v.name);
    ImGui::CloseCurrentPopup();
  }
  ui.mark("variant." + v.name, usable);
  tip_for_last(about(v, listed.why) +
               (wrong_here(bench).contains(v.name) ? "\n\nIts last result on this problem was wrong." : ""));
  const bool wrong = why.empty() && wrong_here(bench).contains(v.name);
  const std::string note = !loaded        ? "did not load"
                           : broken       ? "does not compile"
                           : !why.empty() ? "unsupported here"
                           : wrong        ? "wrong here"
                                          : "";
  const ImU32 noted = broken || wrong ? colours::bad : !why.empty() ? colours::warning : colours::soft;
  const ImU32 ink = broken ? colours::bad : why.empty() ? colours::text : colours::faint;
  two_lines(chosen, v.name, ink, note, noted,
            !why.empty()        ? why
            : v.summary.empty() ? v.title
                                : v.summary,
            why.empty() ? colours::soft : ink);
}

void auto_row(Ui& ui) {
  Workbench& bench = ui.bench;
  const bool on = bench.request.automatic();
  const std::string why = on ? (bench.request.choosing() ? "choosing\u2026" : bench.request.why_automatic())
                             : "the variant that suits each problem best";
  if (ImGui::InvisibleButton("##variant.auto", {ImGui::GetContentRegionAvail().x, row_height()})) {
    bench.request.set_variant(std::string(kAutoVariant));
    ImGui::CloseCurrentPopup();
  }
  mark_with_tip(ui, "variant.auto",
                (on ? why + "\n\n" : std::string()) +
                    "Automatic: for each problem the variant and config that were tuned for it or near it, else the "
                    "variant that its manifest ranks highest. Choosing a variant below ends it.");
  const size_t comma = why.starts_with("auto: ") ? why.find(", ") : std::string::npos;
  two_lines(on, on ? "auto: " + bench.request.selection.variant : "auto", colours::text, "", 0,
            comma == std::string::npos ? why : why.substr(comma + 2), colours::soft);
}

/// As cheap as the rows in view, whatever their number.
void rows_of(Ui& ui, const std::vector<Catalogue::Row>& rows) {
  ImGuiListClipper clipper;
  clipper.Begin(int(rows.size()), row_height() + ImGui::GetStyle().ItemSpacing.y);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) row(ui, rows[size_t(i)]);
}

void variant_list(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!bench.device_state.variants_failure.empty()) wrapped_in(colours::bad, bench.device_state.variants_failure);
  const float reload = button_width(with_icon(icons::reload, "Reload"));
  if (ImGui::IsWindowAppearing()) {
    ui.layout.filter.clear();
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = text_field(ui, "variants.search", "Search variants", ui.layout.filter,
                                  ImGui::GetContentRegionAvail().x - reload - ImGui::GetStyle().ItemSpacing.x);
  bench.views.catalogue.step(bench.device_state, bench.request.selection.problem, bench.request.selection.variant,
                             ui.layout.filter);
  ImGui::SameLine();
  if (button(ui, "variants.reload", with_icon(icons::reload, "Reload"),
             "Read the shader folders again, after an edit (F5)"))
    bench.reload_shaders();
  if (bench.device_state.variants.empty())
    return bench.device_state.variants_known
               ? empty_hint("No variants", "No shader folder with a manifest.toml was found; --shaders DIR names one.")
               : empty_hint("Loading\u2026", "");
  const auto& open = bench.views.catalogue.open();
  const auto& folded = bench.views.catalogue.folded();
  const auto first = std::find_if(open.begin(), open.end(), [](const Catalogue::Row& r) { return r.why.text.empty(); });
  if (entered && !ui.layout.filter.empty() && first != open.end()) {
    bench.request.set_variant(bench.device_state.variants[first->variant].name);
    ImGui::CloseCurrentPopup();
  }
  auto_row(ui);
  bool& unfolded = ui.states.of<VariantsState>().unfolded;
  const float pitch = row_height() + px(3);
  const float needed = pitch * float(open.size() + (unfolded ? folded.size() : 0)) + ImGui::GetFrameHeight() + px(8);
  const float whole = std::floor((ImGui::GetIO().DisplaySize.y - px(210)) / pitch);  // rows, none of them cut
  ImGui::BeginChild("variants.list", {0, std::min(needed, whole * pitch)}, 0, kPart);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(3)});
  const auto chosen = std::find_if(open.begin(), open.end(), [&](const Catalogue::Row& r) {
    return bench.device_state.variants[r.variant].name == bench.request.selection.variant;
  });
  // As far as the chosen one needs, with the next below it.
  if (ImGui::IsWindowAppearing() && chosen != open.end())
    ImGui::SetScrollY(
        pitch * std::clamp(float(chosen - open.begin()) + 2 - whole, 0.f, std::max(0.f, float(open.size()) - whole)));
  rows_of(ui, open);
  if (open.empty() && folded.empty()) wrapped_in(colours::faint, "None matches.");
  if (!folded.empty()) {
    unfolded = ImGui::TreeNodeEx("##fold", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth,
                                 "%zu unsupported here", folded.size());
    mark_with_tip(ui, "variants.not_here",
                  "Variants that this device or this problem rules out, each with its reason.");
  }
  // Who searches wants to see what is found.
  if (unfolded || !ui.layout.filter.empty()) rows_of(ui, folded);
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ui.mark("variants.list");
}

}  // namespace

void variant_picker(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  bench.views.catalogue.step(bench.device_state, bench.request.selection.problem, bench.request.selection.variant,
                             ui.layout.filter);
  const std::string& name = bench.request.selection.variant;
  ImGui::SetNextItemWidth(width);
  ImGui::SetNextWindowSizeConstraints({px(480), 0}, {px(480), FLT_MAX});
  const bool open =
      begin_combo("##variant", bench.request.automatic() ? "auto: " + name : name, ImGuiComboFlags_HeightLargest);
  ui.mark("variant");
  if (!open) {
    const VariantInfo* v = bench.request.variant();
    return tip_for_last(bench.request.automatic() ? bench.request.why_automatic()
                        : v                       ? about(*v, {})
                                                  : "The kernel that runs");
  }
  variant_list(ui);
  ImGui::EndCombo();
}

void dump_variants(const Workbench& bench, Json& j) {
  j["variants_known"] = bench.device_state.variants_known;
  const auto names = [&](const std::vector<Catalogue::Row>& rows) {
    Json list = Json::array();
    for (const Catalogue::Row& r : rows) list.push_back(bench.device_state.variants[r.variant].name);
    return list;
  };
  j["variant_list"] = {{"open", names(bench.views.catalogue.open())},
                       {"folded", names(bench.views.catalogue.folded())}};
}

}  // namespace attnscope::gui
