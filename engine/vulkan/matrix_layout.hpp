// How a device lays every cooperative matrix of one type over lanes: a kernel that knows it keeps softmax in registers.
#pragma once

#include "engine/vulkan/device.hpp"

namespace attnscope::vulkan {

/// Cells as a probe saw them: cell[lane * elements + i] = row * n + column of element i of that lane.
struct MatrixCells {
  uint32_t m = 0, n = 0, k = 0, lanes = 0, elements = 0;
  std::vector<uint32_t> accumulator{};
  std::vector<uint32_t> a{};  ///< empty when an A matrix has another shape or another number of elements a lane
};
/// nullopt for a layout that kernels cannot use: rows of a lane are not runs of 2^row_shift, lanes that share rows
/// differ in part of a bit, or a cell's place depends on more than its lane's first cell and the element.
std::optional<MatrixLayout> read_layout(const MatrixCells&);

/// MatrixLayout::half_columns, given the cells of an accumulator of half as many columns. Pure.
bool halves_columns(const MatrixLayout&, const MatrixCells& full, const MatrixCells& half);

/// The same as read_layout(), or the shape alone with no elements: enough for a kernel that assumes no layout. Pure.
MatrixLayout layout_or_shape(const MatrixCells&);

/// Makes `info` that of a compile-only device: name, cores, and the layout where it is of the first f16 shape.
void describe_compile_only(const CompileOnly&, DeviceInfo& info);

/// Runs a tiny shader on the first f16 x f16 -> f32 subgroup shape. nullopt without one; the shape alone if refused.
Result<std::optional<MatrixLayout>> probe_matrix_layout(const Device&);

}  // namespace attnscope::vulkan
