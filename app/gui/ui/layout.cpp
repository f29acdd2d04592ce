#include "app/gui/ui/layout.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "engine/record/json_fields.hpp"

namespace attnscope::gui {
namespace {

using Kind = Area::Kind;
using Extent = Area::Extent;

/// What each of two that share out a size in pixels has at least.
constexpr float kLeastSplit = 150;

Area tabs(std::vector<std::string> panels) {
  Area a;
  a.active = panels.empty() ? "" : panels.front();
  a.panels = std::move(panels);
  return a;
}

Area sized(Area a, Extent extent, float size) {
  a.extent = extent;
  a.size = size;
  return a;
}

void take_place(Area& a, const Area& of) {
  a.extent = of.extent;
  a.size = of.size;
  if (!of.name.empty()) a.name = of.name;
}

/// Empty groups go, a split of one part is that part, a row in a row is its parts.
void tidy(Area& a) {
  if (a.kind == Kind::tabs) {
    if (std::find(a.panels.begin(), a.panels.end(), a.active) == a.panels.end())
      a.active = a.panels.empty() ? "" : a.panels.front();
    return;
  }
  for (Area& part : a.parts) tidy(part);
  std::erase_if(a.parts, [](const Area& p) { return p.kind == Kind::tabs ? p.panels.empty() : p.parts.empty(); });
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (a.parts[i].kind != a.kind) continue;
    std::vector<Area> inner = std::move(a.parts[i].parts);
    const Area outer = a.parts[i];
    const bool single = a.parts.size() == 1;
    // Its weight is shared out among its parts; what they have in pixels stays.
    float weights = 0;
    for (const Area& p : inner) weights += p.extent == Extent::share ? p.size : 0;
    for (Area& p : inner) {
      if (single || p.extent != Extent::share || weights <= 0) continue;
      p.size *= outer.size / weights;
      if (outer.extent == Extent::pixels) p.extent = Extent::pixels;
    }
    a.parts.erase(a.parts.begin() + std::ptrdiff_t(i));
    a.parts.insert(a.parts.begin() + std::ptrdiff_t(i), std::make_move_iterator(inner.begin()),
                   std::make_move_iterator(inner.end()));
  }
  if (a.parts.size() != 1) return;
  Area only = std::move(a.parts.front());
  take_place(only, a);
  a = std::move(only);
}

/// Out of its group, which may be left empty. False: it is in none.
bool take_out(Area& a, const std::string& panel) {
  Area* group = group_of(a, panel);
  if (!group) return false;
  const auto at = std::find(group->panels.begin(), group->panels.end(), panel);
  const size_t index = size_t(at - group->panels.begin());
  group->panels.erase(at);
  if (group->active == panel && !group->panels.empty())
    group->active = group->panels[std::min(index, group->panels.size() - 1)];
  return true;
}

/// Puts `beside` at a side of `target`, which becomes a part of a split unless it lies along one already.
void put_beside(Area& target, Area beside, Side side) {
  const Kind kind = side == Side::left || side == Side::right ? Kind::row : Kind::column;
  const bool first = side == Side::left || side == Side::top;
  if (target.kind == kind) {
    float weights = 0, count = 0;
    for (const Area& p : target.parts)
      if (p.extent == Extent::share) {
        weights += p.size;
        ++count;
      }
    if (beside.extent == Extent::share && count > 0) beside.size = weights / count;
    target.parts.insert(first ? target.parts.begin() : target.parts.end(), std::move(beside));
    return;
  }
  Area split;
  split.kind = kind;
  take_place(split, target);
  Area old = std::move(target);
  old.name.clear();
  old.extent = Extent::share;
  old.size = 1;
  split.parts.push_back(std::move(old));
  split.parts.insert(first ? split.parts.begin() : split.parts.end(), std::move(beside));
  target = std::move(split);
}

Area* parent_of(Area& a, const Area* child, size_t& index) {
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (&a.parts[i] == child) {
      index = i;
      return &a;
    }
    if (Area* found = parent_of(a.parts[i], child, index)) return found;
  }
  return nullptr;
}

