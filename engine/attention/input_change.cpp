#include "engine/attention/input_change.hpp"

#include "engine/attention/packed_types.hpp"
#include "engine/attention/parallel.hpp"

namespace attnscope {
namespace {

/// Of smaller tensors all parts of Q, K and V are asked for.
constexpr double kFewBytes = 1 << 24;
/// Of each head's rows of K and V about so many change, and of large tensors more; of their words one in kOneWordOf.
constexpr uint32_t kSomeRowsOfHead = 4, kLeastOneOf = 8, kMostOneOf = 64, kOneWordOf = 32;

/// A permutation of 32 bits with good avalanche: Wellons' lowbias32 ("Prospecting for Hash Functions", 2018). The
/// device's kernel (engine/session/kernels/change.comp) has the same.
uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

uint32_t row_of(const InputChange& c, uint32_t w) { return (c.kind == InputChange::blocks ? 4 * w : w) / c.row_words; }

/// Rows at random and a word of each: no few elements tell a kernel which tensor it has.
bool stays(const InputChange& c, uint32_t w) {
  const uint32_t row = row_of(c, w), words = c.kind == InputChange::blocks ? c.row_words / 4 : c.row_words;
  const uint32_t apart = std::min(kOneWordOf, words);
  return c.one_of > 1 && (mixed(row ^ c.seed) % c.one_of != 0 || w % apart != mixed(row + c.seed) % apart);
}

uint32_t partner(const InputChange& c, uint32_t w) {
  if (c.kind == InputChange::blocks) return w;
  const uint32_t row = w / c.row_words * c.row_words, at = w - row, other = at ^ c.swap;
  if (c.kind == InputChange::pages) {
    const uint32_t sequence = w / c.row_words, next = sequence ^ c.signs;
    const uint32_t of = (next < c.words / c.row_words ? next : sequence) * c.row_words +
                        (at < c.swapping && other < c.swapping ? other : at);
    return c.one_of > 1 && (mixed(std::min(w, of) ^ c.seed) & 1) != 0 ? w : of;
  }
  return at < c.swapping && other < c.swapping ? row + other : w;
}

bool of_half(const InputChange& c, uint32_t row) { return (mixed(row ^ ~c.seed) & 1) != 0; }

/// The lowest bits of the exponents in word `w` that turn. What is 0, subnormal or not finite stays.
uint32_t halved(const InputChange& c, uint32_t w, uint32_t value) {
  if (c.halving == 0 || !of_half(c, w / c.row_words)) return 0;
  uint32_t turn = 0;
  // The exponent lies between the sign and the bits below it.
  for (uint32_t low = c.halving, signs = c.signs; low != 0; low &= low - 1, signs &= signs - 1) {
    const uint32_t bit = low & (0 - low), exponent = (signs & (0 - signs)) - bit, held = value & exponent;
    if ((held | bit) != exponent && (held & ~bit) != 0) turn |= bit;
  }
  return w + 1 == c.words ? turn & c.last_mask : turn;
}

/// Of `turn`, what turns in word `w`; `value` is what it holds.
uint32_t turned(const InputChange& c, uint32_t w, uint32_t value, uint32_t turn) {
  uint32_t signs = c.signs;
  if (c.kind == InputChange::pages || stays(c, w)) return 0;
  if (c.one_of > 1) turn = ~0u;
  if (c.kind == InputChange::keys) {
    const int64_t seen = int32_t(c.swapping) + int64_t{w / c.row_words % c.signs};
    return c.seed != 0 && value < std::max<int64_t>(seen, 0) / 2 * 2 ? 1 : 0;
  }
  if (c.kind == InputChange::blocks) {
    turn = (turn & signs) * (signs == 0x11111111u ? 15u : 255u);
    signs = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const uint32_t block = (4 * w + byte) / c.row_words, at = (4 * w + byte) % c.row_words;
      // Before the elements are the scale and, where that is four bytes or eight, the least value: their signs turn.
      const bool sign = at == 1 || (at == 3 && c.swapping % 4 == 0);
      if (at >= c.swapping) signs |= 0xffu << 8 * byte;
      if (sign && of_half(c, block)) {
        signs |= 0x80u << 8 * byte;
        turn |= 0x80u << 8 * byte;
      }
    }
  }
  if (c.kind == InputChange::finite_f16) {
    if ((value & 0x7c00u) == 0x7c00u) signs &= ~0xffffu;
    if ((value & 0x7c000000u) == 0x7c000000u) signs &= 0xffffu;
    if (w % c.row_words >= c.swapping) signs = 0;
  }
  return (turn & (w + 1 == c.words ? signs & c.last_mask : signs)) ^ halved(c, w, value);
}

uint32_t read(std::span<const std::byte> bytes, uint32_t w) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + uint64_t{w} * 4, std::min<uint64_t>(4, bytes.size() - uint64_t{w} * 4));
  return value;
}
void write(std::span<std::byte> bytes, uint32_t w, uint32_t value) {
  std::memcpy(bytes.data() + uint64_t{w} * 4, &value, std::min<uint64_t>(4, bytes.size() - uint64_t{w} * 4));
}

