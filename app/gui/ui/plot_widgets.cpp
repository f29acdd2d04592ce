#include "app/gui/ui/plot_widgets.hpp"

#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {
namespace {

void draw_strokes(ImDrawList* draw, const Strokes& lines, ImU32 colour, float width) {
  size_t begin = 0;
  for (size_t end : lines.ends) {
    draw->AddPolyline(lines.points.data() + begin, int(end - begin), colour, 0, width);
    begin = end;
  }
}

/// These alone stand at an axis (ImAxis). After the axis' limits and, below the plot, after the ticks at its left: a
/// label that would be cut at an edge is left out, its mark stays.
void set_ticks(int axis, std::vector<Tick> ticks, const std::string& name = "") {
  std::vector<double> at;
  std::vector<const char*> text;
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImPlotAxis& own = plot.Axes[axis];
  const ImPlotTicker& beside = plot.Axes[ImAxis_Y1].Ticker;
  const float air = ImPlot::GetStyle().PlotPadding.x;
  const float left = 2 * air + (beside.TickCount() > 0 ? beside.MaxSize.x : px(64));
  const float data = plot.FrameRect.GetWidth() - left - air;
  const bool upright = axis >= ImAxis_Y1;
  const double tall = plot.FrameRect.GetHeight() - (plot.Axes[ImAxis_X1].HasLabel() ? 2 : 1) * fonts.body->FontSize;
  if (!name.empty() && !ticks.empty()) {
    const std::string named = fmt::format("{}: {}", name, ticks.front().text);
    const double first = (ticks.front().at - own.Range.Min) / own.Range.Size() * data;
    const double half = ImGui::CalcTextSize(named.c_str()).x / 2;
    const double next = ticks.size() < 2 ? data : (ticks[1].at - own.Range.Min) / own.Range.Size() * data - half / 2;
    if (half <= first + left && first + half <= next) ticks.front().text = named;
  }
  double last = -1;  // of the axis, where a text stands
  for (const Tick& t : ticks) {
    const auto place = [&](double v) { return own.Scale == ImPlotScale_Log10 ? std::log10(std::max(v, 1e-300)) : v; };
    const double low = place(own.Range.Min), whole = place(own.Range.Max) - low;
    const double share = whole > 0 ? (place(t.at) - low) / whole : 0;
    const bool near = last >= 0 && (share - last) * tall < double(fonts.body->FontSize);
    const float half = ImGui::CalcTextSize(t.text.c_str()).x / 2;
    const bool cut = upright ? near : half > float(1 - share) * data + air || half > float(share) * data + left;
    if (!cut) last = share;
    at.push_back(t.at);
    text.push_back(cut ? "" : t.text.c_str());
  }
  // Without any, ImPlot would make its own.
  if (at.empty())
    ImPlot::SetupAxisFormat(axis, "");
  else
    ImPlot::SetupAxisTicks(axis, at.data(), int(at.size()), text.data());
}

void entry(Ui& ui, const std::string& id, const char* label, const WayOut& way) {
  if (menu_item(ui, id, label, true, "", way.clipboard ? icons::copy : icons::save)) ui.requests.out.push_back(way);
}

/// A bar from the ground line up to `top`, filled as its dash is.
void draw_bar(const Frame& frame, double x, double width, double top, const SeriesStyle& style) {
  const float left = frame.pixel(x - width / 2, top).x, right = std::max(left + 1, frame.pixel(x + width / 2, top).x);
  const float up = std::clamp(frame.pixel(x, top).y, frame.min.y, frame.max.y);
  ImDrawList* draw = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  if (frame.log || style.dash != Dash::solid)
    draw->AddRectFilled({left, up}, {right, frame.max.y}, with_alpha(style.colour, 0.28f));
  // A bar is a line as wide as it is: its dash is the series'. A logarithmic axis has no lengths: there its top counts.
  const float middle = (left + right) / 2;
  const std::vector<ImVec2> line = {{middle, up}, {middle, frame.log ? up + px(4) : frame.max.y}};
  const Strokes parts = strokes(line, style.dash, px(1), {frame.min, frame.max});
  for (size_t i = 0; i + 1 < parts.points.size(); i += 2)
    draw->AddRectFilled({left, parts.points[i].y}, {right, parts.points[i + 1].y}, style.colour);
  ImPlot::PopPlotClipRect();
}

}  // namespace

