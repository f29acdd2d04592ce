#include "app/gui/panels/panel.hpp"

#include <imgui_stdlib.h>

#include "engine/platform/system.hpp"

namespace attnscope::gui {
namespace {

struct RunMenu {
  std::string run;  ///< whose menu is open, by its key
  Remark remark;
};
struct FilesMenu {
  std::string path;  ///< of a file to open or to write
};

constexpr const char* kMenu = "run.menu";

void remarks(Ui& ui, const std::string& id, const RunRow& row) {
  Workbench& bench = ui.bench;
  RunMenu& d = ui.states.of<RunMenu>();
  const bool rename = ImGui::IsWindowAppearing() && ImGui::IsKeyDown(ImGuiKey_F2);
  if (ImGui::IsWindowAppearing() || d.run != row.key) d = {row.key, row.remark};
  const auto field = [&](const char* name, const char* hint, std::string& text) {
    label(name);
    ImGui::SameLine(px(52));
    ImGui::SetNextItemWidth(px(230));
    const bool changed = ImGui::InputTextWithHint(fmt::format("##{}", name).c_str(), hint, &text);
    if (ImGui::IsItemDeactivated() &&
        (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter)))
      ImGui::CloseCurrentPopup();
    ui.mark(fmt::format("{}.{}", id, name));
    return changed;
  };
  if (rename) ImGui::SetKeyboardFocusHere();
  const bool named = field("name", row.name.c_str(), d.remark.name),
             noted = field("note", "what to remember of it", d.remark.note);
  if (named || noted) bench.log.remarks.set(row.key, d.remark);
}

constexpr float kWide = 600;

/// The desktop's chooser, which nothing here waits for.
void choose_file(Ui& ui) {
  auto& choosing = ui.shell.choosing;
  if (choosing) return;
  choosing = std::make_shared<ChosenFile>();
  std::thread([out = choosing] {
    out->path = attnscope::choose_file("Open results or a session");
    out->done = true;
  }).detach();
}

void folder_list(Ui& ui) {
  namespace fs = std::filesystem;
  std::string& path = ui.states.of<FilesMenu>().path;
  std::error_code error, none;
  fs::path folder = fs::is_directory(path, none) ? fs::path(path) : fs::path(path).parent_path();
  folder = fs::absolute(folder.empty() ? fs::path(".") : folder, none).lexically_normal();
  const auto& entries = ui.shell.folder(folder.string(), [&] {
    std::vector<std::pair<std::string, bool>> all;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator() && all.size() < 2000;
         it.increment(error)) {
      const std::string name = it->path().filename().string(), kind = it->path().extension().string();
      const bool inner = it->is_directory(none);
      if (!name.starts_with('.') && (inner || kind == ".json")) all.emplace_back(name, inner);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second : a.first < b.first; });
    all.insert(all.begin(), {"..", true});
    return all;
  });
  ImGui::BeginChild("files.list", {px(kWide), px(170)}, ImGuiChildFlags_Border);
  for (const auto& [name, inner] : entries) {
    const std::string whole = inner ? (folder / name).lexically_normal().string() : (folder / name).string();
    if (ImGui::Selectable((inner ? name + "/" : name).c_str(), path == whole,
                          ImGuiSelectableFlags_DontClosePopups | ImGuiSelectableFlags_AllowDoubleClick)) {
      path = whole;
      if (!inner && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        ui.requests.files.push_back({FileRequest::What::open, path});
        ImGui::CloseCurrentPopup();
      }
    }
    ui.mark("files.in." + name);
  }
  ImGui::EndChild();
}

}  // namespace

void open_run_menu() { ImGui::OpenPopup(kMenu); }

void run_menu(Ui& ui, const std::string& id, const RunRow& row, RunPlace place, uint64_t pin) {
  if (!begin_popup(kMenu)) return;
  Workbench& bench = ui.bench;
  const Record& r = *row.record;
  text_in(fonts.bold, colours::text, row.name);
  remarks(ui, id, row);
  ImGui::Separator();
  const auto item = [&](const char* what, const char* label, bool enabled = true, const char* icon = "") {
    return menu_item(ui, fmt::format("{}.{}", id, what), label, enabled, "", icon);
  };
  if (item("restore", "Restore problem, variant and config", true, icons::undo)) bench.request.take(r);
  if (place == RunPlace::log && item("pin", "Pin", r.outcome == Outcome::measured && !r.samples_ns.empty(), icons::pin))
    bench.pin(r);
  const std::string command = command_line_of(r, bench.given.places, bench.request.worker);
  if (item("command", "Copy as command line", !command.empty(), icons::copy))
    copy(bench, ui.shell, command, "the command line");
  if (item("markdown", "Copy row as Markdown", true, icons::copy))
    copy(bench, ui.shell, render_markdown(run_table({row})), "the row as Markdown");
  if (place == RunPlace::log && item("remove", "Remove from the log", true, icons::trash))
    bench.remove_runs({row.number});
  if (place == RunPlace::pins) {
    uint64_t& baseline = bench.pins.baseline;
    if (item("baseline", baseline == pin ? "Compare with the live config" : "Set as baseline"))
      baseline = baseline == pin ? 0 : pin;
    const Pin* p = bench.pins.find(pin);
    const std::string file = p ? p->dataset : "";
    if (!file.empty() && item("close", "Close its file", true, icons::close)) bench.close_dataset(file);
    if (file.empty() && item("remove_pin", "Remove this pin", true, icons::trash)) bench.unpin(pin);
  }
  ImGui::Separator();
  table_entries(ui, place == RunPlace::log ? "log" : "pins");
  ImGui::EndPopup();
}

