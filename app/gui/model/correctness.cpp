#include "app/gui/model/correctness.hpp"

namespace attnscope::gui {

ErrorGrid decimated(const ErrorMap& map, uint32_t most_columns, uint32_t most_rows) {
  ErrorGrid grid;
  if (map.rows == 0 || map.columns == 0 || map.cells.size() != size_t{map.rows} * map.columns) return grid;
  const auto each = [](uint32_t have, uint32_t most) { return (have + std::max(1u, most) - 1) / std::max(1u, most); };
  const uint32_t by_x = each(map.columns, most_columns), by_y = each(map.rows, most_rows);
  grid.columns = (map.columns + by_x - 1) / by_x;
  grid.rows = (map.rows + by_y - 1) / by_y;
  grid.dims = by_x * map.cell_dims;
  grid.queries = by_y * map.cell_queries;
  grid.cells.assign(size_t{grid.columns} * grid.rows, kUnchecked);
  for (uint32_t y = 0; y < map.rows; ++y)
    for (uint32_t x = 0; x < map.columns; ++x) {
      double& cell = grid.cells[size_t{y / by_y} * grid.columns + x / by_x];
      cell = std::max(cell, map.cells[size_t{y} * map.columns + x]);
    }
  return grid;
}

ErrorClass class_of(double ratio) {
  if (ratio < 0) return ErrorClass::unchecked;
  if (ratio >= kNotANumber) return ErrorClass::not_a_number;
  return ratio > 1 ? ErrorClass::failing : ErrorClass::right;
}

double heat_of_error(double ratio) {
  if (!(ratio > 1e-3)) return 0;
  return std::min(1.0, 1 + std::log10(ratio) / 3);
}

}  // namespace attnscope::gui