/// `beside` next to the group of `target`: a further part where they lie in such a split already.
void put_at(Area& root, const std::string& target, Area beside, Side side) {
  Area* group = target.empty() ? &root : group_of(root, target);
  if (!group) group = &root;
  const Kind kind = side == Side::left || side == Side::right ? Kind::row : Kind::column;
  size_t index = 0;
  Area* parent = parent_of(root, group, index);
  if (!parent || parent->kind != kind) return put_beside(*group, std::move(beside), side);
  Area& old = parent->parts[index];
  if (beside.extent == Extent::share) {
    if (old.extent == Extent::share) {
      old.size /= 2;
      beside.size = old.size;
    } else if (old.extent == Extent::pixels) {
      old.size = old.size < 1 ? old.size / 2 : std::max(kLeastSplit, old.size / 2);
      beside.extent = Extent::pixels;
      beside.size = old.size;
    }
  }
  const bool first = side == Side::left || side == Side::top;
  parent->parts.insert(parent->parts.begin() + std::ptrdiff_t(index + (first ? 0 : 1)), std::move(beside));
}

void count_places(const Area& a, std::span<const Placed> all, DockSide place, const Area*& best, size_t& most) {
  for (const Area& p : a.parts) count_places(p, all, place, best, most);
  size_t count = 0;
  for (const std::string& name : a.panels)
    count += std::any_of(all.begin(), all.end(), [&](const Placed& p) { return p.name == name && p.place == place; });
  if (count <= most) return;
  most = count;
  best = &a;
}

const Area* group_for(const Area& root, std::span<const Placed> all, DockSide place) {
  const Area* best = nullptr;
  size_t most = 0;
  count_places(root, all, place, best, most);
  return best;
}

std::vector<Placed> of_place(std::span<const Placed> all, DockSide place) {
  std::vector<Placed> own;
  for (const Placed& p : all)
    if (p.place == place) own.push_back(p);
  return own;
}

std::vector<std::string> names_of(const std::vector<Placed>& all) {
  std::vector<std::string> names;
  for (const Placed& p : all) names.push_back(p.name);
  return names;
}

Area in_column(Area a, const Placed& p) {
  return p.height > 0 ? sized(std::move(a), Extent::pixels, p.height) : sized(std::move(a), Extent::share, 1);
}

Area stacked(const std::vector<Placed>& panels) {
  Area column;
  column.kind = Kind::column;
  for (const Placed& p : panels) column.parts.push_back(in_column(tabs({p.name}), p));
  tidy(column);
  return column;
}

Area named(Area a, const char* name, float pixels) {
  a.name = name;
  return sized(std::move(a), Extent::pixels, pixels);
}

bool dockable(DockSide place) { return place != DockSide::top && place != DockSide::status; }

/// Before or after the nearest one of its place that is open; false: none is.
bool beside_its_own(Area& root, const std::string& panel, DockSide place, std::span<const Placed> all) {
  const std::vector<Placed> own = of_place(all, place);
  const auto me = std::find_if(own.begin(), own.end(), [&](const Placed& p) { return p.name == panel; });
  const auto is_open = [&](const Placed& p) { return group_of(root, p.name) != nullptr; };
  const auto before = std::find_if(std::make_reverse_iterator(me), own.rend(), is_open);
  const auto after = std::find_if(std::min(me + 1, own.end()), own.end(), is_open);
  if (before == own.rend() && after == own.end()) return false;
  const Placed& near = before != own.rend() ? *before : *after;
  put_at(root, near.name, tabs({panel}), before != own.rend() ? Side::bottom : Side::top);
  for (const Placed& p : {*me, near})
    if (Area* group = group_of(root, p.name); group->panels.size() == 1) *group = in_column(std::move(*group), p);
  return true;
}

