// Everything the window knows and shows, as JSON: what tests and scripts check instead of pixels.
#pragma once

#include <string>

#include "app/gui/ui/ui.hpp"
#include "app/gui/worker/pacing.hpp"

namespace attnscope::gui {

struct DumpFacts {
  std::string renderer;
  float scale = 1;
  int width = 0, height = 0;
  const std::vector<std::string>& validation;  ///< messages of the drawing device's validation layers
};

/// docs/gui.md lists the fields.
std::string dump_state(const Workbench&, const Layout&, const Shell&, const std::map<std::string, WidgetRect>&,
                       const Pacing&, const DumpFacts&, double now);

}  // namespace attnscope::gui
