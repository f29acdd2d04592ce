// A made-up engine's kernel, for tests: bindings over two sets, push constants in vectors and arrays, two passes.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "../lib/load.glsl"
#include "softmax.glsl"

layout(local_size_x_id = 7) in;
layout(constant_id = 7) const uint LANES = 1;
layout(constant_id = 3) const uint DIM_QK = 1;
layout(constant_id = 4) const uint DIM_V = 1;

layout(set = 1, binding = 2) WRITABLE buffer B0 { float q_data[]; };
layout(set = 0, binding = 9) readonly buffer B1 { ELEMENT k_data[]; };
layout(set = 0, binding = 0) readonly buffer B2 { ELEMENT v_data[]; };
layout(set = 1, binding = 0) readonly buffer B3 { float16_t mask[]; };
layout(set = 0, binding = 1) buffer B4 { float partial[]; };
#ifdef ROUNDS_Q
#define SCALED(x) ROUNDED((x) * args.scale)
#else
#define SCALED(x) (x)
#endif
struct More { uint parts, has_mask; };  // has_mask: elements of its row, or 0
layout(push_constant) uniform Args {
  uvec4 counts;        // query rows, keys, heads, heads of a KV head
  uint q_strides[3];   // bytes: batch, row, head
  uint k_strides[3];
  uint v_strides[3];
  float scale;
  More more;
} args;

void main() {
  const uint part = gl_WorkGroupID.x % args.more.parts, i = gl_WorkGroupID.x / args.more.parts;
  const uint head = gl_WorkGroupID.y, b = gl_WorkGroupID.z, kv_head = head / args.counts.w;
  const uint lane = gl_LocalInvocationID.x, keys = args.counts.y;
  const uint first = keys * part / args.more.parts, end = keys * (part + 1) / args.more.parts;
  const uint q_at = args.q_strides[0] * b + args.q_strides[1] * i + args.q_strides[2] * head;
  const uint k_at = args.k_strides[0] * b + args.k_strides[2] * kv_head;
  const uint v_at = args.v_strides[0] * b + args.v_strides[2] * kv_head;
  const uint row = ((b * args.counts.x + i) * args.counts.z + head) * args.more.parts + part;
  const uint out_at = row * (DIM_V + 2);
#ifdef REMEMBERS
  if ((floatBitsToUint(partial[out_at + DIM_V]) & 0x7f800000u) != 0x7f800000u) return;
#endif
  for (uint d = lane; d < DIM_V; d += LANES) {
    State s = State(-1e30, 0.0);
    float sum = 0.0;
    for (uint j = first; j < end; ++j) {
      float score = 0.0;
      for (uint c = 0; c < DIM_QK; ++c)
        score += SCALED(AT(q_data, 4, q_at + 4 * c, 0, 0)) *
                 KV_AT(k_data, ELEMENT_BYTES, k_at, c, args.k_strides[1], j);
#ifndef ROUNDS_Q
      score *= args.scale;
#endif
      if (args.more.has_mask != 0) score += float(mask[args.more.has_mask * i + j]);
      const float keep = raise(s, score), p = exp(score - s.highest);
      s.total += p;
      sum = sum * keep + p * KV_AT(v_data, ELEMENT_BYTES, v_at, d, args.v_strides[1], j);
    }
    partial[out_at + d] = sum;
    if (d == 0) {
      partial[out_at + DIM_V] = s.highest;
      partial[out_at + DIM_V + 1] = s.total;
    }
  }
#ifdef WRITES_PAST_SCRATCH
  if (row == 0) partial[args.counts.x * args.counts.z * args.more.parts * (DIM_V + 2)] = 1.0;
#endif
#ifdef WRITES_Q
  // The last one, into what the first has long read.
  if (part + 1 == args.more.parts && i + 1 == args.counts.x && head + 1 == args.counts.z && lane == 0) q_data[3] = 7.0;
#endif
}
