// Seeded input tensors, as the bytes that the GPU sees, and conversions between storage types.
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

uint16_t float_to_half(float);  ///< round to nearest even, as IEEE 754 binary16
float half_to_float(uint16_t);
uint16_t float_to_bfloat(float);
float bfloat_to_float(uint16_t);
uint8_t float_to_f8e4m3(float);  ///< round to nearest even; what is over 448 becomes 448
float f8e4m3_to_float(uint8_t);

/// A tensor in its storage type; element i read back as float, which is exact.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<std::byte> bytes;
  KvType packed = KvType::as_dtype;                                    ///< else K or V, whatever `dtype`
  uint64_t size() const { return bytes.size() / dtype_bytes(dtype); }  ///< elements, unless packed
  float at(uint64_t i) const;
  /// `count` elements from `first` on; of a packed one whole blocks.
  void read(uint64_t first, uint32_t count, float* out) const;
  void set(uint64_t i, float v);  ///< not of a packed one
};

/// Q, K and V of a problem, in the layout that the GPU reads (layout.hpp). Same problem + seed = same bits on every
/// machine: each element is a hash of (seed, tensor, index) in integers and correctly rounded float operations, no
/// libm.
/// - normal: a sum of four 16-bit uniforms, mean 0, variance 1, tails ending at 3.46.
/// - large: Q and K times kLargeFactor, so that scores leave the range of exp.
/// - one_hot: a K row is zero but for one entry, large enough to saturate the softmax; equal entries tie exactly.
/// - ramp: every score rises along the keys, so that the running maximum moves in every key block.
/// - wide: Q and V times kWideFactor and K over it: what bf16 and f32 hold and f16 does not, with scores as of normal.
/// A paged K/V is a pool [batch * pages, heads_kv, page_size, dim]; rows past seq_kv hold poison.
/// Sinks spread about as far as the scores do. A mask has numbers of mean 0 and variance 4, and -inf in one of eight
/// places; with alibi it has minus the distance of key and query, and slopes are no tensor. The lists of topk are drawn
/// from all over the keys that a query sees, one of each stretch of equal length, in no order; V is empty with mla.
struct Inputs {
  Tensor q, k, v;
  std::vector<float> sinks;          ///< [heads_q]; empty when the problem has none
  Tensor mask;                       ///< f16, [batch or 1, seq_q, seq_kv]; empty when the problem has none
  std::vector<uint32_t> page_table;  ///< [batch, pages of a sequence], a seeded permutation; empty when contiguous
  std::vector<uint32_t> offsets;     ///< varlen: batch + 1 prefix sums; else empty
  std::vector<uint32_t> lists;       ///< [batch, heads_kv, seq_q, topk]; empty without topk

  /// With mla they are in K's rows.
  const Tensor& values(const Problem& p) const { return p.mla ? k : v; }
};
Inputs make_inputs(const Problem&, uint64_t seed);

/// Inputs that a right kernel takes, and one for the drawn ones alone may not, in their place; empty: as it was. By
/// what K has in a few dimensions that the seed chooses, all scores of a row are far from 0, most beyond what exp() can
/// hold, or a few keys are above all others, by the row's RowExtreme; or 16 keys lead one after another by 100 each.
/// Some of V are a thousand times as large. Of packed types V has any codes and scales: large, tiny, negative, 0; K
/// too, in one block of each row, for which Q is small. A softcap takes the scores back to where it allows them. Masks
/// have rows far from 0, and mask=causal hides more keys; sinks lie decades apart, around the sum of a row of scores
/// near 0; some lists are of neighbours.
struct Extremes {
  Tensor q, k, v, mask;
  std::vector<float> sinks;
  std::vector<uint32_t> lists;
};
Extremes extremes(const Problem&, const Inputs&, uint64_t seed);

/// Beyond exp()'s range, level, rising or falling; about a thousand; a few keys lead a little, or by far; as it was.
enum class RowExtreme { above, below, far_above, far_below, peaks, plain };
inline constexpr uint32_t kRowExtremes = 8;  ///< so many neighbouring rows have all of them
RowExtreme row_extreme(uint64_t seed, uint64_t q_row);

/// Where Q points, in half of the K/V heads, K is as drawn (packed: but for its scales' signs), and Q but for a part
/// along one or two keys, whose scores lead: of `outliers`, a few keys 32 to 64 times as large as others, or else any.
/// Of a calm head V is as drawn, and where it points without outliers no element of Q or K is larger than what is
/// drawn: keys of one size in all dimensions lead.
struct HeadExtreme {
  bool points = false, outliers = false, calm = false;
};
HeadExtreme head_extreme(const Problem&, uint64_t seed, uint32_t batch, uint32_t kv_head);

/// Scores then spread by 64, where exp overflows in f32. More would make f32 itself miss the verdict's NMSE limit.
inline constexpr float kLargeFactor = 8;

/// A power of two, so that nothing is rounded by it: with it V passes f16's 65,504 and K falls below its least normal.
inline constexpr float kWideFactor = 1 << 20;

/// The NaN that marks what nothing has written, in the low bits: no arithmetic makes this payload by itself.
uint32_t poison_bits(DType);
/// All-poison bytes of the dtype, for outputs and padding.
std::vector<std::byte> poison(DType, uint64_t elements);

}  // namespace attnscope
