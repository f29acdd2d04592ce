#include "engine/attention/tensor.hpp"

#include "engine/attention/layout.hpp"
#include "engine/attention/packed_types.hpp"
#include "engine/attention/parallel.hpp"

namespace attnscope {
namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

void store_as(DType dtype, std::byte* at, float v) {
  if (dtype == DType::f32) return store(at, v);
  store(at, dtype == DType::f16 ? float_to_half(v) : float_to_bfloat(v));
}

void store_row(DType dtype, std::byte* at, const std::vector<float>& row) {
  for (size_t i = 0; i < row.size(); ++i) store_as(dtype, at + i * dtype_bytes(dtype), row[i]);
}

void store_kv_row(KvType type, DType dtype, std::byte* at, const std::vector<float>& row) {
  if (type == KvType::as_dtype) return store_row(dtype, at, row);
  const PackedType& packed = packed_type(type);
  for (size_t i = 0; i < row.size(); i += packed.block, at += packed.bytes) packed.pack(row.data() + i, at);
}

/// SplitMix64's finalizer (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A stream of 64-bit numbers, any of them by its index.
struct Stream {
  uint64_t key;
  Stream(uint64_t seed, uint64_t tensor) : key(mix(mix(seed + 0x9e3779b97f4a7c15u) + tensor)) {}
  uint64_t at(uint64_t i) const { return mix(key + (i + 1) * 0x9e3779b97f4a7c15u); }
};

/// Mean 0, variance 1: the sum of four uniforms of 16 bits, centred, over its deviation 2^16 / sqrt(3).
float near_normal(uint64_t bits) {
  const int32_t sum =
      int32_t(bits & 0xffff) + int32_t((bits >> 16) & 0xffff) + int32_t((bits >> 32) & 0xffff) + int32_t(bits >> 48);
  return float(sum - 131070) * 2.64290222e-5f;
}

/// 2^floor(log2(n) / 2): a square root near enough to set magnitudes, without libm.
float rough_sqrt(uint32_t n) { return float(1u << ((std::bit_width(n) - 1) / 2)); }

void fill_row(std::vector<float>& row, const Stream& stream, uint64_t row_index, float factor) {
  const uint64_t first = row_index * row.size();
  for (size_t i = 0; i < row.size(); ++i) row[i] = near_normal(stream.at(first + i)) * factor;
}

/// By the default scale a ramp's scores rise by kRampRise in all, and one_hot's spread by about kHotGap.
constexpr float kRampRise = 8, kHotGap = 32;

struct Factors {
  float q = 1, k = 1, v = 1;
};
Factors factors_of(InputKind kind) {
  if (kind == InputKind::large) return {kLargeFactor, kLargeFactor, 1};
  if (kind == InputKind::wide) return {kWideFactor, 1 / kWideFactor, kWideFactor};
  return {};
}

/// Of Q, where scores would else spread by 1: a cap of 50 changes such scores by less than bf16 rounds the result.
float softcap_factor(const Problem& p) {
  if (p.inputs != InputKind::normal && p.inputs != InputKind::wide) return 1;
  return std::clamp(float(p.softcap) / 20, 1.0f, 16.0f);
}

void make_q_row(const Problem& p, const Stream& stream, uint64_t row_index, std::vector<float>& row) {
  fill_row(row, stream, row_index, factors_of(p.inputs).q * softcap_factor(p));
  // Dimension 0 carries the ramp: the same positive factor in every query.
  if (p.inputs == InputKind::ramp) row[0] = 2 * rough_sqrt(p.head_dim);
}

void make_k_row(const Problem& p, const Stream& stream, uint64_t row_index, uint32_t key, uint32_t keys,
                std::vector<float>& row) {
  if (p.inputs == InputKind::one_hot) {
    std::ranges::fill(row, 0.0f);
    row[stream.at(row_index) % row.size()] = kHotGap * rough_sqrt(p.head_dim);
    return;
  }
  fill_row(row, stream, row_index, factors_of(p.inputs).k);
  if (p.inputs == InputKind::ramp) row[0] = float(key + 1) * kRampRise / float(keys);
}

/// Rows that one thread takes at a time: enough elements to be worth it.
uint64_t row_grain(uint32_t dim) { return std::max<uint64_t>(1, 16384 / dim); }

/// A seeded permutation of 0 .. n-1 (Fisher-Yates).
std::vector<uint32_t> permutation(uint64_t n, const Stream& stream) {
  std::vector<uint32_t> order(n);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t j = stream.at(i) % (i + 1);
    order[i] = order[j];
    order[j] = uint32_t(i);
  }
  return order;
}

/// Of K or V, packed or not.
std::vector<std::byte> kv_poison(KvType type, DType dtype, uint64_t elements) {
  if (type == KvType::as_dtype) return poison(dtype, elements);
  // Scales that are NaN, wherever they lie.
  if (type != KvType::f8e4m3) return poison(DType::f16, kv_bytes(type, dtype, elements) / 2);
  return std::vector<std::byte>(elements, std::byte{0x7f});
}

Tensor make_kv(const Problem& p, KvType type, uint64_t elements) {
  // Of a paged one some rows stay as they are.
  if (p.page_size != 0) return {p.dtype, kv_poison(type, p.dtype, elements), type};
  return {p.dtype, std::vector<std::byte>(kv_bytes(type, p.dtype, elements)), type};
}

std::vector<uint32_t> make_lists(const Problem& p, const Stream& stream) {
  const Layout layout(p, {});
  std::vector<uint32_t> lists(p.list_elements(), kNoKey);
  if (lists.empty()) return lists;
  parallel_for(lists.size() / p.topk, row_grain(p.topk), [&](uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row) {
      const uint64_t keys = layout.visible(0, uint32_t(row % p.seq_q)), count = std::min<uint64_t>(p.topk, keys);
      uint32_t* list = lists.data() + row * p.topk;
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t first = i * keys / count, next = (i + 1) * keys / count, bits = stream.at(row * p.topk + i);
        const uint64_t other = (bits >> 32) % (i + 1);
        list[i] = list[other];
        list[other] = uint32_t(first + (bits & 0xffffffffu) % (next - first));
      }
    }
  });
  return lists;
}

/// How far scores spread, about, so that sinks matter.
float score_spread(InputKind kind) {
  switch (kind) {
    case InputKind::normal:
    case InputKind::wide: return 1;
    case InputKind::large: return kLargeFactor * kLargeFactor;
    case InputKind::one_hot: return kHotGap;
    case InputKind::ramp: break;
  }
  return kRampRise;
}

