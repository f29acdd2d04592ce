#include "app/gui/ui/layout.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope::gui {

TabGroup* group_of(PanelLayout& l, const std::string& panel) {
  for (PanelColumn& column : l.columns)
    for (TabGroup& group : column.groups)
      if (contains(group.panels, panel)) return &group;
  return nullptr;
}

std::vector<std::string> panels_of(const PanelLayout& l) {
  std::vector<std::string> all;
  for (const PanelColumn& column : l.columns)
    for (const TabGroup& group : column.groups) all.insert(all.end(), group.panels.begin(), group.panels.end());
  return all;
}

void show(PanelLayout& l, const std::string& panel) {
  l.closed.erase(panel);
  if (TabGroup* group = group_of(l, panel)) group->active = panel;
}

bool close(PanelLayout& l, const std::string& panel) {
  TabGroup* group = group_of(l, panel);
  if (!group || l.closed.size() + 1 >= panels_of(l).size() || !l.closed.insert(panel).second) return false;
  if (group->active != panel) return true;
  // The next one comes to the front, else the one before.
  bool behind = false;
  for (const std::string& name : group->panels) {
    behind |= name == panel;
    if (l.closed.contains(name)) continue;
    group->active = name;
    if (behind) break;
  }
  return true;
}

void move_to_group(PanelLayout& l, const std::string& panel, const std::string& target, const std::string& before) {
  TabGroup *from = group_of(l, panel), *to = group_of(l, target);
  if (!from || !to || panel == before) return;
  std::erase(from->panels, panel);
  to->panels.insert(std::ranges::find(to->panels, before), panel);
  to->active = panel;
}

void complete(PanelLayout& l, std::span<const std::string> panels) {
  std::set<std::string> missing(panels.begin(), panels.end());
  std::erase_if(l.closed, [&](const std::string& name) { return !missing.contains(name); });
  if (l.closed.size() == missing.size()) l.closed.clear();
  for (PanelColumn& column : l.columns)
    for (TabGroup& group : column.groups)
      std::erase_if(group.panels, [&](const std::string& name) { return missing.erase(name) == 0; });
  PanelLayout whole = default_layout();
  if (panels_of(l).empty()) {
    l.columns = whole.columns;
    return;
  }
  for (const std::string& name : panels) {
    if (!missing.contains(name)) continue;
    TabGroup* group = nullptr;
    for (const std::string& beside : group_of(whole, name)->panels)
      if (!group) group = group_of(l, beside);
    if (!group) group = group_of(l, panels_of(l).front());
    group->panels.push_back(name);
  }
}

void resize(const SplitterBox& bar, float moved) {
  const auto& [before, after] = bar.extents;
  const float both = before + after;
  // Where not even both leasts have room, nothing can be moved.
  const float first = std::clamp(before + moved, std::min(bar.least[0], before), std::max(both - bar.least[1], before));
  if (first == before) return;
  if (*bar.first != 0) *bar.first = first;
  if (*bar.second != 0 || *bar.first == 0) *bar.second = both - first;
}

