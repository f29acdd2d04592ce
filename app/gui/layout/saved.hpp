// Layouts as they are kept: the shipped ones, those of a person's own, and their JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/layout/tree.hpp"
#include "engine/record/json.hpp"

namespace attnscope::gui {

/// A tree, and which panels are closed: what is in neither came later and appears at its place.
struct SavedLayout {
  Area tree;
  std::vector<std::string> closed;
  bool operator==(const SavedLayout&) const = default;
};

/// What a file may hold; a tree of these panels is far from it.
inline constexpr size_t kMostAreas = 64, kMostAreaDepth = 12, kMostPanels = 256, kMostLayouts = 64, kMostNameBytes = 80;

Json to_json(const SavedLayout&);
/// Errors (bad_input) name the place and what is wrong there: no tree, a size that cannot be, more than the limits.
Result<SavedLayout> layout_from(const Json&);

/// A layout that the program has; complete() fits it to the panels there are.
struct ShippedLayout {
  const char *name, *title, *summary;
  std::function<Area(std::span<const Placed>)> make;
};
const std::vector<ShippedLayout>& shipped_layouts();

}  // namespace attnscope::gui
