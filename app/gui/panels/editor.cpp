// The shaders of a variant: their texts, the errors at their lines, and the versions that were saved.

#include "app/gui/model/labels.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/code_view.hpp"

namespace attnscope::gui {
namespace {

struct EditorState {
  std::string find;
  bool finding = false;                      ///< the field of what to find is open
  std::string ask_save;                      ///< path of a file that ships, whose save waits for an answer
  std::set<std::filesystem::path> may_save;  ///< folders of variants that ship, to be changed in place
};

std::pair<std::string, ImU32> judged(const Workbench& bench, const VersionRow& row) {
  const Live* live = row.current ? bench.live.shown() : nullptr;
  if (live && !live->failure.empty()) return {"lost", colours::bad};
  if (live && live->wrong()) return {"wrong", colours::bad};
  if (live && live->verdict) return {"correct", colours::good};
  return {judged_text(row), row.record ? verdict_colour(*row.record) : colours::faint};
}

/// Of the problem, device and modes that are asked for; of another config where that was not run, and then it says so.
std::optional<double> median_of(const Workbench& bench, const VersionRow& row) {
  if (row.current)
    if (const Live* live = bench.live.timed()) return live->series.statistics()->median;
  if (row.record && row.record->outcome == Outcome::measured && row.record->statistics)
    return row.record->statistics->median;
  return std::nullopt;
}

void comparison(Ui& ui) {
  const RaceState& ab = ui.bench.jobs.race;
  const bool running = ui.bench.jobs.runs(JobKind::versions);
  if (ab.first_name.empty() || ab.asked.variant != ui.bench.request.selection.variant) return;
  text_in(fonts.bold, colours::text, fmt::format("{} against {}", ab.second_name, ab.first_name));
  flow(running ? px(150) : px(112), px(8));
  if (running) {
    text_in(fonts.small, colours::soft, stage_text(ui.bench.jobs.now.stage) + "\u2026" + ui.bench.elapsed_text());
    ImGui::SameLine();
    cancel_button(ui, "versions.cancel", "Cancel", "End the comparison.");
  } else if (ab.row) {
    const Comparison& c = ab.row->comparison;
    const std::string no_time = ab.no_time();
    text_in(fonts.bold, no_time.empty() ? relation_colour(c.relation) : colours::bad,
            no_time.empty() ? relation_text(c) : "not compared");
    tip_for_last(
        fmt::format("Taken in turn, before after after before, in one process: the later one's time over the "
                    "earlier one's, {} with 99 %.\n{}",
                    interval_text(c), c.reason));
  } else {
    text_in(fonts.small, colours::bad, "could not be compared");
    tip_for_last(ab.error);
  }
  if (const std::string why = ab.no_time(); !running && !why.empty())
    wrapped_in(colours::bad, why.ends_with('.') ? why : why + ".");
  const bool other = ab.asked != ui.bench.request.selection || ab.modes != ui.bench.request.modes;
  text_cut(fmt::format("on {}, {}, {}", to_text(ab.asked.problem),
                       ui.bench.short_name(ab.asked.variant, ab.asked.config), to_text(ab.modes.cache)),
           ImGui::GetContentRegionAvail().x, other ? colours::warning : colours::faint, fonts.small);
  ImGui::Dummy({0, px(2)});
}

void row_of(Ui& ui, const VersionRow& row) {
  Workbench& bench = ui.bench;
  const auto [word, ink] = judged(bench, row);
  const std::optional<double> median = median_of(bench, row);
  ImGui::BeginGroup();
  text_in(fonts.bold, colours::text, fmt::format("#{}", row.number));
  ImGui::SameLine(0, px(8));
  text_in(fonts.small, ink, word);
  if (median) {
    ImGui::SameLine(0, px(8));
    text_in(fonts.mono, row.current || row.same_config ? colours::text : colours::faint, time_text(*median));
  }
  ImGui::EndGroup();
  ui.mark(fmt::format("version.{}", row.number));
  std::string tip =
      fmt::format("{} #{}\nshader {}", bench.request.selection.variant, row.number, row.hash.substr(0, 12));
  if (row.record) tip += "\n\n" + described(*row.record);
  if (row.record && !row.same_config && !row.current) tip += "\n\nof another config than the one shown";
  if (row.record && !row.record->message.empty()) tip += "\n" + row.record->message;
  tip_for_last(tip);
  ImGui::PushFont(fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(2)});
  const std::string id = fmt::format("version.{}.", row.number);
  const bool has_samples =
      row.current ? bench.live.timed() != nullptr
                  : row.record && !row.record->samples_ns.empty() && row.record->outcome == Outcome::measured;
  if (button(ui, (id + "pin").c_str(), with_icon(icons::pin, "Pin"),
             has_samples ? "Keep this version's curve beside the others." : "It has no samples in this session.",
             has_samples))
    row.current ? bench.pin() : bench.pin(*row.record);
  if (!row.current) {
    ImGui::SameLine(0, px(5));
    if (button(ui, (id + "restore").c_str(), with_icon(icons::edit, "Edit"),
               "Put this version's texts into the editor; saving makes them the current ones."))
      if (const Version* v = bench.editor.versions.find(bench.request.selection.variant, row.hash))
        if (bench.editor.restore(bench.request.selection.variant, *v) == 0)
          bench.messages.say(Level::info, fmt::format("The files are as #{} has them.", row.number));
    ImGui::SameLine(0, px(5));
    const Live* live = bench.live.shown();
    const bool wrong = live && live->wrong();
    const std::string why = !bench.views.versions.value().current() ? "What is loaded is none of these versions."
                            : bench.jobs.now.running || bench.search.measuring() ? "Something else is being measured."
                            : wrong                                              ? "The loaded version is wrong."
                                                                                 : bench.hopeless();
    if (button(ui, (id + "race").c_str(), "Compare",
               !why.empty() ? why.c_str()
                            : "Measure the loaded version against this one, in turn: FASTER, SLOWER, SAME or UNSURE, "
                              "and by how much.",
               why.empty(), row.good))
      ui.requests.job = bench.race_version(row.hash);
  }
  const std::string state = row.current ? "loaded" : row.good ? "last good" : row.hash.substr(0, 7);
  flow(width_of(fonts.small, state), px(8));
  ImGui::AlignTextToFramePadding();
  text_in(fonts.small, colours::faint, state);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::Separator();
}

void versions_list(Ui& ui) {
  comparison(ui);
  const auto& rows = ui.bench.views.versions.value().rows;
  wrapped_in(colours::soft, rows.size() < 2 ? "Versions: each one that is saved and loads is listed here"
                                            : "Versions on this problem");
  for (const VersionRow& row : rows) {
    ImGui::PushID(row.number);
    row_of(ui, row);
    ImGui::PopID();
  }
}

void dump_versions(const Workbench& bench, Json& into) {
  into["versions"] = Json::array();
  for (const VersionRow& row : bench.views.versions.value().rows)
    into["versions"].push_back({{"number", row.number}, {"current", row.current}, {"good", row.good}});
  const RaceState& ab = bench.jobs.race;
  if (ab.first_name.empty()) return;
  Json& race = into["before_after"];
  race = {{"running", bench.jobs.runs(JobKind::versions)}, {"before", ab.first_name}, {"after", ab.second_name}};
  if (ab.row && ab.no_time().empty()) race["word"] = to_text(ab.row->comparison.relation);
}

std::string tab_label(const Editor::Tab& tab) {
  std::string label = tab.name;
  if (tab.dirty) label += " \u2022";
  if (tab.errors > 0) label += fmt::format(" ({})", tab.errors);
  return label;
}

/// The variant's own files as cells, and what they include from elsewhere in a list behind them.
void files_row(Ui& ui, const std::string& variant, float room) {
  Editor& editor = ui.bench.editor;
  const std::vector<Editor::Tab> tabs = editor.tabs(variant);
  const std::string chosen = editor.chosen(variant);
  std::vector<std::string> labels, ids;
  std::string listed = counted(size_t(std::ranges::count(tabs, false, [](auto& t) { return t.file->own; })), "include");
  int selected = -1;
  for (const Editor::Tab& tab : tabs) {
    if (tab.name == chosen && tab.file->own) selected = int(ids.size());
    if (tab.name == chosen && !tab.file->own) listed = tab_label(tab);
    if (!tab.file->own) continue;
    labels.push_back(tab_label(tab));
    ids.push_back(tab.name);
  }
  const float wanted = segments_width(labels);
  const float list = ids.size() < tabs.size() ? std::clamp(room - wanted, px(84), px(126)) : 0;
  if (const int now =
          segmented(ui, "editor.file", labels, selected, std::min(wanted, room - list), {}, fonts.small, ids);
      now >= 0)
    editor.choose(variant, ids[size_t(now)]);
  if (list == 0) return;
  ImGui::SameLine();
  if (!begin_combo(ui, "editor.includes", listed, list - px(8))) return;
  for (const Editor::Tab& tab : tabs)
    if (!tab.file->own && choice(ui, "editor.file." + tab.name, tab_label(tab), tab.name == chosen))
      editor.choose(variant, tab.name);
  ImGui::EndCombo();
}

/// It lies in the folder of the variants that ship, and nobody said yet to change them there.
bool ships(const Ui& ui, const Editor::Document& d) {
  const auto& [shipped, may] = std::tie(ui.bench.given.places.shipped, ui.states.of<EditorState>().may_save);
  const std::filesystem::path path(d.path);
  return !shipped.empty() &&
         std::mismatch(shipped.begin(), shipped.end(), path.begin(), path.end()).first == shipped.end() &&
         !may.contains(path.parent_path());
}

void save(Ui& ui, Editor::Document& d, bool over = false) {
  std::string& ask = ui.states.of<EditorState>().ask_save;
  ask = ships(ui, d) ? d.path : "";
  if (!ask.empty()) return;
  if (auto request = ui.bench.editor.save(d, over)) ui.requests.save_texts.push_back(std::move(*request));
  // Who edits a variant has chosen it.
  if (ui.bench.request.automatic()) ui.bench.request.set_variant(ui.bench.request.selection.variant);
}

void save_button(Ui& ui, Editor::Document* d) {
  const bool can = d && d->writable && d->dirty() && !d->saving;
  if (button(ui, "editor.save", with_icon(icons::save, "Save"),
             d && !d->writable ? "This file cannot be written: make a new variant from this one."
                               : "Write the file, then compile, verify and measure it (Ctrl+S).",
             can, can))
    save(ui, *d);
}

void naming_row(Ui& ui) {
  NewVariant& copy = ui.states.of<NewVariant>();
  bool& shown = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("editor.naming"));
  const bool opened = copy.naming && !shown;
  shown = copy.naming;
  if (!copy.naming) return;
  if (opened) {
    int number = 2;
    do copy.name = fmt::format("{}-{}", ui.bench.request.selection.variant, number++);
    while (ui.bench.device_state.variant(copy.name));
    keys_to_next_field("##editor.name");
  }
  const bool entered =
      text_field(ui, "editor.name", "name of the copy", copy.name, 0, "", ImGuiInputTextFlags_AutoSelectAll);
  if (entered) ImGui::SetKeyboardFocusHere(-1);  // to be mended: its letters are no commands
  std::string why = why_no_name(copy.name);
  if (why.empty() && ui.bench.device_state.variant(copy.name)) why = "There is a variant of this name.";
  if ((button(ui, "editor.create", "Create", why.c_str(), why.empty(), true) || entered) && why.empty()) {
    ui.requests.new_variant = copy.name;
    copy.naming = false;
    copy.error.clear();
  }
  ImGui::SameLine();
  if (button(ui, "editor.no_name", "Cancel", nullptr) || ImGui::IsKeyPressed(ImGuiKey_Escape)) copy.naming = false;
  if (!why.empty() && !copy.name.empty()) wrapped_in(colours::bad, why);
  if (!copy.error.empty()) wrapped_in(colours::bad, copy.error);
}

