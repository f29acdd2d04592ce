// The pinned configs against each other: a word and a ratio for each two, with the times behind it on hover.
#include <algorithm>

#include "app/gui/model/explain.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string median_text(const Record& r) { return r.statistics ? time_text(r.statistics->median) : "no samples"; }

std::string tip_of(const Compared& cell) {
  if (!cell.why_not.empty())
    return cell.why_not +
           (cell.ratio > 0 ? fmt::format(". The ratio of the medians alone is {:.3g}.", cell.ratio) : ".");
  return comparison_tip(cell.word, "From all samples of two runs, not interleaved; SAME is within 2 %.");
}

void draw_cell(Ui& ui, const Pin& row, const Pin& column) {
  const Workbench& bench = ui.bench;
  if (row.id == column.id) return text_in(fonts.small, colours::faint, "\u2013");
  const Compared* cell = bench.compared(row.record, column.record);
  if (!cell) return text_in(fonts.small, colours::faint, "\u2026");
  const ImU32 colour = cell->why_not.empty() ? relation_colour(cell->word.relation) : colours::faint;
  text_cut(cell_text(*cell), ImGui::GetContentRegionAvail().x + 1, colour, fonts.small, false);
  ui.mark(fmt::format("matrix.{}.{}", row.id, column.id));
  tip_for_last(tip_of(*cell));
}

void draw_matrix(Ui& ui) {
  Workbench& bench = ui.bench;
  const std::vector<Pin>& pins = bench.pins.all();
  text_cut(bench.comparing() ? "comparing\u2026" : "each row against each column", ImGui::GetContentRegionAvail().x,
           colours::faint, fonts.small, false);
  tip_for_last(explain::against);
  // More columns than a table may have scroll by a window of their own.
  constexpr int kMostColumns = 60;
  if (pins.size() > size_t(kMostColumns))
    text_in(fonts.small, colours::faint,
            fmt::format("{} more pins have a row and no column", pins.size() - size_t(kMostColumns)));
  if (pins.size() < 2)
    return empty_hint(
        "Nothing to compare yet",
        "Pin two configs or more (P), or open result files (Files): each is held against each other here.");
  const int columns = int(std::min<size_t>(pins.size(), kMostColumns));
  const float room = ImGui::GetContentRegionAvail().x, median = px(76);
  float name = px(60);
  for (const Pin& p : pins) name = std::max(name, width_of(fonts.small, bench.name_of(p)) + px(22));
  name = std::min({name, px(200), room * 0.4f});
  const float least = width_of(fonts.small, "SLOWER 88.88\u00d7") + px(6),
              padding = 2 * ImGui::GetStyle().CellPadding.x;
  const float cell = std::clamp((room - name - median - padding * float(columns + 2) - px(12)) / float(columns), least,
                                std::max(least, px(200)));
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInner | ImGuiTableFlags_ScrollX |
                                    ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                    ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("matrix", columns + 2, flags)) return;
  ImGui::TableSetupScrollFreeze(2, 1);
  ImGui::TableSetupColumn("row", ImGuiTableColumnFlags_WidthFixed, name);
  ImGui::TableSetupColumn("median", ImGuiTableColumnFlags_WidthFixed, median);
  for (int c = 0; c < columns; ++c) ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, cell);
  const auto heading = [&](const Pin& p, float width) {
    draw_swatch(series_style(p.slot), p.shown, 14);
    ImGui::Dummy({px(14), ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, px(5));
    text_cut(bench.name_of(p), width - px(20), colours::text, fonts.small, false);
    tip_for_last(bench.name_of(p) + "\n" + described(*p.record));
  };
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableSetColumnIndex(1);
  text_in(fonts.small, colours::soft, "median");
  for (int c = 0; c < columns; ++c)
    if (ImGui::TableSetColumnIndex(c + 2)) heading(pins[size_t(c)], cell);
  const bool several = std::any_of(pins.begin(), pins.end(), [&](const Pin& p) {
    return p.record->environment.device.name != pins[0].record->environment.device.name;
  });
  ImGuiListClipper rows;
  rows.Begin(int(pins.size()));
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      const Pin& row = pins[size_t(i)];
      ImGui::TableNextRow();
      ImGui::PushID(int(row.id));
      ImGui::TableSetColumnIndex(0);
      heading(row, name);
      ui.mark(fmt::format("matrix.row.{}", row.id));
      if (several) {
        text_cut(row.record->environment.device.name, name, colours::faint, fonts.small, false);
        tip_for_last(row.record->environment.device.name);
      }
      ImGui::TableSetColumnIndex(1);
      text_in(fonts.mono, colours::text, median_text(*row.record));
      for (int c = 0; c < columns; ++c)
        if (ImGui::TableSetColumnIndex(c + 2)) draw_cell(ui, row, pins[size_t(c)]);
      ImGui::PopID();
    }
  table_menu(ui, "matrix");
  ImGui::EndTable();
  ui.mark("matrix");
}

void dump_matrix(const Workbench& bench, Json& j) {
  Json& cells = j["matrix"]["cells"] = Json::array();
  for (const Pin& row : bench.pins.all())
    for (const Pin& column : bench.pins.all())
      if (const Compared* cell = &row == &column ? nullptr : bench.compared(row.record, column.record))
        cells.push_back({{"row", row.id}, {"column", column.id}, {"text", cell_text(*cell)}});
}

}  // namespace

const PanelView matrix_view = {"matrix", "Matrix", draw_matrix, dump_matrix};

}  // namespace attnscope::gui
