#include "engine/attention/tensor.hpp"
#include "engine/attention/layout.hpp"
#include "engine/attention/packed_types.hpp"
#include "engine/attention/rounded.hpp"
#include "tests/has.hpp"

namespace attnscope::tensor_test {

Problem problem(const char* text) { return *parse_problem(text); }

/// The value of a binary16, by its definition.
double half_value(uint16_t h) {
  const int exponent = (h >> 10) & 31, fraction = h & 1023;
  const double sign = h & 0x8000 ? -1 : 1;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

TEST(Half, ReadsAndWritesEveryPattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto h = uint16_t(bits);
    const float f = half_to_float(h);
    if (((h >> 10) & 31) == 31 && (h & 1023)) {
      ASSERT_TRUE(std::isnan(f));
      ASSERT_EQ(float_to_half(f), h | 0x200);
    } else if (((h >> 10) & 31) == 31) {
      ASSERT_TRUE(std::isinf(f));
      ASSERT_EQ(float_to_half(f), h);
    } else {
      ASSERT_EQ(double(f), half_value(h));
      ASSERT_EQ(std::signbit(f), (h & 0x8000) != 0);
      ASSERT_EQ(float_to_half(f), h);
    }
  }
}

TEST(Half, RoundingIsTheConversionThereAndBack) {
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4093) {
    const float x = std::bit_cast<float>(uint32_t(bits));
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(Rounded<DType::f16>()(x)));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(Rounded<DType::f16>()(x)),
              std::bit_cast<uint32_t>(half_to_float(float_to_half(x))))
        << x;
    ASSERT_EQ(std::bit_cast<uint32_t>(Rounded<DType::bf16>()(x)),
              std::bit_cast<uint32_t>(bfloat_to_float(float_to_bfloat(x))))
        << x;
  }
}

TEST(Half, RoundsToNearestEvenBetweenNeighbours) {
  for (uint16_t h = 0; h < 0x7bff; ++h) {
    const double low = half_value(h), high = half_value(uint16_t(h + 1)), middle = (low + high) / 2;
    const auto even = uint16_t(h & 1 ? h + 1 : h);
    ASSERT_EQ(float_to_half(float(middle)), even);
    ASSERT_EQ(float_to_half(std::nextafter(float(middle), 0.0f)), h);
    ASSERT_EQ(float_to_half(std::nextafter(float(middle), 1e9f)), h + 1);
    ASSERT_EQ(float_to_half(-float(middle)), even | 0x8000);
  }
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Bfloat, ReadsAndWritesEveryPattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto h = uint16_t(bits);
    const float f = bfloat_to_float(h);
    ASSERT_EQ(float_to_bfloat(f), std::isnan(f) ? h | 0x40 : h);
    if (!std::isfinite(f) || h == 0x7f7f || h == 0xff7f) continue;
    const float next = bfloat_to_float(uint16_t(h + 1));
    ASSERT_EQ(float_to_bfloat(f / 2 + next / 2), (h & 1) ? h + 1 : h);
  }
}

TEST(F8E4M3, ReadsAndWritesEveryPattern) {
  EXPECT_EQ(f8e4m3_to_float(0x7e), 448.0f);
  EXPECT_EQ(f8e4m3_to_float(0x08), 0x1p-6f);
  EXPECT_EQ(f8e4m3_to_float(0x01), 0x1p-9f);
  EXPECT_EQ(f8e4m3_to_float(0xb8), -1.0f);
  EXPECT_TRUE(std::isnan(f8e4m3_to_float(0x7f)));
  for (uint32_t bits = 0; bits < 256; ++bits) {
    const float value = f8e4m3_to_float(uint8_t(bits));
    EXPECT_EQ(float_to_f8e4m3(value), bits) << bits;
    if ((bits & 0x7f) >= 0x7e) continue;
    // Between neighbours to the nearer one, and from the middle to the even one.
    const float next = f8e4m3_to_float(uint8_t(bits + 1)), middle = (value + next) / 2;
    EXPECT_EQ(float_to_f8e4m3(middle), bits + (bits & 1)) << bits;
    EXPECT_EQ(float_to_f8e4m3(std::nextafter(middle, value)), bits);
    EXPECT_EQ(float_to_f8e4m3(std::nextafter(middle, next)), bits + 1);
  }
  EXPECT_EQ(float_to_f8e4m3(1e30f), 0x7e);
  EXPECT_EQ(float_to_f8e4m3(-460.0f), 0xfe);
}

