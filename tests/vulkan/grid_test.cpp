// Cutting grids: every workgroup exactly once, whatever the shape.
#include "engine/vulkan/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace attnscope::vulkan {
namespace {

TEST(CutGrid, CoversEveryWorkgroupOnce) {
  for (const auto& grid :
       std::vector<std::array<uint32_t, 3>>{{1, 1, 1}, {7, 1, 1}, {5, 3, 2}, {16, 9, 4}, {1, 1, 13}, {2, 31, 1}})
    for (uint32_t pieces : {0u, 1u, 2u, 3u, 5u, 8u, 64u, 1000u}) {
      std::vector<int> hits(size_t{grid[0]} * grid[1] * grid[2]);
      const auto cut = cut_grid(grid, pieces);
      for (const auto& p : cut)
        for (uint32_t z = 0; z < p.count[2]; ++z)
          for (uint32_t y = 0; y < p.count[1]; ++y)
            for (uint32_t x = 0; x < p.count[0]; ++x)
              ++hits.at(((p.base[2] + z) * size_t{grid[1]} + p.base[1] + y) * grid[0] + p.base[0] + x);
      EXPECT_TRUE(std::all_of(hits.begin(), hits.end(), [](int n) { return n == 1; }))
          << grid[0] << "x" << grid[1] << "x" << grid[2] << " in " << pieces;
      EXPECT_LE(cut.size(), 2 * std::max(pieces, 1u));
      EXPECT_GE(cut.size(), std::min<size_t>(pieces, hits.size()) / 2);
    }
}

TEST(CutGrid, CutsAlongZFirst) {
  EXPECT_EQ(cut_grid({4, 4, 2}, 2), (std::vector<GridPiece>{{{0, 0, 0}, {4, 4, 1}}, {{0, 0, 1}, {4, 4, 1}}}));
  EXPECT_EQ(cut_grid({4, 2, 1}, 2), (std::vector<GridPiece>{{{0, 0, 0}, {4, 1, 1}}, {{0, 1, 0}, {4, 1, 1}}}));
  EXPECT_TRUE(cut_grid({0, 1, 1}, 2).empty());
}

}  // namespace
}  // namespace attnscope::vulkan