void files_menu(Ui& ui) {
  const float wide = px(kWide) + 2 * ImGui::GetStyle().WindowPadding.x, edge = px(10);
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(), display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({std::clamp(min.x, edge, std::max(edge, display.x - wide - edge)), max.y + px(6)});
  if (auto& chosen = ui.shell.choosing; chosen && chosen->done) {
    if (!chosen->path.empty()) ui.requests.files.push_back({FileRequest::What::open, chosen->path});
    chosen.reset();
  }
  if (!begin_popup("files")) return;
  std::string& path = ui.states.of<FilesMenu>().path;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered = text_field(ui, "files.path", "results.json, session.json", path, px(kWide), "",
                                  ImGuiInputTextFlags_AutoSelectAll);
  // The field would take the key first.
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  // A page does not take the place of results, nor they of it, because the name still stands here.
  const auto request = [&](FileRequest::What what) {
    std::filesystem::path file(path);
    const bool page = file.extension() == ".html" || file.extension() == ".htm";
    if (!path.empty() && what != FileRequest::What::open && page != (what == FileRequest::What::report))
      file.replace_extension(page ? ".json" : ".html");
    ui.requests.files.push_back({what, file.string()});
    ImGui::CloseCurrentPopup();
  };
  const bool named = !path.empty();
  if (ui.shell.browsing) folder_list(ui);
  if (button(ui, "files.browse", with_icon(icons::folder, "Browse\u2026"), "Choose a file to open")) {
    // Off screen nobody could answer a chooser.
    if (ImGui::GetIO().BackendPlatformName && has_file_chooser())
      choose_file(ui);
    else
      ui.shell.browsing = !ui.shell.browsing;
  }
  ImGui::SameLine();
  if (button(ui, "files.open", "Open",
             "A session takes the place of this one (which is saved beside it first); results get rows of their own "
             "in Compare. A file dropped on the window is opened the same way.",
             named, true) ||
      (entered && named))
    request(FileRequest::What::open);
  const auto saves = [&](const char* id, const std::string& label, FileRequest::What what, const char* tip) {
    ImGui::SameLine();
    if (button(ui, id, label, tip)) request(what);
  };
  saves("files.save_session", with_icon(icons::save, "Save session"), FileRequest::What::save_session,
        "Pins with their samples, the log, names and notes, what is asked and the layout");
  saves("files.report", with_icon(icons::page, "HTML report"), FileRequest::What::report,
        "Everything kept here as one page to pass on");
  saves("files.export", with_icon(icons::table, "Export results"), FileRequest::What::results,
        "Pins, measured problems and the log as a JSON result file (Ctrl+E)");
  std::error_code error;
  text_cut("Results named .csv or .md are saved as that table. Without a path: a new file in " +
               std::filesystem::current_path(error).string(),
           px(kWide), colours::faint, fonts.small);
  ImGui::EndPopup();
}

const std::vector<const Panel*>& all_panels() {
#define ATTNSCOPE_PANEL(name) &(name),
  static const std::vector<const Panel*> all = {ATTNSCOPE_PANELS(ATTNSCOPE_PANEL)};
#undef ATTNSCOPE_PANEL
  return all;
}

const Panel* panel_named(const std::string& name) {
  for (const Panel* panel : all_panels()) {
    if (name == panel->name) return panel;
    for (const PanelView* view : panel->views)
      if (name == view->name) return panel;
  }
  return nullptr;
}

const PanelView* view_of(const Ui& ui, const Panel& panel) {
  for (const PanelView* view : panel.views)
    if (at_or(ui.layout.view_of, panel.name) == view->name) return view;
  return panel.views.empty() ? nullptr : panel.views.front();
}

void choose_view(Ui& ui, const std::string& name) {
  const Panel* panel = panel_named(name);
  if (panel && name != panel->name) ui.layout.view_of[panel->name] = name;
}

const std::vector<std::string>& panel_names() {
  static const auto all = mapped(filtered(all_panels(), [](const Panel* p) { return *p->title; }),
                                 [](const Panel* p) { return std::string(p->name); });
  return all;
}

Json ask_json(const Selection& selection) {
  return {{"problem", to_text(selection.problem)}, {"variant", selection.variant}, {"config", selection.config}};
}

Json brief(const Record& r) {
  Json j = {{"config", r.config},
            {"samples", r.samples_ns.size()},
            {"moved_bytes", r.bytes + r.extra_bytes},
            {"scratch_bytes", r.scratch_bytes}};
  if (r.statistics) j["statistics"] = *r.statistics;
  return j;
}

}  // namespace attnscope::gui
