#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

const std::vector<const Panel*>& all_panels() {
#define ATTNSCOPE_PANEL(name) &name,
  static const std::vector<const Panel*> all = {ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)};
#undef ATTNSCOPE_PANEL
  return all;
}

}  // namespace attnscope::gui