Plot::Plot(const char* id, ImVec2 least) {
  const ImVec2 space = ImGui::GetContentRegionAvail();
  min = ImGui::GetCursorScreenPos();
  max = {min.x + std::max(space.x, px(least.x)), min.y + std::max(space.y, px(least.y))};
  const ImPlotFlags flags = ImPlotFlags_NoTitle | ImPlotFlags_NoMouseText | ImPlotFlags_NoMenus |
                            ImPlotFlags_NoBoxSelect | ImPlotFlags_NoInputs | ImPlotFlags_NoLegend;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  open_ = ImPlot::BeginPlot(id, {-1, -1}, flags);
  ImGui::PopItemFlag();
  ImGui::PopStyleVar();
}

void Plot::axes(const ChartAxis& x, const ChartAxis& y, float named_from, int x_flags) {
  const float wide = max.x - min.x, tall = max.y - min.y;
  const bool named = tall > px(named_from) && wide > px(240);
  // A low plot's height is the curve's.
  if (tall < px(72)) x_flags |= ImPlotAxisFlags_NoTickLabels;
  ImPlot::SetupAxes(named ? x.name.c_str() : nullptr, nullptr, ImPlotAxisFlags_NoHighlight | x_flags,
                    ImPlotAxisFlags_NoHighlight);
  if (y.log) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_X1, x.range.low, x.range.high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, y.range.low, y.range.high, ImPlotCond_Always);
  set_ticks(ImAxis_Y1, y.ticks ? y.ticks(std::clamp(int((tall - px(48)) / px(26)), 2, 10)) : std::vector<Tick>{});
  set_ticks(ImAxis_X1, x.ticks(std::clamp(int((wide - px(70)) / px(84)), 2, 10)), named ? "" : x.name);
  const ImVec2 corner = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  frame = {corner, {corner.x + size.x, corner.y + size.y}, x.range, y.range, y.log};
}

bool Plot::close(Ui& ui, const std::string& name) {
  ImPlot::EndPlot();
  ImGui::SetCursorScreenPos(min);
  hit_area(name, {max.x - min.x, max.y - min.y});
  ui.mark(name);
  const bool hovered = ImGui::IsItemHovered();
  // Else the pane around would scroll as well.
  if (hovered) ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, ImGui::GetItemID());
  plot_menu(ui, name);
  return hovered;
}

void draw_series(const Frame& frame, std::span<const double> x, std::span<const double> y, const SeriesStyle& style,
                 float width) {
  std::vector<ImVec2> line;
  line.reserve(x.size());
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) line.push_back(frame.pixel(x[i], y[i]));
  // A line along the edge is drawn whole.
  const Box box{{frame.min.x, frame.min.y - width}, {frame.max.x, frame.max.y + width}};
  ImPlot::PushPlotClipRect();
  draw_strokes(ImPlot::GetPlotDrawList(), strokes(line, style.dash, px(1), box), style.colour, width);
  ImPlot::PopPlotClipRect();
}

void draw_series(const Frame& frame, const ChartSeries& s) {
  using Kind = ChartSeries::Kind;
  if (s.x.empty()) return;
  const int count = int(s.x.size());
  const ImVec4 ink = ImGui::ColorConvertU32ToFloat4(s.style.colour);
  const bool points = s.kind == Kind::points;
  if (s.kind == Kind::line) draw_series(frame, s.x, s.y, s.style, px(2));
  for (int i = 0; i < count && s.kind == Kind::bars; ++i)
    draw_bar(frame, s.x[size_t(i)], s.width, s.y[size_t(i)], s.style);
  if (s.kind == Kind::band) {
    ImPlot::SetNextFillStyle(ink, 0.2f);
    ImPlot::PlotShaded("band", s.x.data(), s.y.data(), s.high.data(), count);
  }
  if (!points && (s.kind != Kind::line || s.text.empty())) return;
  ImPlot::SetNextMarkerStyle(points ? ImPlotMarker_Square : ImPlotMarker_Circle,
                             px(!points       ? 3.5f
                                : count < 100 ? 2.f
                                              : 1.3f),
                             {ink.x, ink.y, ink.z, points ? 0.75f : 1.f}, 0);
  ImPlot::PlotScatter("points", s.x.data(), s.y.data(), count);
}

