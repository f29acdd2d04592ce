#include "app/gui/panels/run_menu.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/plot/chart.hpp"
#include "app/gui/plot/style.hpp"
#include "app/gui/state/pins.hpp"
#include "app/gui/ways_out.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

constexpr const char* kMenu = "run.menu";

/// Name, note and colour, kept as they are typed.
void remarks(Ui& ui, const std::string& id, const RunRow& row, uint64_t pin) {
  Workbench& bench = ui.bench;
  Drafts& d = ui.drafts;
  if (ImGui::IsWindowAppearing() || d.edited_run != row.key) {
    d.edited_run = row.key;
    d.run_name = row.remark.name;
    d.run_note = row.remark.note;
  }
  Remark now = row.remark;
  const auto field = [&](const char* name, const char* hint, std::string& text) {
    ImGui::AlignTextToFramePadding();
    text_in(fonts.small, colours::soft, name);
    ImGui::SameLine(px(52));
    ImGui::SetNextItemWidth(px(230));
    const bool changed = ImGui::InputTextWithHint(fmt::format("##{}", name).c_str(), hint, &text);
    ui.mark(fmt::format("{}.{}", id, name));
    return changed;
  };
  bool changed = false;
  if (field("name", row.name.c_str(), d.run_name)) {
    now.name = d.run_name;
    changed = true;
  }
  if (field("note", "what to remember of it", d.run_note)) {
    now.note = d.run_note;
    changed = true;
  }
  ImGui::AlignTextToFramePadding();
  text_in(fonts.small, colours::soft, "colour");
  ImGui::SameLine(px(52));
  for (int c = -1; c < kRemarkColours; ++c) {
    ImGui::PushID(c);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float size = ImGui::GetFrameHeight() * 0.8f;
    if (ImGui::InvisibleButton("colour", {size, size})) {
      now.colour = c;
      changed = true;
      // A pin's curves have it too, each pin its own.
      if (const Pin* p = bench.pins.find(pin); p && c >= 0) bench.pins.recolour(p->id, size_t(c));
    }
    ui.mark(fmt::format("{}.colour.{}", id, c < 0 ? "none" : std::to_string(c)));
    const ImVec2 centre{at.x + size / 2, at.y + size / 2};
    ImDrawList* draw = ImGui::GetWindowDrawList();
    if (c >= 0)
      draw->AddCircleFilled(centre, size * 0.32f, remark_colour(c));
    else
      draw->AddCircle(centre, size * 0.3f, colours::faint, 0, px(1.5f));
    if (c == row.remark.colour || ImGui::IsItemHovered())
      draw->AddCircle(centre, size * 0.46f, colours::text, 0, px(1));
    ImGui::PopID();
    ImGui::SameLine(0, px(2));
  }
  ImGui::NewLine();
  if (changed) bench.remarks.set(row.key, now);
}

}  // namespace

ImU32 remark_colour(int colour) { return series_style(size_t(colour)).colour; }

void remark_dot(const Remark& r) {
  if (r.colour < 0) return;
  const float size = ImGui::GetTextLineHeight() * 0.6f;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled({at.x + size / 2, at.y + ImGui::GetTextLineHeight() / 2}, size / 2,
                                              remark_colour(r.colour));
  ImGui::Dummy({size, ImGui::GetTextLineHeight()});
  ImGui::SameLine(0, px(6));
}

void open_run_menu() { ImGui::OpenPopup(kMenu); }

void run_menu(Ui& ui, const std::string& id, const RunRow& row, RunPlace place, uint64_t pin) {
  if (!begin_popup(kMenu)) return;
  Workbench& bench = ui.bench;
  const Record& r = *row.record;
  text_in(fonts.bold, colours::text, row.name);
  remarks(ui, id, row, pin);
  ImGui::Separator();
  const auto item = [&](const char* what, const char* label, bool enabled = true) {
    const bool chosen = ImGui::MenuItem(label, nullptr, false, enabled);
    ui.mark(fmt::format("{}.{}", id, what), enabled);
    return chosen;
  };
  if (item("restore", "Restore problem, variant and config")) bench.take(r);
  if (place == RunPlace::log && item("pin", "Pin", r.outcome == Outcome::measured && !r.samples_ns.empty()))
    bench.pin(r);
  if (place == RunPlace::past && item("pin", "Pin, with its samples", r.outcome == Outcome::measured))
    bench.past.read(int64_t(row.number));
  const std::string command = command_line_of(r, bench.places, bench.asked.worker);
  if (item("command", "Copy as command line", !command.empty())) bench.copy(command, "the command line");
  if (item("markdown", "Copy row as Markdown")) bench.copy(render_markdown(run_table(row)), "the row as Markdown");
  if (item("csv", "Copy row as CSV")) bench.copy(to_csv(run_table(row)), "the row as CSV");
  if (place == RunPlace::log && item("remove", "Remove from the log")) bench.remove_runs({row.number});
  if (place == RunPlace::pins && item("remove_pin", "Remove this pin")) bench.unpin(pin);
  ImGui::Separator();
  table_entries(ui, place == RunPlace::log ? "tried" : place == RunPlace::past ? "past" : "pins");
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