/// What is not said is 0. Worked out by hand, each with a scale of 1; the bytes that are not said are `rest`.
struct Block {
  KvType type;
  std::map<int, float> values;
  std::vector<int> head;
  std::map<int, int> bytes;
  int rest;
};
TEST(PackedTypes, BlocksAreAsGgmlLaysThemOut) {
  for (const Block& b : {
           Block{KvType::q8_0, {{0, -127}, {1, 100}, {16, 3}}, {0, 0x3c}, {{0, 0x81}, {1, 100}, {16, 3}}, 0},
           {KvType::q4_0, {{0, -8}, {1, 7}, {16, 3}}, {0, 0x3c}, {{0, 0xb0}, {1, 0x8f}}, 0x88},
           {KvType::q4_1, {{0, -1}, {1, 14}, {16, 3}}, {0, 0x3c, 0, 0xbc}, {{0, 0x40}, {1, 0x1f}}, 0x11},
           {KvType::q5_0, {{0, -16}, {1, 15}, {16, 3}}, {0, 0x3c, 0xfe, 0xff, 0xff, 0xff}, {{0, 0x30}, {1, 0x0f}}, 0},
           {KvType::q5_1, {{0, -1}, {1, 30}, {16, 20}}, {0, 0x3c, 0, 0xbc, 2, 0, 1, 0}, {{0, 0x50}, {1, 0x1f}}, 0x11},
           // Its value next to 0 is 1.
           {KvType::iq4_nl, {{0, -127}, {1, 113}, {16, 25}}, {0, 0x3c}, {{0, 0xa0}, {1, 0x8f}}, 0x88},
       }) {
    const PackedType& type = packed_type(b.type);
    ASSERT_EQ(type.type, b.type);
    ASSERT_EQ(b.head.size(), type.header) << type.name;
    std::vector<float> row(64, 0.0f);
    for (const auto& [at, value] : b.values) row[size_t(at)] = value;
    row[32 + 5] = 0.75f;
    Tensor t{DType::f16, std::vector<std::byte>(2 * type.bytes), b.type};
    for (size_t i = 0; i < 2; ++i) type.pack(row.data() + 32 * i, t.bytes.data() + i * type.bytes);
    for (size_t i = 0; i < type.bytes; ++i) {
      const int at = int(i) - int(type.header);
      const int expected = at < 0 ? b.head[i] : b.bytes.contains(at) ? b.bytes.at(at) : b.rest;
      EXPECT_EQ(std::to_integer<int>(t.bytes[i]), expected) << type.name << " byte " << i;
    }
    for (size_t e = 0; e < 32; ++e)
      EXPECT_EQ(t.at(e), row[e] != 0 || b.type != KvType::iq4_nl ? row[e] : 1.0f) << type.name << " " << e;
    // The next block has a scale of its own, rounded to f16.
    EXPECT_NEAR(t.at(32 + 5), 0.75f, 2e-3) << type.name;
    EXPECT_NEAR(t.at(32 + 6), 0, 1e-2) << type.name;
    std::vector<float> all(64);
    t.read(0, 64, all.data());
    for (size_t e = 0; e < 64; ++e) EXPECT_EQ(all[e], t.at(e)) << type.name;
  }
  const std::vector<float> zeros(32, 0.0f);
  for (const PackedType& type : packed_types()) {
    Tensor t{DType::f16, std::vector<std::byte>(type.bytes), type.type};
    type.pack(zeros.data(), t.bytes.data());
    for (size_t e = 0; e < type.block; ++e) EXPECT_EQ(t.at(e), 0.0f) << type.name;
  }
}

TEST(Tensor, SetsAndReadsBackInEachDtypeAndItsPoisonSurvives) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    Tensor t{dtype, poison(dtype, 3)};
    EXPECT_EQ(t.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(t.at(uint64_t(i))));
    t.set(1, -1.5f);
    EXPECT_EQ(t.at(1), -1.5f);
    EXPECT_TRUE(std::isnan(t.at(0)) && std::isnan(t.at(2)));
  }
  EXPECT_EQ(float_to_half(half_to_float(uint16_t(poison_bits(DType::f16)))), poison_bits(DType::f16));
  EXPECT_EQ(float_to_bfloat(bfloat_to_float(uint16_t(poison_bits(DType::bf16)))), poison_bits(DType::bf16));
  // What 0/0 gives on common hardware is another NaN.
  for (const uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7fffffffu}) EXPECT_NE(poison_bits(DType::f32), nan);
}