namespace {

constexpr float kLeastCentre = 460;  ///< what takes the rest of a row has before its sides have all they ask for

struct Part {
  float size = 0;  ///< pixels; 0 = the rest
  float least = 0;
};

/// Along a row or a column of `room` pixels; `kept`: for what takes the rest.
std::vector<float> extents_of(std::vector<Part> parts, float room, float kept) {
  if (std::ranges::none_of(parts, [](const Part& p) { return p.size == 0; })) {
    parts.back().size = 0;
    kept = 0;
  }
  float fixed = 0, spare = 0, rest_least = 0, rests = 0;
  for (Part& p : parts) {
    rests += p.size == 0 ? 1 : 0;
    rest_least += p.size == 0 ? p.least : 0;
    if (p.size == 0) continue;
    p.size = std::max(p.least, p.size);
    fixed += p.size;
    spare += p.size - p.least;
  }
  const float over = std::max(0.f, fixed + std::max(rest_least, kept) - room);
  const float given = spare > 0 ? std::min(1.f, over / spare) : 0;
  const float left = std::max((room - (fixed - given * spare)) / rests, 0.25f * rest_least / rests);
  auto out = mapped(parts, [&](const Part& p) { return p.size == 0 ? left : p.size - given * (p.size - p.least); });
  if (const float sum = std::accumulate(out.begin(), out.end(), 0.f); sum > room)
    for (float& e : out) e *= std::max(0.f, room) / sum;
  return out;
}

float in_pixels(Extent size, float whole) { return size < 1 ? size * whole : size; }

/// What is open of a group and of a column: where its sizes are kept, and what it needs.
struct OpenGroup {
  TabGroup group;
  Needs needs;
  Extent* height;
};
struct OpenColumn {
  std::vector<OpenGroup> groups;
  float least_w = 0;
  Extent* width;
};

std::vector<OpenColumn> open_of(PanelLayout& l, const NeedsOf& needs_of) {
  std::vector<OpenColumn> open;
  for (PanelColumn& column : l.columns) {
    OpenColumn now{{}, 0, &column.width};
    for (TabGroup& group : column.groups) {
      TabGroup shown = group;
      std::erase_if(shown.panels, [&](const std::string& name) { return l.closed.contains(name); });
      if (shown.panels.empty()) continue;
      if (!contains(shown.panels, shown.active)) shown.active = shown.panels.front();
      const Needs needs = needs_of(shown);
      now.least_w = std::max(now.least_w, needs.least_w);
      now.groups.push_back({std::move(shown), needs, &group.height});
    }
    if (!now.groups.empty()) open.push_back(std::move(now));
  }
  return open;
}

constexpr float kLeastSize = 1e-4f, kMostSize = 10'000;

TabGroup tabs(std::vector<std::string> panels, Extent height = 0) {
  const std::string first = panels.front();
  return {std::move(panels), first, height};
}

/// All tabs in the order of work, but for `apart`, which has a place of its own.
TabGroup tabs_but(const std::string& apart, Extent height) {
  std::vector<std::string> all = {"compare", "search", "why", "across", "editor", "correctness", "log"};
  std::erase(all, apart);
  return tabs(std::move(all), height);
}

/// What explains a time large, what steers it small.
PanelLayout explain() {
  TabGroup below = tabs_but("why", 0.5f);
  below.panels.insert(below.panels.begin(), below.active = "timing");
  return {{{{tabs({"parameters"}), tabs({"resources"}, kResourcesPart)}, kLeftPixels}, {{tabs({"why"}), below}}}};
}

/// The editor with the timing of what was saved beside it.
PanelLayout shader() {
  return {{{{tabs({"editor"}), tabs_but("editor", 0.3f)}},
           {{tabs({"parameters", "resources"}, 0.45f), tabs({"timing"})}, 0.4f}}};
}

void check_size(float size) {
  if (size != 0 && !(size >= kLeastSize && size <= kMostSize))
    throw JsonError(fmt::format("a size of {:g} cannot be", size));
}

void check_names(const std::vector<std::string>& names, size_t& count) {
  if ((count += names.size()) > kMostPanels) throw JsonError(fmt::format("more than {} panels", kMostPanels));
  for (const std::string& name : names)
    if (name.size() > kMostNameBytes) throw JsonError("a panel's name is too long");
}

}  // namespace