void place(Area& root, const std::string& panel, std::span<const Placed> all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Placed& p) { return p.name == panel; });
  const DockSide where = found == all.end() ? DockSide::bottom : found->place;
  if (where == DockSide::bottom) {
    if (const Area* group = group_for(root, all, DockSide::bottom)) {
      group_of(root, group->panels.front())->panels.push_back(panel);
      return;
    }
    std::string below;
    for (const Placed& p : of_place(all, DockSide::centre))
      if (group_of(root, p.name)) below = p.name;
    return put_at(root, below, named(tabs({panel}), "bottom", kBottomPart), Side::bottom);
  }
  if (beside_its_own(root, panel, where, all)) return;
  if (where == DockSide::left) return put_at(root, "", named(tabs({panel}), "left", kLeftPixels), Side::left);
  if (where == DockSide::right) return put_at(root, "", named(tabs({panel}), "right", kRightPixels), Side::right);
  const Area* bottom = group_for(root, all, DockSide::bottom);
  put_at(root, bottom ? bottom->panels.front() : "", tabs({panel}), Side::top);
}

/// `known` are those not yet met.
void keep_known(Area& a, std::set<std::string>& known) {
  for (Area& p : a.parts) keep_known(p, known);
  std::erase_if(a.panels, [&](const std::string& name) { return known.erase(name) == 0; });
}

}  // namespace

Area default_tree(std::span<const Placed> all) {
  Area centre;
  centre.kind = Kind::column;
  if (const auto own = of_place(all, DockSide::centre); !own.empty()) centre.parts.push_back(stacked(own));
  if (const auto own = of_place(all, DockSide::bottom); !own.empty())
    centre.parts.push_back(named(tabs(names_of(own)), "bottom", kBottomPart));
  Area row;
  row.kind = Kind::row;
  if (const auto own = of_place(all, DockSide::left); !own.empty())
    row.parts.push_back(named(stacked(own), "left", kLeftPixels));
  row.parts.push_back(std::move(centre));
  if (const auto own = of_place(all, DockSide::right); !own.empty())
    row.parts.push_back(named(stacked(own), "right", kRightPixels));
  tidy(row);
  return row;
}

Area* group_of(Area& a, const std::string& panel) {
  if (std::find(a.panels.begin(), a.panels.end(), panel) != a.panels.end()) return &a;
  for (Area& p : a.parts)
    if (Area* found = group_of(p, panel)) return found;
  return nullptr;
}

const Area* group_of(const Area& a, const std::string& panel) { return group_of(const_cast<Area&>(a), panel); }

std::vector<std::string> panels_of(const Area& a) {
  std::vector<std::string> all = a.panels;
  for (const Area& p : a.parts)
    for (std::string& name : panels_of(p)) all.push_back(std::move(name));
  return all;
}

bool show(Area& a, const std::string& panel) {
  Area* group = group_of(a, panel);
  if (group) group->active = panel;
  return group != nullptr;
}

bool close(Area& root, const std::string& panel) {
  if (panels_of(root).size() < 2 || !take_out(root, panel)) return false;
  tidy(root);
  return true;
}

bool move_to_group(Area& root, const std::string& panel, const std::string& target, const std::string& before) {
  if (!group_of(root, target)) return false;
  if (panel == before) return show(root, panel);
  const Area* from = group_of(root, panel);
  if (panel == target) {
    // Onto its own group: the last tab of it.
    if (!from || from->panels.size() < 2) return show(root, panel);
    const std::string& other = from->panels.front() == panel ? from->panels[1] : from->panels.front();
    return move_to_group(root, panel, std::string(other), before);
  }
  take_out(root, panel);
  Area* group = group_of(root, target);
  const auto at = before.empty() ? group->panels.end() : std::find(group->panels.begin(), group->panels.end(), before);
  group->panels.insert(at, panel);
  group->active = panel;
  tidy(root);
  return true;
}

