// A control for each parameter, made from its declaration alone.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

struct ParametersState {
  TextDraft config;
};

void control(Ui& ui, const Parameter& p, float label_width, float width) {
  Workbench& bench = ui.bench;
  const int64_t value = at_or(bench.request.selection.config, p.name, p.default_value);
  ImGui::AlignTextToFramePadding();
  const float start = ImGui::GetCursorPosX();
  text_cut(p.name, label_width - px(6), value == p.default_value ? colours::soft : colours::text, fonts.mono, false);
  mark_with_tip(ui, "param." + p.name + ".label",
                fmt::format("{}\n{}\nDefault {}.", p.name, p.meaning, p.default_value));
  ImGui::SameLine(start + label_width);
  const auto labels = mapped(p.values, [](int64_t v) { return std::to_string(v); });
  const auto at = std::ranges::find(p.values, value);
  const int selected = at == p.values.end() ? -1 : int(at - p.values.begin());
  // Then another parameter is to blame, or the problem.
  bool none_helps = true;
  for (size_t i = 0; i < p.values.size(); ++i)
    none_helps &= !bench.device_state.why_not_value(bench.request.selection, p.name, i).empty();
  const int chosen = segmented(
      ui, "param." + p.name, labels, selected, width - label_width,
      [&](size_t i) {
        // What was chosen just now is not refused before it is planned.
        if (none_helps || (int(i) == selected && !bench.request.inspection())) return std::string();
        return bench.device_state.why_not_value(bench.request.selection, p.name, i);
      },
      fonts.mono);
  if (chosen >= 0) bench.request.set_value(p.name, p.values[size_t(chosen)]);
}

void named_configs(Ui& ui, const VariantInfo& v) {
  Workbench& bench = ui.bench;
  const std::string now = config_name(v, bench.request.selection.config);
  const auto chip = [&](const std::string& name, const Config& config, bool on, const std::string& tip) {
    if (ImGui::GetContentRegionAvail().x < button_width(name)) ImGui::NewLine();
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, colours::chosen);
    if (button(ui, ("config." + name).c_str(), name, tip.c_str(), on || !config.empty()))
      bench.request.set_config(config);
    if (on) ImGui::PopStyleColor();
    ImGui::SameLine(0, px(5));
  };
  chip("default", default_config(v), now == "default", "Every parameter at its declared default (Ctrl+D)");
  for (const NamedConfig& named : v.configs) {
    const Config config = full_config(v, named);
    chip(named.name, config, now == named.name, fmt::format("{}\n{}", named.purpose, attnscope::to_text(config)));
  }
  // Always in its place: with a search that is kept, no row below may move.
  const tune::TunedMatch* match = bench.request.tuned();
  chip("tuned", match ? match->entry.config : Config{}, !bench.request.tuned_caption().empty(),
       match ? fmt::format("{}\n{}\n{}", provenance(*match, std::time(nullptr)), gui::time_text(match->entry.median_ns),
                           attnscope::to_text(match->entry.config))
             : "Nothing is tuned for this problem, device and mode; Search does that.");
  if (ImGui::GetContentRegionAvail().x < px(240)) ImGui::NewLine();
}

void text_form(Ui& ui, const VariantInfo& v) {
  Workbench& bench = ui.bench;
  TextDraft& draft = ui.states.of<ParametersState>().config;
  const Config& config = bench.request.selection.config;
  draft_field(
      ui, "config.text", draft, -FLT_MIN,
      "The config as text: what differs from the defaults, or a name. Now: " + attnscope::to_text(config),
      [&](const std::string& text) { return bench.request.set_config(text); },
      [&] {
        return std::pair(v.name + " " + attnscope::to_text(config),
                         short_config_labels({{named(&v, v.name, config)}}).front());
      });
  if (!draft.error.empty()) wrapped_in(colours::bad, draft.error);
}

void draw_parameters(Ui& ui) {
  Workbench& bench = ui.bench;
  const VariantInfo* v = bench.request.variant();
  if (!v && !bench.device_state.variants_known) return empty_hint("Loading the variants\u2026", "");
  if (const std::string& name = bench.request.selection.variant; !v && !name.empty())
    return empty_hint(name + " is gone", "Bring its folder back, or choose another in the top bar.");
  if (!v) return empty_hint("No variant chosen", "Choose one in the top bar.");
  const bool loads = v->error.empty();
  if (!loads && !(v = bench.device_state.loaded(v->name))) return wrapped_in(colours::faint, "None.");
  if (!loads) wrapped_in(colours::warning, kLastGood);
  ImGui::BeginDisabled(!loads);
  named_configs(ui, *v);
  text_form(ui, *v);
  float label = px(76);
  for (const Parameter& p : v->parameters) label = std::max(label, width_of(fonts.mono, p.name));
  const float room = ImGui::GetContentRegionAvail().x;
  for (const Parameter& p : v->parameters) control(ui, p, std::min(label + px(14), room * 0.45f), room);
  ImGui::EndDisabled();
}

void dump_parameters(const Workbench& bench, Json& j) { j["tuned_caption"] = bench.request.tuned_caption(); }

}  // namespace

const Panel parameters_panel = {.name = "parameters",
                                .title = "Parameters",
                                .draw = draw_parameters,
                                .dump = dump_parameters,
                                .least_w = 188,
                                .least_h = 150,
                                .kept_h = 424};

}  // namespace attnscope::gui
