#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#if HALF_SUMS
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

// Flash attention with DV tiling, after an OpenCL kernel of llama.cpp: a thread owns one query row, all of its q and
// DV_WIDTH of its output sums, in registers. The output is made in slices of DV_WIDTH dims: fewer registers for the
// sums, at the price of reading K and computing the scores once more for each slice. K and V pass through shared memory
// in tiles of BLOCK_N keys, in their storage type.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint BLOCK_M = 32;
layout(constant_id = 1) const uint BLOCK_N = 32;
layout(constant_id = 2) const uint DV_TILE = 32;
layout(constant_id = 3) const uint DV_WIDTH = 32;  // DV_TILE, or the whole value head dim when that is 0
// Read by the manifest alone, which defines HALF_SUMS of it.
layout(constant_id = 4) const uint ACCUMULATE = 32;

#include "common/mask.glsl"
#define SOFTMAX_BASE_2
#include "common/softmax.glsl"
#include "packed.glsl"

INPUT(q, BINDING_Q)
PACKED_INPUT(k, BINDING_K)
PACKED_INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

const uint Q_VECTORS = (HEAD_DIM + 3u) / 4u;
const uint OUT_VECTORS = (DV_WIDTH + 3u) / 4u;
const uint SLICES = V_DIM / DV_WIDTH;
// Keys that share one rescale of the sums; divides BLOCK_N. With wide heads q alone fills the register file.
const uint KEYS = HEAD_DIM + DV_WIDTH > 256u ? 1u : 2u;

shared PACK4 k_tile[BLOCK_N * Q_VECTORS];
shared PACK4 v_tile[BLOCK_N * OUT_VECTORS];

#if HALF_SUMS
#define SUM4 f16vec4
#define SUM float16_t
#else
#define SUM4 vec4
#define SUM float
#endif
vec4 query[Q_VECTORS];
SUM4 sums[OUT_VECTORS];

// Keys key0 .. key0 + BLOCK_N - 1, and dims of V from vector `first`. Keys past the end repeat the last one: their
// scores are masked, and they must be finite.
void load_tiles(uint b, uint head, uint key0, uint first) {
    for (uint e = gl_LocalInvocationIndex; e < BLOCK_N * Q_VECTORS; e += BLOCK_M) {
        uint key = min(key0 + e / Q_VECTORS, seq_kv - 1u);
        k_tile[e] = packed_k(k_start(b, head, key), e % Q_VECTORS, HEAD_DIM);
    }
    for (uint e = gl_LocalInvocationIndex; e < BLOCK_N * OUT_VECTORS; e += BLOCK_M) {
        uint key = min(key0 + e / OUT_VECTORS, seq_kv - 1u);
        v_tile[e] = packed_v(v_start(b, head, key), first + e % OUT_VECTORS, V_DIM);
    }
}

void main() {
    uint tiles = (seq_q + BLOCK_M - 1u) / BLOCK_M;
    uint tile = CAUSAL ? tiles - 1u - gl_WorkGroupID.x : gl_WorkGroupID.x;  // those with most keys first
    uint row0 = tile * BLOCK_M;
    uint row = row0 + gl_LocalInvocationIndex;
    uint b = gl_WorkGroupID.y / heads_q;
    uint head = gl_WorkGroupID.y % heads_q;
    bool live = row < seq_q;
    uint mine = live ? row : seq_q - 1u;

    [[unroll]] for (uint c = 0; c < Q_VECTORS; ++c)
        query[c] = row4_q(q_start(b, head, mine), c, HEAD_DIM, true);
    uint visible = visible_keys(mine);
    uint keys = visible_keys(min(row0 + BLOCK_M, seq_q) - 1u);
    float factor = score_scale();

    for (uint slice = 0; slice < SLICES; ++slice) {
        float m = MINUS_INFINITY, l = 0.0;
        [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
            sums[c] = SUM4(0.0);
        for (uint key0 = 0; key0 < keys; key0 += BLOCK_N) {
            barrier();
            load_tiles(b, head, key0, slice * OUT_VECTORS);
            barrier();
            for (uint j = 0; j < min(BLOCK_N, keys - key0); j += KEYS) {
                float p[KEYS];
                [[unroll]] for (uint n = 0; n < KEYS; ++n)
                    p[n] = 0.0;
                [[unroll]] for (uint c = 0; c < Q_VECTORS; ++c)
                    [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                        vec4 k_part = unpack4(k_tile[(j + n) * Q_VECTORS + c]);
                        p[n] = fma(query[c].x, k_part.x, p[n]);
                        p[n] = fma(query[c].y, k_part.y, p[n]);
                        p[n] = fma(query[c].z, k_part.z, p[n]);
                        p[n] = fma(query[c].w, k_part.w, p[n]);
                    }
                float top = MINUS_INFINITY;
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                    p[n] = key0 + j + n < visible ? p[n] * factor : MINUS_INFINITY;
                    top = max(top, p[n]);
                }
                float rescale = softmax_raise(m, top);
                float origin = softmax_origin(m);
                l *= rescale;
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                    p[n] = softmax_exp(p[n] - origin);
                    l += p[n];
                }
                [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c) {
                    SUM4 sum = sums[c] * SUM(rescale);
                    [[unroll]] for (uint n = 0; n < KEYS; ++n)
                        sum = fma(SUM4(SUM(p[n])), SUM4(unpack4(v_tile[(j + n) * OUT_VECTORS + c])), sum);
                    sums[c] = sum;
                }
            }
        }
        if (live) {
            float norm = softmax_norm(l);
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                store4_o(o_start(b, head, row), slice * OUT_VECTORS + c, V_DIM, vec4(sums[c]) * norm);
        }
    }
}
