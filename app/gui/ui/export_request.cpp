#include "app/gui/ui/export_request.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/gui/ui/shell.hpp"
#include "app/gui/ui/widgets.hpp"
#include "app/gui/workbench/exports.hpp"

namespace attnscope::gui {
namespace {

template <class T>
const T* named(const std::vector<T>& all, const std::string& widget) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& t) { return widget == t.widget; });
  return at == all.end() ? nullptr : &*at;
}

template <class T>
std::string names_of(const std::vector<T>& all) {
  std::string out;
  for (const T& t : all) out += (out.empty() ? "" : ", ") + std::string(t.widget);
  return out;
}

void entry(Ui& ui, const std::string& id, const char* label, const WayOut& way, bool enabled = true) {
  if (ImGui::MenuItem(label, nullptr, false, enabled)) ui.requests.out.push_back(way);
  ui.mark(id, enabled);
}

}  // namespace

const std::vector<PlotOut>& plots_out() {
  static const std::vector<PlotOut> all = {
      {"timing.plot", timing_chart},        {"timing.distribution", histogram_chart},
      {"compare.plot", distribution_chart}, {"across.plot", across_problems_chart},
      {"why.roofline", roofline_chart},     {"map.grid", sweep_chart},
      {"tuning.plot", tuning_chart},        {"scaling.plot", scaling_chart},
      {"correctness.image", errors_chart}};
  return all;
}

const std::vector<TableOut>& tables_out() {
  static const std::vector<TableOut> all = {{"pins", pins_sheet},     {"log", log_sheet},       {"past", past_sheet},
                                            {"matrix", matrix_sheet}, {"across", across_sheet}, {"raced", raced_sheet}};
  return all;
}

Result<std::string> text_out(const Workbench& bench, const std::string& widget, WayOut::Form form) {
  if (const TableOut* table = named(tables_out(), widget)) {
    if (form == WayOut::Form::csv) return to_csv(table->table(bench));
    if (form == WayOut::Form::markdown) return render_markdown(table->table(bench));
    return bad_input(fmt::format("'{}' is a table: it goes into .csv or .md.", widget));
  }
  const PlotOut* plot = named(plots_out(), widget);
  if (!plot)
    return bad_input(fmt::format("There is no plot or table '{}' to write; plots: {}; tables: {}.", widget,
                                 names_of(plots_out()), names_of(tables_out())));
  const Chart chart = plot->chart(bench);
  if (chart.empty()) return bad_input(fmt::format("There is nothing in '{}' to write yet.", widget));
  if (form == WayOut::Form::svg) return to_svg(chart);
  if (form == WayOut::Form::csv) return to_csv(chart);
  return bad_input(fmt::format("'{}' is a plot: it goes into .png, .svg or .csv.", widget));
}

Result<WayOut::Form> form_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const WayOut::Form form : {WayOut::Form::png, WayOut::Form::svg, WayOut::Form::csv, WayOut::Form::markdown})
    if (extension == extension_of(form)) return form;
  return bad_input(
      fmt::format("'{}' has no form: a plot is written as .png, .svg or .csv, a table as .csv or .md.", path));
}

const char* extension_of(WayOut::Form form) {
  constexpr const char* names[] = {".png", ".svg", ".csv", ".md"};
  return names[size_t(form)];
}

void copy(Workbench& bench, Shell& shell, const std::string& text, const std::string& what) {
  shell.copied = text;
  ImGui::SetClipboardText(text.c_str());
  bench.say(Level::info, fmt::format("Copied {}.", what));
}

void plot_menu(Ui& ui, const std::string& widget) {
  const std::string popup = widget + ".menu";
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
      ImGui::IsMouseReleased(ImGuiMouseButton_Right))
    ImGui::OpenPopup(popup.c_str());
  if (!begin_popup(popup.c_str())) return;
  const bool data = named(plots_out(), widget) != nullptr;
  entry(ui, widget + ".menu.png", "Save picture (PNG)", {WayOut::Form::png, widget});
  entry(ui, widget + ".menu.svg", "Save as SVG", {WayOut::Form::svg, widget}, data);
  entry(ui, widget + ".menu.csv", "Save as CSV", {WayOut::Form::csv, widget}, data);
  entry(ui, widget + ".menu.copy", "Copy as CSV", {WayOut::Form::csv, widget, {}, true}, data);
  ImGui::EndPopup();
}

void table_entries(Ui& ui, const std::string& widget) {
  const bool data = named(tables_out(), widget) != nullptr;
  entry(ui, widget + ".menu.markdown", "Copy table as Markdown", {WayOut::Form::markdown, widget, {}, true}, data);
  entry(ui, widget + ".menu.copy", "Copy table as CSV", {WayOut::Form::csv, widget, {}, true}, data);
  entry(ui, widget + ".menu.csv", "Save table as CSV", {WayOut::Form::csv, widget}, data);
  entry(ui, widget + ".menu.md", "Save table as Markdown", {WayOut::Form::markdown, widget}, data);
}

void table_menu(Ui& ui, const std::string& widget) {
  const std::string popup = widget + ".menu";
  // A row's own menu is nearer to the mouse, and may be opened by what is no item.
  if (ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId))
    ImGui::OpenPopup(popup.c_str());
  if (!begin_popup(popup.c_str())) return;
  table_entries(ui, widget);
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
