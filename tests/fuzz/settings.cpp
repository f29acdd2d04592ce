// What the window remembers: settings, and the pins and log beside them.

#include "app/gui/shell/settings.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/ui.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  gui::Workbench bench{GuiOptions{}};
  bench.device_state.workers = {""};
  gui::Layout layout;
  gui::WindowSize window;
  const auto notes = gui::settings_from(text, bench, layout, window);
  fuzz::must(notes || !notes.error().message.empty(), "a refusal has a reason");
  if (notes) {
    gui::complete(layout.panels, gui::panel_names());
    const auto fitted =
        gui::fit(layout.panels, {0, 0, 1280, 700}, 8, [](const gui::TabGroup&) { return gui::Needs{}; });
    fuzz::must(!fitted.groups.empty(), "there are panels");
    for (const gui::GroupBox& g : fitted.groups)
      fuzz::must(std::isfinite(g.box.w) && g.box.w >= 0 && g.box.right() < 1290 && g.box.bottom() < 710,
                 "they lie within the window");
    fuzz::must(window.width >= 0 && window.width < 100'000, "so has the window");
  }
  const auto counts = gui::session_from(text, bench);
  fuzz::must(counts || !counts.error().message.empty(), "a refusal has a reason");
  return 0;
}
