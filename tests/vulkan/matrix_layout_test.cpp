// The reading of matrix layouts, on layouts of real hardware written down as numbers. No GPU.
#include "engine/vulkan/matrix_layout.hpp"

#include <gtest/gtest.h>

namespace attnscope::vulkan {
namespace {

// NVIDIA since Volta: a lane has two columns of four 8x8 quarters.
MatrixCells quarters() {
  MatrixCells c{.m = 16, .n = 16, .k = 16, .lanes = 32, .elements = 8};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i)
      c.accumulator.push_back((lane / 4 + 8 * (i / 4)) * 16 + 2 * (lane % 4) + i % 2 + 8 * (i / 2 % 2));
  c.a = c.accumulator;
  return c;
}
// RDNA 3 at wave32: a lane has one column, every other row of it.
MatrixCells columns() {
  MatrixCells c{.m = 16, .n = 16, .k = 16, .lanes = 32, .elements = 8};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i) c.accumulator.push_back((2 * i + lane / 16) * 16 + lane % 16);
  return c;
}

TEST(MatrixLayout, ReadsQuarters) {
  const auto layout = read_layout(quarters());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->row_shift, 2u);
  EXPECT_EQ(layout->lane_mask, 3u);
  EXPECT_EQ(layout->element_rows, 0x88880000u);
  EXPECT_EQ(layout->element_cols, 0x98109810u);
  EXPECT_TRUE(layout->a_like_accumulator);
}

TEST(MatrixLayout, ReadsColumns) {
  const auto layout = read_layout(columns());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->row_shift, 0u);
  EXPECT_EQ(layout->lane_mask, 15u);
  EXPECT_EQ(layout->element_cols, 0u);
  EXPECT_FALSE(layout->a_like_accumulator);
}

TEST(MatrixLayout, RefusesWhatIsNotRegular) {
  auto swapped = quarters();
  std::swap(swapped.accumulator[3], swapped.accumulator[8 * 5 + 6]);
  EXPECT_FALSE(read_layout(swapped));
  auto twice = quarters();
  twice.accumulator[1] = twice.accumulator[0];
  EXPECT_FALSE(read_layout(twice));
  auto unseen = quarters();
  unseen.accumulator.pop_back();
  EXPECT_FALSE(read_layout(unseen));
  EXPECT_FALSE(read_layout(MatrixCells{}));
}

TEST(MatrixLayout, KeepsTheShapeOfWhatIsNotRegular) {
  auto swapped = quarters();
  swapped.k = 8;
  std::swap(swapped.accumulator[3], swapped.accumulator[8 * 5 + 6]);
  EXPECT_EQ(layout_or_shape(swapped), (MatrixLayout{.m = 16, .n = 16, .k = 8}));
  EXPECT_EQ(layout_or_shape({.m = 64, .n = 64, .k = 16, .lanes = 64}), (MatrixLayout{.m = 64, .n = 64, .k = 16}));
  EXPECT_EQ(layout_or_shape(quarters()), *read_layout(quarters()));
}

}  // namespace
}  // namespace attnscope::vulkan