uint64_t checksum(const Tensor& t) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte b : t.bytes) hash = (hash ^ uint64_t(b)) * 0x100000001b3u;
  return hash;
}

TEST(Inputs, AreTheSameBitsEverywhere) {
  const auto in = make_inputs(problem("2x3x17x40:f32"), 42);
  // FNV-1a of the bytes, from an implementation of the generator in another language: a change of generator, compiler
  // or machine that moves one bit is seen.
  EXPECT_EQ(checksum(in.q), 0x4541c69814650633u);
  EXPECT_EQ(checksum(make_inputs(problem("2x3x17x40:in=ramp:f16"), 42).k), 0x8a0bb52cf556702u);
  EXPECT_EQ(checksum(in.q), checksum(make_inputs(problem("2x3x17x40:f32"), 42).q));
  EXPECT_NE(checksum(in.q), checksum(make_inputs(problem("2x3x17x40:f32"), 43).q));
  EXPECT_NE(checksum(in.q), checksum(in.k));
  EXPECT_NE(checksum(in.k), checksum(in.v));
}

TEST(Inputs, StayFiniteInEveryKindAndDtypeAndOneHotKeysHoldOneEntry) {
  for (const char* kind : {"normal", "large", "onehot", "ramp"})
    for (const char* dtype : {"f32", "f16", "bf16"})
      for (const char* shape : {"1x2x50x64", "1x1x3x1", "1x1x4x8192", "1x1x2x65536"}) {
        const auto in = make_inputs(problem((std::string(shape) + ":in=" + kind + ":" + dtype).c_str()), 3);
        for (const Tensor* t : {&in.q, &in.k, &in.v})
          for (uint64_t i = 0; i < t->size(); ++i) ASSERT_TRUE(std::isfinite(t->at(i))) << kind << " " << dtype;
      }
  const auto one_hot = make_inputs(problem("1x2x20x40:in=onehot:f16"), 3);
  for (uint64_t row = 0; row < 40; ++row) {
    int entries = 0;
    for (uint64_t c = 0; c < 40; ++c) entries += one_hot.k.at(row * 40 + c) != 0;
    EXPECT_EQ(entries, 1) << row;
  }
}

TEST(Inputs, WideOnesPassWhatF16HoldsAtBothEndsAndHaveTheScoresOfNormalOnes) {
  for (const char* dtype : {"f32", "bf16"}) {
    const auto wide = make_inputs(problem((std::string("1x2x50x64:in=wide:") + dtype).c_str()), 3);
    const auto normal = make_inputs(problem((std::string("1x2x50x64:") + dtype).c_str()), 3);
    float most = 0;
    for (uint64_t i = 0; i < wide.k.size(); ++i) {
      EXPECT_EQ(wide.q.at(i), normal.q.at(i) * kWideFactor);
      EXPECT_EQ(wide.k.at(i), normal.k.at(i) / kWideFactor);
      most = std::max(most, std::abs(wide.v.at(i)));
      EXPECT_LT(std::abs(wide.k.at(i)), 6.1e-5f) << "f16's least normal";
    }
    EXPECT_GT(most, 65504.0f);
  }
}

TEST(Layout, PagesHoldTheContiguousRowsAndPoisonAfterThem) {
  const Problem paged = problem("2x4x37x8:kv=2:q=1:page=16:f16"), plain = problem("2x4x37x8:kv=2:q=1:f16");
  const auto in = make_inputs(paged, 5), flat = make_inputs(plain, 5);
  EXPECT_EQ(in.q.bytes, flat.q.bytes);
  ASSERT_EQ(in.page_table.size(), 6u);
  auto sorted = in.page_table;
  std::ranges::sort(sorted);
  for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_NE(in.page_table, sorted) << "a permutation that is the identity tests nothing";
  ASSERT_EQ(in.k.size(), paged.k_elements());
  const Layout layout(paged, in.page_table), straight(plain, {});
  uint64_t finite = 0;
  for (uint32_t b = 0; b < 2; ++b)
    for (uint32_t h = 0; h < 2; ++h)
      for (uint32_t j = 0; j < 37; ++j)
        for (uint32_t c = 0; c < 8; ++c) {
          ASSERT_EQ(in.k.at(layout.kv_row(b, h, j) * 8 + c), flat.k.at(straight.kv_row(b, h, j) * 8 + c));
          ASSERT_EQ(in.v.at(layout.kv_row(b, h, j) * 8 + c), flat.v.at(straight.kv_row(b, h, j) * 8 + c));
        }
  for (uint64_t i = 0; i < in.k.size(); ++i) finite += std::isfinite(in.k.at(i));
  EXPECT_EQ(finite, flat.k.size());
}