void draw_swatch(const SeriesStyle& style, bool shown, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = std::floor(at.y + ImGui::GetTextLineHeight() / 2) + 0.5f;
  const std::vector<ImVec2> line = {{at.x, y}, {at.x + px(width), y}};
  const Box box{{at.x, at.y}, {at.x + px(width), at.y + ImGui::GetTextLineHeight()}};
  draw_strokes(ImGui::GetWindowDrawList(), strokes(line, style.dash, px(1), box),
               shown ? style.colour : with_alpha(style.colour, 0.6f), px(shown ? 3.f : 1.5f));
}

void series_swatch(const SeriesStyle& style) {
  draw_swatch(style, true);
  ImGui::Dummy({px(18), ImGui::GetTextLineHeight()});
}

int legend(Ui& ui, const char* id, const std::vector<LegendEntry>& entries, int rows) {
  ImGui::PushFont(fonts.small);
  ImGui::PushID(id);
  const float swatch = px(23), apart = px(14), all = ImGui::GetContentRegionAvail().x;
  const auto more_text = [&](size_t shown) { return fmt::format("+{} more", entries.size() - shown); };
  float x = 0, sum = 0;
  int row = 1, clicked = -1;
  size_t shown = 0;
  for (const LegendEntry& e : entries) sum += swatch + width_of(fonts.small, e.label) + apart;
  for (; shown < entries.size(); ++shown) {
    const LegendEntry& e = entries[shown];
    const std::string label = sum > float(rows) * all ? with_initials(e.label) : e.label;
    const bool last = shown + 1 == entries.size();
    const float kept = row == rows && !last ? apart + width_of(fonts.small, more_text(0)) : 0;
    const float width = std::min(all - kept, swatch + width_of(fonts.small, label));
    if (x > 0 && x + width + kept > all) {
      if (++row > rows) break;
      x = 0;
    }
    if (x > 0) ImGui::SameLine(0, apart);
    x += width + apart;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (e.dot > 0)
      ImGui::GetWindowDrawList()->AddCircleFilled({at.x + px(17) - e.dot, at.y + ImGui::GetTextLineHeight() / 2}, e.dot,
                                                  e.style.colour);
    else
      draw_swatch(e.style, e.shown);
    draw_cut(fonts.small, {at.x + swatch, at.y}, width - swatch + 1, e.shown ? colours::soft : colours::faint, label);
    ImGui::PushID(int(shown));
    if (ImGui::InvisibleButton("entry", {width, ImGui::GetTextLineHeight()})) clicked = int(shown);
    ImGui::PopID();
    mark_with_tip(ui, e.id, e.tip);
  }
  if (shown < entries.size()) {
    if (shown > 0) ImGui::SameLine(0, apart);
    text_in(fonts.small, colours::faint, more_text(shown));
    std::string names;
    for (size_t i = shown; i < entries.size(); ++i) names += entries[i].label + "\n";
    tip_for_last(names);
  }
  ImGui::PopID();
  ImGui::PopFont();
  return clicked;
}

