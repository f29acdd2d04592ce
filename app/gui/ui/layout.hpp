// Where panels lie: a tree of rows and columns whose leaves are groups of tabs. Each panel lies in one group. Plain
// values and functions: nothing of ImGui, pixels or files.
#pragma once

#include <functional>
#include <set>
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
  std::vector<std::string> panels = {};  ///< tabs
  std::string active = {};               ///< the one of them that is shown
  std::vector<Area> parts = {};          ///< row, column
  bool operator==(const Area&) const = default;
};

/// A tree of all panels, and which of them are closed: those keep their place in it.
struct PanelLayout {
  Area tree;
  std::set<std::string> closed = {};
  bool operator==(const PanelLayout&) const = default;
};

/// All panels: Parameters and Resources at the left, Timing over the tabs of the others.
Area default_tree();

/// The group a panel lies in; nullptr: it is in none.
Area* group_of(Area&, const std::string& panel);
const Area* group_of(const Area&, const std::string& panel);
/// In the order in which they lie.
std::vector<std::string> panels_of(const Area&);
/// Opens it, in front of its group.
void show(PanelLayout&, const std::string& panel);
/// False: it is closed already, or the last one open.
bool close(PanelLayout&, const std::string& panel);
/// To the group that `target` lies in, before the tab `before` ("" = the last), and to the front.
void move_to_group(Area&, const std::string& panel, const std::string& target, const std::string& before = "");
/// Makes any layout one of `panels`: what is not among them goes, what is there twice stays once, what lies nowhere
/// comes beside those that it lies beside in the default tree. A tree without any is the default one.
void complete(PanelLayout&, std::span<const std::string> panels);

// The tree in a window: where each group lies, and the splitters between them. Numbers in, numbers out.

/// Pixels at scale 1, as all that follow.
struct Rectangle {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
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
  Area group;  ///< with its open panels alone
  Rectangle box;
};
/// Between two areas of a row or a column.
struct SplitterBox {
  Area *first = nullptr, *second = nullptr;
  bool upright = false;  ///< of a row
  std::string name;      ///< of the first panel behind it
  Rectangle box;
  float extents[2] = {}, least[2] = {};  ///< what both are long now, and want at least
};
struct Fitted {
  std::vector<GroupBox> groups;
  std::vector<SplitterBox> splitters;
};

/// What has a size in pixels gives way down to what it needs before the shares have less than they need; the shares get
/// what is left. Nothing ever leaves the window: where not even the least of all has room, all get less.
Fitted fit(PanelLayout&, const Rectangle& window, float gap, const NeedsOf&);
/// The border was dragged by so many pixels at scale 1.
void resize(const SplitterBox&, float moved);

// Layouts: the shipped ones, and how one is kept as JSON.

/// What a file may hold; a tree of these panels is far from it.
inline constexpr size_t kMostAreas = 64, kMostAreaDepth = 12, kMostPanels = 256, kMostNameBytes = 80;

Json to_json(const PanelLayout&);
/// Errors (bad_input) name the place and what is wrong there: no tree, a size that cannot be, more than the limits.
Result<PanelLayout> layout_from(const Json&);

/// A layout that the program has.
struct ShippedLayout {
  const char *name, *title, *summary;
  Area (*make)();
};
const std::vector<ShippedLayout>& shipped_layouts();

}  // namespace attnscope::gui
