// Where a result is wrong, of results made wrong by hand.
#include "engine/attention/error_map.hpp"
#include "tests/attention/judged.hpp"

namespace attnscope::error_map_test {

struct Case : Judged {
  explicit Case(const char* text) : Judged(text, 1e12) {}
  void set(uint32_t b, uint32_t h, uint32_t q, uint32_t d, float value) { output.set(index(b, h, q, d), value); }
  ErrorMap map(uint32_t b, uint32_t h, uint32_t cells = 64, uint32_t elements = 8) const {
    const Reference slice = make_reference_of(problem, inputs, {}, rows_of_head(problem, b, h, 1, 1e12));
    return make_error_map(problem, reference, slice, b, h, output, cells, elements);
  }
};

TEST(ErrorMapTest, ARightResultHasNoFailingElement) {
  const ErrorMap map = Case("2x3x20x8").map(1, 2);
  EXPECT_EQ(map.failing, 0u);
  EXPECT_TRUE(map.first.empty());
  EXPECT_FALSE(map.first_of_all);
  EXPECT_EQ(
      std::tuple(map.queries, map.dims, map.rows_checked, map.rows, map.columns, map.cells.size(), map.heads.size()),
      std::tuple(20u, 8u, 20u, 20u, 8u, 160u, 6u));
  EXPECT_LE(map.nmse, map.allowed_nmse);
  const auto worst = must(map.worst);
  EXPECT_LE(std::abs(worst->got - worst->expected), worst->allowed);
}

TEST(ErrorMapTest, FailingElementsAreListedInTheOrderOfTheirIndexAndMarkTheirCells) {
  Case c("1x2x20x8");
  const float right = c.output.at(c.index(0, 1, 17, 3));
  c.set(0, 1, 17, 3, right + 2);
  c.set(0, 1, 4, 7, 9);
  c.set(0, 1, 4, 6, -9);
  const ErrorMap map = c.map(0, 1);
  EXPECT_EQ(map.failing, 3u);
  ASSERT_EQ(map.first.size(), 3u);
  EXPECT_EQ(std::tuple(map.first[0].dim, map.first[1].dim, map.first[2].query), std::tuple(6u, 7u, 17u));
  EXPECT_NEAR(map.first[2].got - map.first[2].expected, 2, 1e-5);
  EXPECT_GT(map.cells[17 * 8 + 3], 1);
  EXPECT_LE(map.cells[17 * 8 + 2], 1);
  EXPECT_EQ(map.worst->query, 4u);
  EXPECT_EQ(must(map.first_of_all)->query, 4u);
  EXPECT_EQ(map.first_of_all->dim, 6u);
  EXPECT_EQ(worst_head(c.problem, c.reference, c.output), std::pair(0u, 1u));
  EXPECT_LE(map.heads[0], 1);
  EXPECT_GT(map.heads[1], 1);
  EXPECT_EQ(c.map(0, 1, 64, 2).first.size(), 2u) << "the list has an end, the count has none";
  EXPECT_EQ(c.map(0, 1, 64, 2).failing, 3u);
}

TEST(ErrorMapTest, WhatIsNoNumberIsFoundInEveryHeadAndSaysWhatItIs) {
  Case c("2x2x10x4:f16");
  c.set(1, 0, 3, 2, std::numeric_limits<float>::infinity());
  c.set(0, 1, 5, 1, std::numeric_limits<float>::quiet_NaN());
  const uint64_t unwritten = c.index(0, 1, 5, 2);
  const std::vector<std::byte> bytes = poison(c.problem.dtype, 1);
  std::copy(bytes.begin(), bytes.end(), c.output.bytes.begin() + std::ptrdiff_t(2 * unwritten));
  const ErrorMap map = c.map(0, 1);
  EXPECT_EQ(map.unwritten, 1u);
  EXPECT_EQ(map.not_finite, 1u);
  ASSERT_EQ(map.first.size(), 2u);
  EXPECT_EQ(std::tuple(map.first[0].what, map.first[1].what, map.cells[5 * 4 + 1]),
            std::tuple("NaN", "never written", kNotANumber));
  EXPECT_EQ(map.heads[2], kNotANumber) << "batch 1, head 0";
  EXPECT_EQ(c.map(1, 0).first[0].what, "Inf");
  EXPECT_EQ(c.map(1, 1).first_of_all->head, 1u) << "the first of all is in another head";
  EXPECT_TRUE(std::isfinite(map.max_abs) && std::isfinite(map.nmse));
}

TEST(ErrorMapTest, ACellIsTheWorstOfItsElementsHoweverFewCellsThereAre) {
  Case c("1x1x100x40");
  c.set(0, 0, 99, 39, 50);
  const ErrorMap map = c.map(0, 0, 16);
  EXPECT_EQ(std::tuple(map.cell_queries, map.cell_dims, map.rows, map.columns), std::tuple(7u, 3u, 15u, 14u));
  ASSERT_EQ(map.cells.size(), 15u * 14u);
  EXPECT_GT(map.cells.back(), 1);
  for (size_t i = 0; i + 1 < map.cells.size(); ++i) EXPECT_LE(map.cells[i], 1) << i;
}

TEST(ErrorMapTest, ASampleOfRowsHasTheEndsTheRowThatIsWrongAndOneOfEachStretch) {
  const Problem p = *parse_problem("2x3x4000x16");
  const double row = problem_flops(p) / (2 * 3 * 4000.0);
  const uint64_t first = (1 * 3 + 2) * 4000;
  const std::vector<uint64_t> rows = rows_of_head(p, 1, 2, 7, 40 * row, {first + 2137, 5});
  EXPECT_GE(rows.size(), 40u);
  EXPECT_LE(rows.size(), 43u);
  EXPECT_EQ(rows.front(), first);
  EXPECT_EQ(rows.back(), first + 3999);
  EXPECT_TRUE(std::ranges::binary_search(rows, first + 2137));
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i] - rows[i - 1], 201u) << "at most two stretches";
  EXPECT_EQ(rows_of_head(p, 1, 2, 7, 1e12).size(), 4000u);
}

TEST(ErrorMapTest, PackedSequencesHaveTheirOwnLengths) {
  Case c("varlen=7,30,5:3x8");
  c.set(1, 2, 29, 1, 4);
  const ErrorMap map = c.map(1, 2);
  EXPECT_EQ(std::tuple(map.queries, map.failing, map.first[0].query), std::tuple(30u, 1u, 29u));
  EXPECT_EQ(c.map(2, 2).failing, 0u);
  ASSERT_TRUE(c.map(2, 2).first_of_all);
  EXPECT_EQ(c.map(2, 2).first_of_all->batch, 1u);
}

}  // namespace attnscope::error_map_test
