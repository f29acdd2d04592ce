#include "app/gui/state/tiles_view.hpp"

namespace attnscope::gui {

void TilesView::step(const Problem& problem, const Surroundings* around) {
  if (around == nullptr || (around->shape.tiles.query <= 0 && around->shape.tiles.key <= 0)) return map_.reset();
  if (map_ && problem_ == problem && tiles_ == around->shape.tiles) return;
  problem_ = problem;
  tiles_ = around->shape.tiles;
  map_ = tile_map(problem, tiles_.query, tiles_.key, kMostCells);
}

}  // namespace attnscope::gui
