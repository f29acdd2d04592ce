#include "app/gui/panels/versions.hpp"

#include <fmt/format.h>

#include "app/gui/state/labels.hpp"
#include "app/gui/widgets.hpp"
#include "engine/record/comparisons.hpp"

namespace attnscope::gui {
namespace {

struct Judged {
  const char* word;
  ImU32 colour;
};

Judged judged(const Workbench& bench, const VersionsView::Row& row) {
  if (row.current) {
    const Live* live = bench.shown();
    if (live && !live->failure.empty()) return {"lost", colours::bad};
    if (live && live->verdict)
      return live->verdict->pass ? Judged{"correct", colours::good} : Judged{"wrong", colours::bad};
  }
  if (!row.record) return {"not run here", colours::faint};
  const Record& r = *row.record;
  if (r.outcome == Outcome::refused) return {"refused", colours::warning};
  if (r.outcome == Outcome::error) return {"lost", colours::bad};
  if (r.verdict && !r.verdict->pass) return {"wrong", colours::bad};
  return r.verdict ? Judged{"correct", colours::good} : Judged{"not verified", colours::faint};
}

/// Of the problem, device and modes that are asked for; of another config where that was not run, and then it says so.
std::optional<double> median_of(const Workbench& bench, const VersionsView::Row& row) {
  if (row.current)
    if (const Live* live = bench.timed()) return live->series.statistics()->median;
  if (row.record && row.record->outcome == Outcome::measured && row.record->statistics)
    return row.record->statistics->median;
  return std::nullopt;
}

ImU32 relation_colour(Relation r) {
  return r == Relation::faster ? colours::good : r == Relation::slower ? colours::bad : colours::soft;
}

void comparison(Ui& ui) {
  const BeforeAfter& ab = ui.bench.before_after();
  if (ab.id == 0 || ab.ask.variant != ui.bench.asked.ask.variant) return;
  const std::string pair = fmt::format("#{} against #{}", ab.after, ab.before);
  text_in(fonts.bold, colours::text, pair);
  ImGui::SameLine();
  if (ab.running) {
    text_in(fonts.small, colours::soft, ab.stage + "\u2026");
    ImGui::SameLine();
    if (button(ui, "versions.cancel", "Cancel", "End the comparison.")) ui.requests.cancel_job = true;
  } else if (ab.row) {
    const Comparison& c = ab.row->comparison;
    const std::string no_time = ab.no_time(), ratio = ratio_text(*ab.row);
    std::string word = no_time.empty() ? std::string(to_text(c.relation)) : "not compared";
    if (!ratio.empty()) word += fmt::format(" {}\u00d7", ratio);
    text_in(fonts.bold, no_time.empty() ? relation_colour(c.relation) : colours::bad, word);
    const auto side = [](const ComparedSide& s) {
      return s.median_ns         ? fmt::format("median {}, {} samples", time_text(*s.median_ns), s.samples)
             : s.message.empty() ? std::string(to_text(s.outcome))
                                 : s.message;
    };
    tip_for_last(
        !no_time.empty()
            ? no_time + "."
            : fmt::format(
                  "Taken in turn, before after after before, in one process: the later one's time over the earlier "
                  "one's, {} with 99 %.\n#{}: {}\n#{}: {}{}",
                  interval_text(c), ab.before, side(ab.row->a), ab.after, side(ab.row->b),
                  c.reason.empty() ? "" : "\n" + c.reason));
  } else {
    text_in(fonts.small, colours::bad, "could not be compared");
    tip_for_last(ab.error);
  }
  if (const std::string why = ab.no_time(); !ab.running && !why.empty()) wrapped_in(colours::bad, why + ".");
  // Of what it is, since all of it may be another now.
  const bool other = ab.ask != ui.bench.asked.ask || ab.modes != ui.bench.asked.modes;
  text_cut(fmt::format("on {}, {}, {}", to_text(ab.ask.problem), ui.bench.short_name(ab.ask.variant, ab.ask.config),
                       to_text(ab.modes.cache)),
           ImGui::GetContentRegionAvail().x, other ? colours::warning : colours::faint, fonts.small);
  ImGui::Dummy({0, px(2)});
}

void row_of(Ui& ui, const VersionsView::Row& row, float tall) {
  Workbench& bench = ui.bench;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 end{at.x + width, at.y + tall - px(4)};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, end, row.current ? with_alpha(colours::accent_dim, 0.45f) : colours::raised, px(5));
  if (row.current) draw->AddRectFilled(at, {at.x + px(3), end.y}, colours::accent, px(2));
  ui.mark(fmt::format("version.{}", row.number), at, end);
  const Judged j = judged(bench, row);
  const std::optional<double> median = median_of(bench, row);
  const float y = at.y + px(4);
  const std::string name = fmt::format("#{}", row.number);
  draw_cut(fonts.bold, {at.x + px(9), y}, px(60), colours::text, name);
  float x = at.x + px(9) + width_of(fonts.bold, name) + px(8);
  draw_cut(fonts.small, {x, y + px(1)}, px(70), j.colour, j.word);
  x += width_of(fonts.small, j.word) + px(8);
  const std::string time = median ? time_text(*median) : "";
  const float right = end.x - px(8) - width_of(fonts.mono, time);
  if (median)
    draw_cut(fonts.mono, {right, y}, px(120), row.current || row.same_config ? colours::text : colours::faint, time);
  const std::string note = row.current ? "loaded" : row.good ? "last good" : row.hash.substr(0, 7);
  if (right - x > width_of(fonts.small, note) + px(6))
    draw_cut(fonts.small, {x, y + px(1)}, right - x, colours::faint, note);
  if (ImGui::IsMouseHoveringRect(at, {end.x, y + fonts.bold->FontSize + px(3)}) && ImGui::IsWindowHovered()) {
    std::string tip = fmt::format("{} #{}\nshader {}", bench.asked.ask.variant, row.number, row.hash.substr(0, 12));
    if (row.record) tip += "\n\n" + described(*row.record);
    if (row.record && !row.same_config && !row.current) tip += "\n\nof another config than the one shown";
    if (row.record && !row.record->message.empty()) tip += "\n" + row.record->message;
    ImGui::SetTooltip("%s", tip.c_str());
  }
  ImGui::SetCursorScreenPos({at.x + px(6), y + fonts.bold->FontSize + px(5)});
  ImGui::PushFont(fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(2)});
  const std::string id = fmt::format("version.{}.", row.number);
  const bool has_samples =
      row.current ? bench.can_pin()
                  : row.record && !row.record->samples_ns.empty() && row.record->outcome == Outcome::measured;
  if (button(ui, (id + "pin").c_str(), "Pin",
             has_samples ? "Keep this version's curve beside the others." : "It has no samples in this session.",
             has_samples))
    bench.pin_version(row);
  if (!row.current) {
    ImGui::SameLine(0, px(5));
    if (button(ui, (id + "restore").c_str(), "Edit",
               row.texts ? "Put this version's texts into the editor; saving makes them the current ones."
                         : "Its texts are not kept any more.",
               row.texts))
      if (const Version* v = bench.editor.versions.find(bench.asked.ask.variant, row.hash))
        if (bench.editor.restore(bench.asked.ask.variant, *v) == 0)
          bench.say(Level::info, fmt::format("The files are as #{} has them.", row.number));
    ImGui::SameLine(0, px(5));
    const bool can = row.texts && bench.versions().current() && !bench.before_after().running;
    if (button(ui, (id + "race").c_str(), "Compare",
               "Measure the loaded version against this one, in turn: FASTER, SLOWER, SAME or UNSURE, and by how much.",
               can, row.good))
      ui.requests.job = bench.race_version(row.hash);
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos({at.x, at.y + tall});
}

}  // namespace

