// A search over two of a variant's parameters as a heat map, or over all of them as lines.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

constexpr float kLegend = 74;
constexpr size_t kNamedCells = 1024;

struct Shown {
  Metric metric = Metric::time;
  Work work;
  std::string unit;
  double size = 1;
  std::string text(double ns) const {
    const double value = in_metric(metric, ns, work) / size;
    return value < 1e3   ? short_number(value)
           : value < 1e4 ? count_text(uint64_t(std::lround(value)))
                         : fmt::format("{:.0f}k", value / 1e3);
  }
};

Shown shown_of(const Workbench& bench, double fastest, double slowest) {
  const Metric metric = bench.request.metric;
  const Work work = work_of(bench.search.asked().problem);
  const double middle = std::sqrt(std::max(fastest, 1e-9) * std::max(slowest, 1e-9));
  const MetricUnit unit = unit_for(metric, in_metric(metric, middle, work));
  return {metric, work, unit.name, unit.size};
}

void arm_picker(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  SweepMap& map = bench.views.sweep;
  const auto& arms = bench.search.arms();
  if (!begin_combo(ui, "map.variant", map.empty() ? "" : arms[map.arm()].arm.variant, width,
                   "The variant whose configs are shown: the fastest one unless you choose another."))
    return;
  if (ImGui::Selectable("that of the fastest", map.chosen_variant().empty())) map.choose_variant("");
  for (const SearchState::Arm& arm : arms) {
    const std::string best = arm.best < 0 ? "" : "  " + time_text(bench.search.trials()[size_t(arm.best)].median_ns);
    const std::string& name = arm.arm.variant;
    if (choice(ui, "map.variant." + name, fmt::format("{}{}##{}", name, best, name), map.chosen_variant() == name))
      map.choose_variant(name);
  }
  ImGui::EndCombo();
}

void axis_picker(Ui& ui, bool x, float width) {
  SweepMap& map = ui.bench.views.sweep;
  const search::Arm& arm = ui.bench.search.arms()[map.arm()].arm;
  const size_t now = x ? map.grid.view().x : map.grid.view().y;
  const std::string id = x ? "map.x" : "map.y";
  label(x ? "x" : "y");
  ImGui::SameLine(0, px(5));
  if (!begin_combo(ui, id, now < arm.parameters.size() ? arm.parameters[now].name : "",
                   width - width_of(fonts.small, x ? "x" : "y") - px(5)))
    return;
  for (size_t p = 0; p < arm.parameters.size(); ++p) {
    const std::string& name = arm.parameters[p].name;
    if (choice(ui, fmt::format("{}.{}", id, name), name, p == now)) map.choose_axis(arm.variant, x, name);
    tip_for_last(arm.parameters[p].meaning);
  }
  ImGui::EndCombo();
}

void hatch(ImDrawList* draw, ImVec2 min, ImVec2 max, ImU32 colour) {
  draw->PushClipRect(min, max, true);
  const float step = px(6), high = max.y - min.y;
  for (float x = min.x - high; x < max.x; x += step) draw->AddLine({x, max.y}, {x + high, min.y}, colour, px(1));
  draw->PopClipRect();
}

/// Of what was surely slower than the best after a few samples, in the corner opposite to that of what is wrong.
void dropped_mark(ImDrawList* draw, ImVec2 min, ImVec2 max, ImU32 ink) {
  draw->AddTriangleFilled({min.x, max.y - px(6)}, {min.x + px(6), max.y}, {min.x, max.y}, ink);
}

void cell_text(ImU32 ink, const std::string& text, ImVec2 min, ImVec2 max) {
  const float wide = width_of(fonts.small, text);
  if (wide + px(6) <= max.x - min.x && fonts.small->FontSize <= max.y - min.y)
    draw_text({std::floor((min.x + max.x - wide) / 2), std::floor((min.y + max.y - fonts.small->FontSize) / 2)}, ink,
              text);
}

