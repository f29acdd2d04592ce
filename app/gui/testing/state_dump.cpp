#include "app/gui/testing/state_dump.hpp"

#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/shell.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {

std::string dump_state(const Workbench& bench, const Layout& layout, const Shell& shell,
                       const std::map<std::string, WidgetRect>& widgets, const Pacing& pacing, const DumpFacts& facts,
                       double now) {
  Json j;
  j["version"] = ATTNSCOPE_VERSION;
  j["seconds"] = now;
  j["window"] = {
      {"width", facts.width}, {"height", facts.height}, {"scale", facts.scale}, {"renderer", facts.renderer}};
  const FrameTimes& times = pacing.times();
  const auto part = [](const FrameTimes::Part& p) { return Json{{"mean_ms", p.mean_ms}, {"max_ms", p.max_ms}}; };
  j["frames"] = {
      {"count", times.count()},           {"fps", pacing.fps(now)},           {"last_ms", times.last_ms()},
      {"mean_ms", times.mean_ms()},       {"min_ms", times.min_ms()},         {"median_ms", times.frame_ms(0.5)},
      {"p99_ms", times.frame_ms(0.99)},   {"max_ms", times.max_ms()},         {"p99_gap_ms", times.gap_ms(0.99)},
      {"max_gap_ms", times.max_gap_ms()}, {"seconds", times.seconds(now)},    {"mean_fps", times.mean_fps(now)},
      {"panels", part(times.build())},    {"drawing", part(times.drawing())}, {"news", part(times.news())}};
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
  j["copied"] = shell.copied;
  j["toasts"] = Json::array();
  for (const Toast& t : shell.toasts.all()) j["toasts"].push_back({{"text", t.line.text}, {"panel", t.line.panel}});
  j["recent"] = Json::array();
  for (const RecentFile& f : layout.recent.all()) j["recent"].push_back({{"path", f.path}, {"session", f.session}});
  j["can_undo"] = bench.history.can_undo();
  j["can_redo"] = bench.history.can_redo();
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