InputChange whole_change(const Problem& p, InputTensor tensor, uint64_t tensor_bytes, uint32_t seed) {
  InputChange c{.words = uint32_t((tensor_bytes + 3) / 4),
                .last_mask = 0xffffffffu >> (24 - 8 * ((tensor_bytes + 3) % 4)),
                .seed = seed == 0 ? 0 : std::max(mixed(seed + uint32_t(tensor)), 1u)};
  uint64_t row_bytes = 0;
  const auto typed = [&](DType dtype, uint64_t elements) {
    c.signs = dtype_bytes(dtype) == 4 ? 0x80000000u : 0x80008000u;
    row_bytes = elements * dtype_bytes(dtype);
  };
  switch (tensor) {
    case InputTensor::q: typed(p.dtype, p.head_dim); break;
    case InputTensor::k:
    case InputTensor::v: {
      const uint64_t dim = tensor == InputTensor::k ? p.head_dim : p.v_dim;
      const KvType type = tensor == InputTensor::k ? p.k_type : p.v_type;
      typed(p.dtype, dim);
      c.halving = p.dtype == DType::f16 ? 0x04000400u : p.dtype == DType::bf16 ? 0x00800080u : 0x00800000u;
      if (type == KvType::f8e4m3) {
        c.signs = 0x80808080u;
        c.halving = 0x08080808u;
        row_bytes = dim;
      } else if (type != KvType::as_dtype) {
        const PackedType& packed = packed_type(type);
        c.kind = InputChange::blocks;
        c.halving = 0;
        c.row_words = packed.bytes;
        c.swapping = packed.header;
        c.signs = packed.bits == 4 ? 0x11111111u : 0x01010101u;
        return c;
      }
      if (tensor == InputTensor::k && p.inputs != InputKind::normal && p.inputs != InputKind::wide) c.halving = 0;
      break;
    }
    case InputTensor::sinks: typed(DType::f32, p.heads_q); break;
    case InputTensor::mask:
      typed(DType::f16, p.seq_kv);
      c.kind = InputChange::finite_f16;
      if (p.mask != MaskKind::causal) break;
      // Some keys of those that a row sees weigh more. What is hidden stays hidden, so that times are alike.
      c.signs = 0x3c003c00u;
      c.row_words = c.swapping = std::max(p.seq_kv / 2, 1u);
      return c;
    case InputTensor::lists:
      c.kind = InputChange::keys;
      c.row_words = std::max(p.topk, 1u);
      c.swapping = p.sees_no_future() ? p.seq_kv - p.seq_q + 1 : p.seq_kv;
      c.signs = p.sees_no_future() ? p.seq_q : 1;
      return c;
    case InputTensor::pages:
      row_bytes = 4 * p.pages();
      // The last page of a sequence may be partial: what lies in it past the keys is poison.
      c.swapping = p.page_size == 0 ? 0 : p.seq_kv / p.page_size;
      c.kind = InputChange::pages;
      c.signs = p.batch > 1 && seed != 0 ? 1 + mixed(c.seed) % (std::bit_ceil(p.batch) - 1) : 0;
      break;
  }
  if (row_bytes >= 4 && row_bytes % 4 == 0) c.row_words = uint32_t(row_bytes / 4);
  if (tensor != InputTensor::pages) c.swapping = row_bytes % 4 == 0 ? c.row_words : 0;
  // Of a mask whose rows are no whole words all of it is one row: else what is hidden would stay.
  if (c.kind == InputChange::finite_f16 && row_bytes % 4 != 0) {
    c.row_words = c.words;
    c.swapping = uint32_t(tensor_bytes / 4);
  }
  if (c.swapping > 1) c.swap = 1 + c.seed % (std::bit_ceil(c.swapping) - 1);
  if (seed == 0) c.swap = 0;
  return c;
}

}  // namespace