void draw_state(ImDrawList* draw, CellState state, ImVec2 min, ImVec2 max) {
  const ImVec2 middle{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const float arm = std::min({px(5), (max.x - min.x) / 4, (max.y - min.y) / 4});
  switch (state) {
    case CellState::wrong:
      draw->AddRectFilled(min, max, with_alpha(colours::bad, 0.18f));
      draw_cross(draw, middle, arm, colours::bad, 2);
      break;
    case CellState::broken:
      draw->AddRectFilled(min, max, with_alpha(colours::warning, 0.16f));
      draw->AddLine({middle.x, middle.y - arm}, {middle.x, middle.y + arm * 0.3f}, colours::warning, px(2));
      draw->AddCircleFilled({middle.x, middle.y + arm}, px(1.5f), colours::warning);
      break;
    case CellState::refused: hatch(draw, min, max, colours::line); break;
    case CellState::untried:
      draw->AddRectFilled(min, max, colours::raised);
      draw->AddCircleFilled(middle, px(1.5f), colours::faint);
      break;
    case CellState::predicted:
    case CellState::measured: break;
  }
}

void predicted_cell(ImDrawList* draw, double heat, const std::string& text, ImVec2 min, ImVec2 max) {
  draw->AddRectFilled(min, max, with_alpha(heat_colour(heat), 0.22f));
  draw->AddRect({min.x + px(1), min.y + px(1)}, {max.x - px(1), max.y - px(1)}, with_alpha(heat_colour(heat), 0.9f), 0,
                0, px(1));
  cell_text(colours::soft, text, min, max);
}

double predicted_ns(const Workbench& bench, const SweepCell& cell) {
  return bench.search.arms()[bench.views.sweep.arm()].predicted[size_t(cell.predicted)].second;
}

void draw_cell(ImDrawList* draw, const Workbench& bench, const SweepCell& cell, const Shown& shown, ImVec2 min,
               ImVec2 max) {
  const SweepGrid& grid = bench.views.sweep.grid;
  const CellState state = grid.state(cell);
  if (state == CellState::predicted) {
    const double ns = predicted_ns(bench, cell);
    return predicted_cell(draw, heat_of(ns, grid.fastest(), grid.slowest()), shown.text(ns), min, max);
  }
  if (state != CellState::measured) return draw_state(draw, state, min, max);
  const SlimTrial& trial = bench.search.trials()[size_t(cell.best)];
  const double heat = heat_of(trial.tried_ns, grid.fastest(), grid.slowest());
  draw->AddRectFilled(min, max, heat_colour(heat));
  // By its trial, as the colour and the scale are, also of what raced.
  const std::string text = trial.dropped ? "slower" : shown.text(trial.tried_ns);
  cell_text(heat_ink(heat), text + (trial.raced() ? "*" : ""), min, max);
  if (trial.dropped) dropped_mark(draw, min, max, heat_ink(heat));
  if (cell.wrong > 0)
    draw->AddTriangleFilled({max.x - px(7), min.y}, {max.x, min.y}, {max.x, min.y + px(7)}, colours::bad);
}

void tell_cell(const Workbench& bench, size_t column, size_t row) {
  const SweepGrid& grid = bench.views.sweep.grid;
  const SearchState& s = bench.search;
  const SweepCell& cell = grid.cell(column, row);
  const SearchState::Arm& arm = s.arms()[grid.view().arm];
  std::vector<std::string> lines;
  const Config config = grid.config(s, column, row, bench.request.selection.config);
  const std::string name = bench.short_name(arm.arm.variant, config);
  const CellState state = grid.state(cell);
  const std::string text = attnscope::to_text(config);
  if (const int64_t trial = state == CellState::measured ? cell.best : cell.failed; trial >= 0)
    lines = trial_lines(bench, s.trials()[size_t(trial)]);
  else if (state == CellState::refused)
    lines = {"cannot run", text,
             cell.example >= 0 ? arm.refused[size_t(cell.example)].second : "Click: its config says why."};
  else if (state == CellState::predicted)
    lines = {predicted_text({predicted_ns(bench, cell), s.model()}), text, "not measured"};
  else
    lines = {"not tried yet", text};
  if (state != CellState::untried && state != CellState::predicted && grid.view().best_of &&
      arm.arm.parameters.size() > 2)
    lines.push_back(fmt::format("{} here can run: {} timed, {} stopped early, {} wrong, {} lost",
                                counted(std::max<uint64_t>(cell.legal, cell.tried - cell.refused), "config"),
                                cell.timed, cell.dropped, cell.wrong, cell.broken));
  if (state != CellState::refused) lines.emplace_back("Click: make it the current config.");
  lines_tip({}, name, lines);
}

/// The scale: the best at the top.
void legend_bar(const Workbench& bench, const Shown& shown, ImVec2 min, ImVec2 max) {
  const SweepGrid& grid = bench.views.sweep.grid;
  if (!(grid.fastest() > 0)) return;
  const auto text = [&](double part) {
    std::string words = shown.text(grid.fastest() * std::pow(grid.slowest() / grid.fastest(), part));
    if (part == 1 && grid.clipped()) words = (shown.metric == Metric::time ? "\u2265 " : "\u2264 ") + words;
    return words;
  };
  const float line = fonts.small->FontSize, top = min.y + line + px(6);
  draw_text(min, colours::soft, shown.unit);
  std::vector<std::string> labels;
  for (int i = 0; i <= (grid.slowest() > grid.fastest() * 1.0005 ? 4 : 0); ++i) labels.push_back(text(i / 4.0));
  heat_scale({min.x, top}, labels.size() == 1 ? line : std::min(max.y - top, px(150)), 1, labels);
}

/// Where the current config lies; nullopt: the map is of another variant or problem, or it is none of its configs.
std::optional<std::pair<size_t, size_t>> current_cell(const Workbench& bench) {
  const SweepGrid& grid = bench.views.sweep.grid;
  const auto& [problem, variant, config] = bench.request.selection;
  if (bench.search.arms()[grid.view().arm].arm.variant != variant || bench.search.asked().problem != problem) return {};
  return grid.cell_of(bench.search, config);
}

/// The cell of the search's best; where the map has not that one, of the fastest in it.
struct OutlinedCell {
  std::optional<std::pair<size_t, size_t>> at;
  bool best = false;  ///< of the search, as its line has it
};

OutlinedCell outlined_cell(const Workbench& bench) {
  const SearchState& s = bench.search;
  const SweepGrid& grid = bench.views.sweep.grid;
  const int64_t number = s.arms()[grid.view().arm].best;
  const auto at = number < 0 ? std::nullopt : grid.cell_of(s, s.config(s.trials()[size_t(number)]));
  return {at ? at : grid.best(), at && number == s.best()};
}

/// What the marks of these cells mean, as many as have room.
void marks_legend(const Workbench& bench, ImVec2 at, float right) {
  const SweepGrid& grid = bench.views.sweep.grid;
  std::set<CellState> drawn;
  bool dropped = false, raced = false;
  for (const SweepCell& cell : grid.cells()) {
    drawn.insert(grid.state(cell));
    if (cell.wrong > 0) drawn.insert(CellState::wrong);
    if (grid.state(cell) != CellState::measured) continue;
    dropped |= bench.search.trials()[size_t(cell.best)].dropped;
    raced |= bench.search.trials()[size_t(cell.best)].raced();
  }
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float side = fonts.small->FontSize;
  const auto mark = [&](const char* word, const std::function<void(ImVec2, ImVec2)>& fill) {
    const float wide = side + px(5) + width_of(fonts.small, word);
    if (at.x + wide > right) return;
    fill(at, {at.x + side, at.y + side});
    draw_text({at.x + side + px(5), at.y}, colours::faint, word);
    at.x += wide + px(12);
  };
  mark(outlined_cell(bench).best ? "best" : "fastest here",
       [&](ImVec2 a, ImVec2 b) { draw->AddRect(a, b, colours::text, 0, 0, px(2)); });
  const bool own = !current_cell(bench) || grid.shows(bench.search, bench.request.selection.config);
  mark(own ? "current" : "current, shown is another",
       [&](ImVec2 a, ImVec2 b) { draw->AddRect(a, b, colours::accent, 0, 0, px(own ? 2 : 1)); });
  if (raced) mark("raced", [&](ImVec2 a, ImVec2) { draw_text({a.x + px(4), a.y}, colours::soft, "*"); });
  if (dropped)
    mark("stopped early", [&](ImVec2 a, ImVec2 b) {
      draw->AddRectFilled(a, b, heat_colour(0.3));
      dropped_mark(draw, a, b, heat_ink(0.3));
    });
  if (drawn.contains(CellState::predicted))
    mark("predicted", [&](ImVec2 a, ImVec2 b) { predicted_cell(draw, 0.7, "", a, b); });
  for (const auto& [state, word] : {std::pair{CellState::refused, "cannot run"},
                                    {CellState::untried, "not tried"},
                                    {CellState::wrong, "wrong"},
                                    {CellState::broken, "lost"}})
    if (drawn.contains(state)) mark(word, [&, of = state](ImVec2 a, ImVec2 b) { draw_state(draw, of, a, b); });
}

void heat_map(Ui& ui) {
  Workbench& bench = ui.bench;
  SweepMap& map = bench.views.sweep;
  const SweepGrid& grid = map.grid;
  const SearchState& s = bench.search;
  const search::Arm& arm = s.arms()[grid.view().arm].arm;
  const Shown shown = shown_of(bench, grid.fastest(), grid.slowest());
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const float line = fonts.small->FontSize;
  const bool two = grid.rows() > 1 && arm.parameters.size() > 1;
  float labels = px(8);
  if (two)
    for (const int64_t v : arm.parameters[grid.view().y].values)
      labels = std::max(labels, width_of(fonts.small, std::to_string(v)) + px(8));
  // The names of the axes share the rows of the marks and of the values: the height is the cells'.
  float marks = origin.x;
  if (two) {
    const std::string& name = arm.parameters[grid.view().y].name;
    draw_text(origin, colours::soft, name);
    marks += width_of(fonts.small, name) + px(16);
  }
  marks_legend(bench, {marks, origin.y}, origin.x + space.x);
  const float top = origin.y + line + px(6);
  const ImVec2 min{origin.x + labels, top};
  const float room_x = space.x - labels - px(kLegend) - px(14), room_y = origin.y + space.y - top - line - px(5);
  const float cell_x = std::floor(std::clamp(room_x / float(grid.columns()), px(4), px(240)));
  const float cell_y = std::floor(std::clamp(room_y / float(grid.rows()), px(4), px(72)));
  const ImVec2 max{min.x + cell_x * float(grid.columns()), min.y + cell_y * float(grid.rows())};
  const auto corner = [&](size_t column, size_t row) {
    return ImVec2{min.x + float(column) * cell_x, max.y - float(row + 1) * cell_y};
  };
  const float gap = cell_x > px(10) && cell_y > px(10) ? px(1) : 0;
  for (size_t row = 0; row < grid.rows(); ++row)
    for (size_t column = 0; column < grid.columns(); ++column) {
      const ImVec2 at = corner(column, row);
      draw_cell(draw, bench, grid.cell(column, row), shown, at, {at.x + cell_x - gap, at.y + cell_y - gap});
      if (grid.columns() * grid.rows() > kNamedCells || arm.parameters.empty()) continue;
      std::string id = fmt::format("map.cell.{}", arm.parameters[grid.view().x].values[column]);
      if (two) id += fmt::format(".{}", arm.parameters[grid.view().y].values[row]);
      ui.mark(id, at, {at.x + cell_x, at.y + cell_y});
    }
  if (two) {
    const auto& values = arm.parameters[grid.view().y].values;
    const size_t every = std::max<size_t>(1, size_t(std::ceil((line + px(1)) / cell_y)));
    for (size_t row = 0; row < values.size(); row += every) {
      const std::string text = std::to_string(values[row]);
      draw_text({min.x - px(6) - width_of(fonts.small, text), corner(0, row).y + (cell_y - line) / 2}, colours::soft,
                text);
    }
  }
  if (!arm.parameters.empty()) {
    const Parameter& along = arm.parameters[grid.view().x];
    float widest = 0;
    for (const int64_t v : along.values) widest = std::max(widest, width_of(fonts.small, std::to_string(v)));
    const size_t every = std::max<size_t>(1, size_t(std::ceil((widest + px(5)) / cell_x)));
    for (size_t column = 0; column < along.values.size(); column += every) {
      const std::string text = std::to_string(along.values[column]);
      draw_text({corner(column, 0).x + (cell_x - width_of(fonts.small, text)) / 2, max.y + px(3)}, colours::soft, text);
    }
    const float at = max.x + px(8);
    draw_cut(fonts.small, {at, max.y + px(3)}, origin.x + space.x - at, colours::soft, along.name);
  }
  // Round a short cell, since within it they would cover its number.
  const float round = cell_y - gap < line + px(10) ? px(2) : 0;
  const auto outline = [&](std::pair<size_t, size_t> at, ImU32 colour, float inset, float wide = px(2)) {
    const ImVec2 a = corner(at.first, at.second);
    inset -= round;
    draw->AddRect({a.x + inset, a.y + inset}, {a.x + cell_x - gap - inset, a.y + cell_y - gap - inset}, colour, 0, 0,
                  wide);
  };
  // Dark within light: to be seen on whatever colour the cell has.
  if (const auto best = outlined_cell(bench).at) {
    outline(*best, colours::text, 0);
    outline(*best, colours::window, px(2));
  }
  if (const auto now = current_cell(bench)) {
    const bool own = grid.shows(s, bench.request.selection.config);
    if (own) outline(*now, colours::window, px(3), px(4));
    outline(*now, colours::accent, px(3), px(own ? 2 : 1));
  }
  legend_bar(bench, shown, {max.x + px(14), top}, {max.x + px(14 + kLegend), max.y});

  ImGui::SetCursorScreenPos(min);
  const bool clicked = hit_area("map.grid", {max.x - min.x, max.y - min.y});
  ui.mark("map.grid");
  const bool hovered = ImGui::IsItemHovered();
  plot_menu(ui, "map.grid");
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const size_t column = std::min(size_t((mouse.x - min.x) / cell_x), grid.columns() - 1);
  const size_t row = std::min(size_t((max.y - mouse.y) / cell_y), grid.rows() - 1);
  outline({column, row}, colours::soft, px(1));
  if (clicked)
    bench.take(arm.variant, grid.config(s, column, row, bench.request.selection.config));
  else
    tell_cell(bench, column, row);
}

void parallel_lines(Ui& ui) {
  Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  const SweepMap& map = bench.views.sweep;
  const SearchState::Arm& arm = s.arms()[map.arm()];
  const std::vector<Parameter>& parameters = arm.arm.parameters;
  const std::vector<uint32_t>&best = map.lines.best, &others = map.lines.others;
  if (best.empty() || s.trials()[best.front()].dropped)
    return empty_hint("Nothing timed yet", "A line appears for each config as it is timed.");
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const float line = fonts.small->FontSize, axes = float(parameters.size() + 1);
  double fastest = s.trials()[best.front()].tried_ns, slowest = fastest;
  for (const auto* list : {&best, &others})
    for (const uint32_t n : *list)
      if (!s.trials()[n].dropped) slowest = std::max(slowest, s.trials()[n].tried_ns);
  const Shown shown = shown_of(bench, fastest, slowest);
  const float left = origin.x + px(34), right = origin.x + space.x - px(58),
              step = (right - left) / std::max(1.f, axes - 1);
  const float top = origin.y + 2 * line + px(10), bottom = origin.y + space.y - line - px(8);
  const auto height_of = [&](const Parameter& p, int64_t value) {
    const auto it = std::ranges::find(p.values, value);
    const float part = p.values.size() < 2 ? 0.5f : float(it - p.values.begin()) / float(p.values.size() - 1);
    return bottom - part * (bottom - top);
  };
  const auto path = [&](const SlimTrial& t) {
    std::vector<ImVec2> points;
    const Config config = s.config(t);
    for (size_t p = 0; p < parameters.size(); ++p)
      points.push_back({left + float(p) * step, height_of(parameters[p], config.at(parameters[p].name))});
    points.push_back({right, top + float(1 - heat_of(t.tried_ns, fastest, slowest)) * (bottom - top)});
    return points;
  };
  const auto stroke = [&](const SlimTrial& t, float alpha, float width) {
    const std::vector<ImVec2> points = path(t);
    draw->AddPolyline(points.data(), int(points.size()),
                      with_alpha(heat_colour(heat_of(t.tried_ns, fastest, slowest)), alpha), 0, width);
  };
  for (const uint32_t n : others) stroke(s.trials()[n], 0.30f, px(1));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  hit_area("map.lines", space);
  ui.mark("map.lines");
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  int64_t nearest = -1;
  float distance = px(8);
  for (size_t i = best.size(); i-- > 0;) {
    const std::vector<ImVec2> points = path(s.trials()[best[i]]);
    for (size_t k = 0; hovered && k + 1 < points.size(); ++k) {
      if (mouse.x < points[k].x || mouse.x > points[k + 1].x) continue;
      const float f = (mouse.x - points[k].x) / std::max(1.f, points[k + 1].x - points[k].x);
      const float away = std::abs(points[k].y * (1 - f) + points[k + 1].y * f - mouse.y);
      if (away <= distance) {
        distance = away;
        nearest = best[i];
      }
    }
    stroke(s.trials()[best[i]], 1, px(2));
    if (i == 0) ui.mark("map.line.best", points.back(), points.back());
  }
  // Axes above the lines: their values stay legible.
  for (size_t p = 0; p <= parameters.size(); ++p) {
    const float x = left + float(p) * step;
    draw->AddLine({x, top}, {x, bottom}, colours::faint, px(1));
    const bool time = p == parameters.size();
    std::string name = time ? shown.unit : parameters[p].name;
    // In two rows, so that each name has the room of two axes; of a longer one its last word tells it from others.
    const float room = time ? px(58) : 2 * step - px(10);
    if (const size_t word = name.rfind('_'); word != std::string::npos && width_of(fonts.small, name) > room)
      name = "\u2026" + name.substr(word);
    const float wide = std::min(width_of(fonts.small, name), room);
    const float at_x = time ? x - px(6) : std::clamp(x - wide / 2, origin.x, right - wide);
    draw_cut(fonts.small, {at_x, origin.y + (p % 2 == 0 ? 0 : line + px(1))}, room, colours::soft, name);
    const auto label = [&](float y, const std::string& text) {
      const float w = width_of(fonts.small, text);
      const ImVec2 at{time ? x + px(6) : x - w - px(4), y - line / 2};
      draw->AddRectFilled({at.x - px(2), at.y}, {at.x + w + px(2), at.y + line}, with_alpha(colours::panel, 0.85f));
      draw_text(at, colours::soft, text);
    };
    if (time) {
      const float apart = (bottom - top) / 4 / line;
      for (int i = 0; i <= (slowest > fastest ? 4 : 0); i += apart > 1 ? 1 : apart > 0.5f ? 2 : 4)
        label(top + (bottom - top) * float(i) / 4, shown.text(fastest * std::pow(slowest / fastest, i / 4.0)));
      continue;
    }
    const auto& values = parameters[p].values;
    const size_t every =
        std::max<size_t>(1, size_t(std::ceil(float(values.size()) * (line + px(2)) / (bottom - top + line))));
    for (size_t v = 0; v < values.size(); v += every)
      label(height_of(parameters[p], values[v]), std::to_string(values[v]));
  }
  draw_text({origin.x, bottom + px(8)}, colours::faint,
            fmt::format("{}{} timed{}", best.size() < arm.timed ? fmt::format("fastest {} of ", best.size()) : "",
                        count_text(arm.timed),
                        others.empty() ? "" : fmt::format("; of the others {} are drawn", others.size())));
  if (nearest < 0) return;
  const SlimTrial& t = s.trials()[size_t(nearest)];
  const std::vector<ImVec2> points = path(t);
  draw->AddPolyline(points.data(), int(points.size()), colours::text, 0, px(2.5f));
  if (clicked) bench.take(arm.arm.variant, s.config(t));
  lines_tip({}, trial_name(bench, t), trial_lines(bench, t));
}

void dump_sweep_map(const Workbench& bench, Json& j) {
  const SweepGrid& grid = bench.views.sweep.grid;
  Json& map = j["sweep_map"] = {{"best_of", grid.view().best_of}, {"cells", Json::array()}};
  if (bench.views.sweep.empty()) return;
  const search::Arm& arm = bench.search.arms()[grid.view().arm].arm;
  map["variant"] = arm.variant;
  if (!arm.parameters.empty()) {
    map["x"] = arm.parameters[grid.view().x].name;
    map["y"] = arm.parameters[grid.view().y].name;
  }
  for (const SweepCell& cell : grid.cells())
    map["cells"].push_back(
        {{"state", word_of(grid.state(cell), {"untried", "predicted", "refused", "wrong", "lost", "measured"})}});
}

}  // namespace

void map_controls(Ui& ui, bool axes) {
  SweepMap& map = ui.bench.views.sweep;
  const float width = ImGui::GetContentRegionAvail().x;
  const bool whole = !axes || ui.bench.search.arms()[map.arm()].arm.parameters.empty();
  const float half = (width - px(8)) / 2;
  arm_picker(ui, whole ? width : half);
  if (whole) return;
  ImGui::SameLine(0, px(8));
  const int chosen =
      segmented(ui, "map.others", {"best of", "slice"}, map.best_of ? 0 : 1, half, {}, fonts.small, {"best", "slice"});
  if (chosen >= 0) map.best_of = chosen == 0;
  tip_for_last(
      "The other parameters: each cell the fastest over all their values, or at those of the shown config alone.");
  axis_picker(ui, true, half);
  ImGui::SameLine(0, px(8));
  axis_picker(ui, false, half);
}

const PanelView map_view = {"map", "Map", heat_map, dump_sweep_map};
const PanelView lines_view = {"lines", "Lines", parallel_lines, nullptr};

}  // namespace attnscope::gui
