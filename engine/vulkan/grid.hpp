// Cutting a grid of workgroups into boxes, so that long work can be submitted piece by piece.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace attnscope::vulkan {

struct GridPiece {
  std::array<uint32_t, 3> base{}, count{};
  bool operator==(const GridPiece&) const = default;
};

/// Covers `grid` exactly, in order, by about `pieces` boxes of nearly equal size: cut along z first, then y where
/// single z layers are still too big, then x. Fewer when the grid has fewer workgroups; never more than twice as many.
std::vector<GridPiece> cut_grid(const std::array<uint32_t, 3>& grid, uint32_t pieces);

}  // namespace attnscope::vulkan
