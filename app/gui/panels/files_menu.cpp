#include "app/gui/panels/files_menu.hpp"

#include <algorithm>
#include <cfloat>
#include <filesystem>

#include <imgui_stdlib.h>

#include "app/gui/ways_out.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {

void files_menu(Ui& ui) {
  // Below the button that opened it, within the window.
  const float wide = px(380) + 2 * ImGui::GetStyle().WindowPadding.x, edge = px(10);
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(), display = ImGui::GetIO().DisplaySize;
  const bool below = max.y + px(150) < display.y;
  ImGui::SetNextWindowPos(
      {std::clamp(min.x, edge, std::max(edge, display.x - wide - edge)), below ? max.y + px(6) : min.y - px(6)},
      ImGuiCond_Always, {0, below ? 0.f : 1.f});
  if (!begin_popup("files")) return;
  std::string& path = ui.drafts.path;
  text_cut("A file: its path, or its name in the folder that attnscope was started in", px(380), colours::soft,
           fonts.small);
  ImGui::SetNextItemWidth(px(380));
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputTextWithHint("##files.path", "results.json, session.json, runs.csv", &path,
                               ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
  ui.mark("files.path");
  // With nothing typed there is nothing that the key could take back first.
  if (path.empty() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  // A page does not take the place of results, nor they of it, because the name still stands here.
  const auto wish = [&](FileWish::What what) {
    std::filesystem::path file(path);
    const std::string kind = file.extension().string();
    const bool page = kind == ".html" || kind == ".htm";
    if (what == FileWish::What::report && (kind == ".json" || kind == ".csv" || kind == ".md"))
      file.replace_extension(".html");
    if ((what == FileWish::What::results || what == FileWish::What::save_session) && page)
      file.replace_extension(".json");
    ui.requests.files.push_back({what, file.string()});
    ImGui::CloseCurrentPopup();
  };
  const bool named = !path.empty();
  if (button(ui, "files.open", "Open",
             "A session takes the place of this one (which is saved beside it first); results are added to the pins. A "
             "file dropped on the window is opened the same way.",
             named, true) ||
      (entered && named))
    wish(FileWish::What::open);
  ImGui::SameLine();
  if (button(ui, "files.save_session", "Save session",
             "Pins with their samples, the log, names and notes, what is asked and the layout; without a path under a "
             "new name."))
    wish(FileWish::What::save_session);
  ImGui::SameLine();
  if (button(ui, "files.report", "HTML report",
             "Everything kept here as one page to pass on; without a path under a "
             "new name."))
    wish(FileWish::What::report);
  ImGui::SameLine();
  if (button(ui, "files.export", "Export results",
             "Pins, measured problems and the log as a JSON result file (Ctrl+E); without a path under a new name."))
    wish(FileWish::What::results);
  std::error_code error;
  text_cut("Without a path: into " + std::filesystem::current_path(error).string(), px(380), colours::faint,
           fonts.small);
  text_in(fonts.small, colours::faint, "One plot or table: right click on it.");
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