bool move_to_side(Area& root, const std::string& panel, const std::string& target, Side side) {
  const Area* from = group_of(root, panel);
  if (!target.empty() && !group_of(root, target)) return false;
  std::string beside = target;
  if (target == panel) {
    // At a side of the group that it is in: of those that stay behind.
    if (!from || from->panels.size() < 2) return false;
    beside = from->panels.front() == panel ? from->panels[1] : from->panels.front();
  }
  if (from && panels_of(root).size() < 2) return false;
  take_out(root, panel);
  tidy(root);
  put_at(root, beside, tabs({panel}), side);
  tidy(root);
  return true;
}

void reopen(Area& root, const std::string& panel, std::span<const Placed> all) {
  if (!group_of(root, panel)) {
    place(root, panel, all);
    tidy(root);
  }
  show(root, panel);
}

void complete(Area& tree, std::span<const std::string> closed, std::span<const Placed> all) {
  std::set<std::string> known;
  for (const Placed& p : all)
    if (dockable(p.place)) known.insert(p.name);
  std::vector<Placed> own;
  for (const Placed& p : all)
    if (dockable(p.place)) own.push_back(p);
  keep_known(tree, known);
  tidy(tree);
  if (panels_of(tree).empty()) {
    tree = default_tree(own);
    return;
  }
  for (const Placed& p : own)
    if (known.contains(p.name) && std::find(closed.begin(), closed.end(), p.name) == closed.end())
      place(tree, p.name, own);
  tidy(tree);
}

void resize(Area& parent, size_t part, float moved, Pulled extent, Pulled least) {
  if (part + 1 >= parent.parts.size()) return;
  Area &a = parent.parts[part], &b = parent.parts[part + 1];
  const float both = extent.first + extent.second;
  // Where not even both leasts have room, nothing can be moved.
  const float low = std::min(least.first, extent.first), high = std::max(both - least.second, extent.first);
  const float first = std::clamp(extent.first + moved, low, high), second = both - first;
  if (first == extent.first) return;
  const bool a_shares = a.extent == Extent::share, b_shares = b.extent == Extent::share;
  if (a_shares && b_shares) {
    const float weights = a.size + b.size, free = both - least.first - least.second;
    if (free <= 0) return;
    a.size = weights * std::clamp((first - least.first) / free, 0.01f, 0.99f);
    b.size = weights - a.size;
    return;
  }
  if (!a_shares) a = sized(std::move(a), Extent::pixels, first);
  if (!b_shares) b = sized(std::move(b), Extent::pixels, second);
}

