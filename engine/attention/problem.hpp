// Problem: what to compute. O = softmax(scale * Q K^T + mask) V.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"

namespace attnscope {

enum class DType { f32, f16, bf16 };
/// How the inputs are drawn. The last three are what breaks online softmax.
enum class InputKind { normal, large, one_hot, ramp };

/// Shapes: Q [batch, heads_q, seq_q, head_dim], K [batch, heads_kv, seq_kv, head_dim],
/// V [batch, heads_kv, seq_kv, v_dim], O [batch, heads_q, seq_q, v_dim], row-major.
/// With varlen: Q [sum, heads_q, head_dim] and so on, packed; batch = number of sequences, seq_q = seq_kv = the
/// longest. heads_q is a multiple of heads_kv; kv_head = q_head / (heads_q / heads_kv). A causal mask aligns to the
/// bottom right: query i sees key j when j <= i + seq_kv - seq_q; a row that sees no key is 0.
struct Problem {
  uint32_t batch = 1, heads_q = 1, heads_kv = 1, seq_q = 1, seq_kv = 1, head_dim = 64, v_dim = 64;
  DType dtype = DType::f32;
  bool causal = false;
  std::optional<double> scale;   ///< default 1/sqrt(head_dim)
  std::vector<uint32_t> varlen;  ///< sequence lengths; empty for a dense batch
  uint32_t page_size = 0;        ///< K/V rows a page of a paged cache; 0 = contiguous
  InputKind inputs = InputKind::normal;

  uint32_t group() const { return heads_q / heads_kv; }
  double softmax_scale() const;
  /// Query rows in all (batch * seq_q, or the sum of varlen), not counting heads; likewise keys.
  uint64_t total_q() const;
  uint64_t total_kv() const;
  /// Elements as stored: a paged K or V counts whole pages.
  uint64_t q_elements() const, k_elements() const, v_elements() const, o_elements() const;
  /// Pages of one sequence of a paged cache; 0 when contiguous.
  uint64_t pages() const { return page_size == 0 ? 0 : (uint64_t{seq_kv} + page_size - 1) / page_size; }
  bool operator==(const Problem&) const = default;
};

/// Limits that keep every index in range and every tensor's size in 64 bits.
inline constexpr uint32_t kMaxCount = 1u << 30;          ///< of batch, heads, a sequence
inline constexpr uint32_t kMaxHeadDim = 65536;           ///< head_dim and v_dim
inline constexpr double kMaxElements = 1099511627776.0;  ///< 2^40, of one tensor

uint32_t dtype_bytes(DType);
std::string_view to_text(DType);
std::string_view to_text(InputKind);
Result<DType> parse_dtype(std::string_view);

/// `BxHxSxD` (S = seq_kv, and seq_q without q=) then options after colons, any order, each once: q=, kv= (KV heads),
/// dv=, causal, f32|f16|bf16, scale=, page=, in=normal|large|onehot|ramp; or `varlen=37,512,90:8x64:…`. Every error
/// names the field, the value and what is allowed.
Result<Problem> parse_problem(std::string_view text);
/// Canonical text; parse_problem(to_text(p)) == p.
std::string to_text(const Problem&);
/// The same checks as parsing makes, for a Problem built field by field.
Result<void> check_problem(const Problem&);

/// FLOPs by the usual count: 2 (head_dim + v_dim) for each unmasked (query, key) pair and head.
double problem_flops(const Problem&);
/// Least traffic in bytes: Q, K, V read once, O written once.
double problem_bytes(const Problem&);
/// Unmasked (query, key) pairs over batch and query heads.
double problem_pairs(const Problem&);

}  // namespace attnscope