void disk_rows(Ui& ui, Editor::Document& d) {
  if (d.theirs) {
    text_in(fonts.small, colours::warning, "Another program changed this file since your edits began.");
    ImGui::SameLine();
    if (button(ui, "editor.theirs", "Take theirs", "Give up the edits here; undo brings them back."))
      ui.bench.editor.discard(d);
    ImGui::SameLine();
    if (button(ui, "editor.over", "Overwrite", "Save the edits over what the other program wrote.")) save(ui, d, true);
  } else if (ui.states.of<EditorState>().ask_save == d.path && d.dirty()) {
    text_in(fonts.small, colours::warning, "Not saved: this file ships with attnscope.");
    ImGui::SameLine();
    if (button(ui, "editor.copy", "Keep as new variant\u2026",
               "Copy the variant with these edits, and leave what ships as it is."))
      ui.states.of<NewVariant>().naming = true;
    ImGui::SameLine();
    if (button(ui, "editor.here", "Save here",
               "Change the variant that ships; not asked again until the window closes.")) {
      ui.states.of<EditorState>().may_save.insert(std::filesystem::path(d.path).parent_path());
      save(ui, d);
    }
  } else if (d.gone) {
    wrapped_in(colours::warning, "This file is in no variant any more; saving writes it again.");
  } else if (!d.writable) {
    wrapped_in(colours::soft, "This file cannot be written here; New variant copies its folder to one that can.");
  }
}

