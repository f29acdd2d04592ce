#include "app/gui/ui/layout.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "engine/record/json_fields.hpp"

namespace attnscope::gui {
namespace {

using Kind = Area::Kind;
using Extent = Area::Extent;

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

void show(PanelLayout& l, const std::string& panel) {
  l.closed.erase(panel);
  if (Area* group = group_of(l.tree, panel)) group->active = panel;
}

bool close(PanelLayout& l, const std::string& panel) {
  Area* group = group_of(l.tree, panel);
  if (!group || l.closed.size() + 1 >= panels_of(l.tree).size() || !l.closed.insert(panel).second) return false;
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

void move_to_group(Area& root, const std::string& panel, const std::string& target, const std::string& before) {
  Area *from = group_of(root, panel), *to = group_of(root, target);
  if (!from || !to || panel == before) return;
  std::erase(from->panels, panel);
  to->panels.insert(std::ranges::find(to->panels, before), panel);
  to->active = panel;
}

void complete(PanelLayout& l, std::span<const std::string> panels) {
  std::set<std::string> known(panels.begin(), panels.end());
  std::erase_if(l.closed, [&](const std::string& name) { return !known.contains(name); });
  if (l.closed.size() == known.size()) l.closed.clear();
  keep_known(l.tree, known);
  const Area whole = default_tree();
  if (panels_of(l.tree).empty()) {
    l.tree = whole;
    return;
  }
  for (const std::string& name : panels) {
    if (!known.contains(name)) continue;
    Area* group = nullptr;
    for (const std::string& beside : group_of(whole, name)->panels)
      if (!group) group = group_of(l.tree, beside);
    if (!group) group = group_of(l.tree, panels_of(l.tree).front());
    group->panels.push_back(name);
  }
}

void resize(const SplitterBox& bar, float moved) {
  Area &a = *bar.first, &b = *bar.second;
  const auto& [before, after] = bar.extents;
  const auto& [least_a, least_b] = bar.least;
  const float both = before + after;
  // Where not even both leasts have room, nothing can be moved.
  const float first = std::clamp(before + moved, std::min(least_a, before), std::max(both - least_b, before));
  if (first == before) return;
  const bool a_shares = a.extent == Extent::share, b_shares = b.extent == Extent::share;
  if (a_shares && b_shares) {
    const float weights = a.size + b.size, free = both - least_a - least_b;
    if (free <= 0) return;
    a.size = weights * std::clamp((first - least_a) / free, 0.01f, 0.99f);
    b.size = weights - a.size;
    return;
  }
  if (!a_shares) a = sized(std::move(a), Extent::pixels, first);
  if (!b_shares) b = sized(std::move(b), Extent::pixels, both - first);
}

namespace {

using Closed = std::set<std::string>;

/// The group with its open panels alone.
Area open_part(const Area& group, const Closed& closed) {
  Area open = group;
  std::erase_if(open.panels, [&](const std::string& name) { return closed.contains(name); });
  if (!open.panels.empty() && std::ranges::find(open.panels, open.active) == open.panels.end())
    open.active = open.panels.front();
  return open;
}

/// "" = none is open.
std::string first_open(const Area& a, const Closed& closed) {
  for (const std::string& name : panels_of(a))
    if (!closed.contains(name)) return name;
  return "";
}

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

class Fitter {
 public:
  Fitter(const Closed& closed, float gap, const NeedsOf& leaf) : closed_(closed), gap_(gap), leaf_(leaf) {}

  void lay(Area& a, const Rectangle& box) {
    if (a.kind == Kind::tabs) {
      if (Area open = open_part(a, closed_); !open.panels.empty()) fitted.groups.push_back({std::move(open), box});
      return;
    }
    const bool row = a.kind == Kind::row;
    const std::vector<Area*> shown = shown_in(a);
    std::vector<Part> parts;
    for (const Area* p : shown) {
      const Needs n = needs_of(*p);
      const bool part = p->extent == Extent::pixels && p->size < 1;
      float size = part ? p->size * (row ? box.w : box.h) : p->size;
      if (part && n.empty && !row) size = std::min(size, kEmptyPixels);
      parts.push_back({p->extent == Extent::share, size, row ? n.least_w : n.least_h});
    }
    if (shown.empty()) return;
    const std::vector<float> extents =
        extents_of(parts, (row ? box.w : box.h) - gap_ * float(parts.size() - 1), row ? kLeastCentre : 0);
    float at = row ? box.x : box.y;
    for (size_t i = 0; i < shown.size(); ++i) {
      lay(*shown[i], row ? Rectangle{at, box.y, extents[i], box.h} : Rectangle{box.x, at, box.w, extents[i]});
      at += extents[i];
      if (i + 1 == shown.size()) break;
      fitted.splitters.push_back(
          {shown[i],
           shown[i + 1],
           row,
           first_open(*shown[i + 1], closed_),
           row ? Rectangle{at, box.y, gap_, box.h} : Rectangle{box.x, at, box.w, gap_},
           {extents[i], extents[i + 1]},
           {std::min(parts[i].least, extents[i]), std::min(parts[i + 1].least, extents[i + 1])}});
      at += gap_;
    }
  }

  Fitted fitted;

 private:
  std::vector<Area*> shown_in(Area& a) const {
    std::vector<Area*> shown;
    for (Area& p : a.parts)
      if (!first_open(p, closed_).empty()) shown.push_back(&p);
    return shown;
  }
  Needs needs_of(const Area& a) const {
    if (a.kind == Kind::tabs) return leaf_(open_part(a, closed_));
    Needs all{0, 0};
    const bool row = a.kind == Kind::row;
    const auto shown = shown_in(const_cast<Area&>(a));
    for (const Area* part : shown) {
      const Needs n = needs_of(*part);
      all.least_w = row ? all.least_w + n.least_w : std::max(all.least_w, n.least_w);
      all.least_h = row ? std::max(all.least_h, n.least_h) : all.least_h + n.least_h;
    }
    (row ? all.least_w : all.least_h) += gap_ * float(shown.size() - 1);
    return all;
  }
  const Closed& closed_;
  const float gap_;
  const NeedsOf& leaf_;
};

}  // namespace

Fitted fit(PanelLayout& l, const Rectangle& window, float gap, const NeedsOf& leaf) {
  Fitter fitter(l.closed, gap, leaf);
  fitter.lay(l.tree, window);
  return std::move(fitter.fitted);
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

Json to_json(const PanelLayout& l) { return {{"tree", area_json(l.tree)}, {"closed", l.closed}}; }

Result<PanelLayout> layout_from(const Json& j) {
  PanelLayout l;
  std::vector<std::string> closed;
  Reader reader;
  try {
    Reader::need(j.is_object(), "layout", "an object was expected");
    reader.area(j.value("tree", Json()), "tree", 0, l.tree);
    Fields(j).maybe("closed", closed);
    reader.names(closed, "closed");
  } catch (const JsonError& e) {
    return bad_input(e.what());
  }
  l.closed = {closed.begin(), closed.end()};
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
