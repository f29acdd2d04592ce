#include "engine/vulkan/grid.hpp"

#include <algorithm>

namespace attnscope::vulkan {
namespace {

uint32_t parts_of(uint32_t size, uint64_t wanted) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, size));
}

/// [begin, end) of part i of n of `size`, sizes differing by at most one.
std::pair<uint32_t, uint32_t> part(uint32_t size, uint32_t n, uint32_t i) {
  const auto edge = [&](uint32_t k) { return static_cast<uint32_t>(uint64_t{size} * k / n); };
  return {edge(i), edge(i + 1)};
}

}  // namespace

std::vector<GridPiece> cut_grid(const std::array<uint32_t, 3>& grid, uint32_t pieces) {
  if (!grid[0] || !grid[1] || !grid[2]) return {};
  const uint64_t wanted = std::max<uint32_t>(pieces, 1);
  const uint32_t nz = parts_of(grid[2], wanted);
  const uint32_t ny = nz == grid[2] ? parts_of(grid[1], (wanted + nz - 1) / nz) : 1;
  const uint64_t layers = uint64_t{nz} * ny;
  const uint32_t nx = nz == grid[2] && ny == grid[1] ? parts_of(grid[0], (wanted + layers - 1) / layers) : 1;
  std::vector<GridPiece> out;
  for (uint32_t z = 0; z < nz; ++z)
    for (uint32_t y = 0; y < ny; ++y)
      for (uint32_t x = 0; x < nx; ++x) {
        const auto [x0, x1] = part(grid[0], nx, x);
        const auto [y0, y1] = part(grid[1], ny, y);
        const auto [z0, z1] = part(grid[2], nz, z);
        out.push_back({{x0, y0, z0}, {x1 - x0, y1 - y0, z1 - z0}});
      }
  return out;
}

}  // namespace attnscope::vulkan