/// Near the logarithm of the sum over a row of keys. Powers of two, as libm's logarithm is not the same everywhere.
std::vector<float> make_sinks(const Problem& p, const Stream& stream) {
  std::vector<float> sinks(p.sinks ? p.heads_q : 0);
  float spread = score_spread(p.inputs) * softcap_factor(p);
  if (p.softcap != 0) spread = std::min(spread, float(p.softcap));
  uint32_t keys = p.seq_kv;
  if (p.window != 0) keys = std::min(keys, p.window);
  if (p.topk != 0) keys = std::min(keys, p.topk);
  const float middle = std::max(2.0f, 0.6931472f * float(std::bit_width(keys)));
  for (size_t h = 0; h < sinks.size(); ++h) sinks[h] = near_normal(stream.at(h)) * spread + middle;
  return sinks;
}

constexpr float kMostHalf = 65504;  ///< a farther key is as far as that

/// Of a mask that is drawn, whether a row of it hides a key for a reason other than chance: each kHiddenRows rows hide
/// the keys of one tile, every other time of the first, and of 16 queries or more one in kHiddenRows sees none.
constexpr uint32_t kHiddenRows = 64, kMostHiddenKeys = 64;
bool hidden_together(const Problem& p, const Stream& stream, uint64_t row, uint32_t key) {
  const uint32_t keys = std::min(std::bit_floor(std::max(p.seq_kv / 4, 1u)), kMostHiddenKeys);
  const uint64_t rows = row / kHiddenRows, block = rows % 2 == 0 ? 0 : stream.at(rows) % (p.seq_kv / keys);
  return (p.seq_kv >= 4 && key / keys == block) || (p.seq_q >= 16 && row % p.seq_q % kHiddenRows == 13);
}

/// Of a bf16 problem no mask but ALiBi's has more digits than bf16: it may be stored so.
void narrow(const Problem& p, Tensor& mask) {
  if (!p.mask_fits_bf16()) return;
  for (size_t i = 0; i < mask.bytes.size(); i += 2) mask.bytes[i] &= std::byte{0xf8};  // the low byte of an f16
}

Tensor make_mask(const Problem& p, const Stream& stream) {
  const Layout layout(p, {});
  const Stream together(stream.key, 7);
  Tensor mask{DType::f16, std::vector<std::byte>(2 * p.mask_elements())};
  parallel_for(p.mask_elements() / p.seq_kv, row_grain(p.seq_kv), [&](uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row)
      for (uint32_t key = 0; key < p.seq_kv; ++key) {
        const uint64_t i = row * p.seq_kv + key, bits = stream.at(i);
        float value = 2 * near_normal(bits);
        if (p.mask == MaskKind::alibi)
          value = -std::min(std::fabs(float(int64_t(row) + p.seq_kv - p.seq_q - key)), kMostHalf);
        else if (p.mask == MaskKind::causal)
          value =
              key >= layout.first_visible(0, uint32_t(row)) && key < layout.visible(0, uint32_t(row)) ? 0 : -INFINITY;
        else if (mix(bits) % 8 == 0 || hidden_together(p, together, row, key))
          value = -INFINITY;
        store(mask.bytes.data() + 2 * i, float_to_half(value));
      }
  });
  narrow(p, mask);
  return mask;
}

/// Any codes, with scales (and minima) below 2, of any sign, one in eight of them 0. Of f8 no NaN.
void wild_block(const PackedType& type, uint64_t bits, std::byte* at, bool small) {
  for (uint32_t i = 0; i < type.bytes; ++i) at[i] = static_cast<std::byte>(mix(bits + i));
  const bool has_least = type.type == KvType::q4_1 || type.type == KvType::q5_1;
  if (type.block == 1) *at &= std::byte{0xfe};
  for (uint32_t i = 0; type.block > 1 && i < (has_least ? 4 : 2); i += 2)
    store(at + i, bits >> i * 8 & 7 ? uint16_t(load<uint16_t>(at + i) & (small ? 0x9fffu : 0xbfffu)) : uint16_t{0});
}

/// The dimensions of K's rows, first and end, that get wild codes; of rows of one block all, in half of the heads.
std::pair<uint32_t, uint32_t> wild_dims(const Problem& p, uint64_t seed, uint32_t kv_head) {
  if (p.k_type == KvType::as_dtype) return {0, 0};
  const uint32_t blocks = p.head_dim / 32;
  uint32_t first = 0;
  if (blocks > 1)
    first = 32 * uint32_t((seed + kv_head) % blocks);
  else if (packed_type(p.k_type).block == 1)
    first = p.head_dim / 2;
  else if ((mix(seed) + kv_head / 2) % 2 != 0)
    first = p.head_dim;
  return {first, std::min(first + 32, p.head_dim)};
}

/// The sign of each block's scale as random bits say, and with it that of all its elements.
void turn_scales(const PackedType& type, uint64_t bits, std::byte* row, uint32_t dims) {
  if (type.block == 1) return;
  const bool has_least = type.type == KvType::q4_1 || type.type == KvType::q5_1;
  for (uint32_t block = 0; block < dims / type.block; ++block, row += type.bytes)
    for (uint32_t i = 1; i < (has_least ? 5 : 3) && mix(bits + block) % 2 != 0; i += 2) row[i] ^= std::byte{0x80};
}

