// Problem: what to compute. O = softmax(softcap(scale * Q K^T) + mask) V.
#pragma once

#include "engine/result.hpp"

namespace attnscope {

enum class DType { f32, f16, bf16 };
/// How the inputs are drawn. large, one_hot and ramp are what breaks online softmax.
enum class InputKind { normal, large, one_hot, ramp, wide };
/// How K or V is stored (packed_types.hpp). f8e4m3: a byte an element, 4 bits of exponent and 3 of mantissa, no
/// infinity, 448 at most; the others: ggml's blocks of 32 along the head dim.
enum class KvType { as_dtype, q8_0, f8e4m3, q4_0, q4_1, q5_0, q5_1, iq4_nl };
/// An additive mask of f16, the same for all heads. shared: [seq_q, seq_kv]; batch: [batch, seq_q, seq_kv]; alibi: as
/// shared, minus the distance of key and query, times a slope of the query head (alibi_slope); causal: as shared, 0
/// where a causal mask and the problem's window let a key be seen and -inf elsewhere, for kernels not told of them.
enum class MaskKind { none, shared, batch, alibi, causal };

/// Shapes: Q [batch, heads_q, seq_q, head_dim], K [batch, heads_kv, seq_kv, head_dim],
/// V [batch, heads_kv, seq_kv, v_dim], O [batch, heads_q, seq_q, v_dim], row-major.
/// With varlen: Q [sum, heads_q, head_dim] and so on, packed; batch = number of sequences, seq_q = seq_kv = the
/// longest. heads_q is a multiple of heads_kv; kv_head = q_head / (heads_q / heads_kv). A causal mask aligns to the
/// bottom right: query i sees key j when j <= i + seq_kv - seq_q; a row that sees no key is 0. With a window W it sees
/// of those only j > i + seq_kv - seq_q - W, and without a causal mask also j < i + seq_kv - seq_q + W.
/// A score s is scale * q.k; then softcap * tanh(s / softcap); then the mask is added, and where that is -inf the query
/// does not see the key. A sink is one more logit in the softmax of every row of its head, whose value is 0.
/// With mla V is no tensor: the first v_dim elements of K's rows. With topk a (batch, KV head, query) sees only the
/// keys of its list: u32 [batch, heads_kv, seq_q, topk], distinct keys that it would see without, then kNoKey.
struct Problem {
  uint32_t batch = 1, heads_q = 1, heads_kv = 1, seq_q = 1, seq_kv = 1, head_dim = 64, v_dim = 64;
  DType dtype = DType::f32;
  bool causal = false;
  std::optional<double> scale;   ///< default 1/sqrt(head_dim)
  std::vector<uint32_t> varlen;  ///< sequence lengths; empty for a dense batch
  uint32_t page_size = 0;        ///< K/V rows a page of a paged cache; 0 = contiguous
  InputKind inputs = InputKind::normal;
  uint32_t window = 0;  ///< keys of a sliding window, the query's own place included; 0 = all
  double softcap = 0;   ///< bound of the scores; 0 = none
  bool sinks = false;   ///< a learned f32 logit for each query head
  MaskKind mask = MaskKind::none;
  KvType k_type = KvType::as_dtype, v_type = KvType::as_dtype;
  bool mla = false;
  uint32_t topk = 0;  ///< keys of a list; 0 = no lists