enum class Found { nothing, place, closed };
/// What is found is selected; the text shows it, and gets the keys when the row closes.
Found find_row(Ui& ui, Editor::Document& d, bool opened) {
  static std::string missed;
  EditorState& state = ui.states.of<EditorState>();
  if (!state.finding) return Found::nothing;
  if (opened) keys_to_next_field("##editor.find");
  const bool entered = text_field(ui, "editor.find", "find", state.find, px(200));
  const bool back = entered && ImGui::GetIO().KeyShift;
  if (entered) ImGui::SetKeyboardFocusHere(-1);
  ImGui::SameLine();
  bool next = button(ui, "editor.next", "Next", "Enter, or F3", !state.find.empty());
  ImGui::SameLine();
  const bool previous = button(ui, "editor.previous", "Previous", "Shift+Enter", !state.find.empty());
  next = next || (entered && !back) || ImGui::IsKeyPressed(ImGuiKey_F3);
  const bool found = (next || previous || back) && d.buffer.find(state.find, !(previous || back));
  if (next || previous || back) missed = found ? "" : state.find;
  ImGui::SameLine();
  if (button(ui, "editor.no_find", "Close", nullptr) || ImGui::IsKeyPressed(ImGuiKey_Escape)) state.finding = false;
  if (!missed.empty() && missed == state.find) {
    ImGui::SameLine();
    text_in(fonts.small, colours::warning, "not found");
  }
  return !state.finding ? Found::closed : found ? Found::place : Found::nothing;
}

