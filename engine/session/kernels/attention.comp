#version 460
#include "element.glsl"

// A workgroup for each row of O: simple enough to be read as its own specification.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Q { uint q[]; };
layout(set = 0, binding = 1) readonly buffer K { uint k[]; };
layout(set = 0, binding = 2) readonly buffer V { uint v[]; };
layout(set = 0, binding = 3) buffer O { float o[]; };
// Of each row of O two: first KV row (paged: KV head), step, end of the keys that it sees, first page; and the first of
// those keys (or where the list begins, whose keys are counted then), the mask's element of key 0, the mask's slope,
// the query head.
layout(set = 0, binding = 4) readonly buffer Rows { uvec4 rows[]; };
layout(set = 0, binding = 5) readonly buffer Pages { uint pages[]; };
layout(set = 0, binding = 6) readonly buffer Sinks { float sinks[]; };
layout(set = 0, binding = 7) readonly buffer Mask { uint mask[]; };
layout(set = 0, binding = 8) readonly buffer Lists { uint lists[]; };
layout(push_constant) uniform Push {
  uint count, head_dim, v_dim, dtype, page_size, heads_kv;
  float scale, softcap;
  uint k_type, v_type, v_row, has_sinks, has_mask, topk;  // v_row: elements from one row of V to the next
};
shared float part[128];
shared float weight[128];
float load_q(uint i) { return element(q[dtype == 0 ? i : i >> 1], i, dtype); }
// Of f8e4m3.
float from_f8(uint bits) {
  const uint exponent = bits >> 3 & 15u, fraction = bits & 7u;
  const float magnitude = exponent == 0 ? float(fraction) / 512.0
                                        : uintBitsToFloat((exponent + 120) << 23 | fraction << 20);
  return (bits & 127u) == 127u ? uintBitsToFloat(0x7fc00000u) : (bits & 128u) != 0 ? -magnitude : magnitude;
}
// By type (KvType): bytes of a block, and where its elements begin; blocks of 32.
const uint BYTES[8] = uint[](0, 34, 1, 18, 20, 22, 24, 18), HEADER[8] = uint[](0, 2, 0, 2, 4, 6, 8, 2);
const int IQ4[16] = int[](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
// Element i of a block, without scale and offset: of a byte, of half a byte, and the byte that holds its fifth bit.
int stored(uint type, uint i, uint byte, uint fifth) {
  if (type == 1) return bitfieldExtract(int(byte), 0, 8);
  const int n = int(byte >> i / 16 * 4 & 15u), high = int(fifth >> i % 8 & 1u) * 16;
  return type == 3 ? n - 8 : type == 5 ? n + high - 16 : type == 6 ? n + high : type == 7 ? IQ4[n] : n;
}
#define LOADER(name)                                                                              \
  uint byte_##name(uint at) { return name[at >> 2] >> (at & 3u) * 8u & 255u; }                    \
  float half_##name(uint at) { return element(name[at >> 2], at >> 1, 1); }                       \
  float load_##name(uint i) {                                                                     \
    const uint type = name##_type, e = i % 32, block = i / 32 * BYTES[type], at = block + HEADER[type]; \
    if (type == 0) return element(name[dtype == 0 ? i : i >> 1], i, dtype);                       \
    if (type == 2) return from_f8(byte_##name(i));                                                \
    const uint fifth = type == 5 || type == 6 ? byte_##name(at - 4 + e / 8) : 0;                  \
    const int n = stored(type, e, byte_##name(at + (type == 1 ? e : e % 16)), fifth);             \
    return float(n) * half_##name(block) + (type == 4 || type == 6 ? half_##name(block + 2) : 0.0); \
  }
LOADER(k)
LOADER(v)
// `place` of a row's keys: of all, or of its list.
uint key_of(uvec4 more, uint place) { return topk == 0 ? place : lists[more.x + place]; }
uint kv_row(uvec4 row, uint key) {
  if (page_size == 0) return row.x + key * row.y;
  return (pages[row.w + key / page_size] * heads_kv + row.x) * page_size + key % page_size;
}
float mask_of(uint i) { return element(mask[i >> 1], i, 1); }
// The hyperbolic tangent; written so that no exponential overflows, and near 0 without a difference of neighbours.
float bounded(float x) {
  const float x2 = x * x;
  if (x2 < 0.1)
    return x * (1.0 + x2 * (-1.0 / 3.0 + x2 * (2.0 / 15.0 + x2 * (-17.0 / 315.0 + x2 * (62.0 / 2835.0)))));
  return sign(x) * (1.0 - 2.0 / (exp(2.0 * min(abs(x), 20.0)) + 1.0));
}
void main() {
  const uint r = gl_WorkGroupID.y * 32768u + gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
  if (r >= count) return;
  const uvec4 row = rows[2 * r], more = rows[2 * r + 1];
  const uint keys = row.z, q_first = r * head_dim, o_first = r * v_dim;
  for (uint c = t; c < v_dim; c += 128u) o[o_first + c] = 0.0;
  float highest = has_sinks != 0 ? sinks[more.w] : -3.0e38, total = has_sinks != 0 ? 1.0 : 0.0;
  for (uint first = topk == 0 ? more.x : 0u; first < keys; first += 128u) {
    const uint key = first + t, here = min(128u, keys - first);
    float score = -3.0e38;
    if (key < keys) {
      const uint k_first = kv_row(row, key_of(more, key)) * head_dim;
      float sum = 0.0;
      for (uint c = 0u; c < head_dim; ++c) sum += load_q(q_first + c) * load_k(k_first + c);
      score = sum * scale;
      if (softcap > 0.0) score = softcap * bounded(score / softcap);
      if (has_mask != 0) score = max(score + uintBitsToFloat(more.z) * mask_of(more.y + key_of(more, key)), -3.0e38);
    }
    part[t] = score;
    barrier();
    for (uint half_way = 64u; half_way > 0u; half_way >>= 1) {
      if (t < half_way) part[t] = max(part[t], part[t + half_way]);
      barrier();
    }
    const float higher = max(highest, part[0]), keep = exp(highest - higher);
    barrier();
    weight[t] = key < keys && score > -3.0e38 ? exp(score - higher) : 0.0;
    part[t] = weight[t];
    barrier();
    for (uint half_way = 64u; half_way > 0u; half_way >>= 1) {
      if (t < half_way) part[t] += part[t + half_way];
      barrier();
    }
    total = total * keep + part[0];
    highest = higher;
    for (uint c = t; c < v_dim; c += 128u) {
      float sum = 0.0;
      for (uint j = 0u; j < here; ++j) sum += weight[j] * load_v(kv_row(row, key_of(more, first + j)) * v_row + c);
      o[o_first + c] = o[o_first + c] * keep + sum;
    }
    barrier();
  }
  if (total > 0.0)
    for (uint c = t; c < v_dim; c += 128u) o[o_first + c] /= total;
}
