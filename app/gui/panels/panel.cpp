#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

const std::vector<const Panel*>& all_panels() {
#define ATTNSCOPE_PANEL(name) &(name),
  static const std::vector<const Panel*> all = {ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)};
#undef ATTNSCOPE_PANEL
  return all;
}

const Panel* panel_named(const std::string& name) {
  for (const Panel* panel : all_panels()) {
    if (name == panel->name) return panel;
    for (const PanelView* view : panel->views)
      if (name == view->name) return panel;
  }
  return nullptr;
}

const PanelView* view_of(const Ui& ui, const Panel& panel) {
  const auto chosen = ui.layout.view_of.find(panel.name);
  for (const PanelView* view : panel.views)
    if (chosen != ui.layout.view_of.end() && chosen->second == view->name) return view;
  return panel.views.empty() ? nullptr : panel.views.front();
}

void choose_view(Ui& ui, const std::string& name) {
  const Panel* panel = panel_named(name);
  if (panel && name != panel->name) ui.layout.view_of[panel->name] = name;
}

const std::vector<std::string>& panel_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Panel* panel : all_panels())
      if (*panel->title) names.emplace_back(panel->name);
    return names;
  }();
  return all;
}

Json ask_json(const Selection& selection) {
  return {{"problem", to_text(selection.problem)}, {"variant", selection.variant}, {"config", selection.config}};
}

Json brief(const Record& r) {
  Json j = {{"config", r.config},
            {"samples", r.samples_ns.size()},
            {"moved_bytes", r.bytes + r.extra_bytes},
            {"scratch_bytes", r.scratch_bytes}};
  if (r.statistics) j["statistics"] = *r.statistics;
  return j;
}

}  // namespace attnscope::gui
