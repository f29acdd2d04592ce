// What lies over the panels or between them and the bars, each drawn once a frame; and the frame as a whole.
#include <imgui_internal.h>

#include "app/gui/panels/panel.hpp"
#include "app/gui/shell/commands.hpp"

namespace attnscope::gui {
namespace {

void line(const std::string& keys, const std::string& does) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_in(fonts.mono, colours::soft, keys);
  ImGui::TableNextColumn();
  wrapped_in(colours::text, does);
}

constexpr std::pair<const char*, const char*> kGestures[] = {
    {"\u2190  \u2192", "Step the parameter under the mouse, or that has the focus"},
    {"Tab, arrows", "Move the focus through the panel; Space or Enter presses, Escape leaves"},
    {"wheel, drag",
     "Zoom and move the timing plot in time, over its value axis in value; a double click follows again"},
    {"Shift and drag", "Mark samples: their statistics, to leave out or to use alone; Escape ends it"},
    {"drag a tab", "Move the panel into another group"},
    {"double click on a tab", "Maximize the panel; Escape restores it"},
    {"right click", "See what else a tab, a row, a plot or a table offers"},
};

void help_popup(Ui& ui) {
  if (std::exchange(ui.shell.help, false)) ImGui::OpenPopup("##help");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(px(640), display.x - px(20)), std::min(px(720), display.y - px(20))});
  if (!begin_popup("##help")) return;
  text_in(fonts.small, colours::soft,
          "attnscope " ATTNSCOPE_VERSION ", drawn with " + ui.frame.renderer + "; attnscope --help: the command line");
  ImGui::BeginChild("help.text", {0, -ImGui::GetFrameHeightWithSpacing()}, 0, kPart);
  if (ImGui::BeginTable("keys", 2)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, px(170));
    ImGui::TableSetupColumn("does", ImGuiTableColumnFlags_WidthStretch);
    for (const Command& c : fixed_commands())
      if (!c.chords.empty()) line(keys_text(c), c.title);
    for (const auto& [with, does] : kGestures) line(with, does);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (button(ui, "help.welcome", "First steps", nullptr)) {
    (void)run_command(ui, "welcome");
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

constexpr int kRows = 12;  ///< in view
using WordPlaces = std::vector<std::pair<size_t, size_t>>;

/// Over the row's item: the title, what matched of it marked, and keys or group at the right.
void row(Ui& ui, const Command& c, bool can) {
  const float height = ImGui::GetItemRectSize().y;
  const ImVec2 at{ImGui::GetItemRectMin().x + px(8), ImGui::GetItemRectMin().y + (height - fonts.body->FontSize) / 2};
  const std::string keys = keys_text(c), &beside = keys.empty() ? c.group : keys;
  const float right = ImGui::GetItemRectMax().x - px(8) - width_of(fonts.small, beside);
  draw_text({right, at.y}, can ? colours::soft : colours::faint, beside);
  draw_cut(fonts.body, at, right - at.x - px(14), can ? colours::text : colours::faint, c.title);
  for (const auto& [from, length] : find_words(ui.shell.palette.text, c.title).value_or(WordPlaces{}))
    if (const float x = at.x + width_of(fonts.body, c.title.substr(0, from)); can && length > 0)
      draw_cut(fonts.body, {x, at.y}, right - x - px(14), colours::accent, c.title.substr(from, length));
  ui.mark("palette." + c.id, can);
}

/// Other words for commands: of the command line, and of what people are used to.
constexpr std::pair<std::string_view, const char*> kAlso[] = {
    {"sweep", "tune autotune optimize sweep bench"},
    {"panel.tuning", "tune tuning"},
    {"panel.map", "sweep heat"},
    {"panel.log", "history runs trials"},
    {"panel.timing", "histogram plot samples latency"},
    {"panel.why", "roofline advice bottleneck bound"},
    {"panel.correctness", "verify errors tolerance"},
    {"panel.across", "scaling problems lengths"},
    {"panel.editor", "shader source code glsl"},
    {"panel.resources", "registers spills memory occupancy isa"},
    {"export", "csv markdown table save results"},
    {"picture", "screenshot image export"},
    {"measure", "start stop run bench sample"},
    {"welcome", "tutorial tour"},
    {"help", "shortcuts manual"},
    {"quit", "exit close"},
};

/// What can be done now first, then by where the words stand in the title; with nothing typed what was done last.
std::vector<size_t> found_commands(const Ui& ui, const std::vector<Command>& all, const std::string& typed) {
  const auto& recent = ui.shell.recent;
  std::vector<std::tuple<bool, size_t, size_t>> ranked;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto places = find_words(typed, all[i].title);
    const auto* also = std::ranges::find(kAlso, all[i].id, &std::pair<std::string_view, const char*>::first);
    const bool meant = also != std::end(kAlso) && find_words(typed, also->second);
    if (!places && !meant && !find_words(typed, all[i].group)) continue;
    size_t rank = places ? 0 : ~size_t{0} - meant;
    for (const auto& [at, length] : places.value_or(WordPlaces{})) rank += at;
    if (typed.empty()) rank = size_t(std::ranges::find(recent, all[i].id) - recent.begin());
    ranked.emplace_back(all[i].can && !all[i].can(ui), rank, i);
  }
  std::ranges::sort(ranked);
  return mapped(ranked, [](const auto& command) { return std::get<2>(command); });
}