/// Scores of a row lie around one of these or nearer, down to the next of 0, kFarFrom, kFartherFrom, or rise or fall.
constexpr float kFarBelow = -224, kFarAbove = 124, kRise = 100, kFarther = 1024;
constexpr float kFarFrom = 12, kFartherFrom = 230;
/// What a mask adds to or takes from some rows.
constexpr float kLeastMasked = 10, kMostMasked = 16384;
/// The products of a row that is farther: f16 holds their sum, in which f32 is exact to 1/512.
constexpr float kMostProducts = 28672;
/// Of K's ramp the end; as far as other elements go where they share a scale with it.
constexpr float kRampEnd = 16, kRampEndPacked = 3;
/// tanh() of more is 1 in any precision, and some give NaN.
constexpr float kMostOfCap = 8;
/// Q's factor for K's wild codes: of f8 these are over 100.
constexpr float kTame = 1.0f / 128;
/// What a sink is, away from 0.
constexpr float kLeastFarSink = 20, kMostFarSink = 80;
/// Of K in the last two of ExtremeDims::level, in half of its heads: scores are far from 0 there by K, not by Q.
constexpr float kLargeK = 512;
constexpr size_t kLargeKFrom = 2;
constexpr float kLeastQ = 1.0f / 16;  ///< less over kLargeK is a number that devices may take for 0 in f16
/// How far keys that slopes put back the most are ahead all the same.
constexpr float kAhead = 20;
/// Of one element of V in kLargeOf.
constexpr float kLargeV = 1024;
constexpr uint64_t kLargeOf = 64;
/// Or of half of the elements of one key in kRareOf, where Q points and in half of the other heads.
constexpr uint64_t kRareOf = 64, kLargeOfRare = 2;
/// One head in so many has V as drawn; where Q points at keys that are no outliers, every other.
constexpr uint64_t kCalmOf = 4;
/// There one key in so many has elements of nearly the largest size that is drawn.
constexpr uint64_t kBoldOf = 8;
constexpr float kBold = 3.4f;
/// One row of V in so many is 0, and where Q points one of K.
constexpr uint64_t kZeroOf = 16;
/// One key in so many, where Q points, is the one before it but for one element, which is so many times as large.
constexpr uint64_t kTwinOf = 8;
constexpr float kTwin = 3;
/// Of K in HeadExtreme::outliers, one key in kOutlierOf, where scores spread by 1: times kLeastOutlier to twice that.
constexpr float kLeastOutlier = 32;
constexpr uint64_t kOutlierOf = 64;
constexpr size_t kLeastOutliers = 4;
/// Against slopes: how much these take from the keys that lead, if there are such.
constexpr float kLeastSloped = 12, kMostSloped = 60;
/// Of keys that a row may point at so many are looked at.
constexpr size_t kMostTried = 64;
/// So many keys, one of each stretch, lead all before them by a step beyond exp()'s range. Neighbouring stretches and
/// heads have other places modulo kLanes: a kernel may raise its maximum in some lanes alone.
constexpr uint32_t kStairs = 16, kLanes = 64, kLaneStep = 27;
constexpr float kStep = 100;
/// Gaps of peaks: as far below one key as all others together are still seen in f32's limit, and in that of 16 bits.
constexpr float kHiddenGap = 8, kHiddenGapHalf = 4.5f, kLeastGap = 12, kMostGap = 15;
/// Beside one peak; of more keys what matrix units cut off each, as they add it, adds up.
constexpr uint32_t kMostBesideOne = 16384;
/// Q as drawn beside peaks.
constexpr float kQuiet = 1.0f / 8;

/// Of every other row `most`, of the others as random bits say, each order of magnitude from `least` on as likely.
float reach_of(float least, float most, uint64_t bits) {
  return bits & 1 ? most
                  : least * std::pow(std::fabs(most) / least, float(bits >> 1 & 0xff) / 255) * (most < 0 ? -1 : 1);
}

/// The dimensions in which K is not as drawn. Where there are few, some have none.
struct ExtremeDims {
  std::vector<uint32_t> level, far, ramp, peak, stairs;
  std::vector<float> k_level;  ///< of each of `level`, about
};
ExtremeDims extreme_dims(const Problem& p, uint64_t seed, std::pair<uint32_t, uint32_t> wild) {
  const Stream stream(seed, 9);
  std::vector<uint32_t> dims;
  for (const uint32_t c : permutation(p.head_dim, stream))
    if (c < wild.first || c >= wild.second) dims.push_back(c);
  ExtremeDims out;
  std::vector<uint32_t>* const order[] = {&out.level, &out.ramp,  &out.peak, &out.far,   &out.level,
                                          &out.level, &out.level, &out.far,  &out.stairs};
  for (size_t i = 0; i < std::min(dims.size(), std::size(order)); ++i) order[i]->push_back(dims[i]);
  for (size_t i = 0; i < out.level.size(); ++i) {
    const uint64_t bits = stream.at(~uint64_t{i});
    out.k_level.push_back((bits & 1 ? -1.0f : 1.0f) * (1 + float(bits >> 1 & 7) / 8));
  }
  return out;
}

/// Of K in ExtremeDims::stairs, 1 at the top: keys that lead where Q is positive, or else where it is negative.
float stair_of(uint64_t first_lane, uint32_t key, uint32_t keys) {
  const auto stair = uint32_t(uint64_t{key} * kStairs / keys);
  const auto begin_of = [&](uint32_t i) { return uint32_t((uint64_t{i} * keys + kStairs - 1) / kStairs); };
  const uint32_t begin = begin_of(stair), end = begin_of(stair + 1);
  for (const float sign : {1.0f, -1.0f}) {
    const uint64_t lane = first_lane + (sign < 0 ? kStairs + 1 : 0) + stair;
    if (key == begin + uint32_t(lane * kLaneStep - begin) % kLanes % (end - begin))
      return sign * float(stair + 1) / kStairs;
  }
  return 0;
}

/// One random row of each kOddRows is odd: of mask=causal it hides half of its keys, of a drawn mask it shows most. Or
/// it shows one in kSparse of those that are hidden: a look at some rows and keys of a tile does not find these.
constexpr uint64_t kOddRows = 8, kSparse = 32;

