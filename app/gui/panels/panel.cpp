#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

const std::vector<const Panel*>& all_panels() {
#define ATTNSCOPE_PANEL(name) &name,
  static const std::vector<const Panel*> all = {ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)};
#undef ATTNSCOPE_PANEL
  return all;
}

const Panel* panel_named(const std::string& name) {
  for (const Panel* panel : all_panels())
    if (name == panel->name) return panel;
  return nullptr;
}

const std::vector<Placed>& placed_panels() {
  static const std::vector<Placed> all = [] {
    std::vector<Placed> placed;
    for (const Panel* panel : all_panels()) placed.push_back({panel->name, panel->place});
    return placed;
  }();
  return all;
}

}  // namespace attnscope::gui
