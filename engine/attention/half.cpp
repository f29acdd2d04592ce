// Conversions between f32 and the narrower storage types, rounding to nearest even.

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

uint8_t float_to_f8e4m3(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return uint8_t(sign | 0x7fu);
  if (magnitude >= 0x43e00000u) return uint8_t(sign | 0x7eu);  // 448 and more
  if (magnitude < 0x3c800000u) {
    // Below 2^-6 a multiple of 2^-9; as with halves, adding 2^14 makes that the sum's last bit.
    const float shifted = std::bit_cast<float>(magnitude) + 16384.0f;
    return uint8_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x46800000u));
  }
  const uint32_t odd = (magnitude >> 20) & 1u;
  return uint8_t(sign | ((magnitude - 0x3c000000u + 0x7ffffu + odd) >> 20));
}

float f8e4m3_to_float(uint8_t byte) {
  const uint32_t sign = uint32_t(byte & 0x80u) << 24, exponent = (byte >> 3) & 0xfu, fraction = byte & 7u;
  if ((byte & 0x7fu) == 0x7fu) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (exponent == 0) return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(float(fraction) * 0x1p-9f));
  return std::bit_cast<float>(sign | ((exponent + 120) << 23) | (fraction << 20));
}

}  // namespace attnscope