  uint32_t group() const { return heads_q / heads_kv; }
  /// Whether a query sees no key behind it, by a mask in memory or without one.
  bool sees_no_future() const { return causal || mask == MaskKind::causal; }
  /// Whether a kernel is told of the window: it is not in the mask, and it hides a key that a query sees without it.
  bool windowed() const {
    return window != 0 && mask != MaskKind::causal && window < (causal ? seq_kv : std::max(seq_q, seq_kv));
  }
  /// Whether the mask's numbers are random ones.
  bool draws_mask() const { return mask == MaskKind::shared || mask == MaskKind::batch; }
  /// Whether bf16 holds the mask's numbers exactly.
  bool mask_fits_bf16() const { return dtype == DType::bf16 && mask != MaskKind::alibi; }
  double softmax_scale() const;
  /// Query rows in all (batch * seq_q, or the sum of varlen), not counting heads; likewise keys.
  uint64_t total_q() const;
  uint64_t total_kv() const;
  /// Elements as stored: a paged K or V counts whole pages.
  uint64_t q_elements() const, k_elements() const, v_elements() const, o_elements() const;
  uint64_t mask_elements() const;  ///< 0 without a mask
  uint64_t list_elements() const { return uint64_t{batch} * heads_kv * seq_q * topk; }
  bool packed_kv() const { return k_type != KvType::as_dtype || v_type != KvType::as_dtype; }
  uint64_t k_bytes() const, v_bytes() const;
  /// Pages of one sequence of a paged cache; 0 when contiguous.
  uint64_t pages() const { return page_size == 0 ? 0 : (uint64_t{seq_kv} + page_size - 1) / page_size; }
  bool operator==(const Problem&) const = default;
};

/// Limits that keep every index in range and every tensor's size in 64 bits.
inline constexpr uint32_t kMaxCount = 1u << 30;          ///< of batch, heads, a sequence
inline constexpr uint32_t kMaxHeadDim = 65536;           ///< head_dim and v_dim
inline constexpr double kMaxElements = 1099511627776.0;  ///< 2^40, of one tensor
inline constexpr double kMinSoftcap = 1e-2, kMaxSoftcap = 1e6;
inline constexpr uint32_t kNoKey = 0xffffffff;  ///< of a list: no key

uint32_t dtype_bytes(DType);
/// Bytes of `elements` of K or V, whole rows of a legal head dim.
uint64_t kv_bytes(KvType, DType, uint64_t elements);
/// The mask's factor in query head `head` with MaskKind::alibi (Press et al. 2022): 2^(-8 (head + 1) / n) for the first
/// n heads, n the largest power of two up to `heads`, and odd powers of the first's square root for the others.
double alibi_slope(uint32_t head, uint32_t heads);
std::string_view to_text(DType);
std::string_view to_text(InputKind);
std::string_view to_text(KvType);
std::string_view to_text(MaskKind);
Result<DType> parse_dtype(std::string_view);

/// `BxHxSxD` (S = seq_kv, and seq_q without q=) then options after colons, any order, each once: q=, kv= (KV heads),
/// dv=, causal, window=, softcap=, sinks, mask or mask=batch|alibi|causal, scale=, page=, kvtype= (or ktype=, vtype=)
/// of a packed type's name, mla, topk=, in=normal|large|onehot|ramp|wide, f32|f16|bf16; or `varlen=37,512,90:8x64:…`.
/// Every error names the field, the value and what is allowed.
Result<Problem> parse_problem(std::string_view text);
/// Canonical text; parse_problem(to_text(p)) == p.
std::string to_text(const Problem&);
/// The same checks as parsing makes, for a Problem built field by field.
Result<void> check_problem(const Problem&);

/// FLOPs by the usual count: 2 (head_dim + v_dim) for each unmasked (query, key) pair and head.
double problem_flops(const Problem&);
/// Least traffic in bytes: Q, K, V, mask and sinks read once, O written once; less what the window hides.
double problem_bytes(const Problem&);
/// Unmasked (query, key) pairs over batch and query heads.
double problem_pairs(const Problem&);

/// What a problem may ask beyond plain attention, each declared once: variants name those that they take.
struct ProblemOption {
  std::string_view name;    ///< in a manifest's `options`
  std::string_view text;    ///< as a problem asks for it
  std::string_view define;  ///< what shaders are compiled with where the problem asks for it, as 1
  bool (*asked)(const Problem&);
};

inline constexpr std::array kProblemOptions{
    ProblemOption{"window", "window=", "OPTION_WINDOW", [](const Problem& p) { return p.windowed(); }},
    ProblemOption{"softcap", "softcap=", "OPTION_SOFTCAP", [](const Problem& p) { return p.softcap != 0; }},
    ProblemOption{"sinks", "sinks", "OPTION_SINKS", [](const Problem& p) { return p.sinks; }},
    ProblemOption{"mask", "mask", "OPTION_MASK", [](const Problem& p) { return p.mask != MaskKind::none; }},
    ProblemOption{"alibi", "mask=alibi", "OPTION_ALIBI", [](const Problem& p) { return p.mask == MaskKind::alibi; }},
    // Any packed type, also another one of V; a kernel of one type alone says so under `supports`.
    ProblemOption{"packed_kv", "kvtype=", "OPTION_PACKED_KV", [](const Problem& p) { return p.packed_kv(); }},
    ProblemOption{"mla", "mla", "OPTION_MLA", [](const Problem& p) { return p.mla; }},
    ProblemOption{"topk", "topk=", "OPTION_TOPK", [](const Problem& p) { return p.topk != 0; }},
};

}  // namespace attnscope
