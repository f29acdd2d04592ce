// The shaders and the manifest of the variant that is shown, to be edited, with what the compiler says of them, and the
// versions so far.
#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/code_view.hpp"
#include "app/gui/layout/whole_tabs.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/versions.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

/// Where the room ends, below which the text and what is said of it take turns.
constexpr float kSideBySide = 600;

std::string tab_label(const Editor::Tab& tab) {
  std::string label = tab.name;
  if (tab.dirty) label += " \u2022";
  if (tab.errors > 0) label += fmt::format(" ({})", tab.errors);
  return label;
}

/// Own files as cells, as many as have room for their whole names; the others, and what is included from elsewhere, in
/// a list behind them.
void files_row(Ui& ui, const std::string& variant, float room) {
  Editor& editor = ui.bench.editor;
  const std::vector<Editor::Tab> tabs = editor.tabs(variant);
  const std::string chosen = editor.chosen(variant);
  std::vector<const Editor::Tab*> own, listed, includes;
  std::vector<float> widths;
  int at = -1;
  float sum = 0;
  for (const Editor::Tab& tab : tabs) {
    if (!tab.file->own) {
      includes.push_back(&tab);
      continue;
    }
    if (tab.name == chosen) at = int(own.size());
    own.push_back(&tab);
    widths.push_back(width_of(fonts.small, tab_label(tab)) + px(18));
    sum += widths.back();
  }
  const float list = px(118), beside = room - list - px(8);
  const std::vector<size_t> shown = whole_tabs(widths, includes.empty() && sum <= room ? room : beside, at);
  std::vector<std::string> labels, ids;
  int selected = -1;
  float wide = 0;
  for (const size_t i : shown) {
    if (int(i) == at) selected = int(labels.size());
    labels.push_back(tab_label(*own[i]));
    ids.push_back(own[i]->name);
    wide += widths[i];
  }
  for (size_t i = 0; i < own.size(); ++i)
    if (std::find(shown.begin(), shown.end(), i) == shown.end()) listed.push_back(own[i]);
  const size_t hidden = listed.size();
  listed.insert(listed.end(), includes.begin(), includes.end());
  if (const int now = segmented(ui, "editor.file", labels, selected,
                                std::min(wide, listed.empty() ? room : std::max(px(60), beside)), {}, fonts.small, ids);
      now >= 0)
    editor.choose(variant, ids[size_t(now)]);
  if (listed.empty()) return;
  if (!labels.empty()) ImGui::SameLine();
  const auto in_list =
      std::find_if(listed.begin(), listed.end(), [&](const Editor::Tab* t) { return t->name == chosen; });
  const size_t marked = size_t(
      std::count_if(listed.begin(), listed.end(), [](const Editor::Tab* t) { return t->dirty || t->errors > 0; }));
  const std::string count =
      hidden > 0 ? fmt::format("+{} files", listed.size()) : fmt::format("{} includes", listed.size());
  const std::string title = in_list != listed.end() ? tab_label(**in_list)
                            : marked > 0            ? fmt::format("{}, {} marked", count, marked)
                                                    : count;
  ImGui::SetNextItemWidth(list);
  const bool open = begin_combo("##editor.includes", title);
  ui.mark("editor.includes");
  if (!open) return;
  for (const Editor::Tab* tab : listed) {
    if (ImGui::Selectable(tab_label(*tab).c_str(), tab->name == chosen)) editor.choose(variant, tab->name);
    ui.mark("editor.file." + tab->name);
  }
  ImGui::EndCombo();
}

void save(Ui& ui, Editor::Document& d, bool over = false) {
  if (auto request = ui.bench.editor.save(d, over)) ui.requests.save_texts.push_back(std::move(*request));
  // Who edits a variant has chosen it.
  if (ui.bench.automatic()) ui.bench.set_variant(ui.bench.asked.ask.variant);
}

void save_button(Ui& ui, Editor::Document* d) {
  const bool can = d && d->writable && d->dirty() && !d->saving;
  if (button(ui, "editor.save", "Save",
             d && !d->writable ? "This file cannot be written: make a new variant from this one."
                               : "Write the file, then compile, verify and measure it (Ctrl+S in the text).",
             can, can))
    save(ui, *d);
}