void errors_list(Ui& ui, const std::string& variant, long& go_to) {
  const std::vector<Diagnostic>& errors = ui.bench.editor.errors(variant);
  for (size_t i = 0; i < errors.size(); ++i) {
    const Diagnostic& e = errors[i];
    const std::string place = e.file.empty() ? variant : e.line == 0 ? e.file : fmt::format("{}:{}", e.file, e.line);
    ImGui::PushID(int(i));
    if (choice(ui, fmt::format("editor.error.{}", i), place, false) && !e.file.empty()) {
      ui.bench.editor.choose(variant, e.file);
      if (e.line > 0) go_to = long(e.line) - 1;
    }
    wrapped_in(colours::bad, e.text);
    ImGui::PopID();
  }
}

void text_side(Ui& ui, const std::string& variant, long go_to) {
  static bool find_opened = false;
  Editor& editor = ui.bench.editor;
  const std::string chosen = editor.chosen(variant);
  Editor::Document* d = editor.document(variant, chosen);
  const float left = ImGui::GetCursorPosX();
  const float save_width = button_width(with_icon(icons::save, "Save"));
  const float room = ImGui::GetContentRegionAvail().x - save_width - ImGui::GetStyle().ItemSpacing.x;
  files_row(ui, variant, room);
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + room + ImGui::GetStyle().ItemSpacing.x);
  save_button(ui, d);
  if (!d) return;
  disk_rows(ui, *d);
  const Found found = find_row(ui, *d, std::exchange(find_opened, false));
  std::vector<CodeMark> marks;
  for (const Diagnostic& e : editor.errors(variant))
    if (e.file == chosen && e.line > 0 && e.line <= d->buffer.lines().size()) marks.push_back({e.line - 1, e.text});
  CodeKeys keys =
      code_view(ui, "editor.text", *d, marks, go_to, go_to >= 0 || found == Found::closed, found == Found::place);
  keys.save |= d->dirty() && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_S);  // wherever the focus is
  if (keys.save && d->writable) save(ui, *d);
  if (keys.save && !d->writable) ui.states.of<NewVariant>().naming = true;
  if (keys.find) {
    EditorState& state = ui.states.of<EditorState>();
    state.finding = find_opened = true;
    if (d->buffer.selected() && d->buffer.selection().find('\n') == std::string::npos)
      state.find = d->buffer.selection();
  }
}