void versions_list(Ui& ui) {
  comparison(ui);
  const auto& rows = ui.bench.versions().rows();
  wrapped_in(colours::soft, rows.size() < 2 ? "Versions: each one that is saved and loads is listed here"
                                            : "Versions on this problem");
  ImGui::BeginChild("versions", {0, 0}, 0, ImGuiWindowFlags_NoBackground);
  const float tall = fonts.bold->FontSize + fonts.small->FontSize + px(26);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  ImGuiListClipper clipper;
  clipper.Begin(int(rows.size()), tall);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      row_of(ui, rows[size_t(i)], tall);
      ImGui::PopID();
    }
  ImGui::PopStyleVar();
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
}

void dump_versions(const Workbench& bench, Json& into) {
  into["versions"] = Json::array();
  for (const VersionsView::Row& row : bench.versions().rows()) {
    Json one = {{"number", row.number}, {"hash", row.hash},   {"current", row.current},
                {"good", row.good},     {"texts", row.texts}, {"verdict", judged(bench, row).word}};
    if (const auto median = median_of(bench, row)) one["median_ns"] = *median;
    into["versions"].push_back(one);
  }
  const BeforeAfter& ab = bench.before_after();
  if (ab.id == 0) return;
  Json& race = into["before_after"];
  race = {{"running", ab.running}, {"stage", ab.stage},       {"before", ab.before},
          {"after", ab.after},     {"ask", ask_json(ab.ask)}, {"error", ab.error}};
  if (ab.row && ab.no_time().empty())
    race["word"] = to_text(ab.row->comparison.relation), race["ratio"] = ab.row->comparison.ratio;
  race["no_time"] = ab.no_time();
}

}  // namespace attnscope::gui