void variant_row(Ui& ui) {
  if (button(ui, "editor.new", "New variant", "Copy this variant's folder under a new name, and take the copy."))
    ui.drafts.naming = !ui.drafts.naming;
  ImGui::SameLine();
  ImGui::Checkbox("Watch", &ui.layout.watch);
  ui.mark("editor.watch");
  tip_for_last("Read the shader folders again by itself whenever another program saves a file of a variant.");
}

void naming_row(Ui& ui) {
  Drafts& drafts = ui.drafts;
  bool& shown = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("editor.naming"));
  const bool opened = drafts.naming && !shown;
  shown = drafts.naming;
  if (!drafts.naming) return;
  // Letters without a field to go into are commands.
  if (opened) keys_to_next_field();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const bool entered = ImGui::InputTextWithHint("##editor.name", "name of the copy", &drafts.new_variant,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ui.mark("editor.name");
  std::string why = why_no_name(drafts.new_variant);
  if (why.empty() && ui.bench.known.variant(drafts.new_variant)) why = "There is a variant of this name.";
  if ((button(ui, "editor.create", "Create", why.c_str(), why.empty(), true) || entered) && why.empty()) {
    ui.requests.new_variant = drafts.new_variant;
    drafts.naming = false;
    drafts.new_variant_error.clear();
  }
  ImGui::SameLine();
  if (button(ui, "editor.no_name", "Cancel", nullptr) || ImGui::IsKeyPressed(ImGuiKey_Escape)) drafts.naming = false;
  if (!why.empty() && !drafts.new_variant.empty()) wrapped_in(colours::bad, why);
  if (!drafts.new_variant_error.empty()) wrapped_in(colours::bad, drafts.new_variant_error);
}

void disk_rows(Ui& ui, Editor::Document& d) {
  if (d.theirs) {
    text_in(fonts.small, colours::warning, "Another program changed this file since your edits began.");
    ImGui::SameLine();
    if (button(ui, "editor.theirs", "Take theirs", "Give up the edits here; undo brings them back."))
      ui.bench.editor.take_theirs(d);
    ImGui::SameLine();
    if (button(ui, "editor.over", "Overwrite", "Save the edits over what the other program wrote.")) save(ui, d, true);
  } else if (d.gone) {
    wrapped_in(colours::warning, "This file is in no variant any more; saving writes it again.");
  } else if (!d.writable) {
    wrapped_in(colours::soft, "This file cannot be written here; New variant copies its folder to one that can.");
  }
}

void find_row(Ui& ui, Editor::Document& d, bool opened) {
  Drafts& drafts = ui.drafts;
  if (!drafts.finding) return;
  if (opened) keys_to_next_field();
  ImGui::SetNextItemWidth(px(200));
  const bool entered =
      ImGui::InputTextWithHint("##editor.find", "find", &drafts.find, ImGuiInputTextFlags_EnterReturnsTrue);
  ui.mark("editor.find");
  const bool back = entered && ImGui::GetIO().KeyShift;
  if (entered) ImGui::SetKeyboardFocusHere(-1);
  ImGui::SameLine();
  bool next = button(ui, "editor.next", "Next", "Enter, or F3", !drafts.find.empty());
  ImGui::SameLine();
  const bool previous = button(ui, "editor.previous", "Previous", "Shift+Enter", !drafts.find.empty());
  next = next || (entered && !back) || ImGui::IsKeyPressed(ImGuiKey_F3);
  if (next || previous || back) d.buffer.find(drafts.find, !(previous || back));
  ImGui::SameLine();
  if (button(ui, "editor.no_find", "Close", nullptr) || ImGui::IsKeyPressed(ImGuiKey_Escape)) drafts.finding = false;
}