void lines_tip(const std::optional<SeriesStyle>& style, const std::string& name, std::span<const std::string> lines) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(10), px(8)});
  if (ImGui::BeginTooltip()) {
    if (style) {
      series_swatch(*style);
      ImGui::SameLine(0, px(6));
    }
    text_in(fonts.body, colours::text, name);
    ImGui::PushTextWrapPos(px(400));
    for (const std::string& line : lines)
      text_in(&line == lines.data() ? fonts.mono : fonts.small, &line == lines.data() ? colours::text : colours::soft,
              line);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

void heat_scale(ImVec2 min, float tall, double brightest, const std::vector<std::string>& labels) {
  constexpr int kSteps = 32;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float wide = px(10), line = fonts.small->FontSize;
  for (int i = 0; i < kSteps; ++i)
    draw->AddRectFilled({min.x, min.y + tall * float(i) / kSteps}, {min.x + wide, min.y + tall * float(i + 1) / kSteps},
                        heat_colour(brightest * (1 - (i + 0.5) / kSteps)));
  const size_t last = std::max<size_t>(1, labels.size() - 1);
  size_t every = 1;
  while (every < last && (last % every != 0 || tall * float(every) / float(last) < 1.3f * line)) ++every;
  for (size_t i = 0; i < labels.size() && (i == 0 || tall > 2 * line); i += every) {
    // The ends are beside the bar, as all are.
    const float y = min.y + std::max(0.f, tall - line) * float(i) / float(last);
    draw_text({min.x + wide + px(5), y}, colours::soft, labels[i]);
  }
}

void draw_cross(ImDrawList* draw, ImVec2 at, float arm, ImU32 colour, float width) {
  draw->AddLine({at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}, colour, px(width));
  draw->AddLine({at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}, colour, px(width));
}

void pin_legend(Ui& ui, const char* id, std::vector<LegendEntry> first, const std::vector<const Pin*>& drawn,
                const Problem* only, const char* tip) {
  Workbench& bench = ui.bench;
  std::vector<const Pin*> pins(first.size(), nullptr);
  for (const Pin& p : bench.pins.all()) {
    if (first.size() > 4 * kSeriesStyles) break;
    if ((only && p.record->problem != *only) || (!p.shown && !p.dataset.empty())) continue;
    if (p.shown && !contains(drawn, &p)) continue;
    const std::string name = bench.name_of(p);
    first.push_back({fmt::format("{}.{}", id, p.id), name, series_style(p.slot), p.shown, name + "\n" + tip});
    pins.push_back(&p);
  }
  const int clicked = legend(ui, id, first, std::max(1, int(ImGui::GetContentRegionAvail().y * 0.25f / px(18))));
  if (clicked >= 0 && pins[size_t(clicked)]) bench.pins.show(pins[size_t(clicked)]->id, !pins[size_t(clicked)]->shown);
}

void flow(float width, float gap) {
  if (gap < 0) gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + width <= right + 0.5f) ImGui::SameLine(0, gap);
}

void copy(Workbench& bench, Shell& shell, const std::string& text, const std::string& what) {
  shell.copied = text;
  ImGui::SetClipboardText(text.c_str());
  bench.messages.say(Level::info, fmt::format("Copied {}.", what));
}

void plot_menu(Ui& ui, const std::string& widget) {
  if (!begin_context_menu(widget)) return;
  entry(ui, widget + ".menu.png", "Save picture (PNG)", {WayOut::Form::png, widget});
  if (find_out(widget)) {
    entry(ui, widget + ".menu.svg", "Save as SVG", {WayOut::Form::svg, widget});
    entry(ui, widget + ".menu.csv", "Save as CSV", {WayOut::Form::csv, widget});
    entry(ui, widget + ".menu.copy", "Copy as CSV", {WayOut::Form::csv, widget, {}, true});
  }
  ImGui::EndPopup();
}

void table_entries(Ui& ui, const std::string& widget) {
  entry(ui, widget + ".menu.markdown", "Copy table as Markdown", {WayOut::Form::markdown, widget, {}, true});
  entry(ui, widget + ".menu.copy", "Copy table as CSV", {WayOut::Form::csv, widget, {}, true});
  entry(ui, widget + ".menu.csv", "Save table as CSV", {WayOut::Form::csv, widget});
  entry(ui, widget + ".menu.md", "Save table as Markdown", {WayOut::Form::markdown, widget});
}

void table_menu(Ui& ui, const std::string& widget) {
  if (!find_out(widget)) return;
  const std::string popup = widget + ".menu";
  // A row's own menu is nearer to the mouse, and may be opened by what is no item.
  if (ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId))
    ImGui::OpenPopup(popup.c_str());
  if (!begin_popup(popup.c_str())) return;
  table_entries(ui, widget);
  ImGui::EndPopup();
}

void join_keys() {
  ImGuiWindow* rows = ImGui::GetCurrentWindow();
  rows->Flags |= ImGuiWindowFlags_NavFlattened;
  rows->RootWindowForNav = rows->ParentWindow->RootWindowForNav;
  ImGui::PopFocusScope();
}

