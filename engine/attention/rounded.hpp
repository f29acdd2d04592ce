// Rounding after each operation, as arithmetic in a 16-bit type does.
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

/// half_to_float(float_to_half(x)) or the same of bf16, without branches, so that a loop is vectorized.
template <DType type>
struct Rounded {
  float operator()(float x) const {
    if constexpr (type == DType::f32) return x;
    const uint32_t bits = std::bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu;
    constexpr uint32_t kCut = type == DType::f16 ? 13 : 16, kInfinity = 0x7f800000u;
    const uint32_t odd = (magnitude >> kCut) & 1u;
    uint32_t out = (magnitude + (1u << (kCut - 1)) - 1 + odd) & ~((1u << kCut) - 1);
    if constexpr (type == DType::f16) {
      // Below 2^-14 the result is a multiple of 2^-24, the last bit of the sum with 0.5.
      const float small = std::bit_cast<float>(magnitude) + 0.5f - 0.5f;
      out = magnitude < 0x38800000u ? std::bit_cast<uint32_t>(small) : out >= 0x47800000u ? kInfinity : out;
    }
    return std::bit_cast<float>((bits ^ magnitude) | (magnitude > kInfinity ? magnitude : out));
  }
};

}  // namespace attnscope
