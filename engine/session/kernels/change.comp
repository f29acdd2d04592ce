#version 460
// The same as change() of engine/attention/input_change.cpp, to the bit.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push {
  uint words, last_mask, row_words, swapping, swap, signs, seed, kind, halving, one_of;
};
uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
bool stays(uint w) {
  const uint row = (kind == 1u ? 4u * w : w) / row_words, apart = min(32u, kind == 1u ? row_words / 4u : row_words);
  return one_of > 1u && (mixed(row ^ seed) % one_of != 0u || w % apart != mixed(row + seed) % apart);
}
uint partner(uint w) {
  if (kind == 1u) return w;
  const uint row = w / row_words * row_words, at = w - row, next = at ^ swap;
  if (kind == 4u) {
    const uint sequence = w / row_words, other = sequence ^ signs;
    const uint to = (other < words / row_words ? other : sequence) * row_words;
    const uint of = to + (at < swapping && next < swapping ? next : at);
    return one_of > 1u && (mixed(min(w, of) ^ seed) & 1u) != 0u ? w : of;
  }
  return at < swapping && next < swapping ? row + next : w;
}
bool of_half(uint row) { return (mixed(row ^ ~seed) & 1u) != 0u; }
uint halved(uint w, uint value) {
  if (halving == 0u || !of_half(w / row_words)) return 0u;
  uint turn = 0u;
  for (uint low = halving, high = signs; low != 0u; low &= low - 1u, high &= high - 1u) {
    const uint bit = low & (0u - low), exponent = (high & (0u - high)) - bit, held = value & exponent;
    if ((held | bit) != exponent && (held & ~bit) != 0u) turn |= bit;
  }
  return w + 1u == words ? turn & last_mask : turn;
}
uint turned(uint w, uint value, uint turn) {
  uint all = signs;
  if (seed == 0u || kind == 4u || stays(w)) return 0u;
  if (one_of > 1u) turn = ~0u;
  if (kind == 3u) {
    const int seen = int(swapping) + int(w / row_words % signs);
    return value < uint(max(seen, 0)) / 2u * 2u ? 1u : 0u;
  }
  if (kind == 1u) {
    turn = (turn & signs) * (signs == 0x11111111u ? 15u : 255u);
    all = 0u;
    for (uint b = 0u; b < 4u; ++b) {
      const uint at = (4u * w + b) % row_words;
      const bool sign = at == 1u || (at == 3u && swapping % 4u == 0u);
      if (at >= swapping) all |= 0xffu << 8u * b;
      if (sign && of_half((4u * w + b) / row_words)) {
        all |= 0x80u << 8u * b;
        turn |= 0x80u << 8u * b;
      }
    }
  }
  if (kind == 2u) {
    if ((value & 0x7c00u) == 0x7c00u) all &= ~0xffffu;
    if ((value & 0x7c000000u) == 0x7c000000u) all &= 0xffffu;
    if (w % row_words >= swapping) all = 0u;
  }
  return (turn & (w + 1u == words ? all & last_mask : all)) ^ halved(w, value);
}
void main() {
  for (uint w = gl_GlobalInvocationID.x; w < words; w += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uint other = partner(w);
    if (other < w) continue;
    const uint turn = mixed(w ^ seed), a = data[w], b = data[other];
    data[w] = b ^ turned(other, b, turn);
    if (other != w) data[other] = a ^ turned(w, a, turn);
  }
}