namespace {

struct Part {
  bool share = true;
  float size = 1;  ///< pixels, or of a share its weight
  float least = 0;
};

constexpr float kLeastCentre = 460;  ///< what the shares of a row have together before its sides have all they ask for

/// Along a row or a column of `room` pixels; `kept`: for the shares together.
std::vector<float> extents_of(const std::vector<Part>& parts, float room, float kept) {
  float fixed = 0, spare = 0, shared_least = 0, weights = 0;
  for (const Part& p : parts) {
    fixed += p.share ? 0 : std::max(p.least, p.size);
    spare += p.share ? 0 : std::max(0.f, p.size - p.least);
    shared_least += p.share ? p.least : 0;
    weights += p.share ? p.size : 0;
  }
  const float over = std::max(0.f, fixed + std::max(shared_least, weights > 0 ? kept : 0) - room);
  const float given = spare > 0 ? std::min(1.f, over / spare) : 0;
  const float left = room - (fixed - given * spare), free = left - shared_least;
  std::vector<float> out;
  for (const Part& p : parts) {
    if (!p.share)
      out.push_back(std::max(p.least, p.size) - given * std::max(0.f, p.size - p.least));
    else if (free >= 0)
      out.push_back(p.least + free * p.size / weights);
    else
      out.push_back(p.least * std::max(0.25f, left / shared_least));
  }
  const float sum = std::accumulate(out.begin(), out.end(), 0.f);
  if (sum > room)
    for (float& e : out) e *= std::max(0.f, room) / sum;
  else if (weights <= 0)
    out.back() += room - sum;
  return out;
}

Needs needs_of(const Area& a, float gap, const NeedsOf& leaf) {
  if (a.kind == Kind::tabs) return leaf(a);
  Needs all{0, 0};
  const float gaps = gap * float(a.parts.size() - 1);
  for (const Area& part : a.parts) {
    const Needs n = needs_of(part, gap, leaf);
    const bool row = a.kind == Kind::row;
    all.least_w = row ? all.least_w + n.least_w : std::max(all.least_w, n.least_w);
    all.least_h = row ? std::max(all.least_h, n.least_h) : all.least_h + n.least_h;
  }
  (a.kind == Kind::row ? all.least_w : all.least_h) += gaps;
  return all;
}

std::string first_panel(const Area& a) {
  return a.kind == Kind::tabs ? (a.panels.empty() ? "" : a.panels.front()) : first_panel(a.parts.front());
}

std::string splitter_name(const Area& before, const Area& after) {
  for (const Area* a : {&before, &after})
    if (!a->name.empty() && a->extent == Extent::pixels) return a->name;
  return first_panel(after);
}

void lay(const Area& a, const Rectangle& box, float gap, const NeedsOf& leaf, std::vector<size_t>& way, Fitted& into) {
  if (a.kind == Kind::tabs) {
    into.groups.push_back({&a, box});
    return;
  }
  const bool row = a.kind == Kind::row;
  std::vector<Part> parts;
  for (const Area& p : a.parts) {
    const Needs n = needs_of(p, gap, leaf);
    const bool part = p.extent == Extent::pixels && p.size < 1;
    float size = part ? p.size * (row ? box.w : box.h) : p.size;
    if (part && n.empty && !row) size = std::min(size, kEmptyPixels);
    parts.push_back({p.extent == Extent::share, size, row ? n.least_w : n.least_h});
  }
  const std::vector<float> extents =
      extents_of(parts, (row ? box.w : box.h) - gap * float(parts.size() - 1), row ? kLeastCentre : 0);
  float at = row ? box.x : box.y;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    const Rectangle part = row ? Rectangle{at, box.y, extents[i], box.h} : Rectangle{box.x, at, box.w, extents[i]};
    way.push_back(i);
    lay(a.parts[i], part, gap, leaf, way, into);
    way.pop_back();
    at += extents[i];
    if (i + 1 == a.parts.size()) break;
    const Rectangle bar = row ? Rectangle{at, box.y, gap, box.h} : Rectangle{box.x, at, box.w, gap};
    into.splitters.push_back({way,
                              i,
                              row,
                              splitter_name(a.parts[i], a.parts[i + 1]),
                              bar,
                              {extents[i], extents[i + 1]},
                              {std::min(parts[i].least, extents[i]), std::min(parts[i + 1].least, extents[i + 1])}});
    at += gap;
  }
}

}  // namespace

Fitted fit(const Area& root, const Rectangle& window, float gap, const NeedsOf& leaf) {
  Fitted fitted;
  std::vector<size_t> way;
  lay(root, window, gap, leaf, way, fitted);
  return fitted;
}

Area* area_at(Area& root, const std::vector<size_t>& way) {
  Area* a = &root;
  for (const size_t part : way) {
    if (part >= a->parts.size()) return nullptr;
    a = &a->parts[part];
  }
  return a;
}

namespace {

Rectangle half(const Rectangle& b, Side side, float part) {
  const float w = b.w * part, h = b.h * part;
  switch (side) {
    case Side::left: return {b.x, b.y, w, b.h};
    case Side::right: return {b.right() - w, b.y, w, b.h};
    case Side::top: return {b.x, b.y, b.w, h};
    case Side::bottom: return {b.x, b.bottom() - h, b.w, h};
  }
  return b;
}

struct Edge {
  Side side;
  float away;
};

Edge nearest_edge(const Rectangle& b, float x, float y) {
  Edge best{Side::left, x - b.x};
  for (const Edge e : {Edge{Side::right, b.right() - x}, Edge{Side::top, y - b.y}, Edge{Side::bottom, b.bottom() - y}})
    if (e.away < best.away) best = e;
  return best;
}

constexpr float kWindowEdge = 12;    ///< pixels from an edge of the window
constexpr float kTabs = 36;          ///< height of a group's tabs: over them nothing is split
constexpr float kEdgeShare = 0.26f;  ///< of a group's extent, from each of its sides

}  // namespace

