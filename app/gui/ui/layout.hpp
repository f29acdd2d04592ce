// Where panels lie: a tree of rows and columns whose leaves are groups of tabs. Each panel lies in one group, or is
// closed. Plain values and functions: nothing of ImGui, pixels or files.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/json.hpp"

namespace attnscope::gui {

struct Area {
  enum class Kind { tabs, row, column };
  /// Along the row or column that it is a part of.
  enum class Extent {
    share,  ///< of what the others leave, by `size` as a weight
    pixels  ///< `size`, at scale 1; below 1: that part of the whole row or column
  };
  Kind kind = Kind::tabs;
  Extent extent = Extent::share;
  float size = 1;
  std::vector<std::string> panels = {};  ///< tabs; never empty
  std::string active = {};               ///< the one of them that is shown
  std::vector<Area> parts = {};          ///< row, column: two or more, none of the same kind as this
  bool operator==(const Area&) const = default;
};

enum class Side { left, right, top, bottom };

/// All panels: Parameters and Resources at the left, Timing over the tabs of the others.
Area default_tree();

/// The group a panel lies in; nullptr: it is closed.
Area* group_of(Area&, const std::string& panel);
const Area* group_of(const Area&, const std::string& panel);
/// All that are open, in the order in which they lie.
std::vector<std::string> panels_of(const Area&);
/// Brings it to the front of its group; false: it is closed.
bool show(Area&, const std::string& panel);
/// False: it is closed already, or the last one open.
bool close(Area&, const std::string& panel);
/// To the group that `target` lies in, before the tab `before` ("" = the last).
bool move_to_group(Area&, const std::string& panel, const std::string& target, const std::string& before = "");
/// To a group of its own at a side of the group that `target` lies in; "" = of the whole window.
bool move_to_side(Area&, const std::string& panel, const std::string& target, Side);
/// Beside those that it lies beside in the default tree, as far as they are open; and to the front.
void reopen(Area&, const std::string& panel);
/// Makes any tree one of `panels`: what is not among them goes, what is there twice stays once, what is in neither
/// `tree` nor `closed` is new and comes to its place. A tree without any is the default one.
void complete(Area& tree, std::span<const std::string> closed, std::span<const std::string> panels);

/// The border between two neighbours was dragged by `moved`; both are `extent` long now and want at least `least`.
/// Pixels at scale 1. `part`: index of the first of them.
struct Pulled {
  float first = 0, second = 0;
};
void resize(Area& parent, size_t part, float moved, Pulled extent, Pulled least);

// The tree in a window: where each group lies, and the splitters between them. Numbers in, numbers out.

/// Pixels at scale 1, as all that follow.
struct Rectangle {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool holds(float px, float py) const { return px >= x && px < right() && py >= y && py < bottom(); }
  bool operator==(const Rectangle&) const = default;
};

/// What the pane at the bottom takes until somebody chooses: of its column's height, and pixels while it is empty; and
/// the column at the left, in pixels.
inline constexpr float kBottomPart = 0.35f, kEmptyPixels = 104, kLeftPixels = 292;

/// What a group needs at least.
struct Needs {
  float least_w = 188, least_h = 80;
  bool empty = false;  ///< it shows nothing: of a part of a column it takes kEmptyPixels at most
};
using NeedsOf = std::function<Needs(const Area& group)>;

struct GroupBox {
  const Area* group = nullptr;
  Rectangle box;
};
struct SplitterBox {
  std::vector<size_t> parent;  ///< the way from the root: index of a part, of its part, …
  size_t part = 0;             ///< it lies behind this one
  bool upright = false;        ///< between neighbours in a row
  std::string name;            ///< of the first panel behind it
  Rectangle box;
  Pulled extent, least;  ///< of its neighbours, as resize() takes them
};
struct Fitted {
  std::vector<GroupBox> groups;
  std::vector<SplitterBox> splitters;
};

/// What has a size in pixels gives way down to what it needs before the shares have less than they need; the shares get
/// what is left. Nothing ever leaves the window: where not even the least of all has room, all get less.
Fitted fit(const Area& root, const Rectangle& window, float gap, const NeedsOf&);
/// The area at the end of the way.
Area* area_at(Area& root, const std::vector<size_t>& way);

/// What a drop of a dragged tab would do.
struct Drop {
  std::string target;        ///< a panel of the group; "" = the whole window
  std::optional<Side> side;  ///< none: into the group, as a tab
  Rectangle highlight;
  bool operator==(const Drop&) const = default;
};
/// The middle of a group takes the tab in, its sides split it; so do the window's edges. nullopt: nowhere, or where it
/// is already.
std::optional<Drop> drop_at(const Area& root, const Fitted&, const Rectangle& window, const std::string& panel, float x,
                            float y);
/// False: nothing changed.
bool drop(Area& root, const std::string& panel, const Drop&);

// Layouts: the shipped ones, and how one is kept as JSON.

/// A tree, and which panels are closed: what is in neither came later and appears at its place.
struct SavedLayout {
  Area tree;
  std::vector<std::string> closed;
  bool operator==(const SavedLayout&) const = default;
};

/// What a file may hold; a tree of these panels is far from it.
inline constexpr size_t kMostAreas = 64, kMostAreaDepth = 12, kMostPanels = 256, kMostNameBytes = 80;

Json to_json(const SavedLayout&);
/// Errors (bad_input) name the place and what is wrong there: no tree, a size that cannot be, more than the limits.
Result<SavedLayout> layout_from(const Json&);

/// A layout that the program has.
struct ShippedLayout {
  const char *name, *title, *summary;
  Area (*make)();
};
const std::vector<ShippedLayout>& shipped_layouts();

}  // namespace attnscope::gui
