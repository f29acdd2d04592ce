#include "app/gui/testing/state_dump.hpp"

#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/shell.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

std::string dump_state(const Workbench& bench, const Layout& layout, const Shell& shell,
                       const std::map<std::string, WidgetRect>& widgets, const Pacing& pacing, const DumpFacts& facts,
                       double now) {
  Json j;
  j["window"] = {{"scale", facts.scale}};
  j["frames"] = {{"count", pacing.times().count()}};
  j["validation"] = facts.validation;
  j["tab"] = layout.tab;
  j["layout"] = to_json(SavedLayout{layout.tree, closed_panels(layout.tree)});
  j["layout"]["own"] = Json::array();
  for (const auto& [name, own] : layout.own) j["layout"]["own"].push_back(name);
  j["theme"] = layout.theme == Theme::dark ? "dark" : "light";
  j["zoom"] = layout.zoom;
  j["palette"] = {{"open", shell.palette.open}, {"chosen", shell.palette.chosen}};
  j["welcome"] = {{"open", shell.welcome.open}, {"done", shell.welcome.done}};
  j["copied"] = shell.copied;
  j["toasts"] = j["recent"] = Json::array();
  for (const Toast& t : shell.toasts.all()) j["toasts"].push_back({{"panel", t.line.panel}});
  for (const RecentFile& f : layout.recent.all()) j["recent"].push_back({{"path", f.path}, {"session", f.session}});
  j["can_undo"] = bench.history.can_undo();
  for (const Panel* panel : all_panels()) {
    if (panel->dump) panel->dump(bench, j);
    for (const PanelView* view : panel->views)
      if (view->dump) view->dump(bench, j);
  }
  for (const auto& [id, r] : widgets)
    j["widgets"][id] = {
        {"x", r.x0},           {"y", r.y0}, {"w", r.x1 - r.x0}, {"h", r.y1 - r.y0}, {"enabled", r.enabled},
        {"visible", r.visible}};
  return dump_pretty(j) + "\n";
}

}  // namespace attnscope::gui
