#include "app/gui/layout/saved.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/gui/layout/fit.hpp"

namespace attnscope::gui {
namespace {

using Kind = Area::Kind;
using Extent = Area::Extent;

constexpr std::array kKinds = {std::pair{"tabs", Kind::tabs}, std::pair{"row", Kind::row},
                               std::pair{"column", Kind::column}};
constexpr std::array kExtents = {std::pair{"share", Extent::share}, std::pair{"pixels", Extent::pixels},
                                 std::pair{"content", Extent::content}};
constexpr float kLeastSize = 1e-4f, kMostSize = 10'000;

template <class Words, class T>
const char* word_for(const Words& words, T value) {
  for (const auto& [word, meaning] : words)
    if (meaning == value) return word;
  return words.front().first;
}

Json area_json(const Area& a) {
  Json j = {{"kind", word_for(kKinds, a.kind)}, {"extent", word_for(kExtents, a.extent)}, {"size", a.size}};
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

/// What is wrong, at which place; "" while nothing is.
struct Reader {
  std::string wrong;
  size_t areas = 0, panels = 0;

  bool fail(const std::string& place, const std::string& what) {
    if (wrong.empty()) wrong = place + ": " + what;
    return false;
  }

  bool text(const Json& j, const char* field, const std::string& place, std::string& into, bool needed) {
    if (!j.contains(field)) return needed ? fail(place, fmt::format("'{}' is missing", field)) : true;
    const Json& value = j[field];
    if (!value.is_string() || value.get_ref<const std::string&>().size() > kMostNameBytes)
      return fail(place, fmt::format("'{}' is no short text", field));
    into = value.get<std::string>();
    return true;
  }

  template <class Words, class T>
  bool word(const Json& j, const char* field, const std::string& place, const Words& words, T& into) {
    std::string given;
    if (!text(j, field, place, given, true)) return false;
    for (const auto& [known, meaning] : words)
      if (given == known) {
        into = meaning;
        return true;
      }
    return fail(place, fmt::format("there is no {} '{}'", field, given));
  }

  bool names(const Json& j, const std::string& place, std::vector<std::string>& into) {
    if (!j.is_array()) return fail(place, "a list of panels was expected");
    if ((panels += j.size()) > kMostPanels) return fail(place, fmt::format("more than {} panels", kMostPanels));
    for (const Json& name : j) {
      if (!name.is_string() || name.get_ref<const std::string&>().size() > kMostNameBytes)
        return fail(place, "the name of a panel was expected");
      into.push_back(name.get<std::string>());
    }
    return true;
  }

  bool area(const Json& j, const std::string& place, size_t depth, Area& a) {
    if (!j.is_object()) return fail(place, "an area was expected");
    if (++areas > kMostAreas || depth > kMostAreaDepth)
      return fail(place, fmt::format("more than {} areas, or {} within each other", kMostAreas, kMostAreaDepth));
    if (!word(j, "kind", place, kKinds, a.kind) || !word(j, "extent", place, kExtents, a.extent) ||
        !text(j, "name", place, a.name, false))
      return false;
    const Json& size = j.value("size", Json(1.0));
    if (!size.is_number()) return fail(place, "'size' is no number");
    a.size = size.get<float>();
    if (!std::isfinite(a.size) || a.size < kLeastSize || a.size > kMostSize)
      return fail(place, fmt::format("a size of {:g} cannot be", a.size));
    if (a.name == "bottom" && a.extent == Extent::pixels && a.size == kBottomPixels)
      a.size = kBottomPart;  // the default once, whatever the window: nobody chose it
    if (a.kind == Kind::tabs)
      return names(j.value("panels", Json()), place + ".panels", a.panels) && text(j, "active", place, a.active, false);
    const Json& parts = j.value("parts", Json());
    if (!parts.is_array() || parts.empty()) return fail(place, "it has no parts");
    for (size_t i = 0; i < parts.size(); ++i)
      if (!area(parts[i], fmt::format("{}.parts[{}]", place, i), depth + 1, a.parts.emplace_back())) return false;
    return true;
  }
};

Area group(std::vector<std::string> panels, Extent extent, float size, const char* name = "") {
  Area a;
  a.active = panels.front();
  a.panels = std::move(panels);
  a.extent = extent;
  a.size = size;
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
  Area left =
      split(Kind::column, {group({"parameters"}, Extent::content, 1), group({"problem", "variants"}, Extent::share, 1)},
            Extent::pixels, 320, "left");
  Area centre = split(
      Kind::column,
      {group({"why"}, Extent::share, 1.4f),
       group({"tiles", "timing", "compare", "across", "map", "tuning", "tried", "messages"}, Extent::share, 1.1f)});
  Area right = split(Kind::column, {group({"verdict"}, Extent::content, 1), group({"resources"}, Extent::share, 1)},
                     Extent::pixels, 300, "right");
  return split(Kind::row, {left, centre, right});
}

/// The editor with the timing of what was saved beside it.
Area shader(std::span<const Placed>) {
  Area left =
      split(Kind::column,
            {group({"editor", "variants"}, Extent::share, 1), group({"messages", "problem"}, Extent::pixels, 190)},
            Extent::share, 1.15f);
  Area right = split(Kind::column,
                     {group({"parameters"}, Extent::content, 1), group({"timing"}, Extent::share, 1),
                      group({"compare", "verdict", "resources", "why", "tiles", "across", "map", "tuning", "tried"},
                            Extent::pixels, kBottomPart, "bottom")});
  return split(Kind::row, {left, right});
}

}  // namespace

Json to_json(const SavedLayout& l) { return {{"tree", area_json(l.tree)}, {"closed", l.closed}}; }

Result<SavedLayout> layout_from(const Json& j) {
  SavedLayout l;
  Reader reader;
  bool fine = j.is_object() || reader.fail("layout", "an object was expected");
  fine = fine && reader.area(j.value("tree", Json()), "tree", 0, l.tree);
  fine = fine && (!j.contains("closed") || reader.names(j["closed"], "closed", l.closed));
  if (!fine) return bad_input(reader.wrong);
  return l;
}

const std::vector<ShippedLayout>& shipped_layouts() {
  static const std::vector<ShippedLayout> all = {
      {"tune", "Tune", "What is measured in the middle, the searches below it", default_tree},
      {"explain", "Explain", "Why, Tiles and Resources large", explain},
      {"shader", "Shader", "The editor beside the timing", shader},
  };
  return all;
}

}  // namespace attnscope::gui