void palette(Ui& ui) {
  Shell::Palette& p = ui.shell.palette;
  constexpr const char* kId = "##palette";
  if (p.open && !ImGui::IsPopupOpen(kId)) {
    p = {.open = true, .text = "", .chosen = 0};
    ImGui::OpenPopup(kId);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(560), display.x - px(24));
  ImGui::SetNextWindowPos({(display.x - width) / 2, px(52)});
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup(kId, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    p.open = false;
    return;
  }
  if (ImGui::IsWindowAppearing()) keys_to_next_field("##palette.text");
  const bool taken = text_field(ui, "palette.text", "Find a command, panel, variant, problem\u2026", p.text);
  if (ImGui::IsItemEdited()) p.chosen = 0;
  std::vector<Command> all = all_commands(ui);
  if (const Result<Problem> typed = parse_problem(p.text); typed)
    all.push_back({"problem.typed", "Show " + p.text, "Problems", {}, [problem = *typed](Ui& u) {
                     u.bench.request.set_problem(problem);
                   }});
  std::string typed = p.text;
  std::vector<size_t> found = found_commands(ui, all, typed);
  const bool none = found.empty();
  while (found.empty() && !typed.empty()) {
    typed.pop_back();
    found = found_commands(ui, all, typed);
  }
  if (none)
    wrapped_in(
        colours::faint,
        fmt::format("Nothing has '{}'; the nearest are below. A problem is written as 2x8x512x64:causal:f16.", p.text));
  const int count = int(found.size()), before = p.chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++p.chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --p.chosen;
  p.chosen = std::clamp(p.chosen, 0, std::max(0, count - 1));
  const float height = ImGui::GetFrameHeight();
  const float rows = std::min({float(std::max(1, std::min(count, kRows))) * height, display.y - px(150)});
  const Command* wanted = taken && count > 0 ? &all[found[size_t(p.chosen)]] : nullptr;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("list", {0, rows}, 0, kPart);
  ImGuiListClipper clipper;
  clipper.Begin(count, height);
  clipper.IncludeItemByIndex(p.chosen);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Command& c = all[found[size_t(i)]];
      ImGui::PushID(i);
      if (ImGui::Selectable("##row", i == p.chosen, ImGuiSelectableFlags_DontClosePopups, {0, height})) wanted = &c;
      row(ui, c, !c.can || c.can(ui));
      if (i == p.chosen && before != p.chosen) ImGui::SetScrollHereY();
      ImGui::PopID();
    }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  const bool leave = !p.open || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (wanted || leave) {
    p.open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (!wanted || (wanted->can && !wanted->can(ui))) return;
  std::erase(ui.shell.recent, wanted->id);
  ui.shell.recent.insert(ui.shell.recent.begin(), wanted->id);
  if (ui.shell.recent.size() > 6) ui.shell.recent.pop_back();
  wanted->run(ui);
}

