#include "app/gui/state_dump.hpp"

#include "app/gui/panels/dump.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/shell.hpp"

namespace attnscope::gui {

std::string dump_state(const Workbench& bench, const Layout& layout, const Shell& shell,
                       const std::map<std::string, WidgetRect>& widgets, const Pacing& pacing, const DumpFacts& facts,
                       double now) {
  Json j;
  j["version"] = ATTNSCOPE_VERSION;
  j["seconds"] = now;
  j["window"] = {
      {"width", facts.width}, {"height", facts.height}, {"scale", facts.scale}, {"renderer", facts.renderer}};
  j["frames"] = {
      {"count", pacing.frames()},          {"fps", pacing.fps(now)},           {"last_ms", pacing.last_ms()},
      {"mean_ms", pacing.mean_ms()},       {"min_ms", pacing.min_ms()},        {"max_ms", pacing.max_ms()},
      {"max_gap_ms", pacing.max_gap_ms()}, {"seconds", pacing.counted_s(now)}, {"mean_fps", pacing.mean_fps(now)}};
  j["validation"] = facts.validation;
  j["tab"] = layout.tab;
  j["layout"] = to_json(SavedLayout{layout.tree, closed_panels(layout.tree)});
  j["layout"]["full"] = layout.full;
  j["layout"]["own"] = Json::array();
  for (const auto& [name, own] : layout.own) j["layout"]["own"].push_back(name);
  j["theme"] = layout.theme == Theme::dark ? "dark" : "light";
  j["zoom"] = layout.zoom;
  j["palette"] = {{"open", shell.palette.open}, {"text", shell.palette.text}, {"chosen", shell.palette.chosen}};
  j["welcome"] = {{"open", shell.welcome.open}, {"done", shell.welcome.done}};
  j["toasts"] = Json::array();
  for (const Toast& t : shell.toasts.all()) j["toasts"].push_back({{"text", t.line.text}, {"panel", t.line.panel}});
  j["can_undo"] = bench.history.can_undo();
  j["can_redo"] = bench.history.can_redo();
  for (const Panel* panel : all_panels())
    if (panel->dump) panel->dump(bench, j);
  for (const auto& [id, r] : widgets)
    j["widgets"][id] = {
        {"x", r.x0},           {"y", r.y0}, {"w", r.x1 - r.x0}, {"h", r.y1 - r.y0}, {"enabled", r.enabled},
        {"visible", r.visible}};
  return dump_pretty(j) + "\n";
}

}  // namespace attnscope::gui
