// The tiles of what is asked for: made anew when the problem or the tile sizes are others.
#pragma once

#include <optional>

#include "app/gui/ask.hpp"
#include "app/gui/plot/tile_map.hpp"
#include "engine/variant/surroundings.hpp"

namespace attnscope::gui {

class TilesView {
 public:
  static constexpr uint32_t kMostCells = 48;  ///< along a side
  void step(const Problem&, const Surroundings*);
  /// nullptr until the plan is known, or where the manifest declares no tiles of queries and keys.
  const TileMap* map() const { return map_ ? &*map_ : nullptr; }

 private:
  std::optional<TileMap> map_;
  Problem problem_;
  Tiles tiles_;
};

}  // namespace attnscope::gui
