// The CPU reference: readable attention in double precision, and the same at a variant's own precision.
#pragma once

#include "engine/attention/tensor.hpp"

namespace attnscope {

/// The precision that a variant computes in, as its manifest says; the yardstick of the verdict's last test.
struct Precision {
  DType accumulate = DType::f32;     ///< of scores and output sums
  DType probabilities = DType::f32;  ///< P as it enters P V
  DType scores = DType::f32;         ///< of Q times the scale, where a kernel rounds that before the product with K
  bool f16_pairs = false;  ///< every operand of a product is the sum of two f16 numbers (the value, and what it left)
  DType kv = DType::f32;   ///< packed K and V (kvtype) as they enter the products; f32: exactly as they are stored
  bool operator==(const Precision&) const = default;
};
/// "f32", "f32, P in f16", "f32, P in f16, K and V in f16", "f32 of pairs of f16".
std::string to_text(const Precision&);

/// Output rows that were computed: row r is (batch b, head h, query i) with r = (b * heads_q + h) * seq_q + i (row_id()
/// of layout.hpp). With varlen, seq_q is the longest sequence and rows past a sequence's end do not occur.
struct Reference {
  std::vector<uint64_t> rows;    ///< sorted; all rows when the problem is small
  uint64_t total_rows = 0;       ///< of the problem
  std::vector<double> exact;     ///< [rows, v_dim], double precision on the rounded inputs
  std::vector<float> own;        ///< [rows, v_dim], at `precision`, rounded to the problem's dtype
  std::vector<double> rounding;  ///< [rows], the square of what f32 may put a row's weights off, in proportion
  std::vector<uint8_t> leads;    ///< [rows], 1: one key alone decides it, however 16 bits round its scores
  std::vector<uint8_t> fits;     ///< [rows], 1: sums of f16 hold it, in whatever order; 0 as well if `precision` is f32
  bool overflows = false;        ///< `own` of a row was not finite, and was left out
  Precision precision;
};

/// Exact: scores, softmax and sums in double. Own: scores and output summed one key or dimension after the other in
/// `accumulate`, softmax in two passes, P (as exp(score - max), at most 1) rounded to `probabilities` before P V; with
/// f16_pairs, Q, K, V and P are first rounded to what a pair holds; Q times the scale to `scores`, if that is not f32.
/// K and V that are quantized are taken exactly as they are stored, but by Own rounded to `kv`. A row that sees no key
/// is zero. Threads over heads and rows. Problems over `max_flops` (double-precision work) check a random sample of
/// rows: of every head the first, the last and at least two more, as many as the budget allows; with Heads::some, of as
/// many heads as it allows a row each, four at least. Returns early, with rows empty, when `cancel` becomes true.
enum class Heads { every, some };
Reference make_reference(const Problem&, const Inputs&, const Precision&, uint64_t seed, double max_flops = 4e8,
                         const Cancel* cancel = nullptr, Heads heads = Heads::every);

/// As make_reference(), of these rows (sorted, each once). Empty when `cancel` becomes true.
Reference make_reference_of(const Problem&, const Inputs&, const Precision&, std::vector<uint64_t> rows,
                            const Cancel* cancel = nullptr);

/// Of these rows those for whose place among them `keep` holds.
Reference rows_where(const Problem&, const Reference&, const std::function<bool(size_t)>& keep);

/// Rows of one batch and head: all within `max_flops`, else the first, the last, `also` (row numbers; those of another
/// head are passed over) and a seeded row of each of as many equal blocks as the budget allows, two at least.
std::vector<uint64_t> rows_of_head(const Problem&, uint32_t batch, uint32_t head, uint64_t seed, double max_flops,
                                   const std::vector<uint64_t>& also = {});

}  // namespace attnscope