/// What is on disk now: as a version, as an error, or on its way.
void state_line(Ui& ui, const std::string& variant) {
  Workbench& bench = ui.bench;
  const VariantInfo* v = bench.known.variant(variant);
  if (!v) return;
  if (!v->error.empty()) {
    const size_t count = bench.editor.errors(variant).size();
    text_cut(fmt::format("{} error{}: not loaded, not measured", count, count == 1 ? "" : "s"),
             ImGui::GetContentRegionAvail().x, colours::bad, fonts.small);
  } else {
    text_in(fonts.small, colours::soft, bench.version_name(variant, v->hash));
    tip_for_last("shader " + v->hash.substr(0, 12));
    const Live* live = bench.shown();
    ImGui::SameLine(0, px(10));
    if (live && !live->failure.empty()) {
      text_cut("could not go on: " + live->failure, ImGui::GetContentRegionAvail().x, colours::bad, fonts.small);
    } else if (live && live->verdict && !live->verdict->pass) {
      text_cut("wrong results: " + live->verdict->reason, ImGui::GetContentRegionAvail().x, colours::bad, fonts.small);
    } else if (const Live* timed = bench.timed()) {
      text_in(fonts.small, colours::good, "correct, " + time_text(timed->series.statistics()->median));
    } else {
      text_in(fonts.small, colours::faint, bench.measuring() ? bench.running().stage : "not measured");
    }
  }
}

/// Jumps on a click.
void errors_list(Ui& ui, const std::string& variant, long& go_to) {
  const std::vector<Diagnostic>& errors = ui.bench.editor.errors(variant);
  if (errors.empty()) return;
  const std::string chosen = ui.bench.editor.chosen(variant);
  const float tall = fonts.small->FontSize * 2 + px(10);
  const float height = std::min(tall * float(errors.size()), std::max(tall, ImGui::GetContentRegionAvail().y * 0.4f));
  ImGui::BeginChild("editor.errors", {0, height}, 0, ImGuiWindowFlags_NoBackground);
  ImGuiListClipper rows;
  rows.Begin(int(errors.size()), tall);
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      const Diagnostic& e = errors[size_t(i)];
      ImGui::PushID(i);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      if (ImGui::InvisibleButton("##error", {width, tall - ImGui::GetStyle().ItemSpacing.y}) && !e.file.empty()) {
        ui.bench.editor.choose(variant, e.file);
        if (e.line > 0) go_to = long(e.line) - 1;
      }
      ui.mark(fmt::format("editor.error.{}", i));
      if (ImGui::IsItemHovered())
        ImGui::GetWindowDrawList()->AddRectFilled(at, ImGui::GetItemRectMax(), colours::raised, px(4));
      tip_for_last(e.text);
      const std::string place = e.file.empty() ? variant
                                : e.line == 0  ? e.file
                                               : fmt::format("{}{}:{}", e.near ? "near " : "", e.file, e.line);
      draw_cut(fonts.small, {at.x + px(6), at.y + px(1)}, width - px(10), colours::soft, place);
      draw_cut(fonts.small, {at.x + px(6), at.y + fonts.small->FontSize + px(2)}, width - px(10), colours::bad, e.text);
      ImGui::PopID();
    }
  ImGui::EndChild();
}

