#include "app/gui/ui/fit.hpp"

#include <algorithm>
#include <numeric>

namespace attnscope::gui {
namespace {

using Kind = Area::Kind;
using Extent = Area::Extent;

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

}  // namespace attnscope::gui
