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
  a = sized(Area(std::move(a.parts.front())), a.extent, a.size);
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
  Area split = sized(Area{.kind = kind}, target.extent, target.size);
  split.parts.push_back(sized(std::move(target), Extent::share, 1));
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

std::string first_panel(const Area& a) {
  return a.kind == Kind::tabs ? a.panels.front() : first_panel(a.parts.front());
}

/// The first panel of `a` that is open in `root`; "" = none.
std::string open_of(const Area& a, const Area& root) {
  for (const std::string& name : panels_of(a))
    if (group_of(root, name)) return name;
  return "";
}

/// `at`: the part of the default tree that it lies in; false: nothing of that is open.
bool place_by(const Area& at, Area& root, const std::string& panel) {
  const auto own =
      std::find_if(at.parts.begin(), at.parts.end(), [&](const Area& part) { return group_of(part, panel); });
  if (own == at.parts.end()) {
    const std::string beside = open_of(at, root);
    if (!beside.empty()) group_of(root, beside)->panels.push_back(panel);
    return !beside.empty();
  }
  if (place_by(*own, root, panel)) return true;
  for (auto other = at.parts.begin(); other != at.parts.end(); ++other) {
    const std::string near = open_of(*other, root);
    if (near.empty()) continue;
    const bool before = own < other, row = at.kind == Kind::row;
    const Side side = row ? before ? Side::left : Side::right : before ? Side::top : Side::bottom;
    put_at(root, row ? "" : near, sized(tabs({panel}), own->extent, own->size), side);
    if (Area* group = group_of(root, near); !row) *group = sized(std::move(*group), other->extent, other->size);
    return true;
  }
  return false;
}

void place(Area& root, const std::string& panel) {
  if (!place_by(default_tree(), root, panel)) group_of(root, panels_of(root).front())->panels.push_back(panel);
}

/// `known` are those not yet met.
void keep_known(Area& a, std::set<std::string>& known) {
  for (Area& p : a.parts) keep_known(p, known);
  std::erase_if(a.panels, [&](const std::string& name) { return known.erase(name) == 0; });
}

}  // namespace

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

void reopen(Area& root, const std::string& panel) {
  if (!group_of(root, panel)) {
    place(root, panel);
    tidy(root);
  }
  show(root, panel);
}

void complete(Area& tree, std::span<const std::string> closed, std::span<const std::string> panels) {
  std::set<std::string> known(panels.begin(), panels.end());
  keep_known(tree, known);
  tidy(tree);
  if (panels_of(tree).empty()) {
    tree = default_tree();
    return;
  }
  for (const std::string& name : panels)
    if (known.contains(name) && std::find(closed.begin(), closed.end(), name) == closed.end()) place(tree, name);
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
                              first_panel(a.parts[i + 1]),
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
    Fields(j).maybe("size", a.size).maybe("panels", a.panels).maybe("active", a.active);
    names({a.active}, place);
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

Area split(Kind kind, std::vector<Area> parts) { return {.kind = kind, .parts = std::move(parts)}; }

Area pixels(Area a, float size) { return sized(std::move(a), Extent::pixels, size); }

/// What explains a time large, what steers it small.
Area explain() {
  Area left = split(Kind::column, {pixels(tabs({"parameters"}), 420), tabs({"resources"})});
  Area centre = split(Kind::column,
                      {tabs({"why"}), tabs({"timing", "compare", "search", "across", "editor", "correctness", "log"})});
  return split(Kind::row, {pixels(left, kLeftPixels), centre});
}

/// The editor with the timing of what was saved beside it.
Area shader() {
  Area below = tabs({"compare", "search", "why", "across", "correctness", "log", "resources"});
  Area right = split(Kind::column, {pixels(tabs({"parameters"}), 210), tabs({"timing"}), pixels(below, kBottomPart)});
  return split(Kind::row, {sized(tabs({"editor"}), Extent::share, 1.5f), right});
}

}  // namespace

Area default_tree() {
  Area left = split(Kind::column, {pixels(tabs({"parameters"}), 424), tabs({"resources"})});
  Area below = tabs({"compare", "search", "why", "across", "editor", "correctness", "log"});
  Area centre = split(Kind::column, {tabs({"timing"}), pixels(below, kBottomPart)});
  return split(Kind::row, {pixels(left, kLeftPixels), centre});
}

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
      {"tune", "Tune", "The default: Timing in the middle, the other panels as tabs below it", default_tree},
      {"explain", "Explain", "Why large, Timing beside the other tabs", explain},
      {"shader", "Shader", "The editor beside the timing", shader},
  };
  return all;
}

}  // namespace attnscope::gui
