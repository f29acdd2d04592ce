// Each plot and table of the window as plain data: what its files and copies are written from.
#pragma once

#include "app/gui/charts/chart.hpp"
#include "app/gui/model/search_state.hpp"

namespace attnscope::gui {

class Workbench;

/// A plot or a table, named by its widget, as a file (or on the clipboard).
struct WayOut {
  enum class Form { png, svg, csv, markdown } form = Form::png;
  std::string widget;
  std::string path = {};   ///< "" = a free name in the current folder
  bool clipboard = false;  ///< text goes there instead
};
/// By the extension: .png, .svg, .csv or .md; the error lists these.
Result<WayOut::Form> form_of(const std::string& path);
const char* extension_of(WayOut::Form);

/// A plot that can be written as data, empty where there is nothing to show. Its picture needs no line here, only its
/// title.
struct PlotOut {
  const char* widget;
  Chart (*chart)(const Workbench&);
};
/// Whatever columns are in view.
struct TableOut {
  const char* widget;
  TextTable (*table)(const Workbench&);
};
const std::vector<PlotOut>& plots_out();
const std::vector<TableOut>& tables_out();
/// By the widget; nullptr: it can not be written as data.
template <class Out>
const Out* find_out(const std::vector<Out>& all, const std::string& widget) {
  for (const Out& out : all)
    if (widget == out.widget) return &out;
  return nullptr;
}

/// The text of a plot (SVG, CSV) or of a table (CSV, Markdown). The error says what there is of that name.
Result<std::string> text_out(const Workbench&, const std::string& widget, WayOut::Form);

/// The best of each variant against the trials, in steps: as many of the fastest as can be told apart.
Chart tuning_chart(const Workbench&);

}  // namespace attnscope::gui
