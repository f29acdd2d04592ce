// The CPU reference: readable attention in double precision, and the same at a variant's own precision.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/attention/problem.hpp"
#include "engine/attention/tensor.hpp"

namespace attnscope {

/// The precision that a variant computes in, as its manifest says; the yardstick of the verdict's last test.
struct Precision {
  DType accumulate = DType::f32;     ///< of scores and output sums
  DType probabilities = DType::f32;  ///< P as it enters P V
  bool operator==(const Precision&) const = default;
};

/// Output rows that were computed: row r is (batch b, head h, query i) with r = (b * heads_q + h) * seq_q + i.
struct Reference {
  std::vector<uint64_t> rows;       ///< sorted; all rows when the problem is small
  uint64_t total_rows = 0;
  std::vector<double> exact;        ///< [rows, v_dim], double precision on the rounded inputs
  std::vector<float> own;           ///< [rows, v_dim], at `precision`, rounded to the problem's dtype
  Precision precision;
};

/// Threads over rows. Problems over `max_flops` (double-precision work) check a seeded sample of rows from every head.
/// Returns early, with rows empty, when `cancel` becomes true.
Reference make_reference(const Problem&, const Inputs&, const Precision&, uint64_t seed, double max_flops = 4e8,
                         const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
