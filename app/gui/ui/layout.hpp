// Where panels lie: columns of groups of tabs; each panel in one group. Values: nothing of ImGui, pixels or files.
#pragma once

#include "engine/record/json.hpp"

namespace attnscope::gui {

/// A size along its column or row: pixels at scale 1; below 1: that part of the whole; 0: what the others leave.
using Extent = float;

struct TabGroup {
  std::vector<std::string> panels = {};
  std::string active = {};  ///< the one of them that is shown
  Extent height = 0;
  bool operator==(const TabGroup&) const = default;
};
struct PanelColumn {
  std::vector<TabGroup> groups = {};
  Extent width = 0;
  bool operator==(const PanelColumn&) const = default;
};

/// All panels, and which of them are closed: those keep their place.
struct PanelLayout {
  std::vector<PanelColumn> columns = {};
  std::set<std::string> closed = {};
  bool operator==(const PanelLayout&) const = default;
};

/// All panels: Parameters and Resources at the left, Timing over the tabs of the others.
PanelLayout default_layout();

/// The group a panel lies in; nullptr: it is in none.
TabGroup* group_of(PanelLayout&, const std::string& panel);
/// In the order in which they lie.
std::vector<std::string> panels_of(const PanelLayout&);
/// Opens it, in front of its group.
void show(PanelLayout&, const std::string& panel);
/// False: it is closed already, or the last one open.
bool close(PanelLayout&, const std::string& panel);
/// To the group that `target` lies in, before the tab `before` ("" = the last), and to the front.
void move_to_group(PanelLayout&, const std::string& panel, const std::string& target, const std::string& before = "");
/// Makes any layout one of `panels`: what is not among them goes, what is there twice stays once, what lies nowhere
/// comes beside those that it lies beside in the default. A layout without any is the default one.
void complete(PanelLayout&, std::span<const std::string> panels);

// The layout in a window: where each group lies, and the splitters between them. Numbers in, numbers out.

/// Pixels at scale 1, as all that follow.
struct Rectangle {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool operator==(const Rectangle&) const = default;
};

/// Until somebody chooses: the lower panes' parts of their columns, the left column's pixels.
inline constexpr float kBottomPart = 0.35f, kResourcesPart = 0.38f, kLeftPixels = 292;

/// What a group needs at least.
struct Needs {
  float least_w = 188, least_h = 80;
  /// Where it takes what others leave: until somebody sizes one of them, they leave it so much, down to their least.
  float kept_h = 0;
};
using NeedsOf = std::function<Needs(const TabGroup&)>;

struct GroupBox {
  TabGroup group;  ///< with its open panels alone
  Rectangle box;
};
/// Between two columns, or two groups of a column.
struct SplitterBox {
  Extent *first = nullptr, *second = nullptr;
  bool upright = false;  ///< between columns
  std::string name;      ///< of the first panel behind it
  Rectangle box;
  float extents[2] = {}, least[2] = {};  ///< what both are long now, and want at least
};
struct Fitted {
  std::vector<GroupBox> groups;
  std::vector<SplitterBox> splitters;
};

/// What has a size gives way down to what it needs before what takes the rest has less than it needs. Nothing ever
/// leaves the window: where not even the least of all has room, all get less.
Fitted fit(PanelLayout&, const Rectangle& window, float gap, const NeedsOf&);
/// The border was dragged by so many pixels at scale 1.
void resize(const SplitterBox&, float moved);

/// What a file may hold; a layout of these panels is far from it.
inline constexpr size_t kMostGroups = 64, kMostPanels = 256, kMostNameBytes = 80;

Json to_json(const PanelLayout&);
/// Errors (bad_input) say what is wrong: no columns, a size that cannot be, more than the limits.
Result<PanelLayout> layout_from(const Json&);

struct ShippedLayout {
  const char *name, *title, *summary;
  PanelLayout (*make)();
};
const std::vector<ShippedLayout>& shipped_layouts();

}  // namespace attnscope::gui
