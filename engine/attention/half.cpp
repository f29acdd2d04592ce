// Conversions between f32 and the 16-bit storage types, rounding to nearest even.
#include <bit>
#include <cstdint>

#include "engine/attention/tensor.hpp"

namespace attnscope {

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {  // Inf, or NaN made quiet with the top of its payload
    const uint32_t nan = magnitude > 0x7f800000u ? 0x200u | ((magnitude >> 13) & 0x3ffu) : 0;
    return uint16_t(sign | 0x7c00u | nan);
  }
  if (magnitude >= 0x477ff000u) return uint16_t(sign | 0x7c00u);  // 65520 and more round to Inf
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the result is a multiple of 2^-24. Adding 0.5 makes that the sum's last bit, so the addition rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

float half_to_float(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = float(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  const uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float bfloat_to_float(uint16_t bfloat) { return std::bit_cast<float>(uint32_t(bfloat) << 16); }

}  // namespace attnscope
