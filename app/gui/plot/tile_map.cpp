#include "app/gui/plot/tile_map.hpp"

#include <algorithm>
#include <cmath>

#include "engine/attention/layout.hpp"

namespace attnscope::gui {
namespace {

/// Rows of tiles that are looked at one by one; of more, evenly spread ones stand for their neighbours.
constexpr uint64_t kMostRows = 1 << 15;

struct Sizes {
  uint64_t queries, keys, query_tile, key_tile;
};

/// Tiles of one row: [first, end) have scores that are used, and in [whole, whole_end) all are.
struct RowSplit {
  uint64_t first, whole, whole_end, end;
  uint64_t wholes() const { return whole_end - whole; }
  uint64_t used() const { return end - first; }
};
RowSplit split(const Layout& layout, const Sizes& s, uint64_t row) {
  const uint64_t first = row * s.query_tile, last = std::min(first + s.query_tile, s.queries) - 1;
  const auto up = [&](uint64_t keys) { return (keys + s.key_tile - 1) / s.key_tile; };
  // Both ends of what a query sees move on with the query.
  const uint64_t least = layout.first_visible(0, uint32_t(first)), most = layout.visible(0, uint32_t(last)),
                 all_from = layout.first_visible(0, uint32_t(last)), all_to = layout.visible(0, uint32_t(first));
  RowSplit out{};
  if (most <= least) return out;
  out.first = least / s.key_tile;
  out.end = up(most);
  out.whole = std::clamp(up(all_from), out.first, out.end);
  out.whole_end = std::clamp(all_to == s.keys ? out.end : all_to / s.key_tile, out.whole, out.end);
  return out;
}

uint64_t overlap(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
  const uint64_t low = std::max(a0, b0), high = std::min(a1, b1);
  return high > low ? high - low : 0;
}

}  // namespace

TileMap tile_map(const Problem& p, double query_tile, double key_tile, uint32_t most) {
  Sizes s{p.varlen.empty() ? p.seq_q : p.varlen.front(), p.varlen.empty() ? p.seq_kv : p.varlen.front(),
          uint64_t(std::max(1.0, query_tile)), uint64_t(std::max(1.0, key_tile))};
  TileMap map;
  if (s.queries == 0 || s.keys == 0 || most == 0) return map;
  const Layout layout(p, {});
  map.rows = (s.queries + s.query_tile - 1) / s.query_tile;
  map.cols = (s.keys + s.key_tile - 1) / s.key_tile;
  map.tiles_a_cell_row = uint32_t((map.rows + most - 1) / most);
  map.tiles_a_cell_col = uint32_t((map.cols + most - 1) / most);
  map.cell_rows = uint32_t((map.rows + map.tiles_a_cell_row - 1) / map.tiles_a_cell_row);
  map.cell_cols = uint32_t((map.cols + map.tiles_a_cell_col - 1) / map.tiles_a_cell_col);
  map.cells.resize(size_t(map.cell_rows) * map.cell_cols);
  const bool last_row_padded = s.queries % s.query_tile != 0, last_col_padded = s.keys % s.key_tile != 0;
  map.padded = (last_row_padded ? map.cols : 0) + (last_col_padded ? map.rows : 0) -
               (last_row_padded && last_col_padded ? 1 : 0);
  const uint64_t step = std::max<uint64_t>(1, (map.rows + kMostRows - 1) / kMostRows);
  std::vector<uint64_t> looked(map.cell_rows);
  for (uint64_t row = 0; row < map.rows; row += step) {
    const RowSplit at = split(layout, s, row);
    const uint64_t stands_for = std::min(step, map.rows - row);
    map.whole += at.wholes() * stands_for;
    map.partial += (at.used() - at.wholes()) * stands_for;
    map.skipped += (map.cols - at.used()) * stands_for;
    const auto cell_row = uint32_t(row / map.tiles_a_cell_row);
    ++looked[cell_row];
    for (uint32_t c = 0; c < map.cell_cols; ++c) {
      const uint64_t first = uint64_t(c) * map.tiles_a_cell_col,
                     last = std::min<uint64_t>(first + map.tiles_a_cell_col, map.cols);
      TileCell& cell = map.cells[size_t(cell_row) * map.cell_cols + c];
      const float count = float(last - first);
      const auto whole = float(overlap(first, last, at.whole, at.whole_end)),
                 used = float(overlap(first, last, at.first, at.end));
      cell.whole += whole / count;
      cell.partial += (used - whole) / count;
      cell.skipped += 1 - used / count;
      const bool row_padded = last_row_padded && row == map.rows - 1;
      cell.padded += row_padded ? 1.f : last_col_padded && last == map.cols ? 1.f / count : 0.f;
    }
  }
  for (uint32_t r = 0; r < map.cell_rows; ++r)
    for (uint32_t c = 0; c < map.cell_cols && looked[r] > 0; ++c) {
      TileCell& cell = map.cells[size_t(r) * map.cell_cols + c];
      const float n = float(looked[r]);
      cell.whole /= n;
      cell.partial /= n;
      cell.skipped /= n;
      cell.padded /= n;
    }
  return map;
}

}  // namespace attnscope::gui