void view_menu(Ui& ui) {
  if (std::exchange(ui.shell.view, false)) ImGui::OpenPopup("##view");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(336), display.x - px(20)), left = px(124);
  ImGui::SetNextWindowPos({display.x - width - px(10), px(46)});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y - px(56)});
  if (!begin_popup("##view")) return;
  const auto row = [&](const char* text) {
    label(text);
    ImGui::SameLine(left);
  };
  row("Layout");
  for (const ShippedLayout& l : shipped_layouts()) {
    if (button(ui, fmt::format("view.layout.{}", l.name).c_str(), l.title, l.summary)) take_layout(ui, l);
    ImGui::SameLine(0, px(5));
  }
  ImGui::NewLine();
  row("Size");
  for (const auto& [id, text] : {std::pair{"zoom.out", std::string("\u2212")},
                                 {"zoom.reset", fmt::format("{:.0f} %", 100 * ui.layout.zoom)},
                                 {"zoom.in", std::string("+")}}) {
    // What is clicked again and again stays where it is.
    if (button(ui, fmt::format("settings.{}", id).c_str(), text, keys_of(id).c_str(), true, false,
               std::string_view(id) == "zoom.reset" ? button_width("100 %") : 0))
      (void)run_command(ui, id);
    ImGui::SameLine(0, px(5));
  }
  ImGui::NewLine();
  row("Theme");
  choose(ui, "settings.theme", {"Dark", "Light"}, ui.layout.theme, ImGui::GetContentRegionAvail().x, nullptr,
         {"dark", "light"});
  row("While sampling");
  bool quiet = ui.bench.quiet();
  if (check_box(ui, "settings.quiet", "draw between batches", quiet,
                "Frames wait until a batch of samples is taken: on a device that shares the CPU they would slow it."))
    ui.bench.request.quiet = quiet;
  ImGui::SeparatorText("Panels");
  for (const Panel* p : all_panels()) {
    if (!*p->title) continue;
    const bool open = is_open(ui, p->name);
    if (ImGui::MenuItem(p->title, nullptr, open)) open ? close_panel(ui, p->name) : show_panel(ui, p->name);
    ui.mark(fmt::format("view.panel.{}", p->name));
  }
  ImGui::EndPopup();
}

// The steps of a first start, in the status bar: where they go nothing moves.

/// Pixels of the status bar at scale 1: for its counts, and at least for what runs and for what is wrong.
constexpr float kCounts = 470, kRunning = 200, kAlarm = 400;

struct Step {
  const char *id, *title, *tip;
  void (*go)(Ui&);
};
constexpr std::array<Step, 5> steps = {
    Step{"shape", "Pick a shape",
         "Opens the fields and the presets. Any shape can also be typed into the field above them.",
         [](Ui& ui) { ui.shell.presets = true; }},
    Step{"best", "Find the best (S)",
         "Tries every variant once, then the configs of the fastest ones. Switch, in Search, takes the best so far.",
         [](Ui& ui) { (void)run_command(ui, "sweep"); }},
    Step{"why", "See why", "The lower bound of the time, the roofline, and advice that names the parameter to move.",
         [](Ui& ui) { show_panel(ui, "why"); }},
    Step{"compare", "Compare (P)",
         "Pins what is shown, unless something is pinned. Each other config that is shown is compared with the pins.",
         [](Ui& ui) {
           if (ui.bench.pins.empty()) (void)run_command(ui, "pin");
           show_panel(ui, "compare");
         }},
    Step{"export", "Export",
         "Opens Files: an HTML report, all results as JSON, the session. A right click on any plot or table saves it.",
         [](Ui& ui) { ui.shell.files = true; }},
};

