// Shortcuts, and what the window shows.
#include <array>

#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

struct Key {
  const char *key, *does;
};
constexpr std::array keys = {
    Key{"Space", "pause or resume measuring"},
    Key{"P", "pin the live config"},
    Key{"1  2  3", "plot time, TFLOP/s, GB/s"},
    Key{"M", "measure all pins on all listed problems"},
    Key{"S", "sweep: the map of this problem's fastest variant, filled"},
    Key{"Ctrl+Z, Ctrl+Y", "undo and redo changes of problem, variant and config"},
    Key{"Ctrl+D", "config back to its defaults"},
    Key{"\u2190  \u2192", "step the parameter under the mouse"},
    Key{"wheel, drag", "zoom and move the timing plot; a double click follows again"},
    Key{"F5", "read the shader folders again"},
    Key{"Ctrl+E", "export results as JSON"},
    Key{"Ctrl+S", "save the window as PNG; in a shader's text: save it"},
    Key{"Ctrl+Q", "quit"},
};

}  // namespace

void help_popup(Ui& ui) {
  if (ui.drafts.help) ImGui::OpenPopup("attnscope##help");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(px(600), display.x - px(20)), 0});
  if (!ImGui::BeginPopupModal("attnscope##help", &ui.drafts.help,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings))
    return;
  text_in(fonts.small, colours::soft, "attnscope " ATTNSCOPE_VERSION ", drawn with " + ui.frame.renderer);
  ImGui::Dummy({0, px(4)});
  if (ImGui::BeginTable("keys", 2)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, px(150));
    ImGui::TableSetupColumn("does", ImGuiTableColumnFlags_WidthStretch);
    for (const Key& k : keys) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_in(fonts.mono, colours::accent, k.key);
      ImGui::TableNextColumn();
      text_in(fonts.body, colours::text, k.does);
    }
    ImGui::EndTable();
  }
  ImGui::Dummy({0, px(4)});
  wrapped_in(
      colours::soft,
      "The config shown is compiled, verified against a double-precision CPU reference and then dispatched over and "
      "over by a worker process. The plot shows the newest samples, their rolling median and the band from the 20th "
      "to the 80th percentile; the headline is the median. A worker that hangs or crashes is ended and started "
      "again: only the config in flight is lost.");
  ImGui::Dummy({0, px(4)});
  if (button(ui, "help.close", "Close", nullptr, true, true) || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    ui.drafts.help = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
