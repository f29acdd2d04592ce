#include "engine/vulkan/matrix_layout.hpp"

#include "engine/vulkan/kernels.hpp"

namespace attnscope::vulkan {
namespace {

constexpr uint32_t kMostElements = 32;  // of a lane, as the probe writes them

bool shares_rows(const MatrixCells& c, uint32_t lane, uint32_t other) {
  for (uint32_t i = 0; i < c.elements; ++i)
    if (c.accumulator[lane * c.elements + i] / c.n != c.accumulator[other * c.elements + i] / c.n) return false;
  return true;
}

/// MatrixLayout::row_lanes of a layout that is all else known.
uint32_t row_lanes_of(const MatrixCells& c, const MatrixLayout& layout) {
  const uint32_t lanes = layout.lane_mask + 1;
  if (lanes != 1 && lanes != 2 && lanes != 4) return 0;
  const uint32_t run = 8 / lanes, a_row = 1u << layout.row_shift;
  if (c.n % 8 != 0 || a_row * lanes != c.n) return 0;
  for (uint32_t lane = 0; lane < c.lanes; ++lane)
    for (uint32_t i = 0; i < c.elements; ++i) {
      const uint32_t row = lane / lanes + (layout.element_rows >> (4 * i) & 15);
      const uint32_t col = i % a_row / run * 8 + lane % lanes * run + i % run;
      if (c.accumulator[lane * c.elements + i] != row * c.n + col) return 0;
    }
  return lanes;
}

/// nullptr without such matrices.
const MatrixShape* first_f16_shape(const DeviceInfo& info) {
  if (!info.has("coopmat") || !info.has("shader_f16")) return nullptr;
  for (const MatrixShape& s : info.matrix_shapes)
    if (s.a == "f16" && s.b == "f16" && s.c == "f32" && s.result == "f32" && s.scope == "subgroup") return &s;
  return nullptr;
}

/// What the probe saw of an f16 shape; `elements` is 0 where it is too large, or too much of it lies in a lane.
Result<MatrixCells> probe(const Device& device, const MatrixShape& shape) {
  const DeviceInfo& info = device.info();
  MatrixCells cells{.m = shape.m, .n = shape.n, .k = shape.k, .lanes = info.limits.subgroup_size};
  if (shape.m * std::max(shape.n, shape.k) > 2048) return cells;
  const auto pipeline =
      TRY(make_pipeline(device, {.name = "matrix layout probe",
                                 .text = kernels("matrix_layout"),
                                 .constants = {{0, cells.lanes}, {1, cells.m}, {2, cells.n}, {3, cells.k}},
                                 .subgroup_size = info.has("subgroup_size_control") ? cells.lanes : 0}));
  auto buffer = TRY(Buffer::create(device, (4 + size_t{2} * cells.lanes * kMostElements) * sizeof(uint32_t)));
  TRY(buffer.fill(~0u));
  auto execution = TRY(Execution::create(device, {{pipeline, {1, 1, 1}, {}, {{0, buffer}}}}));
  TRY(execution.run());
  const auto found = TRY(buffer.contents<uint32_t>());
  if (found[0] != cells.lanes || found[1] > kMostElements) return cells;
  cells.elements = found[1];
  const auto take = [&](uint32_t first, std::vector<uint32_t>& into) {
    for (uint32_t lane = 0; lane < cells.lanes; ++lane)
      for (uint32_t i = 0; i < cells.elements; ++i) into.push_back(found[4 + (first + lane) * kMostElements + i]);
  };
  take(0, cells.accumulator);
  if (found[2] == cells.elements && cells.k == cells.n) take(cells.lanes, cells.a);
  return cells;
}

}  // namespace

std::optional<MatrixLayout> read_layout(const MatrixCells& c) {
  // Offsets travel as 4 bits an element in a 32-bit word.
  if (c.elements == 0 || c.elements > 8 || (c.elements & (c.elements - 1)) != 0 || c.m > 16 || c.n > 16 ||
      c.lanes * c.elements != c.m * c.n || c.accumulator.size() != size_t{c.lanes} * c.elements)
    return std::nullopt;
  if (std::set<uint32_t>(c.accumulator.begin(), c.accumulator.end()).size() != c.accumulator.size())
    return std::nullopt;

  MatrixLayout layout{.m = c.m, .n = c.n, .k = c.k, .elements = c.elements};
  const auto row = [&](uint32_t lane, uint32_t i) { return c.accumulator[lane * c.elements + i] / c.n; };
  const auto col = [&](uint32_t lane, uint32_t i) { return c.accumulator[lane * c.elements + i] % c.n; };
  for (uint32_t i = 0; i < c.elements; ++i) {
    if (row(0, i) < row(0, 0) || col(0, i) < col(0, 0)) return std::nullopt;
    const uint32_t down = row(0, i) - row(0, 0), right = col(0, i) - col(0, 0);
    layout.element_rows |= down << (4 * i);
    layout.element_cols |= right << (4 * i);
    for (uint32_t lane = 0; lane < c.lanes; ++lane)
      if (row(lane, i) != row(lane, 0) + down || col(lane, i) != col(lane, 0) + right) return std::nullopt;
  }
  while ((1u << (layout.row_shift + 1)) <= c.elements) {
    const uint32_t run = 1u << (layout.row_shift + 1);
    bool same = true;
    for (uint32_t i = 0; i < c.elements; ++i) same &= row(0, i) == row(0, i / run * run);
    if (!same) break;
    ++layout.row_shift;
  }
  // Distinct runs must be distinct rows, or a row's maximum would miss a part of it.
  for (uint32_t i = 0; i < c.elements; ++i)
    for (uint32_t j = 0; j < i; ++j)
      if ((i >> layout.row_shift) != (j >> layout.row_shift) && row(0, i) == row(0, j)) return std::nullopt;
  for (uint32_t bit = 1; bit < c.lanes; bit *= 2)
    if (shares_rows(c, 0, bit)) layout.lane_mask |= bit;
  for (uint32_t lane = 0; lane < c.lanes; ++lane)
    for (uint32_t other = 0; other < c.lanes; ++other) {
      const bool by_mask = ((lane ^ other) & ~layout.lane_mask) == 0;
      if (by_mask != shares_rows(c, lane, other)) return std::nullopt;
    }
  layout.row_lanes = row_lanes_of(c, layout);
  layout.a_like_accumulator = c.n == c.k && c.a == c.accumulator;
  return layout;
}

bool halves_columns(const MatrixLayout& layout, const MatrixCells& full, const MatrixCells& half) {
  if (layout.row_shift == 0 || half.m != full.m || half.k != full.k || 2 * half.n != full.n ||
      half.lanes != full.lanes || 2 * half.elements != full.elements)
    return false;
  const uint32_t row = 1u << (layout.row_shift - 1);  // elements
  for (uint32_t lane = 0; lane < half.lanes; ++lane)
    for (uint32_t i = 0; i < half.elements; ++i) {
      const uint32_t of_half = half.accumulator[lane * half.elements + i];
      const uint32_t of_full = full.accumulator[lane * full.elements + i / row * 2 * row + i % row];
      if (of_half / half.n != of_full / full.n || of_half % half.n != of_full % full.n) return false;
    }
  return true;
}

MatrixLayout layout_or_shape(const MatrixCells& c) {
  return read_layout(c).value_or(MatrixLayout{.m = c.m, .n = c.n, .k = c.k});
}

void describe_compile_only(const CompileOnly& known, DeviceInfo& info) {
  info.use = DeviceUse::compile;
  if (!known.name.empty()) info.name = known.name;
  if (info.limits.core_count == 0) info.limits.core_count = known.core_count;
  const MatrixShape* shape = first_f16_shape(info);
  if (shape == nullptr) return;
  info.matrix_layout = MatrixLayout{.m = shape->m, .n = shape->n, .k = shape->k};
  const auto& layout = known.matrix_layout;
  if (layout && layout->m == shape->m && layout->n == shape->n && layout->k == shape->k &&
      layout->elements * info.limits.subgroup_size == shape->m * shape->n)
    info.matrix_layout = layout;
}

Result<std::optional<MatrixLayout>> probe_matrix_layout(const Device& device) {
  const DeviceInfo& info = device.info();
  const MatrixShape* shape = first_f16_shape(info);
  if (shape == nullptr) return std::optional<MatrixLayout>{};
  const MatrixCells cells = TRY(probe(device, *shape));
  MatrixLayout layout = layout_or_shape(cells);
  MatrixShape half = *shape;
  half.n /= 2;
  const auto advertised = [&](const char* sum) {
    half.c = half.result = sum;
    return contains(info.matrix_shapes, half);
  };
  if (layout.elements > 1 && advertised("f16") && advertised("f32"))
    layout.half_columns = halves_columns(layout, cells, TRY(probe(device, half)));
  return std::optional(layout);
}

}  // namespace attnscope::vulkan
