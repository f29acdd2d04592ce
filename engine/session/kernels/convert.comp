#version 460
// In integers, so that no device flushes a denormal or keeps a NaN's bits otherwise. Each invocation makes whole words;
// half a word at the end belongs to the guard.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
// By dimension, that of the largest stride in `to` first.
layout(push_constant) uniform Push {
  uvec4 counts, from_strides, to_strides;
  uint count, from_offset, to_offset, from_type, to_type, from_poison, to_poison, keep, padding;
};
const uint F32 = 0u, F16 = 1u, BF16 = 2u, BYTES = 3u;  // BYTES: as they are
const uint NONE = 0xffffffffu;                         // no element lies there

uint source_of(uint i) {
  if (i < to_offset) return NONE;
  uint rest = i - to_offset, at = from_offset;
  for (int n = 0; n < 4; ++n) {
    const uint c = rest / to_strides[n];
    if (c >= counts[n]) return NONE;
    rest -= c * to_strides[n];
    at += c * from_strides[n];
  }
  return rest == 0u ? at : NONE;
}
uint half_to_float(uint h) {
  const uint sign = (h & 0x8000u) << 16;
  uint exponent = h >> 10 & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31u) return sign | 0x7f800000u | mantissa << 13;
  if (exponent == 0u) {
    if (mantissa == 0u) return sign;
    const uint shift = 10u - uint(findMSB(mantissa));
    mantissa = mantissa << shift & 0x3ffu;
    return sign | (113u - shift) << 23 | mantissa << 13;
  }
  return sign | (exponent + 112u) << 23 | mantissa << 13;
}
uint round_off(uint value, uint bits) {  // nearest even
  const uint half_way = 1u << (bits - 1u), rest = value & (1u << bits) - 1u, kept = value >> bits;
  return kept + (rest > half_way || (rest == half_way && (kept & 1u) == 1u) ? 1u : 0u);
}
uint float_to_half(uint f) {
  const uint sign = f >> 16 & 0x8000u, rest = f & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u;
  if (rest >= 0x47800000u) return sign | 0x7c00u;
  if (rest >= 0x38800000u) return sign | round_off(rest - (112u << 23), 13u);
  if (rest < 0x33000000u) return sign;
  const uint mantissa = (rest & 0x7fffffu) | 0x800000u;
  return sign | round_off(mantissa, 126u - (rest >> 23));
}
uint float_to_bfloat(uint f) {
  if ((f & 0x7fffffffu) > 0x7f800000u) return f >> 16 | 0x40u;
  return round_off(f, 16u);
}
uint converted(uint i, uint before) {
  const uint at = source_of(i);
  if (at == NONE) return keep != 0u ? before : padding;
  uint bits = from_type == F32 ? from[at] : from[at >> 1] >> (at & 1u) * 16u & 0xffffu;
  if (bits == from_poison) return to_poison;
  if (from_type == to_type) return bits;
  if (from_type == F16) bits = half_to_float(bits);
  if (from_type == BF16) bits <<= 16;
  return to_type == F32 ? bits : to_type == F16 ? float_to_half(bits) : float_to_bfloat(bits);
}
void main() {
  const uint words = to_type == F32 ? count : to_type == BYTES ? (count + 3u) >> 2 : (count >> 1) + (count & 1u);
  for (uint w = gl_GlobalInvocationID.x; w < words; w += gl_NumWorkGroups.x * 128u) {
    const uint before = to[w];
    if (to_type == F32) {
      to[w] = converted(w, before);
      continue;
    }
    if (to_type == BYTES) {
      uint word = before;
      for (uint i = 0u; i < 4u; ++i) {
        const uint at = 4u * w + i < count ? source_of(4u * w + i) : NONE;
        if (at == NONE && keep == 0u && 4u * w + i < count) word = bitfieldInsert(word, 0u, int(8u * i), 8);
        if (at != NONE) word = bitfieldInsert(word, from[at >> 2] >> 8u * (at & 3u), int(8u * i), 8);
      }
      to[w] = word;
      continue;
    }
    const uint high = 2u * w + 1u < count ? converted(2u * w + 1u, before >> 16) << 16 : before & 0xffff0000u;
    to[w] = converted(2u * w, before & 0xffffu) | high;
  }
}
