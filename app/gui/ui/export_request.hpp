// How plots and tables get out of the window: one list of what there is of each, and the menu that offers it.
#pragma once

#include <string>
#include <vector>

#include "app/gui/charts/chart.hpp"
#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

/// A plot that can be written as data. Its picture needs no line here, only its title.
struct PlotOut {
  const char* widget;
  Chart (*chart)(const Workbench&);
};
struct TableOut {
  const char* widget;
  TextTable (*table)(const Workbench&);
};
const std::vector<PlotOut>& plots_out();
const std::vector<TableOut>& tables_out();

/// The text of a plot (SVG, CSV) or of a table (CSV, Markdown). The error says what there is of that name.
Result<std::string> text_out(const Workbench&, const std::string& widget, WayOut::Form);
/// By the extension: .png, .svg, .csv or .md; the error lists these.
Result<WayOut::Form> form_of(const std::string& path);
const char* extension_of(WayOut::Form);

/// Onto the clipboard, with a message: "Copied {what}."
void copy(Workbench&, Shell&, const std::string& text, const std::string& what);

/// After the item that a plot's input goes to: its context menu.
void plot_menu(Ui&, const std::string& widget);
/// Within a table, before it ends. Rows with menus of their own come first.
void table_menu(Ui&, const std::string& widget);
/// The same entries within a menu that is open.
void table_entries(Ui&, const std::string& widget);

}  // namespace attnscope::gui
