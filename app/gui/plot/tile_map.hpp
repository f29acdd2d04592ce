// The scores of one head as the tiles that a kernel walks: which are computed whole, in part, as padding, or skipped.
// Plain numbers; a large problem is summed up into cells that can be seen.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/problem.hpp"

namespace attnscope::gui {

/// Shares of the cell's tiles.
struct TileCell {
  float whole = 0;    ///< every score is used
  float partial = 0;  ///< the mask cuts through the tile
  float skipped = 0;  ///< wholly masked: no work where the kernel skips it
  float padded = 0;   ///< reaches past the last query or key
};
struct TileMap {
  uint64_t rows = 0, cols = 0;  ///< tiles of queries and of keys
  uint32_t cell_rows = 0, cell_cols = 0;
  uint32_t tiles_a_cell_row = 1, tiles_a_cell_col = 1;
  std::vector<TileCell> cells;                               ///< [cell_rows][cell_cols]
  uint64_t whole = 0, partial = 0, skipped = 0, padded = 0;  ///< tiles in all; a padded one is one of the others, too
};
/// Of the first sequence. `most`: cells along a side. Tiles of 0 are one query, or one key.
TileMap tile_map(const Problem&, double query_tile, double key_tile, uint32_t most);

}  // namespace attnscope::gui
