// The steps of a first start, as a strip above the panels: it covers nothing and can be put away. Three, and when they
// are done two more.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/layout/tree.hpp"
#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/shell/overlays.hpp"
#include "app/gui/shell/shell.hpp"
#include "app/gui/widgets.hpp"
#include "engine/attention/problem.hpp"

namespace attnscope::gui {
namespace {

struct Step {
  const char *id, *title, *text, *tip;
};
constexpr std::array<Step, Welcome::kAll> steps = {
    Step{"shape", "Pick a shape", "a preset, the text form or the fields of Problem",
         "Opens the list of presets. Any shape can be typed into the field below it, or set number by number."},
    Step{
        "best", "Find the best", "S tries the configs and fills the map",
        "Tries every variant once, then the configs of the fastest one. The best so far can be taken at any time: Take "
        "the best, in the Sweep map."},
    Step{"why", "See why", "what bounds the time, and what to change",
         "The floor under the time, the roofline, and advice that names the parameter to move."},
    Step{"compare", "Compare with another", "P pins what is shown; then choose another value or variant",
         "Pins what is shown, with its samples, unless something is pinned. Each other config that is shown then says "
         "FASTER, SLOWER, SAME or UNSURE."},
    Step{"export", "Get it out", "a report, the results, or a right click on a plot or table",
         "Opens Files: an HTML report, all results as JSON, the session. A right click on any plot or table saves it."},
};

void go(Ui& ui, size_t step) {
  if (step == 0) {
    show_panel(ui, "problem");
    ui.drafts.open_presets = true;
  }
  if (step == 1) run_command(ui, "sweep");
  if (step == 2) show_panel(ui, "why");
  if (step == 3) {
    if (ui.bench.pins.empty() && ui.bench.can_pin()) ui.bench.pin();
    show_panel(ui, "compare");
  }
  if (step == 4) ui.shell.files = true;
}

void step_card(Ui& ui, size_t i, ImVec2 size, bool tall) {
  const Step& step = steps[i];
  const bool done = ui.shell.welcome.done[i], next = ui.shell.welcome.next() == i;
  if (ImGui::InvisibleButton(fmt::format("##welcome.{}", step.id).c_str(), size)) go(ui, i);
  ui.mark(fmt::format("welcome.{}", step.id));
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(min, max, hovered ? colours::raised_hover : next ? colours::raised : colours::panel, px(7));
  draw->AddRect(min, max, next ? colours::accent : colours::line, px(7), 0, px(1));
  const float radius = fonts.bold->FontSize * 0.62f;
  const ImVec2 centre{min.x + px(10) + radius, (min.y + max.y) / 2};
  draw->AddCircleFilled(centre, radius, done ? colours::good : next ? colours::accent : colours::raised_hover);
  if (done) {
    draw->AddLine({centre.x - radius * 0.45f, centre.y}, {centre.x - radius * 0.1f, centre.y + radius * 0.4f},
                  colours::window, px(2));
    draw->AddLine({centre.x - radius * 0.1f, centre.y + radius * 0.4f},
                  {centre.x + radius * 0.5f, centre.y - radius * 0.4f}, colours::window, px(2));
  } else {
    const std::string number = std::to_string(i + 1);
    draw->AddText(fonts.bold, fonts.bold->FontSize,
                  {centre.x - width_of(fonts.bold, number) / 2, centre.y - fonts.bold->FontSize / 2},
                  next ? colours::window : colours::soft, number.c_str());
  }
  const float x = centre.x + radius + px(10), room = max.x - x - px(8);
  const float lines = tall ? fonts.bold->FontSize + px(3) + fonts.small->FontSize : fonts.bold->FontSize;
  const float y = (min.y + max.y - lines) / 2;
  draw_cut(fonts.bold, {x, y}, room, colours::text, step.title);
  if (tall) draw_cut(fonts.small, {x, y + fonts.bold->FontSize + px(3)}, room, colours::soft, step.text);
  tip_for_last(step.tip);
}

}  // namespace

void welcome_strip(Ui& ui) {
  Welcome& welcome = ui.shell.welcome;
  const Workbench& bench = ui.bench;
  const Area* why = group_of(ui.layout.tree, "why");
  WelcomeNews news;
  if (bench.known.variants_known) news.problem = to_text(bench.asked.ask.problem);
  news.search_ended = !bench.searched.running() && bench.searched.best() >= 0;
  news.why_in_view = (why && why->active == "why" && ui.layout.full.empty()) || ui.layout.full == "why";
  // A pin of the very run that is shown says nothing yet.
  if (bench.timed())
    for (const Pin& p : bench.pins.all()) news.compared |= bench.word(p) && p.record->config != bench.asked.ask.config;
  welcome.watch(news);
  if (!welcome.open) return;
  const bool tall = ImGui::GetIO().DisplaySize.y > px(700);
  const float height = tall ? px(48) : px(30), gap = px(8), close = ImGui::GetFrameHeight();
  const float room = ImGui::GetContentRegionAvail().x - close - gap;
  const ImVec2 at = ImGui::GetCursorPos();
  const size_t first = welcome.first_shown(), count = welcome.end_shown() - first;
  const float each = (room - float(count - 1) * gap) / float(count);
  for (size_t i = 0; i < count; ++i) {
    ImGui::SetCursorPos({at.x + float(i) * (each + gap), at.y});
    step_card(ui, first + i, {each, height}, tall);
  }
  ImGui::SetCursorPos({at.x + room + gap, at.y + (height - close) / 2});
  if (button(ui, "welcome.close", "\u00d7", "Put the first steps away; Help brings them back")) welcome.open = false;
  ImGui::SetCursorPos({at.x, at.y + height + px(8)});
}

}  // namespace attnscope::gui