InputChange input_change(const Problem& p, InputTensor tensor, uint64_t tensor_bytes, uint32_t seed, bool some_rows) {
  InputChange c = whole_change(p, tensor, tensor_bytes, seed);
  if (!some_rows) return c;
  c.one_of = std::clamp(row_of(c, c.words) / (kSomeRowsOfHead * p.batch * p.heads_kv), kLeastOneOf, kMostOneOf);
  if (c.kind != InputChange::pages) c.swap = 0;
  return c;
}

void change(std::span<std::byte> tensor, const InputChange& c) {
  if (c.seed == 0 || tensor.empty()) return;
  // Of each pair the lower word's index decides for both, so that the change undoes itself.
  parallel_for(c.words, 1 << 18, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const auto w = uint32_t(i);
      const uint32_t other = partner(c, w);
      if (other < w) continue;
      const uint32_t turn = mixed(w ^ c.seed), a = read(tensor, w), b = read(tensor, other);
      write(tensor, w, b ^ turned(c, other, b, turn));
      if (other != w) write(tensor, other, a ^ turned(c, w, a, turn));
    }
  });
}

std::vector<uint32_t> parts_of_tensors(const Problem& p, uint32_t seed) {
  constexpr uint32_t q = 1u << uint32_t(InputTensor::q), k = 1u << uint32_t(InputTensor::k);
  const uint32_t v = p.mla ? k : 1u << uint32_t(InputTensor::v);
  const uint32_t parts[] = {kAllTensors & ~q, k, kAllTensors & ~k, v, kAllTensors & ~v};
  const bool few = problem_bytes(p) < kFewBytes;
  const uint32_t first = mixed(seed) % 5, step = 1 + mixed(seed + 1) % 4;
  const uint32_t pages = 1u << uint32_t(InputTensor::pages);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < (few ? 5u : 2u); ++i) out.push_back(parts[(first + i * step) % 5] | (i == 0 ? pages : 0));
  // What is kept may be known by some rows, or by sizes alone, which Q's change keeps.
  if (few) out.insert(out.end(), {q, k | kSomeRows, v | kSomeRows});
  const auto alone = [&](bool has, InputTensor tensor) {
    if (has) out.push_back(1u << uint32_t(tensor));
  };
  alone(p.sinks, InputTensor::sinks);
  alone(changes_mask(p), InputTensor::mask);
  alone(p.topk != 0, InputTensor::lists);
  alone(p.page_size != 0, InputTensor::pages);
  if (p.page_size != 0) out.push_back(pages | kSomeRows);
  return out;
}

void change_inputs(const Problem& p, Inputs& in, uint32_t seed, uint32_t tensors) {
  const auto one = [&](InputTensor tensor, std::span<std::byte> bytes) {
    if ((tensors >> uint32_t(tensor) & 1) != 0)
      change(bytes, input_change(p, tensor, bytes.size(), seed, (tensors & kSomeRows) != 0));
  };
  one(InputTensor::q, in.q.bytes);
  one(InputTensor::k, in.k.bytes);
  one(InputTensor::v, in.v.bytes);
  one(InputTensor::sinks, std::as_writable_bytes(std::span(in.sinks)));
  if (changes_mask(p)) one(InputTensor::mask, in.mask.bytes);
  one(InputTensor::lists, std::as_writable_bytes(std::span(in.lists)));
  one(InputTensor::pages, std::as_writable_bytes(std::span(in.page_table)));
}

}  // namespace attnscope