std::optional<Drop> drop_at(const Area& root, const Fitted& fitted, const Rectangle& window, const std::string& panel,
                            float x, float y) {
  if (!window.holds(x, y)) return std::nullopt;
  const bool alone = panels_of(root).size() < 2;
  if (const Edge e = nearest_edge(window, x, y); e.away < kWindowEdge && !alone)
    return Drop{"", e.side, half(window, e.side, 0.25f)};
  for (const GroupBox& g : fitted.groups) {
    if (!g.box.holds(x, y) || g.group->panels.empty()) continue;
    const bool own = std::find(g.group->panels.begin(), g.group->panels.end(), panel) != g.group->panels.end();
    const std::string& target = g.group->panels.front();
    const Edge e = nearest_edge(g.box, x, y);
    const float extent = e.side == Side::left || e.side == Side::right ? g.box.w : g.box.h;
    const bool over_tabs = y - g.box.y < kTabs && e.side != Side::left && e.side != Side::right;
    if (!over_tabs && e.away < kEdgeShare * extent) {
      if (own && g.group->panels.size() < 2) return std::nullopt;
      return Drop{own && target == panel ? g.group->panels[1] : target, e.side, half(g.box, e.side, 0.5f)};
    }
    if (own) return std::nullopt;
    return Drop{target, std::nullopt, g.box};
  }
  return std::nullopt;
}

bool drop(Area& root, const std::string& panel, const Drop& where) {
  if (where.side) return move_to_side(root, panel, where.target, *where.side);
  return move_to_group(root, panel, where.target);
}

namespace {

constexpr const char *kKinds[] = {"tabs", "row", "column"}, *kExtents[] = {"share", "pixels"};
constexpr float kLeastSize = 1e-4f, kMostSize = 10'000;

Json area_json(const Area& a) {
  Json j = {{"kind", kKinds[size_t(a.kind)]}, {"extent", kExtents[size_t(a.extent)]}, {"size", a.size}};
  if (!a.name.empty()) j["name"] = a.name;
  if (a.kind == Kind::tabs) {
    j["panels"] = a.panels;
    j["active"] = a.active;
    return j;
  }
  j["parts"] = Json::array();
  for (const Area& p : a.parts) j["parts"].push_back(area_json(p));
  return j;
}

struct Reader {
  size_t areas = 0, panels = 0;

  static void need(bool fine, const std::string& place, const std::string& what) {
    if (!fine) throw JsonError(place + ": " + what);
  }

  template <class Value, size_t kCount>
  static void word(const Json& j, const char* field, const std::string& place, const char* const (&words)[kCount],
                   Value& into) {
    std::string given;
    Fields(j).need(field, given);
    const auto at = std::ranges::find(words, given);
    need(at != std::end(words), place, fmt::format("there is no {} '{}'", field, given.substr(0, kMostNameBytes)));
    into = Value(at - std::begin(words));
  }

  void names(const std::vector<std::string>& all, const std::string& place) {
    need((panels += all.size()) <= kMostPanels, place, fmt::format("more than {} panels", kMostPanels));
    for (const std::string& name : all) need(name.size() <= kMostNameBytes, place, "a panel's name is too long");
  }

