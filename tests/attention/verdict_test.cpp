// Verdicts on results, right ones and wrong ones; and where a result is wrong.
#include "engine/attention/error_map.hpp"
#include "tests/attention/judged.hpp"

namespace attnscope::verdict_test {

struct Case : Judged {
  using Judged::Judged;
  Verdict verdict(bool guard = true) const { return judge(problem, reference, output, guard ? "" : "the output"); }
};

void expect_fail(const Verdict& v, const char* part) {
  EXPECT_FALSE(v.pass);
  EXPECT_TRUE(has(v.reason, part));
}

TEST(Verdict, PassesACorrectResult) {
  for (const char* text : {"1x2x20x16:f32", "1x2x20x16:f16", "1x2x20x16:bf16", "varlen=3,9:4x8:kv=2",
                           "1x1x4x8:q=10:causal", "1x4x64x64:in=large:f32", "1x4x64x64:in=onehot:f16"}) {
    const Case c(text);
    const Verdict v = c.verdict();
    EXPECT_TRUE(v.pass) << text << ": " << v.reason;
    EXPECT_TRUE(v.reason.empty());
    EXPECT_EQ(v.rows_checked, v.rows_total);
    EXPECT_GE(v.allowed_max_abs, 1e-5);
    EXPECT_LE(v.max_abs, v.allowed_max_abs);
    EXPECT_GE(v.allowed_nmse, least_nmse(c.problem.dtype));
    EXPECT_LT(v.allowed_nmse, 1e-4);
  }
}

/// Matrix units that add products to a far mask round each of the sums toward zero.
TEST(Verdict, PassesProductsAddedToAFarMask) {
  const Problem p = *parse_problem("1x2x450x136:q=40:causal:mask:f16");
  Inputs in = make_inputs(p, 1);
  Extremes far = extremes(p, in, 503);
  std::swap(in.q, far.q);
  std::swap(in.k, far.k);
  std::swap(in.v, far.v);
  std::swap(in.mask, far.mask);
  const uint64_t row = 1;
  const Reference reference = make_reference_of(p, in, {.probabilities = DType::f16}, {row});
  const auto toward_zero = [](double x) {
    const auto y = float(x);
    return std::abs(double(y)) > std::abs(x) ? std::nextafter(y, 0.0f) : y;
  };
  const auto slope = float(p.softmax_scale());
  const uint32_t keys = Layout(p, {}).visible(0, row);
  std::vector<float> scores;
  for (uint32_t key = 0; key < keys; ++key) {
    float sum = in.mask.at(row * p.seq_kv + key) / slope;
    for (uint32_t first = 0; first < p.head_dim; first += 16) {
      double part = sum;
      for (uint32_t c = first; c < std::min(first + 16, p.head_dim); ++c)
        part += double(in.q.at(row * p.head_dim + c)) * in.k.at(uint64_t{key} * p.head_dim + c);
      sum = toward_zero(part);
    }
    scores.push_back(sum * slope);
  }
  const float most = std::ranges::max(scores);
  std::vector<double> o(p.v_dim);
  double sum = 0;
  for (uint32_t key = 0; key < keys; ++key) {
    const double weight = std::exp(double(scores[key] - most));
    sum += weight;
    for (uint32_t c = 0; c < p.v_dim; ++c) o[c] += weight * in.v.at(uint64_t{key} * p.v_dim + c);
  }
  Tensor output{p.dtype, std::vector<std::byte>(p.o_elements() * 2)};
  for (uint32_t c = 0; c < p.v_dim; ++c) output.set(row * p.v_dim + c, float(o[c] / sum));
  const Verdict v = judge(p, reference, output, "", 4);
  EXPECT_TRUE(v.pass) << v.reason;
  EXPECT_GT(v.row_nmse, 1e-4);
}

TEST(Verdict, LeavesOutARowThatOverflowsUnlessItFitsOrWasNeverWritten) {
  const Problem p = *parse_problem("1x1x4x8:f16");
  Reference all = make_reference(p, make_inputs(p, 1), {.accumulate = DType::f16}, 1);
  all.fits = {1, 0, 0, 0};
  Tensor output{p.dtype, poison(p.dtype, p.o_elements())};
  for (const uint64_t row : {0, 1, 3})
    for (uint64_t c = 0; c < p.v_dim; ++c) output.set(row * p.v_dim + c, 1);
  for (const uint64_t i : {0, 8, 9}) output.set(i, i == 9 ? NAN : INFINITY);
  const Reference rows = without_overflow(p, all, output);
  EXPECT_EQ(rows.rows, (std::vector<uint64_t>{0, 2, 3}));
  EXPECT_EQ(rows.exact.size(), 3 * p.v_dim);
  EXPECT_TRUE(std::isinf(output.at(0)) && holds_poison(output, 16));
  EXPECT_EQ(std::tuple(output.at(8), output.at(9), output.at(10)), std::tuple(0.0f, 0.0f, 1.0f));
}

TEST(Verdict, PassesAResultRoundedTowardZero) {
  for (const char* text : {"1x8x256x64:f16", "1x8x256x64:bf16", "1x2x40x64:f16"}) {
    Case c(text);
    for (size_t i = 0; i < c.reference.exact.size(); ++i) {
      const uint64_t at = c.element(c.reference, i);
      const double exact = c.reference.exact[i];
      // The magnitude's bits are in the order of the numbers.
      if (std::abs(c.output.at(at)) <= std::abs(exact)) continue;
      uint16_t bits = 0;
      std::memcpy(&bits, c.output.bytes.data() + 2 * at, 2);
      --bits;
      std::memcpy(c.output.bytes.data() + 2 * at, &bits, 2);
    }
    EXPECT_TRUE(c.verdict().pass) << text << ": " << c.verdict().reason;
    EXPECT_GT(c.verdict().nmse, 0.7 * c.verdict().allowed_nmse) << text;
  }
}

TEST(Verdict, WhichNeighbourIsStoredIsChanceAndTheNextOneIsWrong) {
  for (const char* text : {"1x4x64x64:f16", "1x4x64x64:bf16"}) {
    Case c(text);
    // One element between two neighbours, nearer to the first than any other error of the CPU run; the second is
    // stored.
    const double allowed = allowed_errors(c.problem, c.reference).max_abs;
    size_t at = 0;
    for (size_t i = 0; i < c.reference.exact.size(); ++i)
      if (std::abs(c.reference.exact[i]) > std::abs(c.reference.exact[at])) at = i;
    const double expected = c.reference.exact[at];
    const int fraction = c.problem.dtype == DType::f16 ? 10 : 7;
    const double apart = std::ldexp(1.0, std::ilogb(expected) - fraction);
    const uint64_t element = c.element(c.reference, at);
    const auto stored = [&](double error) {
      // The storable value nearest to expected + error.
      c.output.set(element, float(expected + error));
      return std::abs(c.output.at(element) - expected);
    };
    if (stored(allowed + 0.25 * apart) <= allowed + 0.5 * apart) {
      EXPECT_TRUE(c.verdict().pass) << text << ": " << c.verdict().reason;
    }
    ASSERT_GT(stored(allowed + 1.6 * apart), allowed + 0.5 * apart) << text;
    expect_fail(c.verdict(), "Max abs error");
  }
}

TEST(Verdict, FailsAnUnwrittenElementAnywhere) {
  Case c("1x3x50x16", 1e3);
  ASSERT_LT(c.reference.rows.size(), 150u);
  // Row 1 of head 0 or its neighbours may be sampled; take an element of a row that is not.
  uint64_t row = 0;
  while (std::ranges::find(c.reference.rows, row) != c.reference.rows.end()) ++row;
  std::memcpy(c.output.bytes.data() + 4 * (row * 16 + 5), poison(DType::f32, 1).data(), 4);
  const Verdict v = c.verdict();
  EXPECT_EQ(v.unwritten_count, 1u);
  EXPECT_EQ(v.nan_count, 0u);
  expect_fail(v, ("1 of 2,400 output elements were never written; the first is at batch 0, head 0, query " +
                  std::to_string(row) + ", dim 5")
                     .c_str());
}

TEST(Verdict, TellsNanFromUnwritten) {
  for (const char* text : {"1x2x20x16:f32", "1x2x20x16:f16", "1x2x20x16:bf16"}) {
    Case c(text);
    c.output.set(17, std::numeric_limits<float>::quiet_NaN());
    c.output.set(18, std::numeric_limits<float>::infinity());
    const Verdict v = c.verdict();
    EXPECT_EQ(std::tuple(v.nan_count, v.not_finite, v.unwritten_count),
              std::tuple(2u, (NotFinite{0, 0, 1, 1, {}}), 0u));
    EXPECT_TRUE(std::isfinite(v.max_abs) && std::isfinite(v.nmse) && std::isfinite(v.mean_abs));
    expect_fail(v, "2 of 640 output elements are NaN or Inf; the first is at batch 0, head 0, query 1, dim 1");
  }
}

TEST(Verdict, NamesRowsThatSeeNoKey) {
  for (const char* text : {"1x2x8x8:q=20:causal", "2x2x17x8:mask=batch"}) {
    Case c(text);
    for (size_t i = 0; i < c.output.size(); ++i)
      if (c.output.at(i) == 0) c.output.set(i, std::numeric_limits<float>::quiet_NaN());
    EXPECT_GT(c.verdict().nan_count, 0u);
    EXPECT_TRUE(has(c.verdict().reason, "rows that see no key")) << text;
    c.output.set(c.output.size() - 1, std::numeric_limits<float>::quiet_NaN());
    EXPECT_FALSE(has(c.verdict().reason, "rows that see no key")) << text;
  }
}

TEST(Verdict, FailsABrokenGuardAnotherSizeWhatIsNotZeroWhereNoKeyIsSeenAndWithoutAReference) {
  Case c("1x2x20x16"), blind("1x1x4x8:q=10:causal"), none("1x2x20x16");
  expect_fail(c.verdict(false), "beyond the end");
  c.output.bytes.resize(40);
  expect_fail(c.verdict(), "holds 10 elements");
  c.output = {DType::f16, poison(DType::f16, 640)};
  expect_fail(c.verdict(), "f16");
  blind.output.set(0, 0.5f);
  expect_fail(blind.verdict(), "got 0.5, expected 0");
  none.reference = {};
  expect_fail(none.verdict(), "No row was compared");
}

TEST(Verdict, FailsOneWrongElementByItsSize) {
  Case c("1x2x40x16:f16");
  const uint64_t at = (1 * 40 + 7) * 16 + 3;
  const float right = c.output.at(at);
  c.output.set(at, right + 0.0015f);  // far below what NMSE alone would notice
  const Verdict v = c.verdict();
  EXPECT_LT(v.nmse, v.allowed_nmse);
  expect_fail(v, "Max abs error");
  const auto worst = must(v.worst);
  EXPECT_EQ(std::tuple(worst->head, worst->query, worst->dim), std::tuple(1u, 7u, 3u));
}

TEST(Verdict, APrecisionThatOverflowsOrLosesMostIsNoYardstick) {
  const Precision half{.accumulate = DType::f16, .probabilities = DType::f16};
  Case wide("1x2x300x64:q=8:in=wide:bf16");
  wide.reference = make_reference(wide.problem, wide.inputs, half, 1, 1e9);
  expect_fail(wide.verdict(), "overflows");
  EXPECT_EQ(wide.verdict().allowed_nmse, 0);
  expect_fail(wide.verdict(false), "beyond the end");
  // Sums of bf16 stand still after some hundred keys: what leaves out a quarter of them is as good.
  const Precision coarse{.accumulate = DType::bf16, .probabilities = DType::bf16};
  Case c("1x1x20000x32:q=2:kv=1:bf16");
  c.reference = make_reference(c.problem, c.inputs, coarse, 1, 1e9);
  const Verdict slack = judge(c.problem, c.reference, c.output, "", 4);
  EXPECT_LE(slack.allowed_nmse, kMostNmse);
  EXPECT_LE(slack.allowed_row_nmse.value(), kMostRowNmse);
  for (uint64_t i = 0; i < c.output.size(); ++i) c.output.set(i, 1.4f * c.output.at(i));
  expect_fail(c.verdict(), "NMSE");
}

TEST(Verdict, ARowsErrorStandsBesideWhatIsAllowedOfIt) {
  Case c("1x4x64x64:f16");
  EXPECT_LE(c.verdict().row_nmse, c.verdict().allowed_row_nmse.value());
  for (uint32_t i = 0; i < 64; ++i) c.output.set(i, 1.003f * c.output.at(i));
  expect_fail(c.verdict(), "of the row at batch 0, head 0, query 0");
  EXPECT_GT(c.verdict().row_nmse, c.verdict().allowed_row_nmse.value());
  // Two narrow rows together, of which the second lacks a part.
  Case narrow("1x2x20x16:f16");
  EXPECT_LE(narrow.verdict().row_nmse, narrow.verdict().allowed_row_nmse.value());
  for (uint32_t i = 16; i < 32; ++i) narrow.output.set(i, 1.003f * narrow.output.at(i));
  expect_fail(narrow.verdict(), "of the row at batch 0, head 0, query 1");
}

struct Mapped : Judged {
  explicit Mapped(const char* text) : Judged(text, 1e12) {}
  void set(uint32_t b, uint32_t h, uint32_t q, uint32_t d, float value) { output.set(index(b, h, q, d), value); }
  ErrorMap map(uint32_t b, uint32_t h, uint32_t cells = 64, uint32_t elements = 8) const {
    const Reference slice = make_reference_of(problem, inputs, {}, rows_of_head(problem, b, h, 1, 1e12));
    return make_error_map(problem, reference, slice, b, h, output, cells, elements);
  }
};

TEST(ErrorMapTest, ARightResultHasNoFailingElement) {
  const ErrorMap map = Mapped("2x3x20x8").map(1, 2);
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
  Mapped c("1x2x20x8");
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
  Mapped c("2x2x10x4:f16");
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
  Mapped c("1x1x100x40");
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
  Mapped c("varlen=7,30,5:3x8");
  c.set(1, 2, 29, 1, 4);
  const ErrorMap map = c.map(1, 2);
  EXPECT_EQ(std::tuple(map.queries, map.failing, map.first[0].query), std::tuple(30u, 1u, 29u));
  EXPECT_EQ(c.map(2, 2).failing, 0u);
  ASSERT_TRUE(c.map(2, 2).first_of_all);
  EXPECT_EQ(c.map(2, 2).first_of_all->batch, 1u);
}

}  // namespace attnscope::verdict_test