TEST(Inputs, PackedOnesAreTheRoundedNumbers) {
  for (const PackedType& type : packed_types()) {
    const auto text = [&](const std::string& more) { return "1x4x19x64:q=2:kv=1:dv=32" + more + ":f16"; };
    const Problem p = *parse_problem(text(":ktype=f8e4m3:vtype=" + std::string(type.name)));
    const Inputs exact = make_inputs(*parse_problem(text("")), 5);
    const Inputs in = make_inputs(p, 5);
    ASSERT_EQ(in.v.bytes.size(), p.v_bytes());
    EXPECT_EQ(in.k.packed, KvType::f8e4m3);
    for (uint64_t i = 0; i < p.v_elements(); ++i)
      EXPECT_NEAR(in.v.at(i), exact.v.at(i), type.bits == 4 ? 0.35 : type.block == 32 ? 0.02 : 0.13) << type.name << i;
  }
}

TEST(Inputs, ListsHoldKeysThatAQuerySeesOnceEach) {
  const Problem p = *parse_problem("2x6x40x8:q=30:kv=2:causal:topk=20");
  const Inputs in = make_inputs(p, 5);
  ASSERT_EQ(in.lists.size(), 2u * 2 * 30 * 20);
  EXPECT_NE(in.lists, make_inputs(p, 6).lists);
  const Layout layout(p, {});
  for (uint32_t b = 0; b < 2; ++b)
    for (uint32_t h = 0; h < 2; ++h)
      for (uint32_t i = 0; i < 30; ++i) {
        const auto first = in.lists.begin() + int64_t(layout.list_row(b, h, i));
        const uint32_t keys = layout.visible(b, i), count = std::min(keys, 20u);
        const std::set<uint32_t> listed(first, first + count);
        EXPECT_EQ(listed.size(), count);
        EXPECT_LT(*listed.rbegin(), keys);
        EXPECT_EQ(std::count(first, first + 20, kNoKey), 20 - count);
      }
}

TEST(Inputs, SinksAndMasksAreSeededAndSpread) {
  const Problem p = *parse_problem("2x6x40x8:q=30:sinks:mask=batch");
  const Inputs in = make_inputs(p, 5);
  EXPECT_EQ(in.sinks, make_inputs(p, 5).sinks);
  EXPECT_NE(in.sinks, make_inputs(p, 6).sinks);
  ASSERT_EQ(in.sinks.size(), 6u);
  ASSERT_EQ(in.mask.size(), 2u * 30 * 40);
  size_t closed = 0;
  for (uint64_t i = 0; i < in.mask.size(); ++i) {
    closed += std::isinf(in.mask.at(i));
    EXPECT_FALSE(in.mask.at(i) > 7 || std::isnan(in.mask.at(i)));
  }
  EXPECT_GT(closed, 600u);
  EXPECT_LT(closed, 1000u);
  // Of some rows a tile of keys is hidden, of one row in each batch all keys.
  const auto hidden = [](const Inputs& of, uint64_t row, uint32_t first, uint32_t count, uint32_t keys) {
    for (uint32_t key = first; key < first + count; ++key)
      if (!std::isinf(of.mask.at(row * keys + key))) return false;
    return true;
  };
  for (uint64_t row = 0; row < 60; ++row) {
    int tiles = 0;
    for (uint32_t tile = 0; tile < 5; ++tile) tiles += hidden(in, row, 8 * tile, 8, 40);
    EXPECT_GE(tiles, 1) << row;
    EXPECT_EQ(hidden(in, row, 0, 40, 40), row % 30 == 13) << row;
  }
  EXPECT_FALSE(hidden(make_inputs(*parse_problem("1x2x64x8:q=1:mask"), 5), 0, 0, 64, 64)) << "a query alone sees some";
  const Inputs alibi = make_inputs(*parse_problem("2x6x4x8:q=3:mask=alibi"), 5);
  const std::vector<float> distances{-1, 0, -1, -2, -2, -1, 0, -1, -3, -2, -1, 0};
  for (uint64_t i = 0; i < 12; ++i) EXPECT_EQ(alibi.mask.at(i), distances[i]);
  const Inputs plain = make_inputs(*parse_problem("2x6x4x8"), 5);
  EXPECT_EQ(plain.sinks.size() + plain.mask.bytes.size(), 0u);
}