Fitted fit(PanelLayout& l, const Rectangle& window, float gap, const NeedsOf& needs_of) {
  Fitted fitted;
  const std::vector<OpenColumn> columns = open_of(l, needs_of);
  if (columns.empty()) return fitted;
  const auto splitter = [&](bool upright, const auto& parts, const auto& extents, size_t i, Extent* first,
                            Extent* second, const std::string& name, const Rectangle& box) {
    fitted.splitters.push_back({first,
                                second,
                                upright,
                                name,
                                box,
                                {extents[i], extents[i + 1]},
                                {std::min(parts[i].least, extents[i]), std::min(parts[i + 1].least, extents[i + 1])}});
  };
  const auto parts = mapped(columns, [&](auto& c) { return Part{in_pixels(*c.width, window.w), c.least_w}; });
  const std::vector<float> widths = extents_of(parts, window.w - gap * float(columns.size() - 1), kLeastCentre);
  float x = window.x;
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto& groups = columns[c].groups;
    std::vector<Part> rows;
    float kept = 0;
    for (const OpenGroup& g : groups)
      if (*g.height == 0) kept += g.needs.kept_h;
    if (std::ranges::any_of(groups, [](const OpenGroup& g) { return *g.height >= 1; })) kept = 0;
    for (const OpenGroup& g : groups) rows.push_back({in_pixels(*g.height, window.h), g.needs.least_h});
    const std::vector<float> heights = extents_of(rows, window.h - gap * float(groups.size() - 1), kept);
    float y = window.y;
    for (size_t g = 0; g < groups.size(); ++g) {
      fitted.groups.push_back({groups[g].group, {x, y, widths[c], heights[g]}});
      y += heights[g];
      if (g + 1 < groups.size())
        splitter(false, rows, heights, g, groups[g].height, groups[g + 1].height, groups[g + 1].group.panels.front(),
                 {x, y, widths[c], gap});
      y += gap;
    }
    x += widths[c];
    if (c + 1 < columns.size())
      splitter(true, parts, widths, c, columns[c].width, columns[c + 1].width,
               columns[c + 1].groups.front().group.panels.front(), {x, window.y, gap, window.h});
    x += gap;
  }
  return fitted;
}

PanelLayout default_layout() {
  return {{{{tabs({"parameters"}), tabs({"resources"}, kResourcesPart)}, kLeftPixels},
           {{tabs({"timing"}), tabs_but("", kBottomPart)}}}};
}

Json to_json(const PanelLayout& l) {
  Json j = {{"columns", Json::array()}, {"closed", l.closed}};
  for (const PanelColumn& c : l.columns) {
    Json& column = j["columns"].emplace_back(Json{{"width", c.width}, {"groups", Json::array()}});
    for (const TabGroup& g : c.groups)
      column["groups"].push_back({{"height", g.height}, {"panels", g.panels}, {"active", g.active}});
  }
  return j;
}

static void from_json(const Json& j, TabGroup& g) {
  Fields(j).maybe("height", g.height).need("panels", g.panels).maybe("active", g.active);
  check_size(g.height);
}

static void from_json(const Json& j, PanelColumn& c) {
  Fields(j).maybe("width", c.width).need("groups", c.groups);
  check_size(c.width);
}

Result<PanelLayout> layout_from(const Json& j) {
  PanelLayout l;
  try {
    std::vector<std::string> closed;
    Fields(j).need("columns", l.columns).maybe("closed", closed);
    size_t groups = 0, panels = 0;
    check_names(closed, panels);
    for (const PanelColumn& c : l.columns)
      for (const TabGroup& g : c.groups) {
        if (++groups > kMostGroups) throw JsonError(fmt::format("more than {} groups", kMostGroups));
        check_names(g.panels, panels);
        check_names({g.active}, panels);
      }
    l.closed = {closed.begin(), closed.end()};
  } catch (const JsonError& e) {
    return bad_input(e.what());
  }
  return l;
}

const std::vector<ShippedLayout>& shipped_layouts() {
  static const std::vector<ShippedLayout> all = {
      {"tune", "Tune", "The default: Timing in the middle, the other panels as tabs below it", default_layout},
      {"explain", "Explain", "Why large, Timing beside the other tabs", explain},
      {"shader", "Shader", "The editor beside the timing", shader},
  };
  return all;
}

}  // namespace attnscope::gui
