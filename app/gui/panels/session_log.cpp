// Every config tried, in the order tried, with its verdict and timing; the best of each problem is marked.
#include <algorithm>

#include <fmt/format.h>

#include "app/gui/explain_tables.hpp"
#include "app/gui/fitted_table.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/state/labels.hpp"
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

enum Columns : size_t { kNumber, kConfig, kProblem, kVerdict, kMaxAbs, kMedian, kMean, kMin, kMax };

std::vector<FittedTable::Column> columns(const Workbench& bench) {
  const Captions& captions = bench.captions();
  const float room = ImGui::GetContentRegionAvail().x;
  const float named = width_of(fonts.body, captions.longest_tried()) + width_of(fonts.small, "best ") + px(8);
  const float problem = width_of(fonts.mono, captions.longest_tried_problem());
  const auto fixed = [](ImFont* font, const char* widest, int expendable) {
    const float width = width_of(font, widest);
    return ColumnWish{width, width, expendable, false};
  };
  std::vector<FittedTable::Column> all(kMax + 1);
  all[kNumber] = {"#", explain::number, fixed(fonts.mono, "8888", 5), true};
  all[kConfig] = {"config", explain::config, {named, std::min(named, room * 0.45f), 0, true}};
  all[kProblem] = {"problem", explain::problem, {problem, std::min(problem, px(96)), 1, false}};
  all[kVerdict] = {"verdict", explain::verdict, fixed(fonts.small, "not verified", 0)};
  all[kMaxAbs] = {"max abs", explain::max_abs, fixed(fonts.mono, "8.8e-08", 2), true};
  all[kMedian] = {"median", explain::median, fixed(fonts.mono, "88.8 ms", 0), true};
  all[kMean] = {"mean", explain::mean, fixed(fonts.mono, "88.8 ms", 6), true};
  all[kMin] = {"min", explain::min, fixed(fonts.mono, "88.8 ms", 3), true};
  all[kMax] = {"max", explain::max, fixed(fonts.mono, "88.8 ms", 7), true};
  return all;
}

void row(const Workbench& bench, FittedTable& table, const Tried::Entry& t) {
  const Record& r = *t.record;
  table.text(kNumber, fonts.mono, colours::faint, std::to_string(t.number));
  if (table.cell(kConfig)) {
    if (t.best) {
      text_in(fonts.small, colours::good, "best");
      tip_for_last("The least median of this problem, on this device and in these modes.");
      ImGui::SameLine(0, px(8));
    }
    const std::string& name = bench.captions().tried(t.number);
    text_cut(name.empty() ? bench.short_name(r.variant, r.config) : name, ImGui::GetContentRegionAvail().x + 1,
             colours::text, nullptr, false);
    tip_for_last(described(r));
  }
  if (table.text(kProblem, fonts.mono, colours::soft, to_text(r.problem))) tip_for_last(to_text(r.problem));
  const Judged j = judged(r);
  if (table.text(kVerdict, fonts.small, j.colour, j.word) && !r.message.empty()) tip_for_last(r.message);
  if (r.verdict) table.text(kMaxAbs, fonts.mono, colours::soft, fmt::format("{:.1e}", r.verdict->max_abs));
  if (!r.statistics) return;
  const Statistics& s = *r.statistics;
  table.text(kMedian, fonts.mono, colours::text, time_text(s.median));
  table.text(kMean, fonts.mono, colours::soft, time_text(s.mean));
  table.text(kMin, fonts.mono, colours::soft, time_text(s.min));
  table.text(kMax, fonts.mono, colours::soft, time_text(s.max));
}

void draw(Ui& ui) {
  const Workbench& bench = ui.bench;
  const std::vector<Tried::Entry>& entries = bench.tried.entries();
  if (entries.empty())
    return empty_hint("Nothing tried yet",
                      "Every config that was dispatched is listed here, in order; the best is marked.");
  FittedTable table;
  if (!table.begin(ui, "tried", columns(bench))) return;
  ImGuiListClipper rows;
  rows.Begin(int(entries.size()));
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      table.row();
      row(bench, table, entries[entries.size() - 1 - size_t(i)]);
    }
  table.end();
}

void dump(const Workbench& bench, Json& j) {
  j["tried"] = Json::array();
  for (const Tried::Entry& t : bench.tried.entries()) {
    Json tried = brief(*t.record);
    tried["number"] = t.number;
    tried["best"] = t.best;
    tried["label"] = bench.captions().tried(t.number);
    j["tried"].push_back(tried);
  }
}

}  // namespace

const Panel session_log_panel = {"tried", "Session log", Place::bottom, draw, dump};

}  // namespace attnscope::gui