void text_side(Ui& ui, const std::string& variant, long go_to) {
  static bool find_opened = false;
  Editor& editor = ui.bench.editor;
  const std::string chosen = editor.chosen(variant);
  Editor::Document* d = editor.document(variant, chosen);
  const float left = ImGui::GetCursorPosX();
  const float save_width = ImGui::CalcTextSize("Save").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float room = ImGui::GetContentRegionAvail().x - save_width - ImGui::GetStyle().ItemSpacing.x;
  files_row(ui, variant, room);
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + room + ImGui::GetStyle().ItemSpacing.x);
  save_button(ui, d);
  if (!d) return;
  disk_rows(ui, *d);
  find_row(ui, *d, std::exchange(find_opened, false));
  std::vector<CodeMark> marks;
  for (const Diagnostic& e : editor.errors(variant))
    if (e.file == chosen && e.line > 0 && e.line <= d->buffer.lines().size())
      marks.push_back({e.line - 1, e.text, e.near});
  const CodeKeys keys = code_view(ui, "editor.text", *d, marks, false, go_to, go_to >= 0);
  if (keys.save && d->writable) save(ui, *d);
  if (keys.save && !d->writable) ui.drafts.naming = true;
  if (keys.find) {
    ui.drafts.finding = find_opened = true;
    if (d->buffer.selected() && d->buffer.selection().find('\n') == std::string::npos)
      ui.drafts.find = d->buffer.selection();
  }
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::string variant = bench.asked.ask.variant;
  if (!bench.editor.variant(variant))
    return empty_hint("No shader to show",
                      bench.known.variants_known ? "Choose a variant first." : "The variants are still loading.");
  static long go_to = -1;  // of an error that was clicked in the frame before
  const long now = std::exchange(go_to, -1);
  const float width = ImGui::GetContentRegionAvail().x;
  if (width < px(kSideBySide)) {
    static int side = 0;
    const size_t errors = bench.editor.errors(variant).size();
    const int chosen =
        segmented(ui, "editor.side", {"Text", errors > 0 ? fmt::format("Versions, {} errors", errors) : "Versions"},
                  side, std::min(width, px(260)), {}, fonts.small, {"text", "versions"});
    if (chosen >= 0) side = chosen;
    if (side == 0) return text_side(ui, variant, now);
    variant_row(ui);
    naming_row(ui);
    state_line(ui, variant);
    errors_list(ui, variant, go_to);
    if (go_to >= 0) side = 0;
    return versions_list(ui);
  }
  const float facts = std::clamp(width * 0.3f, px(230), px(330)), gap = px(12);
  ImGui::BeginChild("editor.left", {width - facts - gap, 0}, 0,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  text_side(ui, variant, now);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("editor.right", {0, 0}, 0, ImGuiWindowFlags_NoBackground);
  variant_row(ui);
  naming_row(ui);
  state_line(ui, variant);
  errors_list(ui, variant, go_to);
  versions_list(ui);
  ImGui::EndChild();
}

void dump(const Workbench& bench, Json& j) {
  const std::string& variant = bench.asked.ask.variant;
  Json& e = j["editor"];
  e = {{"variant", variant}, {"file", bench.editor.chosen(variant)}, {"unsaved", bench.editor.unsaved()}};
  e["tabs"] = Json::array();
  for (const Editor::Tab& tab : bench.editor.tabs(variant)) {
    Json one = {{"name", tab.name},
                {"path", tab.file->path.string()},
                {"dirty", tab.dirty},
                {"errors", tab.errors},
                {"writable", tab.file->writable}};
    if (const Editor::Document* d = bench.editor.find(tab.file->path.string())) {
      one["lines"] = d->buffer.lines().size();
      one["caret"] = {d->buffer.caret().line + 1, d->buffer.caret().column};
      one["changed_on_disk"] = d->theirs.has_value();
    }
    e["tabs"].push_back(one);
  }
  e["errors"] = Json::array();
  for (const Diagnostic& d : bench.editor.errors(variant))
    e["errors"].push_back({{"file", d.file}, {"line", d.line}, {"near", d.near}, {"text", d.text}});
  dump_versions(bench, e);
}

}  // namespace

void quit_popup(Ui& ui) {
  if (ui.drafts.ask_quit) ImGui::OpenPopup("Edits that are not saved##quit");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(px(460), display.x - px(20)), 0});
  if (!ImGui::BeginPopupModal("Edits that are not saved##quit", nullptr,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings))
    return;
  for (const std::string& path : ui.bench.editor.unsaved())
    text_cut(path, ImGui::GetContentRegionAvail().x, colours::text, fonts.small);
  wrapped_in(colours::soft, "This window keeps no session (--settings -): what is not saved is lost.");
  if (button(ui, "quit.discard", "Quit without saving", nullptr)) {
    for (const VariantInfo& v : ui.bench.known.variants)
      for (const Editor::Tab& tab : ui.bench.editor.tabs(v.name))
        if (tab.dirty) ui.bench.editor.discard(*ui.bench.editor.document(v.name, tab.name));
    ui.requests.quit = true;
    ui.drafts.ask_quit = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (button(ui, "quit.stay", "Stay", nullptr, true, true) || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    ui.drafts.ask_quit = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

const Panel editor_panel = {"editor", "Editor", Place::bottom, draw, dump, 380};

}  // namespace attnscope::gui
