// Every config tried, in the order tried, with its verdict and timing; the best of each problem is marked.
#include <fmt/format.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

struct Judged {
  const char* word;
  ImU32 colour;
};

Judged judged(const Record& r) {
  if (r.outcome == Outcome::refused) return {"refused", colours::warning};
  if (r.outcome == Outcome::error) return {"lost", colours::bad};
  if (r.verdict && !r.verdict->pass) return {"wrong", colours::bad};
  if (r.verdict) return {"correct", colours::good};
  return {"not verified", colours::faint};
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::vector<Tried::Entry>& entries = bench.tried.entries();
  if (entries.empty())
    return empty_hint("Nothing tried yet", "Every config that was dispatched is listed here, in order; the best is marked.");
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("tried", 9, flags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("#");
  ImGui::TableSetupColumn("config", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("problem", ImGuiTableColumnFlags_WidthStretch, 1.6f);
  for (const char* name : {"verdict", "max abs", "median", "mean", "min", "max"}) ImGui::TableSetupColumn(name);
  ImGui::PushFont(fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, colours::soft);
  ImGui::TableHeadersRow();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  for (size_t i = entries.size(); i-- > 0;) {
    const Tried::Entry& t = entries[i];
    const Record& r = *t.record;
    ImGui::TableNextRow();
    ImGui::PushID(int(i));
    ImGui::TableNextColumn();
    text_in(fonts.mono, colours::faint, std::to_string(t.number));
    ImGui::TableNextColumn();
    if (t.best) {
      text_in(fonts.small, colours::good, "best");
      ImGui::SameLine();
    }
    text_cut(bench.short_name(r.variant, r.config), ImGui::GetContentRegionAvail().x, colours::text);
    tip_for_last(fmt::format("{}  {}", r.variant, attnscope::to_text(r.config)));
    ImGui::TableNextColumn();
    text_cut(to_text(r.problem), ImGui::GetContentRegionAvail().x, colours::soft, fonts.mono);
    ImGui::TableNextColumn();
    const Judged j = judged(r);
    text_in(fonts.small, j.colour, j.word);
    if (!r.message.empty()) tip_for_last(r.message);
    ImGui::TableNextColumn();
    if (r.verdict) text_in(fonts.mono, colours::soft, fmt::format("{:.1e}", r.verdict->max_abs));
    const auto time = [&](double Statistics::*field) {
      ImGui::TableNextColumn();
      if (r.statistics) text_in(fonts.mono, colours::text, time_text((*r.statistics).*field));
    };
    time(&Statistics::median);
    time(&Statistics::mean);
    time(&Statistics::min);
    time(&Statistics::max);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void dump(const Workbench& bench, Json& j) {
  j["tried"] = Json::array();
  for (const Tried::Entry& t : bench.tried.entries()) {
    Json tried = brief(*t.record);
    tried["number"] = t.number;
    tried["best"] = t.best;
    j["tried"].push_back(tried);
  }
}

}  // namespace

const Panel session_log_panel = {"tried", "Session log", Place::bottom, draw, dump};

}  // namespace attnscope::gui