  void area(const Json& j, const std::string& place, size_t depth, Area& a) {
    need(j.is_object(), place, "an area was expected");
    need(++areas <= kMostAreas && depth <= kMostAreaDepth, place,
         fmt::format("more than {} areas, or {} within each other", kMostAreas, kMostAreaDepth));
    word(j, "kind", place, kKinds, a.kind);
    word(j, "extent", place, kExtents, a.extent);
    Fields(j).maybe("name", a.name).maybe("size", a.size).maybe("panels", a.panels).maybe("active", a.active);
    names({a.name, a.active}, place);
    names(a.panels, place + ".panels");
    need(std::isfinite(a.size) && a.size >= kLeastSize && a.size <= kMostSize, place,
         fmt::format("a size of {:g} cannot be", a.size));
    if (a.kind == Kind::tabs) return;
    a.panels.clear();
    const Json parts = j.value("parts", Json());
    need(parts.is_array() && !parts.empty(), place, "it has no parts");
    for (size_t i = 0; i < parts.size(); ++i)
      area(parts[i], fmt::format("{}.parts[{}]", place, i), depth + 1, a.parts.emplace_back());
  }
};

Area group(std::vector<std::string> panels, Extent extent, float size, const char* name = "") {
  Area a = sized(tabs(std::move(panels)), extent, size);
  a.name = name;
  return a;
}

Area split(Kind kind, std::vector<Area> parts, Extent extent = Extent::share, float size = 1, const char* name = "") {
  Area a;
  a.kind = kind;
  a.parts = std::move(parts);
  a.extent = extent;
  a.size = size;
  a.name = name;
  return a;
}

/// What explains a time large, what steers it small.
Area explain(std::span<const Placed>) {
  Area left = split(Kind::column, {group({"parameters"}, Extent::pixels, 420), group({"resources"}, Extent::share, 1)},
                    Extent::pixels, kLeftPixels, "left");
  Area centre =
      split(Kind::column,
            {group({"why"}, Extent::share, 1.4f),
             group({"timing", "compare", "search", "across", "editor", "correctness", "log"}, Extent::share, 1.1f)});
  return split(Kind::row, {left, centre});
}

/// The editor with the timing of what was saved beside it.
Area shader(std::span<const Placed>) {
  Area left = group({"editor"}, Extent::share, 1.5f);
  Area right = split(Kind::column, {group({"parameters"}, Extent::pixels, 210), group({"timing"}, Extent::share, 1),
                                    group({"compare", "search", "why", "across", "correctness", "log", "resources"},
                                          Extent::pixels, kBottomPart, "bottom")});
  return split(Kind::row, {left, right});
}

}  // namespace

Json to_json(const SavedLayout& l) { return {{"tree", area_json(l.tree)}, {"closed", l.closed}}; }

Result<SavedLayout> layout_from(const Json& j) {
  SavedLayout l;
  Reader reader;
  try {
    Reader::need(j.is_object(), "layout", "an object was expected");
    reader.area(j.value("tree", Json()), "tree", 0, l.tree);
    Fields(j).maybe("closed", l.closed);
    reader.names(l.closed, "closed");
  } catch (const JsonError& e) {
    return bad_input(e.what());
  }
  return l;
}

const std::vector<ShippedLayout>& shipped_layouts() {
  static const std::vector<ShippedLayout> all = {
      {"tune", "Tune", "What is measured in the middle, the searches below it", default_tree},
      {"explain", "Explain", "Why large, Timing beside the other tabs", explain},
      {"shader", "Shader", "The editor beside the timing", shader},
  };
  return all;
}

namespace fs = std::filesystem;

void RecentFiles::note(const std::string& path, bool session) {
  std::error_code error;
  // Another start may be in another folder.
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const RecentFile file{error ? path : whole.string(), session};
  if (path.empty() || file.path.size() > kMostBytes) return;
  std::erase_if(all_, [&](const RecentFile& f) { return f.path == file.path; });
  all_.insert(all_.begin(), file);
  if (all_.size() > kMost) all_.resize(kMost);
}

void RecentFiles::restore(const std::vector<RecentFile>& files) {
  all_.clear();
  for (auto it = files.rbegin(); it != files.rend(); ++it)
    if (fs::path(it->path).is_absolute()) note(it->path, it->session);
}

}  // namespace attnscope::gui