TEST(Extremes, NoRowOfACausalMaskLosesAllItsKeys) {
  const Problem p = problem("1x1x16x32:mask=causal:f16");
  const Inputs in = make_inputs(p, 1);
  size_t hidden = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const Extremes out = extremes(p, in, seed);
    for (uint64_t i = 0; i < 16; ++i) {
      bool sees = false;
      for (uint64_t j = 0; j <= i; ++j) {
        const bool seen = std::isfinite(out.mask.at(i * 16 + j));
        sees = sees || seen;
        hidden += !seen;
      }
      EXPECT_TRUE(sees) << "query " << i << ", seed " << seed;
    }
  }
  EXPECT_GT(hidden, 100u);
}

double square_of(const Tensor& t, uint64_t first, uint32_t dims) {
  std::vector<float> row(dims);
  t.read(first, dims, row.data());
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

// A kernel may raise its maximum in some lanes alone, and leave keys out that are far below it.
TEST(Extremes, OfFewQueriesKeysInAllLanesLeadBeyondExpAndOneLeadsByAllThatStillShows) {
  const Problem p = problem("1x16x1024x64:q=1:kv=8:f16");
  const Inputs in = make_inputs(p, 1);
  std::set<uint64_t> lanes;
  size_t alone = 0;
  for (uint64_t seed = 1; seed < 9; ++seed) {
    const Extremes out = extremes(p, in, seed);
    for (uint64_t h = 0; h < 16; ++h) {
      std::vector<double> scores(1024);
      double most = -INFINITY;
      for (uint64_t j = 0; j < 1024; ++j) {
        for (uint64_t c = 0; c < 64; ++c)
          scores[j] += out.q.at(h * 64 + c) * out.k.at((h / 2 * 1024 + j) * 64 + c) * p.softmax_scale();
        if (j > 0 && scores[j] > most + 89) lanes.insert(j % 64);
        most = std::max(most, scores[j]);
      }
      std::ranges::sort(scores);
      alone += most > scores[1022] + 5 && most > scores[512] + 11.5 && most < scores[512] + 15;
    }
  }
  EXPECT_EQ(lanes.size(), 64u);
  EXPECT_GE(alone, 5u);
}

// A kernel may look at all elements of all three tensors.
TEST(Extremes, ScoresOfACalmHeadAreBeyondExpThoughNoElementIsLargerThanWhatIsDrawn) {
  const Problem p = problem("1x16x100x64:q=40:f32");
  const Inputs in = make_inputs(p, 1);
  const Extremes out = extremes(p, in, 5);
  const auto most = [](const Tensor& t, uint64_t first, uint64_t count) {
    float x = 0;
    for (uint64_t i = first; i < first + count; ++i) x = std::max(x, std::fabs(t.at(i)));
    return x;
  };
  size_t calm = 0, one_sided = 0;
  for (uint32_t h = 0; h < 16; ++h) {
    const HeadExtreme head = head_extreme(p, 5, 0, h);
    float least = INFINITY;
    for (uint64_t j = 0; j < 100; ++j) least = std::min(least, out.v.at((h * 100 + j) * 64) * out.v.at(h * 6400));
    one_sided += least >= 0;
    if (!head.points || head.outliers || !head.calm) continue;
    ++calm;
    EXPECT_LT(std::max({most(out.q, h * 2560, 2560), most(out.k, h * 6400, 6400), most(out.v, h * 6400, 6400)}), 3.5f);
    double score = 0;
    for (uint64_t i = 0; i < 40 * 100; ++i) {
      double sum = 0;
      for (uint64_t c = 0; c < 64; ++c)
        sum += out.q.at((h * 40 + i / 100) * 64 + c) * out.k.at((h * 100 + i % 100) * 64 + c);
      score = std::max(score, sum / 8);
    }
    EXPECT_GT(score, 89);
  }
  EXPECT_EQ(calm, 2u);
  EXPECT_GE(one_sided, 2u);
}

// At any length and head dim a row that lies below does, also where both signs of Q have their stairs.
TEST(Extremes, RowsBelowLieBelowBesideStairs) {
  for (const char* text : {"1x8x128x64:q=1:f16", "1x8x256x64:q=1:f16", "1x8x256x8:q=1:f16"}) {
    const Problem p = problem(text);
    const Inputs in = make_inputs(p, 1);
    size_t below = 0, near = 0;
    for (uint64_t seed = 1; seed < 17; ++seed) {
      const Extremes out = extremes(p, in, seed);
      for (uint64_t h = 0; h < 8; ++h) {
        if (head_extreme(p, seed, 0, uint32_t(h)).points || row_extreme(seed, h) != RowExtreme::below) continue;
        double most = 0;
        for (uint64_t j = 0; j < p.seq_kv; ++j) {
          double score = 0;
          for (uint64_t c = 0; c < p.head_dim; ++c)
            score += out.q.at(h * p.head_dim + c) * out.k.at((h * p.seq_kv + j) * p.head_dim + c) * p.softmax_scale();
          most = std::max(most, std::abs(score));
        }
        ++below;
        near += most < 30;
      }
    }
    EXPECT_GT(below, 2u) << text;
    EXPECT_EQ(near, 0u) << text;
  }
}

// Lists of fewer keys than topk end in what is no key.
TEST(Extremes, ShortListsPointAtTheirKeysAlone) {
  const Problem p = problem("3x2x107x96:causal:mask=alibi:topk=83:f16");
  const Inputs in = make_inputs(p, 31);
  for (uint64_t seed = 1; seed < 9; ++seed) EXPECT_EQ(extremes(p, in, seed).lists.size(), in.lists.size());
}

TEST(Extremes, WhereQDoesNotPointKIsLargeInSomeDimensions) {
  const Problem p = problem("2x4x100x64:f16");
  const Inputs in = make_inputs(p, 1);
  for (uint64_t seed = 1; seed < 9; ++seed) {
    const Extremes out = extremes(p, in, seed);
    for (uint32_t b = 0; b < 2; ++b)
      for (uint32_t h = 0; h < 4; ++h) {
        size_t large = 0;
        for (uint64_t j = 0; j < 100; ++j) large += square_of(out.k, ((b * 4 + h) * 100 + j) * 64, 64) > 500 * 500;
        const bool points = head_extreme(p, seed, b, h).points;
        EXPECT_EQ(large == 100, !points) << b << " " << h << " " << seed;
        EXPECT_EQ(points, (b + h) % 2 == (head_extreme(p, seed, 0, 0).points ? 0 : 1));
      }
  }
}

TEST(Extremes, SomeRowsOfAMaskShowWhatOthersHideAndHideWhatOthersShow) {
  for (const char* text : {"1x1x128x32:mask=causal:f16", "1x1x128x32:mask:f16"}) {
    const Problem p = problem(text);
    const Inputs in = make_inputs(p, 1);
    const Extremes out = extremes(p, in, 3);
    size_t shown = 0, hidden = 0, rows = 0;
    for (uint64_t row = 0; row < 128; ++row) {
      const size_t before = shown + hidden;
      for (uint64_t i = row * 128; i < row * 128 + 128; ++i) {
        shown += std::isinf(in.mask.at(i)) && !std::isinf(out.mask.at(i));
        hidden += !std::isinf(in.mask.at(i)) && std::isinf(out.mask.at(i));
      }
      rows += shown + hidden > before;
    }
    const bool causal = p.mask == MaskKind::causal;
    EXPECT_EQ(shown > 0, !causal) << text;
    EXPECT_GT(hidden, 0u) << text;
    EXPECT_GE(rows, 32u) << text;
    EXPECT_LE(rows, causal ? 96u : 56u) << text;
  }
}

TEST(Extremes, AllScoresOfMostRowsAreFarFromZeroAndCodesAreAny) {
  const Problem p = problem("1x4x100x128:q=40:kvtype=f8e4m3:f16");
  const Inputs in = make_inputs(p, 1);
  const Extremes out = extremes(p, in, 9);
  size_t below = 0, above = 0;
  std::vector<float> q(128), k(128);
  for (uint64_t r = 0; r < 160; ++r) {
    out.q.read(r * 128, 128, q.data());
    double least = 1e9, most = -1e9;
    for (uint64_t j = 0; j < 100; ++j) {
      out.k.read((r / 40 * 100 + j) * 128, 128, k.data());
      const double s = std::inner_product(q.begin(), q.end(), k.begin(), 0.0) * p.softmax_scale();
      least = std::min(least, s);
      most = std::max(most, s);
    }
    below += most < -100;
    above += most > 100;
  }
  EXPECT_GT(below, 15u);
  EXPECT_GT(above, 20u);
  EXPECT_TRUE(std::ranges::any_of(out.v.bytes, [](std::byte b) { return b == std::byte{0xfe}; })) << "-448";
  EXPECT_TRUE(std::ranges::none_of(out.v.bytes, [](std::byte b) { return (b & std::byte{0x7f}) == std::byte{0x7f}; }));
}

}  // namespace attnscope::tensor_test