void draw_editor(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::string variant = bench.request.selection.variant;
  if (!bench.editor.variant(variant))
    return empty_hint("No shader to show", bench.device_state.variants_known ? "Choose a variant first."
                                                                             : "The variants are still loading.");
  static long go_to = -1;  // of an error that was clicked in the frame before
  const long now = std::exchange(go_to, -1);
  begin_wide("editor.sides", 520);
  const float width = ImGui::GetContentRegionAvail().x;
  const float facts = std::clamp(width * 0.28f, px(184), px(330)), gap = px(12);
  column(
      "editor.left", width - facts - gap, [&] { text_side(ui, variant, now); }, false);
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("editor.right", {0, 0}, 0, kPart);
  NewVariant& copy = ui.states.of<NewVariant>();
  if (button(ui, "editor.new", with_icon(icons::add, "New variant"),
             "Copy this variant's folder under a new name, with the edits made here, and take the copy."))
    copy.naming = !copy.naming;
  naming_row(ui);
  errors_list(ui, variant, go_to);
  versions_list(ui);
  ImGui::EndChild();
  ImGui::EndChild();
}

void dump_editor(const Workbench& bench, Json& j) {
  const std::string& variant = bench.request.selection.variant;
  Json& e = j["editor"];
  e = {{"unsaved", bench.editor.unsaved()}, {"tabs", Json::array()}, {"errors", Json::array()}};
  for (const Editor::Tab& tab : bench.editor.tabs(variant)) {
    Json& one = e["tabs"].emplace_back(Json{{"name", tab.name}});
    if (const Editor::Document* d = bench.editor.find(tab.file->path.string()))
      one["caret"] = {d->buffer.caret().line + 1, d->buffer.caret().column};
  }
  for (const Diagnostic& d : bench.editor.errors(variant))
    e["errors"].push_back({{"file", d.file}, {"line", d.line}, {"text", d.text}});
  dump_versions(bench, e);
}

}  // namespace

const Panel editor_panel = {.name = "editor", .title = "Editor", .draw = draw_editor, .dump = dump_editor};

}  // namespace attnscope::gui
