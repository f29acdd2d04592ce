#version 460
// Each word is mixed with its place (a permutation of 32 bits with good avalanche: Wellons' lowbias32, "Prospecting for
// Hash Functions", 2018), then summed: sums need no order, so every invocation takes what it likes. Two sums of
// different mixes make 64 bits.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[2]; };
layout(push_constant) uniform Push { uint words; };
uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
void main() {
  uint first = 0, second = 0;
  for (uint i = gl_GlobalInvocationID.x; i < words; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uint h = mixed(data[i] ^ mixed(i + 0x9e3779b9u));
    first += h;
    second += mixed(h + i);
  }
  atomicAdd(sums[0], first);
  atomicAdd(sums[1], second);
}