/// Of four rows one has all of the mask far below 0 or as low as f16 goes, two a part there or above, one one key or
/// none.
Tensor extreme_mask(const Problem& p, const Tensor& drawn, const Stream& stream) {
  Tensor mask = drawn;
  const uint64_t rows = p.mask_elements() / p.seq_kv;
  const Stream together(stream.key, 7);
  parallel_for(rows, row_grain(p.seq_kv), [&](uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row) {
      const uint64_t kind = (row + stream.key) % 4, of_row = stream.at(~row), first = row * p.seq_kv;
      const uint64_t odd_one = mix(stream.key - row / kOddRows);
      const bool odd = row % kOddRows == odd_one % std::min(kOddRows, rows);
      const bool sparse = (of_row >> 34 & 1) != 0, in_a_tile = together.at(~(row / kHiddenRows)) % 2 == 0;
      const bool hidden =
          rows > 1 && p.mask != MaskKind::causal && (stream.key & 2) != 0 && row == mix(stream.key) % rows;
      const float by = reach_of(kLeastMasked, kMostMasked, of_row << 1);
      // As where sequences of other lengths share a batch: what lies before or after a key is hidden.
      const uint64_t pad = mix(~of_row), edge = first + (pad >> 8) % p.seq_kv;
      const bool ends = pad % 8 == 1 && drawn.at(edge) != -INFINITY;
      for (uint64_t i = first; i < first + p.seq_kv; ++i) {
        const uint64_t bits = stream.at(i);
        float value = drawn.at(i);
        const bool shows = sparse ? bits % kSparse == 0 : bits % 8 != 0;
        if (odd && p.mask != MaskKind::causal && value == -INFINITY && shows) value = 2 * near_normal(mix(bits));
        const bool padding = pad % 8 == 0 ? i < edge : pad % 8 == 1 && i > edge;
        const bool tile = p.mask == MaskKind::causal && in_a_tile &&
                          hidden_together(p, together, row, uint32_t(i - first)) && !(odd && shows);
        const bool half = odd && p.mask == MaskKind::causal && (bits >> 20 & 1) != 0;
        // No other row loses all that it sees.
        const bool last = i + 1 == first + p.seq_kv || drawn.at(i + 1) == -INFINITY;
        const bool stays = p.mask == MaskKind::causal && (ends ? i == edge : last);
        if ((hidden || padding || tile || half) && !stays) value = -INFINITY;
        if (value == -INFINITY || kind == 0) {
          mask.set(i, value);
          continue;
        }
        const uint64_t part = bits >> 8 & 7;
        const bool lowest = kind == 1 && (of_row >> 33 & 1) != 0;
        if (kind == 1 || (kind == 2 && part == 2)) value -= by;
        if (kind == 2 && part < 2) value += by;
        if (lowest || part == 3 || (kind == 3 && part % 2 != 0)) value = -kMostHalf;
        mask.set(i, value);
      }
      // The first of the keys from a random one on that the row sees.
      for (uint64_t n = 0; kind == 0 && (of_row >> 35 & 1) != 0 && n < p.seq_kv; ++n) {
        const uint64_t i = first + (mix(of_row) + n) % p.seq_kv;
        if (mask.at(i) == -INFINITY) continue;
        mask.set(i, mask.at(i) + (of_row >> 32 & 1 ? by : -by));
        break;
      }
    }
  });
  narrow(p, mask);
  return mask;
}

/// Every other list is of neighbours.
std::vector<uint32_t> extreme_lists(const Problem& p, const std::vector<uint32_t>& drawn, const Stream& stream) {
  const Layout layout(p, {});
  std::vector<uint32_t> lists = drawn;
  for (uint64_t row = stream.key % 2; row < lists.size() / p.topk; row += 2) {
    const uint64_t keys = layout.visible(0, uint32_t(row % p.seq_q)), count = std::min<uint64_t>(p.topk, keys);
    const uint64_t first = stream.at(row) % (keys - count + 1);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t other = stream.at(row * p.topk + i) % (i + 1);
      lists[row * p.topk + i] = lists[row * p.topk + other];
      lists[row * p.topk + other] = uint32_t(first + i);
    }
  }
  return lists;
}

/// Where rows are few all go as far as they can, but with sinks half of them are nearer, and more sinks are far.
bool few_rows(const Problem& p) { return p.total_q() * p.heads_q < 4 * kRowExtremes; }

/// One in kOutlierOf, with `edges` the first and the last, and kLeastOutliers at least, sorted.
std::vector<uint32_t> rare_keys(const Stream& stream, uint32_t keys, bool edges) {
  std::vector<uint32_t> out;
  for (uint32_t key = 0; key < keys; ++key)
    if ((edges && (key == 0 || key + 1 == keys)) || stream.at(key) % kOutlierOf == 0) out.push_back(key);
  for (uint64_t i = keys; out.size() < std::min<size_t>(kLeastOutliers, keys); ++i)
    if (const auto key = uint32_t(stream.at(i) % keys); !std::ranges::count(out, key)) out.push_back(key);
  std::ranges::sort(out);
  return out;
}

/// Of a row that does not point and without outliers: what Q is times, where scores spread by 1.
float q_factor(uint64_t seed, uint64_t q_row) { return std::exp2(float(mix(Stream(seed, 12).at(q_row)) % 13) - 6); }

}  // namespace

RowExtreme row_extreme(uint64_t seed, uint64_t q_row) {
  using enum RowExtreme;
  // Of two neighbours one at least is far from 0.
  constexpr RowExtreme kOrder[kRowExtremes] = {above, peaks, below, plain, far_above, above, far_below, below};
  return kOrder[(q_row + seed) % kRowExtremes];
}

HeadExtreme head_extreme(const Problem& p, uint64_t seed, uint32_t batch, uint32_t kv_head) {
  const uint64_t key = Stream(seed, 8).key, pair = uint64_t{batch} * p.heads_kv + kv_head;
  const bool alone = uint64_t{p.batch} * p.heads_kv == 1;
  HeadExtreme out;
  out.points = (batch + kv_head + (key >> 8)) % (alone && !few_rows(p) && !p.mla ? 3 : 2) == 1;
  out.outliers = out.points && (pair / 2 + (key >> 24)) % 2 != 0;
  out.calm = out.points && !out.outliers ? (pair / 4 + (key >> 48)) % 2 == 0 : (mix(key + pair) >> 16) % kCalmOf == 0;
  return out;
}