bool cell_target(Ui& ui, const std::string& id, bool selected, bool stops, ImGuiSelectableFlags flags) {
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, !stops);
  const bool clicked = ImGui::Selectable(("##" + id).c_str(), selected, flags | ImGuiSelectableFlags_AllowOverlap,
                                         {0, ImGui::GetTextLineHeight()});
  ImGui::PopItemFlag();
  ui.mark(id);
  ImGui::SetCursorPos(at);
  return clicked;
}

bool FittedTable::begin(Ui& ui, const char* id, std::vector<Column> columns, float height) {
  columns_ = std::move(columns);
  ui_ = &ui;
  id_ = id;
  std::set<std::string>& hidden = ui.layout.hidden[id];
  const float padding = 2 * ImGui::GetStyle().CellPadding.x;
  float spare = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  std::vector<Column*> shown, gone;
  for (Column& c : columns_) {
    if (hidden.contains(c.title)) continue;
    c.width = std::max(c.width, width_of(fonts.small, c.title));
    spare -= c.width + padding;
    shown.push_back(&c);
  }
  while (spare < 0) {
    const auto first = std::ranges::max_element(shown, {}, &Column::expendable);
    if (first == shown.end() || (*first)->expendable == 0) break;
    spare += (*first)->width + padding;
    gone.push_back(*first);
    shown.erase(first);
  }
  // What went before a wider one may have room after it.
  std::ranges::reverse(gone);
  for (Column* c : gone)
    if (const float needs = c->width + padding; needs <= spare) {
      spare -= needs;
      shown.insert(std::ranges::lower_bound(shown, c), c);
    }
  at_.assign(columns_.size(), -1);
  for (size_t i = 0; i < shown.size(); ++i) at_[size_t(shown[i] - columns_.data())] = int(i);
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
                                    ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable(id, int(shown.size()), flags, {0, height})) return false;
  join_keys();
  stop_ = false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const Column* c : shown)
    ImGui::TableSetupColumn(c->title.c_str(),
                            c->grows ? ImGuiTableColumnFlags_WidthStretch
                                     : ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize,
                            c->grows ? 0 : c->width);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].title.empty() || !cell(i)) continue;
    // Rows that were scrolled lie below the headings: there the keys stay among the rows.
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, ImGui::GetScrollY() > 0);
    if (cell_target(ui, fmt::format("{}.head.{}", id, columns_[i].title), false, false)) clicked_ = i;
    ImGui::PopItemFlag();
    tip_for_last(columns_[i].explanation);
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup("columns");
    text(i, fonts.small, colours::soft, columns_[i].title);
    if (sorted_ == i) {
      // Where a heading ends at the right edge of its column the next one begins.
      const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
      ImGui::RenderArrow(ImGui::GetWindowDrawList(),
                         {columns_[i].number ? min.x - px(14) : max.x + px(1), min.y + px(2)}, colours::accent,
                         descending_ ? ImGuiDir_Down : ImGuiDir_Up, 0.7f);
    }
  }
  if (!begin_popup("columns")) return true;
  for (const Column& c : columns_) {
    if (c.title.empty()) continue;
    bool on = !hidden.contains(c.title);
    if (ImGui::Checkbox(c.title.c_str(), &on)) {
      hidden.erase(c.title);
      if (!on) hidden.insert(c.title);
    }
    ui.mark(fmt::format("{}.column.{}", id, c.title));
  }
  ImGui::EndPopup();
  return true;
}

std::string FittedTable::fitted(size_t column, const std::string& words) const {
  return columns_[column].whole > ImGui::GetContentRegionAvail().x + 1 ? with_initials(words) : words;
}

bool FittedTable::target(size_t column, const std::string& id, bool selected) {
  if (!cell(column)) return false;
  ImGuiSelectableFlags flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
  if (!follows_.empty()) flags |= ImGuiSelectableFlags_SelectOnNav;
  const bool stops = follows_.empty() ? !std::exchange(stop_, true) : id == follows_;
  return cell_target(*ui_, id, selected, stops, flags);
}

}  // namespace attnscope::gui
