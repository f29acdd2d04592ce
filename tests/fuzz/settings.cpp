// What the window remembers: settings, and the pins and log beside them.
#include <cmath>

#include "app/gui/session_file.hpp"
#include "app/gui/settings.hpp"
#include "app/gui/ui.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  gui::Workbench bench{GuiOptions{}};
  bench.known.workers = {""};
  gui::Layout layout;
  gui::WindowSize window;
  const auto notes = gui::settings_from(text, bench, layout, window);
  fuzz::must(notes || !notes.error().message.empty(), "a refusal has a reason");
  if (notes) {
    fuzz::must(layout.left > 0 && layout.left < 1e5 && std::isfinite(layout.bottom), "panes have a size");
    fuzz::must(window.width >= 0 && window.width < 100'000, "so has the window");
  }
  const auto counts = gui::session_from(text, bench);
  fuzz::must(counts || !counts.error().message.empty(), "a refusal has a reason");
  return 0;
}
