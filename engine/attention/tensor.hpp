// Seeded input tensors, as the bytes that the GPU sees, and conversions between storage types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/attention/problem.hpp"

namespace attnscope {

uint16_t float_to_half(float);   ///< round to nearest even, as IEEE 754 binary16
float half_to_float(uint16_t);
uint16_t float_to_bfloat(float);
float bfloat_to_float(uint16_t);

/// A tensor in its storage type; element i read back as float.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<std::byte> bytes;
  uint64_t size() const { return bytes.size() / dtype_bytes(dtype); }
  float at(uint64_t i) const;
  void set(uint64_t i, float v);
};

/// Q, K and V of a problem. Same problem + seed = same bits on every machine (counter-based generator, no libm).
struct Inputs {
  Tensor q, k, v;
  std::vector<uint32_t> page_table;  ///< [batch, pages of a sequence], a seeded permutation; empty when contiguous
  std::vector<uint32_t> offsets;     ///< varlen: batch + 1 prefix sums; else empty
};
Inputs make_inputs(const Problem&, uint64_t seed);

/// All-NaN bytes of the dtype, to poison outputs and padding.
std::vector<std::byte> poison(DType, uint64_t elements);

}  // namespace attnscope