void first_steps(Ui& ui) {
  Welcome& welcome = ui.shell.welcome;
  ui.layout.welcomed = !welcome.open;
  if (!welcome.open) return;
  auto& done = ui.layout.steps_done;
  if (!welcome.shape && ui.bench.request.variant()) welcome.shape = ui.bench.request.selection.problem;
  done[0] = done[0] || (welcome.shape && *welcome.shape != ui.bench.request.selection.problem);
  const auto tried = [](const SlimTrial& t) { return !t.recalled; };
  done[1] = done[1] || (!ui.bench.search.measuring() && std::ranges::any_of(ui.bench.search.trials(), tried));
  done[2] = done[2] || panel_named(ui.layout.tab) == &why_panel;
  const auto compared = [&](const Pin& p) { return p.dataset.empty() && ui.bench.live.verdict(p); };
  done[3] = done[3] || std::ranges::any_of(ui.bench.pins.all(), compared);
  const auto next = size_t(std::ranges::find(done, false) - done.begin());
  welcome.open = next < done.size();
  if (!welcome.open) done = {};
  ImGui::PushFont(fonts.small);
  const ImVec2 at = ImGui::GetCursorPos();
  const float gap = px(5), end = at.x + ImGui::GetContentRegionAvail().x - px(kCounts);
  const auto titled = [&](size_t i) {
    return fmt::format("{} {}", done[i] ? "\u2713" : std::to_string(i + 1), steps[i].title);
  };
  const LogLine* alarm = ui.bench.messages.news(ui.bench.now());
  // An error that no panel tells.
  const bool alone = alarm && alarm->level == Level::error && alarm->panel == "messages";
  const float least = px(kRunning) + (alone ? px(kAlarm) : 0);
  // Where room is short those that are done go first.
  std::vector<size_t> shown;
  const auto left_of = [&](const auto& which) {
    shown.clear();
    float left = end - px(20);
    for (size_t i = 0; i < steps.size(); ++i)
      if (which(i)) shown.push_back(i), left -= button_width(titled(i)) + gap;
    return welcome.left = left;
  };
  if (left_of([](size_t) { return true; }) < least && left_of([&](size_t i) { return !done[i]; }) < least)
    left_of([&](size_t i) { return i == next; });
  ImGui::SetCursorPos({welcome.left, at.y});
  for (const size_t i : shown) {
    // One emphasis: no step takes it from what a panel offers first.
    ImGui::PushStyleColor(ImGuiCol_Text, done[i] ? colours::good : next == i ? colours::accent : colours::soft);
    if (small_button(ui, fmt::format("welcome.{}", steps[i].id), titled(i).c_str(), steps[i].tip)) steps[i].go(ui);
    ImGui::PopStyleColor();
    ImGui::SameLine(0, gap);
  }
  if (small_button(ui, "welcome.close", icon_or(icons::close, "\u00d7"),
                   "Put the first steps away; Help brings them back"))
    welcome.open = false;
  ImGui::PopFont();
  ImGui::SetCursorPos(at);
}

/// Nothing is marked any more, or selected; else back from a full panel; unless the key has something nearer to close.
void escape(Ui& ui) {
  // It takes the keys' focus away first.
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || ImGui::GetIO().NavVisible || ImGui::GetIO().WantTextInput)
    return;
  // ImGui would give the focus to the panel around.
  ImGui::SetKeyOwner(ImGuiKey_Escape, ImGui::GetID("escape"));
  if (!ImGui::IsKeyPressed(ImGuiKey_Escape, false)) return;
  if (ui.bench.views.plot.marked.series != 0)
    ui.bench.views.plot.unmark();
  else if (ui.bench.pins.selected != 0)
    ui.bench.pins.selected = 0;
  else
    ui.layout.full.clear();
}

}  // namespace

void draw_workbench(Ui& ui) {
  // What is changed while a button is held is one step of undo.
  static uint64_t presses = 0;
  if (ImGui::IsMouseClicked(0)) ++presses;
  ui.bench.request.history.gesture(ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0) ? presses : 0);
  shortcuts(ui);
  ui.shell.focused.clear();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  // The ground is the frame's clear colour: no need to fill it twice.
  ImGui::Begin("attnscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  escape(ui);
  top_bar.draw(ui);
  ImGui::Dummy({0, px(1)});
  draw_dock(ui, ImGui::GetTextLineHeightWithSpacing());
  first_steps(ui);
  status_bar.draw(ui);
  view_menu(ui);
  palette(ui);
  help_popup(ui);
  for (const std::string& wanted : std::exchange(ui.shell.commands, {}))
    if (const Result<void> done = run_command(ui, wanted); !done) ui.shell.refused = done.error().message;
  ImGui::End();
}

}  // namespace attnscope::gui