Extremes extremes(const Problem& p, const Inputs& in, uint64_t seed) {
  const bool packed_v = p.v_type != KvType::as_dtype;
  Extremes out{in.q, in.k, p.mla ? Tensor{} : in.v, {}, {}, {}};
  const Layout layout(p, in.page_table);
  const Stream stream(seed, 8);
  if (p.mask != MaskKind::none && p.mask != MaskKind::alibi) out.mask = extreme_mask(p, in.mask, Stream(seed, 10));
  if (p.topk != 0) out.lists = extreme_lists(p, in.lists, Stream(seed, 11));
  for (size_t h = 0; h < in.sinks.size(); ++h) {
    // Of two neighbours one at least is a tenth to a thousandth of a row's sum.
    constexpr float kPlaces[] = {1.5f, -3.5f, -1.0f, -5.5f};
    const float keys = 0.6931472f * float(std::bit_width(p.topk != 0 ? std::min(p.seq_kv, p.topk) : p.seq_kv));
    const uint64_t bits = stream.at(~uint64_t{h} << 32);
    const uint64_t apart = few_rows(p) ? 4 : 8;
    const bool far_sink = (h + seed) % apart == apart - 2;  // in the place of -1
    out.sinks.push_back(far_sink ? reach_of(kLeastFarSink, bits >> 9 & 1 ? kMostFarSink : -kMostFarSink, bits << 1)
                                 : keys + kPlaces[(h + seed) % 4] + 0.25f * near_normal(bits));
  }
  struct Place {
    uint32_t batch, head, query;
  };
  std::vector<Place> places(p.total_q() * p.heads_q);  // of the rows of Q
  for (uint32_t b = 0; b < p.batch; ++b)
    for (uint32_t h = 0; h < p.heads_q; ++h)
      for (uint32_t i = 0; i < layout.queries(b); ++i) places[layout.q_row(b, h, i)] = {b, h, i};
  const bool few = few_rows(p);
  const auto head_of = [&](uint32_t b, uint32_t kv_head) { return head_extreme(p, seed, b, kv_head); };
  const float k_factor = factors_of(p.inputs).k;
  std::vector<std::pair<uint32_t, uint32_t>> wild_of;
  std::vector<ExtremeDims> dims_of;
  for (uint32_t h = 0; h < p.heads_kv; ++h) {
    wild_of.push_back(wild_dims(p, seed, h));
    dims_of.push_back(extreme_dims(p, seed, wild_of.back()));
  }
  const float reach = p.softcap > 0 ? std::min(1.0f, kMostOfCap * float(p.softcap) / -kFarBelow) : 1;
  const float unit = 1 / (k_factor * float(p.softmax_scale()));
  const float most = kMostProducts / std::min(k_factor, 1.0f);
  const float ramp_end = p.k_type == KvType::as_dtype ? kRampEnd : kRampEndPacked;
  const float far = std::min((p.softcap > 0 ? -kFarBelow : kFarther) * reach * unit, kMostProducts / k_factor);
  const bool holds_large = p.k_type == KvType::as_dtype && !p.mla && k_factor == 1;
  const auto k_large = [&](uint32_t kv_head, size_t n) {
    const bool large = !few || (kv_head / 2 + stream.key) % 2 == 0;
    return holds_large && n >= kLargeKFrom && large ? kLargeK : 1.0f;
  };
  // Of K's rows in heads that point, the outliers.
  std::vector<std::vector<uint32_t>> outliers(uint64_t{p.batch} * p.heads_kv);
  for (uint32_t b = 0; b < p.batch; ++b)
    for (uint32_t h = 0; h < p.heads_kv; ++h)
      if (head_of(b, h).outliers)
        outliers[b * p.heads_kv + h] = rare_keys(Stream(stream.key, b * p.heads_kv + h), layout.keys(b),
                                                 ((b * p.heads_kv + h) / 4 + (stream.key >> 40)) % 2 != 0);
  const float spread = std::max(
      1.0f, score_spread(p.inputs) * softcap_factor(p) * float(p.softmax_scale()) * float(rough_sqrt(p.head_dim)));
  const uint64_t k_bytes = kv_bytes(p.k_type, p.dtype, p.head_dim), v_bytes = kv_bytes(p.v_type, p.dtype, p.v_dim);
  // Scales of K of every other head are 2^-7 at most, and Q is as it was.
  const auto small_scales = [&](uint32_t kv_head) {
    return packed_type(p.k_type).block > 1 && (kv_head / 2 + (stream.key >> 16)) % 2 == 0;
  };
  const auto wild_row = [&](KvType type, uint64_t bits, std::byte* row, uint32_t first, uint32_t end, bool small) {
    const PackedType& packed = packed_type(type);
    for (uint32_t c = first; c < end; c += packed.block)
      wild_block(packed, mix(bits + c), row + c / packed.block * packed.bytes, small);
  };
  // From key to key a little, which a type of 8 bits holds too.
  const auto about = [&](float x, uint64_t bits, uint32_t c) {
    return x * (1 + float(mix(bits + c) % 9) / 128 - 4.0f / 128);
  };
  const bool few_queries = p.seq_q < kRowExtremes;  // of a head
  const auto is_bold = [](const HeadExtreme& head, uint64_t bits) {
    return head.points && !head.outliers && head.calm && mix(bits + 4) % kBoldOf == 0;
  };
  // Of peaks: four, or one, the first key, of few queries any, so that all others together weigh more beside it.
  const auto is_peak = [&](uint64_t pair, uint32_t key) {
    const bool one = p.seq_kv <= kMostBesideOne && (pair / 2 + (stream.key >> 32)) % (few_queries ? 4 : 2) != 0;
    const uint32_t stride = one ? p.seq_kv : std::max(p.seq_kv / 4, 1u);
    return (key + (few_queries ? mix(stream.key + ~pair) % stride : 0)) % stride == 0;
  };
  for (uint32_t b = 0; b < p.batch; ++b) {
    const uint32_t keys = layout.keys(b);
    parallel_for(uint64_t{p.heads_kv} * keys, row_grain(p.head_dim + p.v_dim), [&](uint64_t begin, uint64_t end) {
      std::vector<float> row(p.head_dim);
      for (uint64_t i = begin; i < end; ++i) {
        const uint32_t key = uint32_t(i % keys), kv_head = uint32_t(i / keys);
        const uint64_t at = layout.kv_row(b, kv_head, key), bits = stream.at(~at);
        std::byte* const k_row = out.k.bytes.data() + at * k_bytes;
        const HeadExtreme head = head_of(b, kv_head);
        // Of some of the keys, so that a kernel that looks at a few does not know that it is these inputs. Of calm
        // heads all is as drawn, so that V alone does not tell.
        const uint64_t pair = b * p.heads_kv + kv_head, of_head = mix(stream.key + pair);
        const bool calm = head.calm, rare = head.points || of_head % 2 != 0;
        const bool large = rare ? mix(bits) % kRareOf == 0 || key == mix(stream.key - pair) % keys
                                : (pair + 2 * uint64_t{key} / keys + stream.key) % 2 == 0;
        if (packed_v && !p.mla && !calm)
          wild_row(p.v_type, bits + p.head_dim, out.v.bytes.data() + at * v_bytes, 0, p.v_dim, false);
        // Of half of the heads each dimension of V has one sign: what many keys add that weigh little each adds up.
        const bool one_sided = (of_head >> 20 & 1) != 0;
        for (uint32_t c = 0; (one_sided || (large && !calm)) && !p.mla && !packed_v && c < p.v_dim; ++c) {
          const uint64_t e = at * p.v_dim + c;
          const bool grows = large && !calm && mix(stream.key - e) % (rare ? kLargeOfRare : kLargeOf) == 0;
          const float v = in.v.at(e) * (grows ? kLargeV : 1);
          out.v.set(e, one_sided ? std::copysign(v, mix(of_head + c) % 2 == 0 ? 1.0f : -1.0f) : v);
        }
        // (Bytes of 0 are numbers of 0, packed or not.)
        const auto zero_v = [&] {
          if (!p.mla && !calm) std::fill_n(out.v.bytes.begin() + ptrdiff_t(at * v_bytes), v_bytes, std::byte{0});
        };
        if (mix(~bits) % kZeroOf == 0) zero_v();
        in.k.read(at * p.head_dim, p.head_dim, row.data());
        if (head.points) {
          // Outliers are so by all elements or, in half of their heads, by two; there all other keys are as drawn.
          const bool by_two = head.outliers && holds_large && p.head_dim > 2 && (of_head >> 16 & 1) == 0;
          if (const bool outlier = std::ranges::binary_search(outliers[pair], key); is_bold(head, bits)) {
            for (float& x : row) x = std::copysign(kBold * k_factor, x);
            store_kv_row(p.k_type, p.dtype, k_row, row);
          } else if (!outlier && !by_two && mix(bits + 1) % kZeroOf == 0) {
            std::fill_n(k_row, k_bytes, std::byte{0});
            // As what pads a cache has it.
            if ((bits >> 20 & 1) != 0) zero_v();
          } else if (!outlier && !by_two && !calm && key > 0 && mix(bits + 2) % kTwinOf == 0 &&
                     p.k_type == KvType::as_dtype) {
            const uint64_t c = mix(bits + 3) % p.head_dim;
            in.k.read(layout.kv_row(b, kv_head, key - 1) * p.head_dim, p.head_dim, row.data());
            row[c] = std::copysign(kTwin * std::max(std::fabs(row[c]), k_factor), -row[c]);
            store_kv_row(p.k_type, p.dtype, k_row, row);
          } else if (outlier) {
            const float factor = std::max(1.0f, kLeastOutlier * (1 + float(bits & 255) / 256) / spread);
            const uint32_t apart = by_two ? p.head_dim / 2 : 1;
            for (uint32_t c = uint32_t(mix(bits + 3) % apart); c < p.head_dim; c += apart)
              row[c] *= factor * rough_sqrt(apart);
            store_kv_row(p.k_type, p.dtype, k_row, row);
          }
          if (p.k_type != KvType::as_dtype) turn_scales(packed_type(p.k_type), bits, k_row, p.head_dim);
          continue;
        }
        const std::pair<uint32_t, uint32_t>& wild = wild_of[kv_head];
        const ExtremeDims& dims = dims_of[kv_head];
        for (size_t n = 0; n < dims.level.size(); ++n)
          row[dims.level[n]] = k_factor * k_large(kv_head, n) * about(dims.k_level[n], bits, dims.level[n]);
        // Of two together as far as without what differs from key to key.
        for (size_t n = 0; n < dims.far.size(); ++n) {
          const float first = dims.far.size() == 1 ? 1 : about(1, bits, dims.far[0]);
          row[dims.far[n]] = k_factor * (n == 0 ? first : 2 - first);
        }
        for (const uint32_t c : dims.ramp) row[c] = k_factor * ramp_end * float(key + 1) / float(keys);
        for (const uint32_t c : dims.peak) row[c] = k_factor * (is_peak(pair, key) ? 1.5f : about(-0.5f, bits, c));
        for (const uint32_t c : dims.stairs)
          row[c] = k_factor * ramp_end * stair_of(stream.key + pair / 2 * (2 * kStairs), key, keys);
        store_kv_row(p.k_type, p.dtype, k_row, row);
        if (wild.first < wild.second) wild_row(p.k_type, bits, k_row, wild.first, wild.second, small_scales(kv_head));
      }
    });
  }
  // Q's row gets a part along one or two keys that it sees, so that their scores lead; else it is as drawn.
  const auto set_q = [&](uint64_t i, float x) { out.q.set(i, std::clamp(x, -most, most)); };
  const float most_near = p.softcap > 0 ? -kFarBelow : kFarAbove;
  const auto point = [&](const Place& place, uint64_t r, RowExtreme kind, uint64_t first, uint64_t bits,
                         uint64_t nearer, float lone) {
    const uint32_t b = place.batch, head = place.head, query = place.query;
    const uint32_t kv_head = head / p.group(), begin = layout.first_visible(b, query), end = layout.visible(b, query);
    if (begin >= end) return;
    const HeadExtreme its = head_of(b, kv_head);
    const bool bold = its.calm && !its.outliers;
    const std::vector<uint32_t>& leading = outliers[b * p.heads_kv + kv_head];
    const bool slopes = p.mask == MaskKind::alibi && p.softcap == 0;
    const auto sloped = [&](uint32_t key) {
      return slopes ? -float(alibi_slope(head, p.heads_q)) * in.mask.at(layout.mask_row(b, query) + key) : 0.0f;
    };
    const auto sees = [&](uint32_t key) {
      return key >= begin && key < end &&
             (out.mask.bytes.empty() || out.mask.at(layout.mask_row(b, query) + key) > -kMostHalf / 2) &&
             (p.topk == 0 || leading.empty() || std::ranges::binary_search(leading, key));
    };
    std::vector<uint32_t> from = leading;
    if (p.topk != 0) {
      const auto list = out.lists.begin() + ptrdiff_t(layout.list_row(b, kv_head, query));
      from.assign(list, list + p.topk);
    } else if (from.empty()) {
      for (size_t i = 0; i < kMostTried; ++i) from.push_back(begin + uint32_t(mix(bits + i) % (end - begin)));
      from.front() = begin;
      from.back() = end - 1;
    } else {
      from.erase(std::ranges::lower_bound(from, end), from.end());
      from.erase(from.begin(), std::ranges::lower_bound(from, begin));
    }
    // In half of the rows from the first or the last that it sees: kernels treat tiles at the edges apart.
    const uint64_t edge = bits >> 40 & 3, start = edge == 0 ? 0 : edge == 1 ? from.size() - 1 : stream.at(~r);
    const bool farther = kind == RowExtreme::far_above || kind == RowExtreme::far_below;
    std::vector<uint32_t> keys;
    // Against slopes first those keys that these put back so far that a kernel may leave them out.
    for (const bool any : {!slopes, true}) {
      const size_t tries = p.topk != 0 || slopes ? from.size() : std::min(from.size(), kMostTried);
      for (size_t i = 0; i < tries && keys.size() < (farther || lone > 0 ? 1 : 2); ++i) {
        const uint32_t key = from[(start + i) % from.size()];
        if (!sees(key) || std::ranges::count(keys, key)) continue;
        if (bold && !is_bold(its, stream.at(~layout.kv_row(b, kv_head, key)))) continue;
        if (any || (sloped(key) >= kLeastSloped && sloped(key) <= kMostSloped)) keys.push_back(key);
      }
      if (!keys.empty()) break;
    }
    if (keys.empty()) return;
    // Of an outlier not so far that Q is larger than it was.
    const float farthest = leading.empty() ? kFarther : kFarther / 4;
    const float scale = float(p.softmax_scale()), top = farther && p.softcap == 0 ? farthest : most_near;
    const bool ahead = slopes && lone == 0 && (bits >> 30 & 1) != 0;
    const float to = lone > 0 ? lone : ahead ? kAhead : reach_of(kFarFrom, top, nearer) * reach;
    const float second = to - 1 - float(bits >> 12 & 0xff) / 128;
    const auto wanted = [&](uint32_t key, float x) {
      return double(std::min(std::min(x + sloped(key), kFarther), kMostProducts * scale) / scale);
    };
    const size_t dims = p.head_dim;
    std::vector<float> q(dims), k(dims), other(dims);
    out.q.read(first, p.head_dim, q.data());
    // What is drawn makes scores of other outliers, above those.
    for (float& x : q) x *= ahead ? 1 / kLeastOutlier : 1;
    out.k.read(layout.kv_row(b, kv_head, keys[0]) * dims, p.head_dim, k.data());
    const float bold_q = std::min(kBold * factors_of(p.inputs).q * softcap_factor(p),
                                  most_near * reach / (scale * kBold * k_factor * float(dims)));
    for (size_t c = 0; bold && c < dims; ++c) set_q(first + c, std::copysign(bold_q, k[c]));
    if (bold) return;
    if (keys.size() > 1) out.k.read(layout.kv_row(b, kv_head, keys[1]) * dims, p.head_dim, other.data());
    const auto product = [&](const std::vector<float>& x, const std::vector<float>& y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    const double kk = product(k, k), ko = product(k, other), oo = product(other, other);
    if (kk == 0) return;
    const double more = wanted(keys[0], to) - product(q, k);
    double of_k = more / kk, of_other = 0;
    // (Not of keys that are nearly the same.)
    if (const double det = kk * oo - ko * ko; det > kk * oo / 8) {
      const double more_other = wanted(keys[1], second) - product(q, other);
      of_k = (more * oo - more_other * ko) / det;
      of_other = (more_other * kk - more * ko) / det;
    }
    for (size_t c = 0; c < dims; ++c) set_q(first + c, q[c] + float(of_k * k[c] + of_other * other[c]));
  };
  // From where a few keys weigh about as much as all others together.
  const float least_gap = 0.6931472f * float(std::bit_width(p.seq_kv));
  const float hidden = least_gap + (p.dtype == DType::f32 ? kHiddenGap : kHiddenGapHalf);
  const float most_gap = std::max(least_gap + 1, std::clamp(hidden, kLeastGap, kMostGap));
  const float stairs_top = std::min(kStairs * kStep * unit, kMostProducts / k_factor);
  parallel_for(p.total_q() * p.heads_q, row_grain(p.head_dim), [&](uint64_t begin, uint64_t end) {
    for (uint64_t r = begin; r < end; ++r) {
      const uint64_t first = r * p.head_dim, bits = stream.at(r), nearer = bits >> 16 | uint64_t{few && !p.sinks};
      const auto set = [&](uint32_t c, float x) { set_q(first + c, x); };
      const auto set_zero = [&] {
        for (uint32_t c = 0; c < p.head_dim; ++c) set(c, 0);
      };
      const RowExtreme kind = row_extreme(seed, r);
      const bool zero = kind == RowExtreme::plain && (bits >> 36 & 3) == 0;
      const uint32_t b = places[r].batch, head = places[r].head;
      const uint32_t kv_head = head / p.group();
      const float part = bits >> 10 & 1 ? 1 : float(bits >> 8 & 3) / 3;
      const float gap = least_gap + (most_gap - least_gap) * part;
      if (const HeadExtreme its = head_of(b, kv_head); its.points) {
        // Scores near 0 also of outliers, where sinks matter, or all but one's.
        const bool lone = kind == RowExtreme::peaks && (bits >> 44 & 1) != 0;
        for (uint32_t c = 0; its.outliers && (kind == RowExtreme::plain || lone) && c < p.head_dim; ++c)
          if (const float q = in.q.at(first + c); q != 0)
            set(c, std::copysign(std::max(std::fabs(q), kLeastQ), q) / kLeastOutlier);
        const bool as_drawn = kind == RowExtreme::plain || (kind == RowExtreme::peaks && !its.outliers);
        for (uint32_t c = 0; as_drawn && !its.outliers && c < p.head_dim; ++c)
          set(c, in.q.at(first + c) * (its.calm ? 1 : q_factor(seed, r)) / spread);
        if (!as_drawn) point(places[r], r, kind, first, bits, nearer, lone ? gap : 0);
        if (zero) set_zero();
        continue;
      }
      const std::pair<uint32_t, uint32_t>& wild = wild_of[kv_head];
      const ExtremeDims& dims = dims_of[kv_head];
      const bool above = kind == RowExtreme::above, near = above || kind == RowExtreme::below;
      const bool peaks = kind == RowExtreme::peaks || (!near && kind != RowExtreme::plain && few_queries);
      // What is drawn would hide where exactly the others are.
      for (uint32_t c = 0; peaks && few_queries && c < p.head_dim; ++c) set(c, in.q.at(first + c) * kQuiet);
      const auto large_k = [&](size_t n) { return k_large(kv_head, n); };
      for (uint32_t c = wild.first; c < wild.second; ++c)
        set(c, in.q.at(first + c) * (small_scales(kv_head) ? 1 : kTame));
      for (size_t n = kLargeKFrom; n < dims.level.size(); ++n)
        if (const float q = in.q.at(first + dims.level[n]); large_k(n) != 1)
          set(dims.level[n], std::copysign(std::max(std::fabs(q), kLeastQ), q) / large_k(n));
      const bool stairs = near && !dims.stairs.empty() && p.softcap == 0 && (bits >> 22 & 3) < (few_queries ? 3 : 1);
      for (const uint32_t c : dims.stairs)
        set(c, !stairs ? in.q.at(first + c) * kTame : (above ? stairs_top : -stairs_top) / ramp_end);
      if (near && !stairs) {
        const size_t parts = std::min<size_t>(dims.level.size(), bits >> 11 & 1 ? 1 : 2);
        // (A softcap brings what lies above nearer.)
        const float most_above = p.softcap > 0 ? -kFarBelow : kFarAbove;
        const float level = reach_of(kFarFrom, above ? most_above : kFarBelow, nearer);
        for (size_t i = 0; i < parts; ++i) {
          const size_t at = (bits + i) % dims.level.size();
          set(dims.level[at], level * reach * unit / (float(parts) * dims.k_level[at] * large_k(at)));
        }
        const float most_rise = std::ldexp(kRise, -int(bits >> 20 & 3));
        float rise = bits >> 8 & 1 ? 0 : above || (bits >> 9 & 1) ? most_rise : -most_rise;
        if (p.mask == MaskKind::alibi && p.softcap == 0 && (bits >> 10 & 1) != 0)
          rise = -std::min(float(alibi_slope(head, p.heads_q)) * float(p.seq_kv) + kAhead, kFarther);
        for (const uint32_t c : dims.ramp) set(c, rise * reach * unit / ramp_end);
      } else if (kind == RowExtreme::far_above || kind == RowExtreme::far_below) {
        const float to = reach_of(far * kFartherFrom / kFarther, kind == RowExtreme::far_above ? far : -far, nearer);
        // Of few bits, so that its products with K are exact: what differs from key to key there adds no rounding.
        const float each = std::bit_cast<float>(std::bit_cast<uint32_t>(to / float(dims.far.size())) & 0xffffe000u);
        for (const uint32_t c : dims.far) set(c, each);
      }
      if (peaks) {
        for (const uint32_t c : dims.peak) set(c, gap * unit / 2);
      }
      if (!near || stairs)
        for (const uint32_t c : dims.ramp) set(c, in.q.at(first + c) * kTame);
      if (zero) set_zero();
    }
  });
  // Some rows are the one before them but for one element.
  for (uint64_t r = 1; r < places.size(); ++r) {
    const Place &place = places[r], &before = places[r - 1];
    const HeadExtreme its = head_of(place.batch, place.head / p.group());
    const uint64_t bits = mix(stream.at(r)), c = bits % p.head_dim, at = r * p.head_dim;
    if (!its.points || its.outliers || its.calm || place.head != before.head || place.batch != before.batch ||
        row_extreme(seed, r) != RowExtreme::peaks || bits >> 63 != 0)
      continue;
    for (uint64_t i = at; i < at + p.head_dim; ++i) out.q.set(i, out.q.at(i - p.head_dim));
    set_q(at + c, out.q.at(at + c) + unit);
  }
  return out;
}

void Tensor::read(uint64_t first, uint32_t count, float* out) const {
  if (packed == KvType::as_dtype) {
    for (uint32_t i = 0; i < count; ++i) out[i] = at(first + i);
    return;
  }
  const PackedType& type = packed_type(packed);
  const std::byte* from = bytes.data() + first / type.block * type.bytes;
  for (uint32_t i = 0; i < count; i += type.block, from += type.bytes) type.unpack(from, out + i);
}

float Tensor::at(uint64_t i) const {
  if (packed != KvType::as_dtype) {
    const uint32_t block = packed_type(packed).block;
    std::array<float, 32> values;
    read(i / block * block, block, values.data());
    return values[i % block];
  }
  if (dtype == DType::f32) return load<float>(bytes.data() + 4 * i);
  const auto bits = load<uint16_t>(bytes.data() + 2 * i);
  return dtype == DType::f16 ? half_to_float(bits) : bfloat_to_float(bits);
}

void Tensor::set(uint64_t i, float v) { store_as(dtype, bytes.data() + i * dtype_bytes(dtype), v); }

uint32_t poison_bits(DType dtype) {
  return dtype == DType::f32 ? 0x7fd1e55eu : dtype == DType::f16 ? 0x7ed5u : 0x7fd5u;
}

std::vector<std::byte> poison(DType dtype, uint64_t elements) {
  std::vector<std::byte> bytes(elements * dtype_bytes(dtype));
  const uint32_t bits = poison_bits(dtype);
  for (uint64_t i = 0; i < elements; ++i)
    if (dtype == DType::f32)
      store(bytes.data() + 4 * i, bits);
    else
      store(bytes.data() + 2 * i, uint16_t(bits));
  return bytes;
}

Inputs make_inputs(const Problem& p, uint64_t seed) {
  Inputs in;
  if (!p.varlen.empty()) {
    in.offsets.push_back(0);
    for (const uint32_t length : p.varlen) in.offsets.push_back(in.offsets.back() + length);
  }
  if (p.page_size != 0) in.page_table = permutation(p.batch * p.pages(), Stream(seed, 3));
  const Layout layout(p, in.page_table);
  in.q = {p.dtype, std::vector<std::byte>(p.q_elements() * dtype_bytes(p.dtype))};
  in.k = make_kv(p, p.k_type, p.k_elements());
  in.v = make_kv(p, p.v_type, p.v_elements());
  in.lists = make_lists(p, Stream(seed, 6));
  in.sinks = make_sinks(p, Stream(seed, 4));
  in.mask = make_mask(p, Stream(seed, 5));
  const uint64_t bytes = dtype_bytes(p.dtype);

  const Stream q_stream(seed, 0);
  parallel_for(p.total_q() * p.heads_q, row_grain(p.head_dim), [&](uint64_t begin, uint64_t end) {
    std::vector<float> row(p.head_dim);
    for (uint64_t r = begin; r < end; ++r) {
      make_q_row(p, q_stream, r, row);
      store_row(p.dtype, in.q.bytes.data() + r * p.head_dim * bytes, row);
    }
  });
  // K and V walk (batch, head, key), because the ramp needs the key's place and the pages scatter the rows.
  const Stream k_stream(seed, 1), v_stream(seed, 2);
  const uint64_t k_bytes = kv_bytes(p.k_type, p.dtype, p.head_dim), v_bytes = kv_bytes(p.v_type, p.dtype, p.v_dim);
  for (uint32_t b = 0; b < p.batch; ++b) {
    const uint32_t keys = layout.keys(b);
    parallel_for(uint64_t{p.heads_kv} * keys, row_grain(p.head_dim + p.v_dim), [&](uint64_t begin, uint64_t end) {
      std::vector<float> k_row(p.head_dim), v_row(p.v_dim);
      for (uint64_t i = begin; i < end; ++i) {
        const uint32_t head = uint32_t(i / keys), key = uint32_t(i % keys);
        // Drawn by the contiguous index, so that a paged cache holds the same rows in other places.
        const uint64_t drawn = layout.kv_row_contiguous(b, head, key), stored = layout.kv_row(b, head, key);
        make_k_row(p, k_stream, drawn, key, keys, k_row);
        store_kv_row(p.k_type, p.dtype, in.k.bytes.data() + stored * k_bytes, k_row);
        if (p.mla) continue;
        fill_row(v_row, v_stream, drawn, factors_of(p.inputs).v);
        store_kv_row(p.v_type, p.dtype, in.v.bytes.data() + stored * v_bytes, v_row);
      }
    });
  }
  return in;
}

}  // namespace attnscope
