// Changed inputs: other numbers of the same kind, and back.
#include "engine/attention/input_change.hpp"
#include "engine/attention/layout.hpp"
#include "tests/has.hpp"

namespace attnscope::input_change_test {

const std::vector<std::string> kProblems = words(
    "1x2x7x5:f32 1x1x3x5:f16 1x3x3x40:bf16 2x4x19x64:q=2:kv=1:dv=32:kvtype=q8_0:f16 1x2x9x20:kvtype=f8e4m3 "
    "2x6x40x8:q=30:sinks:mask=batch 1x2x33x8:mask:f16 2x2x45x16:page=8 varlen=3,9,5:2x8:f16 1x1x3x32:kv=1:kvtype=q8_0 "
    "1x2x3x32:kv=1:ktype=q4_0:vtype=q4_1 1x2x3x32:kv=1:ktype=q5_0:vtype=q5_1 1x2x9x64:dv=32:kvtype=iq4_nl:mla "
    "1x2x9x32:vtype=q8_0:topk=4 1x2x9x8:q=7:causal:topk=4 1x3x9x8:mask=causal 2x3x40x8:q=20:mask=causal");

/// All that may change.
auto contents(const Inputs& in) {
  return std::tie(in.q.bytes, in.k.bytes, in.v.bytes, in.sinks, in.mask.bytes, in.lists, in.page_table);
}
std::vector<float> values(const Tensor& t, uint64_t count) {
  std::vector<float> out(count);
  for (uint64_t i = 0; i < count; ++i) out[i] = t.at(i);
  return out;
}

TEST(InputChange, EveryTensorChangesAndComesBack) {
  for (const std::string& text : kProblems) {
    const Problem p = *parse_problem(text);
    const Inputs before = make_inputs(p, 3);
    Inputs in = before;
    change_inputs(p, in, 77);
    EXPECT_NE(in.q.bytes, before.q.bytes) << text;
    EXPECT_NE(in.k.bytes, before.k.bytes) << text;
    EXPECT_EQ(in.v.bytes != before.v.bytes, !p.mla) << text;
    EXPECT_EQ(in.lists != before.lists, p.topk != 0) << text;
    EXPECT_EQ(in.sinks != before.sinks, p.sinks) << text;
    EXPECT_EQ(in.mask.bytes != before.mask.bytes, p.mask != MaskKind::none) << text;
    EXPECT_EQ(in.page_table != before.page_table, p.page_size != 0) << text;
    EXPECT_EQ(in.offsets, before.offsets);
    Inputs other = before;
    change_inputs(p, other, 78);
    EXPECT_NE(other.q.bytes, in.q.bytes) << text << ": another seed is another change";
    change_inputs(p, in, 77);
    EXPECT_TRUE(contents(in) == contents(before)) << text;
    change_inputs(p, in, 0);
    EXPECT_TRUE(contents(in) == contents(before)) << text << ": seed 0 changes nothing";
  }
}

/// So that a kernel takes as long, and rounds as much.
TEST(InputChange, TheNumbersOfARowStayButForSignAndPlace) {
  for (const char* text : {"1x2x7x8:f32", "1x1x3x40:f16", "1x3x3x40:bf16"}) {
    const Problem p = *parse_problem(text);
    Inputs in = make_inputs(p, 3);
    std::vector<float> before = values(in.q, in.q.size());
    change_inputs(p, in, 5);
    std::vector<float> after = values(in.q, in.q.size());
    EXPECT_NE(before, after);
    size_t turned = 0;
    for (float& x : before) x = std::abs(x);
    for (float& x : after) {
      turned += std::signbit(x);
      x = std::abs(x);
    }
    EXPECT_GT(turned, after.size() / 4) << text;
    EXPECT_LT(turned, after.size() * 3 / 4) << text;
    for (size_t row = 0; row < before.size(); row += p.head_dim) {
      std::sort(before.begin() + row, before.begin() + row + p.head_dim);
      std::sort(after.begin() + row, after.begin() + row + p.head_dim);
    }
    EXPECT_EQ(before, after) << text;
  }
}

TEST(InputChange, SequencesGetPagesOfOthers) {
  for (const char* text : {"2x2x45x16:page=8", "3x1x64x16:page=16", "5x1x7x16:page=16"}) {
    const Problem p = *parse_problem(text);
    Inputs in = make_inputs(p, 3);
    const auto sorted = [&](uint32_t b) {
      const auto pages = std::span(in.page_table).subspan(b * p.pages(), p.pages());
      return std::set(pages.begin(), pages.end());
    };
    std::vector<std::set<uint32_t>> before;
    for (uint32_t b = 0; b < p.batch; ++b) before.push_back(sorted(b));
    change_inputs(p, in, 9);
    size_t others = 0;
    for (uint32_t b = 0; b < p.batch; ++b) others += sorted(b) != before[b];
    EXPECT_GE(others, 2u) << text;
  }
}

TEST(InputChange, SomePagesAndScalesAlone) {
  const Problem paged = *parse_problem("2x1x256x16:page=8");
  const Inputs was = make_inputs(paged, 3);
  Inputs in = was;
  change_inputs(paged, in, 9, 1u << uint32_t(InputTensor::pages) | kSomeRows);
  size_t same = 0;
  for (size_t i = 0; i < in.page_table.size(); ++i) same += in.page_table[i] == was.page_table[i];
  EXPECT_TRUE(same > 8 && same < in.page_table.size() - 8) << same;
  // Signs of scales; of q4_1 the least value's with them, and no more of it.
  const Problem packed = *parse_problem("1x2x64x32:kvtype=q4_1");
  const Inputs before = make_inputs(packed, 3);
  Inputs after = before;
  change_inputs(packed, after, 9);
  size_t turned = 0;
  for (size_t at = 0; at < before.k.bytes.size(); at += 20) {
    const auto differs = [&](size_t i) { return std::to_integer<int>(before.k.bytes[at + i] ^ after.k.bytes[at + i]); };
    EXPECT_TRUE(differs(0) == 0 && differs(2) == 0 && differs(1) == differs(3) && differs(1) % 128 == 0);
    turned += differs(1) != 0;
  }
  EXPECT_TRUE(turned > 32 && turned < 96) << turned;
}

TEST(InputChange, WhatIsNotFiniteStaysHiddenAndPoisonStaysUnread) {
  for (const char* text : {"2x6x40x8:q=30:mask=batch", "1x2x41x8:mask", "1x2x41x8:q=30:mask=causal"}) {
    const Problem masked = *parse_problem(text);
    Inputs in = make_inputs(masked, 5);
    const auto hidden = [&] {
      const std::vector<float> all = values(in.mask, in.mask.size());
      EXPECT_EQ(std::ranges::count(all, INFINITY), 0);
      return mapped(all, [](float x) { return x == -INFINITY; });
    };
    const auto before = hidden();
    change_inputs(masked, in, 9);
    const auto after = hidden();
    EXPECT_EQ(std::ranges::count(after, true), std::ranges::count(before, true)) << text;
    EXPECT_EQ(after == before, masked.mask == MaskKind::causal) << text;
  }
  const Problem alibi = *parse_problem("1x3x40x32:mask=alibi");
  Inputs distances = make_inputs(alibi, 5);
  change_inputs(alibi, distances, 9);
  EXPECT_EQ(distances.mask.bytes, make_inputs(alibi, 5).mask.bytes) << "a function of the place";
  // Lists are of distinct keys that the query sees.
  const Problem listed = *parse_problem("1x2x9x8:q=7:causal:topk=4");
  Inputs lists = make_inputs(listed, 5);
  change_inputs(listed, lists, 9);
  for (size_t row = 0; row < lists.lists.size() / 4; ++row) {
    const auto list = std::span(lists.lists).subspan(4 * row, std::min<size_t>(4, row % 7 + 3));
    EXPECT_LT(std::ranges::max(list), row % 7 + 3);
    EXPECT_EQ(std::set(list.begin(), list.end()).size(), list.size());
  }
  // Of a paged cache the rows that a sequence sees hold numbers, whatever pages changed places.
  const Problem paged = *parse_problem("2x2x45x16:page=8");
  Inputs pool = make_inputs(paged, 5);
  change_inputs(paged, pool, 9);
  const Layout layout(paged, pool.page_table);
  for (uint32_t b = 0; b < 2; ++b)
    for (uint32_t h = 0; h < 2; ++h)
      for (uint32_t j = 0; j < 45; ++j)
        for (uint32_t c = 0; c < 16; ++c)
          ASSERT_TRUE(std::isfinite(pool.k.at(layout.kv_row(b, h, j) * 16 + c))) << b << h << j;
}

/// A kernel may keep what it made of one tensor, and know by another that nothing changed.
TEST(InputChange, APartOfTheTensors) {
  const Problem p = *parse_problem("1x2x50x8");
  const auto bit = [](InputTensor tensor) { return 1u << uint32_t(tensor); };
  std::set<uint32_t> parts;
  for (uint32_t seed = 1; seed < 200; ++seed) {
    const std::vector<uint32_t> both = parts_of_tensors(p, seed);
    ASSERT_EQ(std::set(both.begin(), both.end()).size(), 8u);
    const uint32_t part = both[seed % 8];
    parts.insert(part & (bit(InputTensor::q) | bit(InputTensor::k) | bit(InputTensor::v)));
    Inputs in = make_inputs(p, 5), was = make_inputs(p, 5);
    change_inputs(p, in, seed, part);
    EXPECT_EQ(in.q.bytes != was.q.bytes, (part & bit(InputTensor::q)) != 0) << seed;
    EXPECT_EQ(in.k.bytes != was.k.bytes, (part & bit(InputTensor::k)) != 0) << seed;
    EXPECT_EQ(in.v.bytes != was.v.bytes, (part & bit(InputTensor::v)) != 0) << seed;
    // Some rows: few enough that a kernel may not see it in the others.
    size_t same = 0;
    for (uint64_t i = 0; i < in.k.size(); ++i) same += in.k.at(i) == was.k.at(i);
    EXPECT_TRUE((part & kSomeRows) == 0 || same > in.k.size() / 2) << seed;
    change_inputs(p, in, seed, part);
    EXPECT_TRUE(in.q.bytes == was.q.bytes && in.k.bytes == was.k.bytes && in.v.bytes == was.v.bytes);
  }
  EXPECT_EQ(parts.size(), 6u) << "one alone, or all but one";
  // With one tensor for both, V is K's.
  for (uint32_t seed = 1; seed < 200; ++seed)
    for (const uint32_t part : parts_of_tensors(*parse_problem("1x2x5x16:kv=1:dv=8:mla"), seed))
      EXPECT_NE(part & ~(bit(InputTensor::v) | kSomeRows), 0u);
  // Each other tensor alone, too.
  const std::vector<uint32_t> alone = parts_of_tensors(*parse_problem("1x2x40x16:mask:sinks:page=8"), 1);
  ASSERT_EQ(alone.size(), 12u);
  EXPECT_EQ(alone[8], bit(InputTensor::sinks));
  EXPECT_EQ(alone[9], bit(InputTensor::mask));
  EXPECT_EQ(alone[10], bit(InputTensor::pages));
  EXPECT_EQ(alone[11], bit(InputTensor::pages) | kSomeRows);
  EXPECT_EQ(parts_of_tensors(*parse_problem("1x32x4096x128"), 1).size(), 2u);
}

}  // namespace attnscope::input_change_test
