// Each plot and table of the window as plain data: what its files and copies are written from.
#pragma once

#include "app/gui/charts/chart.hpp"

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

/// A plot, empty where there is nothing to show, or a table, that can be written as data. A picture needs no line here.
struct DataOut {
  const char* widget;
  Chart (*chart)(const Workbench&);
  TextTable (*table)(const Workbench&);  ///< whatever columns are in view; nullptr: it is a plot
};
std::span<const DataOut> data_out();
/// By the widget; nullptr: it can not be written as data.
const DataOut* find_out(const std::string& widget);

/// The text of a plot (SVG, CSV) or of a table (CSV, Markdown). The error says what there is of that name.
Result<std::string> text_out(const Workbench&, const std::string& widget, WayOut::Form);

/// The best of each variant against the trials, in steps: as many of the fastest as can be told apart.
Chart tuning_chart(const Workbench&);

}  // namespace attnscope::gui
