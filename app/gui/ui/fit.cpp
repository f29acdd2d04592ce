#include "app/gui/ui/fit.hpp"

#include <algorithm>
#include <numeric>

namespace attnscope::gui {
namespace {

using Kind = Area::Kind;
using Extent = Area::Extent;

constexpr float kCentreShare = 0.48f;  ///< of a row: what its shares get before those with a size of their own do
constexpr float kLeastCentre = 400;    ///< and at least
constexpr float kLeastContent = 96, kLeastPixels = 80;
constexpr float kContentShare = 0.42f;  ///< of a column: what is set aside for all that is as high as its content

struct Part {
  Extent extent = Extent::share;
  float size = 1;
  float least = 0;
  float content = 0;
  bool plot = false, strip = false;
};

float sum_of(const std::vector<Part>& parts, Extent extent, float Part::*member) {
  float sum = 0;
  for (const Part& p : parts) sum += p.extent == extent ? p.*member : 0;
  return sum;
}

size_t count_of(const std::vector<Part>& parts, Extent extent) {
  return size_t(std::count_if(parts.begin(), parts.end(), [&](const Part& p) { return p.extent == extent; }));
}

/// By weight, but none less than its least where that has room.
void share_out(const std::vector<Part>& parts, float room, std::vector<float>& out) {
  std::vector<size_t> open;
  if (const float leasts = sum_of(parts, Extent::share, &Part::least); leasts > room) {
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].extent == Extent::share) out[i] = parts[i].least * std::max(0.f, room) / leasts;
    return;
  }
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].extent == Extent::share) open.push_back(i);
  while (!open.empty()) {
    float weights = 0;
    for (const size_t i : open) weights += parts[i].size;
    // Whoever got less than its least gets that; the others share the rest anew.
    size_t settled = open.size();
    for (size_t k = 0; k < open.size() && settled == open.size(); ++k)
      if (room * parts[open[k]].size / weights < parts[open[k]].least && open.size() > 1) settled = k;
    if (settled == open.size()) {
      for (const size_t i : open) out[i] = std::max(0.f, room * parts[i].size / weights);
      return;
    }
    const size_t i = open[settled];
    out[i] = std::min(parts[i].least, std::max(0.f, room));
    room -= out[i];
    open.erase(open.begin() + std::ptrdiff_t(settled));
  }
}

/// All less, in proportion, where they are too long together; the last longer where nothing else takes the rest.
std::vector<float> within(std::vector<float> out, float room, bool grows) {
  const float sum = std::accumulate(out.begin(), out.end(), 0.f);
  if (sum > room && sum > 0)
    for (float& e : out) e *= std::max(0.f, room) / sum;
  else if (!grows && !out.empty())
    out.back() += room - sum;
  return out;
}

/// `whole`: of the row with its gaps.
std::vector<float> fit_row(const std::vector<Part>& parts, float whole, float gap) {
  const float room = whole - gap * float(parts.size() - 1);
  std::vector<float> out(parts.size(), 0);
  const bool shares = count_of(parts, Extent::share) > 0;
  const bool sides_too = shares && count_of(parts, Extent::share) < parts.size();
  const float middle = std::max(sum_of(parts, Extent::share, &Part::least),
                                sides_too ? std::max(kLeastCentre, kCentreShare * whole) : 0);
  float wanted = 0, leasts = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].extent == Extent::share) continue;
    const float own = parts[i].extent == Extent::content ? parts[i].least : parts[i].size;
    out[i] = std::max(parts[i].least, own);
    wanted += out[i];
    leasts += parts[i].least;
  }
  const float sides = std::max(leasts, room - middle);
  if (wanted > sides) {
    // What each has beyond its least is what it can give.
    const float kept = wanted > leasts ? (sides - leasts) / (wanted - leasts) : 0;
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].extent != Extent::share) out[i] = parts[i].least + (out[i] - parts[i].least) * kept;
  }
  const float rest = room - std::accumulate(out.begin(), out.end(), 0.f);
  share_out(parts, std::max(rest, sum_of(parts, Extent::share, &Part::least)), out);
  return within(std::move(out), room, shares);
}

/// The least height of a plot with a pane below it, of a column so high: a low one leaves it what one line of controls
/// and a curve need.
float least_plot(float height) { return std::clamp(std::min(height * 0.3f, height * 0.6f - 170), 140.f, 260.f); }

