// A tree of areas in a window: where each group lies, and the splitters between them. Numbers in, numbers out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "app/gui/ui/layout.hpp"

namespace attnscope::gui {

/// Pixels at scale 1, as all that follow.
struct Rectangle {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool holds(float px, float py) const { return px >= x && px < right() && py >= y && py < bottom(); }
  bool operator==(const Rectangle&) const = default;
};

/// What the pane at the bottom takes until somebody chooses: of its column's height, and pixels while it is empty.
inline constexpr float kBottomPart = 0.3f, kEmptyPixels = 104;

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
  std::string name;            ///< of the area that it sizes, or of the panel behind it
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

}  // namespace attnscope::gui
