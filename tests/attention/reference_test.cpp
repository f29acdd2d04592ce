#include "tests/attention/judged.hpp"

namespace attnscope::reference_test {

Problem problem(const std::string& text) { return *parse_problem(text); }

/// The definition, for one dense and contiguous output row.
std::vector<double> naive_row(const Problem& p, const Inputs& in, uint64_t b, uint64_t h, uint64_t i) {
  const uint64_t kv = h / p.group(), q = ((b * p.heads_q + h) * p.seq_q + i) * p.head_dim;
  std::vector<double> weights, out(p.v_dim, 0.0);
  double sum = 0;
  if (p.sinks) sum = std::exp(double(in.sinks[h]));
  const int64_t own = int64_t(i) + p.seq_kv - p.seq_q;
  const auto list = in.lists.begin() + int64_t(((b * p.heads_kv + kv) * p.seq_q + i) * p.topk);
  for (uint64_t j = 0; j < p.seq_kv; ++j) {
    weights.push_back(0);
    if (p.sees_no_future() && int64_t(j) > own) continue;
    if (p.topk != 0 && std::find(list, list + p.topk, j) == list + p.topk) continue;
    if (p.window && (int64_t(j) <= own - p.window || int64_t(j) >= own + p.window)) continue;
    double score = 0;
    for (uint64_t c = 0; c < p.head_dim; ++c)
      score += double(in.q.at(q + c)) * in.k.at(((b * p.heads_kv + kv) * p.seq_kv + j) * p.head_dim + c);
    score *= p.softmax_scale();
    if (p.softcap != 0) score = p.softcap * std::tanh(score / p.softcap);
    if (p.mask != MaskKind::none && p.mask != MaskKind::causal)
      score += (p.mask == MaskKind::alibi ? alibi_slope(uint32_t(h), p.heads_q) : 1) *
               in.mask.at(((p.mask == MaskKind::batch ? b * p.seq_q : 0) + i) * p.seq_kv + j);
    sum += weights.back() = std::exp(score);
  }
  for (uint64_t j = 0; j < weights.size() && sum > 0; ++j)
    for (uint64_t c = 0; c < p.v_dim; ++c)
      out[c] += weights[j] / sum *
                in.values(p).at(((b * p.heads_kv + kv) * p.seq_kv + j) * (p.mla ? p.head_dim : p.v_dim) + c);
  return out;
}

struct AgainstDefinition : testing::TestWithParam<const char*> {};
TEST_P(AgainstDefinition, EveryRowAgrees) {
  const Problem p = problem(GetParam());
  const auto in = make_inputs(p, 11);
  const auto reference = make_reference(p, in, {}, 1);
  ASSERT_EQ(reference.rows.size(), uint64_t{p.batch} * p.heads_q * p.seq_q);
  ASSERT_EQ(reference.total_rows, reference.rows.size());
  const double own_tolerance = p.dtype == DType::f32 ? 2e-6 : p.dtype == DType::f16 ? 2e-3 : 2e-2;
  for (uint64_t r = 0; r < reference.rows.size(); ++r) {
    ASSERT_EQ(reference.rows[r], r);
    const RowId id = row_id(p, r);
    const auto expected = naive_row(p, in, id.batch, id.head, id.query);
    for (uint64_t c = 0; c < p.v_dim; ++c) {
      ASSERT_NEAR(reference.exact[r * p.v_dim + c], expected[c], expected[c] == 0 ? 0 : 1e-12)
          << GetParam() << " row " << r;
      ASSERT_NEAR(reference.own[r * p.v_dim + c], expected[c], own_tolerance) << GetParam() << " row " << r;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Reference, AgainstDefinition,
                         testing::Values("1x1x1x1", "1x2x7x5", "2x3x20x16:dv=8", "1x6x19x8:kv=2", "1x7x9x8:kv=1:causal",
                                         "1x2x10x8:q=4:causal", "2x2x4x8:q=10:causal", "1x2x300x24:q=3",
                                         "1x2x513x8:q=5:causal:f16", "1x2x20x16:f16", "1x2x20x16:bf16",
                                         "1x2x20x16:scale=0.7", "1x2x20x16:in=onehot", "1x2x20x8:window=3",
                                         "1x2x600x8:q=9:causal:window=300", "1x2x9x8:q=20:window=4",
                                         "1x2x20x8:causal:window=1", "1x2x20x16:softcap=1.5", "1x4x20x16:causal:sinks",
                                         "1x2x4x8:q=10:causal:sinks", "2x3x20x8:mask", "2x3x20x8:q=5:mask=batch:causal",
                                         "1x6x20x8:mask=alibi:causal", "1x2x1x8:q=30:mask",
                                         "2x4x40x16:q=50:kv=2:mask=causal", "2x4x40x16:q=50:kv=2:mask=causal:window=7",
                                         "1x2x20x8:window=20", "1x2x20x8:causal:window=1000000000",
                                         "1x4x20x64:kv=2:kvtype=q8_0", "1x4x20x24:kvtype=f8e4m3",
                                         "2x4x30x32:kv=2:causal:window=7:softcap=3:sinks:mask=batch:kvtype=q8_0",
                                         "1x4x20x64:kv=2:dv=32:ktype=q4_0:vtype=q5_1", "1x4x20x64:vtype=iq4_nl",
                                         "2x6x20x64:q=2:kv=1:dv=32:mla:kvtype=q5_0", "1x4x300x24:q=3:dv=16:mla",
                                         "1x4x300x16:q=3:kv=2:topk=270", "2x4x30x16:kv=2:causal:topk=12:sinks:mask",
                                         "1x2x9x16:q=20:causal:topk=5:dv=8:mla"));

/// Without the bounds that the reference knows, nothing else is seen.
TEST(Options, ACausalMaskInMemorySaysItAlone) {
  const Problem p = problem("1x1x6x8:q=4:mask=causal:window=2");
  const Inputs in = make_inputs(p, 1);
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 6; ++j) EXPECT_EQ(in.mask.at(i * 6 + j) == 0, j == i + 1 || j == i + 2) << i << " " << j;
}

/// Where inputs make an option matter so little that rounding covers it, a kernel without it would pass.
TEST(Options, AKernelThatLeavesOneOutIsWrongHoweverItRounds) {
  for (const auto& [text, without] : {std::pair{"1x2x256x64:q=4:softcap=50:bf16", "1x2x256x64:q=4:bf16"},
                                      {"1x2x2048x64:q=4:softcap=50:bf16", "1x2x2048x64:q=4:bf16"},
                                      {"1x2x2048x64:q=4:softcap=100:f16", "1x2x2048x64:q=4:f16"},
                                      {"1x2x65536x32:q=1:sinks:f16", "1x2x65536x32:q=1:f16"},
                                      {"1x2x65536x32:q=1:sinks:softcap=30:bf16", "1x2x65536x32:q=1:softcap=30:bf16"},
                                      {"1x32x8192x32:q=1:window=4096:bf16", "1x32x8192x32:q=1:window=4097:bf16"}}) {
    Judged c(text);
    const Reference left_out = make_reference(problem(without), c.inputs, {}, 1);
    for (const auto& [r, right] : {std::pair<const Reference*, bool>{&c.reference, true}, {&left_out, false}}) {
      for (size_t i = 0; i < r->own.size(); ++i) c.output.set(i, r->own[i]);
      EXPECT_EQ(judge(c.problem, c.reference, c.output, "").pass, right) << text;
    }
  }
}

TEST(Options, SlopesOfAlibiAreThePapers) {
  EXPECT_EQ(alibi_slope(0, 8), 0.5);
  EXPECT_EQ(alibi_slope(7, 8), 0x1p-8);
  EXPECT_NEAR(alibi_slope(0, 16), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(alibi_slope(3, 4), 0x1p-8);
  EXPECT_EQ(alibi_slope(4, 6), 0.5);  // between the slopes of 4 heads
  EXPECT_EQ(alibi_slope(5, 6), 0x1p-3);
  EXPECT_EQ(alibi_slope(0, 1), 0x1p-8);
}

TEST(Reference, PagedEqualsContiguous) {
  const Problem paged = problem("2x4x77x16:q=3:kv=2:page=16:causal:f16"),
                flat = problem("2x4x77x16:q=3:kv=2:causal:f16");
  const auto a = make_reference(paged, make_inputs(paged, 9), {}, 1),
             b = make_reference(flat, make_inputs(flat, 9), {}, 1);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.own, b.own);
}

TEST(Reference, PackedSequencesEqualSeparateProblems) {
  const Problem packed = problem("varlen=3,11,6:4x8:kv=2:dv=5:causal");
  const auto in = make_inputs(packed, 4);
  const auto whole = make_reference(packed, in, {}, 1);
  EXPECT_EQ(whole.total_rows, 20u * 4);
  ASSERT_EQ(whole.rows.size(), 20u * 4);
  size_t at = 0;
  for (uint32_t s = 0; s < 3; ++s) {
    const uint32_t n = packed.varlen[s], first = in.offsets[s];
    Problem one = problem("1x4x1x8:kv=2:dv=5:causal");
    one.seq_q = one.seq_kv = n;
    Inputs mine = make_inputs(one, 0);
    for (uint32_t i = 0; i < n; ++i) {
      for (uint32_t h = 0; h < 4; ++h)
        for (uint32_t c = 0; c < 8; ++c) mine.q.set((h * n + i) * 8 + c, in.q.at(((first + i) * 4 + h) * 8 + c));
      for (uint32_t h = 0; h < 2; ++h) {
        for (uint32_t c = 0; c < 8; ++c) mine.k.set((h * n + i) * 8 + c, in.k.at(((first + i) * 2 + h) * 8 + c));
        for (uint32_t c = 0; c < 5; ++c) mine.v.set((h * n + i) * 5 + c, in.v.at(((first + i) * 2 + h) * 5 + c));
      }
    }
    const auto part = make_reference(one, mine, {}, 1);
    for (size_t r = 0; r < part.rows.size(); ++r, ++at) {
      const RowId id = row_id(packed, whole.rows[at]), own = row_id(one, part.rows[r]);
      ASSERT_EQ(id, (RowId{s, own.head, own.query}));
      for (uint32_t c = 0; c < 5; ++c) ASSERT_EQ(whole.exact[at * 5 + c], part.exact[r * 5 + c]);
    }
  }
  EXPECT_EQ(at, whole.rows.size());
}

TEST(Reference, SamplesEveryHeadOfLargeProblems) {
  const Problem p = problem("2x6x400x16:kv=3");
  const auto in = make_inputs(p, 2);
  const auto all = make_reference(p, in, {}, 1, 1e12), some = make_reference(p, in, {}, 1, 1e5);
  EXPECT_EQ(some.total_rows, 2u * 6 * 400);
  EXPECT_LT(some.rows.size(), 200u);
  std::set<uint64_t> rows(some.rows.begin(), some.rows.end());
  EXPECT_EQ(rows.size(), some.rows.size());
  EXPECT_TRUE(std::ranges::is_sorted(some.rows));
  for (uint64_t h = 0; h < 12; ++h) {
    EXPECT_TRUE(rows.contains(h * 400)) << h;
    EXPECT_TRUE(rows.contains(h * 400 + 399)) << h;
    EXPECT_GE(std::distance(rows.lower_bound(h * 400), rows.lower_bound(h * 400 + 400)), 3) << h;
  }
  for (size_t r = 0; r < some.rows.size(); ++r)
    for (uint32_t c = 0; c < 16; ++c)
      ASSERT_EQ(some.exact[r * 16 + c], all.exact[some.rows[r] * 16 + c]) << "a sampled row differs from the full run";
  EXPECT_EQ(make_reference(p, in, {}, 1, 1e5).rows, some.rows);
  EXPECT_NE(make_reference(p, in, {}, 2, 1e5).rows, some.rows);
}

TEST(Reference, OfSomeHeadsTakesNoMoreRowsThanTheBudget) {
  const Problem p = problem("2x64x400x16");
  const auto in = make_inputs(p, 2);
  const double row = 4.0 * 16 * 400;
  for (const double rows : {0.0, 4.0, 50.0}) {
    const auto some = make_reference(p, in, {}, 1, rows * row, nullptr, Heads::some);
    EXPECT_LE(some.rows.size(), std::max(rows, 4.0));
    EXPECT_GE(some.rows.size(), 1u);
    EXPECT_TRUE(std::ranges::is_sorted(some.rows));
    EXPECT_EQ(std::ranges::adjacent_find(some.rows), some.rows.end());
  }
  EXPECT_EQ(make_reference(p, in, {}, 1, 1e12, nullptr, Heads::some).rows.size(), 2u * 64 * 400);
}

double largest_error(const char* text, Precision precision) {
  const Problem p = problem(text);
  const auto r = make_reference(p, make_inputs(p, 6), precision, 1);
  double most = 0;
  for (size_t i = 0; i < r.exact.size(); ++i) most = std::max(most, std::abs(r.own[i] - r.exact[i]));
  return most;
}

TEST(Reference, OwnPrecisionIsTheVariants) {
  const auto error = [](Precision precision) { return largest_error("1x1x400x64:f32", precision); };
  const double full = error({DType::f32, DType::f32}), rounded = error({DType::f32, DType::f16}),
               half = error({DType::f16, DType::f16});
  EXPECT_GT(full, 0);
  EXPECT_LT(full, 2e-6);
  EXPECT_GT(rounded, 10 * full);
  EXPECT_GT(half, 3 * rounded);
  EXPECT_LT(half, 0.1);
  // One key far above the others: the output is its V, so the error is that of V's representation and no sum's.
  const auto one_hot = [](Precision precision) { return largest_error("1x1x64x64:in=onehot:f32", precision); };
  const double whole = one_hot({}), pairs = one_hot({.f16_pairs = true});
  EXPECT_GT(pairs, whole);
  EXPECT_LT(pairs, 1e-4) << "22 bits of scores that reach a hundred";
  EXPECT_GT(one_hot({.probabilities = DType::f16, .f16_pairs = true}), 10 * pairs);
  const auto packed = [](DType kv) {
    return largest_error("1x1x64x64:in=large:kvtype=q8_0:f32", {DType::f32, DType::f32, DType::f32, false, kv});
  };
  EXPECT_GT(packed(DType::f16), 10 * packed(DType::f32));
  EXPECT_GT(packed(DType::bf16), 3 * packed(DType::f16));
}

TEST(Reference, OfEachRowItIsToldWhetherOneKeyLeadsAndWhetherF16HoldsIt) {
  struct Keys {
    std::array<float, 2> k{}, v{}, mask{};
  };
  // Two keys: of Q the first element is 1, of K and V it is as given; all others are 0.
  const auto of = [](const Keys& keys, const char* options = "scale=1", DType accumulate = DType::f16) {
    const Problem p = problem(std::string("1x1x2x8:q=1:mask:f32:") + options);
    Inputs in = make_inputs(p, 1);
    for (Tensor* t : {&in.q, &in.k, &in.v}) std::ranges::fill(t->bytes, std::byte{0});
    in.q.set(0, 1);
    for (uint32_t j = 0; j < 2; ++j) {
      in.k.set(uint64_t{8} * j, keys.k[j]);
      in.v.set(uint64_t{8} * j, keys.v[j]);
      in.mask.set(j, keys.mask[j]);
    }
    return make_reference(p, in, {.accumulate = accumulate}, 1);
  };
  const auto leads = [&](auto... as) { return of(as...).leads.at(0) != 0; };
  const auto fits = [&](auto... as) { return of(as...).fits.at(0) != 0; };
  EXPECT_TRUE(leads(Keys{.k = {0, 40}}));
  EXPECT_FALSE(leads(Keys{.k = {0, 24}})) << "the other is seen";
  EXPECT_FALSE(leads(Keys{.k = {500, 525.5f}})) << "rounding may bring them nearer";
  EXPECT_FALSE(leads(Keys{.k = {0, 40}}, "scale=1:sinks")) << "the sink may weigh more";
  EXPECT_FALSE(leads(Keys{.k = {0, 40}}, "scale=1", DType::f32)) << "all rows are judged";
  EXPECT_TRUE(fits(Keys{.k = {0, 16000}, .v = {60, 60}, .mask = {-16000, 0}}));
  EXPECT_FALSE(fits(Keys{.k = {0, 17000}}));
  EXPECT_FALSE(fits(Keys{.k = {0, 5000}}, "scale=4"));
  EXPECT_FALSE(fits(Keys{.k = {17000, 0}, .mask = {-INFINITY, 0}})) << "Inf and -Inf are NaN";
  EXPECT_FALSE(fits(Keys{.mask = {-17000, 0}}));
  EXPECT_FALSE(fits(Keys{.mask = {-9000, 0}}, "scale=0.5")) << "added before the scale";
  EXPECT_FALSE(fits(Keys{.v = {70, 70}}));
  EXPECT_TRUE(fits(Keys{.k = {0, 40}, .v = {120, 60}}));
  EXPECT_FALSE(fits(Keys{.k = {0, 40}, .v = {130, 60}})) << "until the other key is met it leads";
  EXPECT_FALSE(fits(Keys{.k = {40, 0}, .v = {60, 130}})) << "in whatever order";
  const auto sound = [&](float k) { return sound_rows(problem("1x1x2x8:q=1:f32"), 1, of(Keys{.k = {0, k}})); };
  EXPECT_FALSE(sound(5).overflows);
  EXPECT_TRUE(sound(60000).overflows) << "sums of another order may";
  EXPECT_EQ(std::tuple(sound(60000).leads, sound(60000).fits),
            std::tuple(std::vector<uint8_t>{1}, std::vector<uint8_t>{0}));
  EXPECT_TRUE(sound(70000).overflows && sound(70000).rows.empty());
}

TEST(Reference, StopsWhenCancelled) {
  const Problem p = problem("4x8x256x64");
  const std::atomic<bool> cancel{true};
  EXPECT_TRUE(make_reference(p, make_inputs(p, 1), {}, 1, 1e12, &cancel).rows.empty());
}

}  // namespace attnscope::reference_test