/// What is as high as its content, in a stretch of neighbours without tabs: what it has less or more than was set aside
/// for it goes to and comes from the shares beside it, so that the stretch as a whole stays as it is.
void fit_contents(const std::vector<Part>& parts, size_t begin, size_t end, std::vector<float>& out) {
  float whole = 0, content = 0, leasts = 0;
  size_t contents = 0, last = end;
  std::vector<Part> shares;
  for (size_t i = begin; i < end; ++i) {
    if (parts[i].extent == Extent::pixels) continue;
    whole += out[i];
    if (parts[i].extent == Extent::share) {
      leasts += parts[i].least;
      shares.push_back(parts[i]);
    } else {
      content += parts[i].content;
      ++contents;
      last = i;
    }
  }
  if (contents == 0 || (shares.empty() && contents < 2)) return;
  const float most = std::max(std::min(whole, kLeastContent * float(contents)), whole - leasts);
  float rest = whole;
  for (size_t i = begin; i < end; ++i)
    if (parts[i].extent == Extent::content) {
      out[i] = content > most ? parts[i].content * most / content : parts[i].content;
      rest -= out[i];
    }
  if (shares.empty()) {
    out[last] += rest;
    return;
  }
  std::vector<float> shared(shares.size(), 0);
  share_out(shares, rest, shared);
  for (size_t i = begin, k = 0; i < end; ++i)
    if (parts[i].extent == Extent::share) out[i] = shared[k++];
}

std::vector<float> fit_column(std::vector<Part> parts, float height, float gap) {
  const float room = height - gap * float(parts.size() - 1);
  const size_t sized = count_of(parts, Extent::pixels), contents = count_of(parts, Extent::content);
  const bool shares = count_of(parts, Extent::share) > 0;
  for (Part& p : parts)
    if (p.extent == Extent::share && p.plot && sized > 0) p.least = least_plot(height);
  const float least_shares = sum_of(parts, Extent::share, &Part::least);
  std::vector<float> out(parts.size(), 0);
  // What is left for those with a size of their own when all others have their least.
  const float left = std::max(kLeastPixels * float(sized), room - kLeastContent * float(contents) - least_shares);
  const float pixels = std::min(sum_of(parts, Extent::pixels, &Part::size), left);
  const float wanted = sum_of(parts, Extent::pixels, &Part::size);
  // Before what they show is asked: what it takes may not move a strip of tabs.
  const float aside = contents == 0 ? 0
                                    : std::clamp((room - pixels - least_shares) / float(contents), kLeastContent,
                                                 std::max(kLeastContent, kContentShare * height / float(contents)));
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].extent == Extent::content) out[i] = aside;
    if (parts[i].extent == Extent::pixels) out[i] = parts[i].size * pixels / wanted;
  }
  const float taken = pixels + aside * float(contents);
  if (shares) share_out(parts, std::max(least_shares, room - taken), out);
  out = within(std::move(out), room, shares);
  for (size_t begin = 0; begin < parts.size();) {
    size_t end = begin;
    while (end < parts.size() && !parts[end].strip) ++end;
    fit_contents(parts, begin, end, out);
    begin = end + 1;
  }
  return out;
}

/// Tabs somewhere in it.
bool has_strip(const Area& a) { return a.panels.size() > 1 || std::any_of(a.parts.begin(), a.parts.end(), has_strip); }

Needs needs_of(const Area& a, float gap, const NeedsOf& leaf) {
  if (a.kind == Kind::tabs) return leaf(a);
  Needs all{0, 0, false, 0};
  const float gaps = gap * float(a.parts.size() - 1);
  for (const Area& part : a.parts) {
    const Needs n = needs_of(part, gap, leaf);
    const bool row = a.kind == Kind::row;
    all.least_w = row ? all.least_w + n.least_w : std::max(all.least_w, n.least_w);
    all.least_h = row ? std::max(all.least_h, n.least_h) : all.least_h + n.least_h;
    all.content_h = row ? std::max(all.content_h, n.content_h) : all.content_h + n.content_h;
    all.plot |= n.plot;
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
    parts.push_back({p.extent, size, row ? n.least_w : n.least_h, n.content_h, n.plot, has_strip(p)});
  }
  const std::vector<float> extents = row ? fit_row(parts, box.w, gap) : fit_column(parts, box.h, gap);
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

/// The half of a box at a side.
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

std::vector<size_t> whole_tabs(const std::vector<float>& widths, float room, int chosen) {
  std::vector<size_t> shown;
  const bool any = chosen >= 0 && size_t(chosen) < widths.size();
  size_t next = 0;
  for (; next < widths.size() && widths[next] <= room; ++next) {
    shown.push_back(next);
    room -= widths[next];
  }
  if (!any || size_t(chosen) < next) return shown;
  while (!shown.empty() && room < widths[size_t(chosen)]) {
    room += widths[shown.back()];
    shown.pop_back();
  }
  shown.push_back(size_t(chosen));
  return shown;
}

}  // namespace attnscope::gui
