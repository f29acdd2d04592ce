#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// O = P V for BLOCK_M queries and V_TILE output dims: THREAD_TILE x THREAD_TILE of it in each thread's registers,
// V_KEYS keys at a time through shared memory. With SOFTMAX_HERE, P is made from the partial scores first, for all
// keys.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 32;
layout(constant_id = 2) const uint V_TILE = 64;
layout(constant_id = 3) const uint THREAD_TILE = 4;
layout(constant_id = 4) const uint V_KEYS = 32;
layout(constant_id = 5) const uint STAGES = 1;
layout(constant_id = 6) const uint SLICES = 1;
layout(constant_id = 7) const uint ROW_FOURS = 1;

#define SOFTMAX_BASE_2
#include "layout.glsl"
#include "common/softmax.glsl"

INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

const uint COLUMNS = V_TILE / THREAD_TILE;
const uint LINES = BLOCK_M / THREAD_TILE;
const uint FOURS = THREAD_TILE / 4u;  // of output dims, a thread's share
const uint V_FOURS = V_TILE / 4u;
const uint KEY_FOURS = V_KEYS / 4u;
const uint V_SHARE = (V_KEYS * V_FOURS + WORKGROUP - 1u) / WORKGROUP;
const uint P_SHARE = (BLOCK_M * KEY_FOURS + WORKGROUP - 1u) / WORKGROUP;
shared vec4 v_tile[V_KEYS * V_FOURS * STAGES];

#if SOFTMAX_HERE
layout(set = 0, binding = 8, std430) readonly buffer Partial { vec4 partial_scores[]; };
// Whole rows, padded to whole steps; odd strides, so that rows start in different banks.
const uint P_STRIDE = (ROW_FOURS + KEY_FOURS - 1u) / KEY_FOURS * KEY_FOURS + 1u;
shared vec4 p_tile[BLOCK_M * P_STRIDE];
shared float row_norm[BLOCK_M];
#else
layout(set = 0, binding = 9, std430) readonly buffer Probabilities { vec4 probabilities[]; };
const uint P_STRIDE = KEY_FOURS + 1u;
shared vec4 p_tile[BLOCK_M * P_STRIDE * STAGES];
vec4 p_fetched[P_SHARE];
#endif

vec4 v_fetched[V_SHARE];
vec4 sums[THREAD_TILE * FOURS];
uint bh, row0, four0;

// Keys past the end have P = 0; their V is the last key's, so that the product stays 0.
void fetch(uint key0) {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        v_fetched[i] = row4_v(v_start(bh / heads_q, bh % heads_q, min(key0 + e / V_FOURS, seq_kv - 1u)),
                              four0 + e % V_FOURS, V_DIM, true);
    }
#if !SOFTMAX_HERE
    [[unroll]] for (uint i = 0; i < P_SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        uint four = key0 / 4u + e % KEY_FOURS;
        uint row = min(row0 + e / KEY_FOURS, seq_q - 1u);
        p_fetched[i] = four < kv_fours() ? probabilities[probability_row(bh, row) + four] : vec4(0.0);
    }
#endif
}

void put(uint stage) {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        if (e < V_KEYS * V_FOURS)
            v_tile[stage * V_KEYS * V_FOURS + e] = v_fetched[i];
    }
#if !SOFTMAX_HERE
    [[unroll]] for (uint i = 0; i < P_SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        if (e < BLOCK_M * KEY_FOURS)
            p_tile[stage * BLOCK_M * P_STRIDE + e / KEY_FOURS * P_STRIDE + e % KEY_FOURS] = p_fetched[i];
    }
#endif
}

void multiply(uint v_at, uint p_at, uint tx, uint ty) {
    [[dont_unroll]] for (uint c = 0; c < KEY_FOURS; ++c) {
        vec4 p_now[THREAD_TILE];
        [[unroll]] for (uint i = 0; i < THREAD_TILE; ++i)
            p_now[i] = p_tile[p_at + (ty + i * LINES) * P_STRIDE + c];
        [[unroll]] for (uint n = 0; n < 4u; ++n)
            [[unroll]] for (uint f = 0; f < FOURS; ++f) {
                vec4 v_now = v_tile[v_at + (4u * c + n) * V_FOURS + tx + f * COLUMNS];
                [[unroll]] for (uint i = 0; i < THREAD_TILE; ++i)
                    sums[i * FOURS + f] = fma(vec4(p_now[i][n]), v_now, sums[i * FOURS + f]);
            }
    }
}

#if SOFTMAX_HERE
// Sums of the partial scores, slice by slice in order, over all threads; then a thread a row.
void make_probabilities() {
    const uint PADDED = P_STRIDE - 1u;
    for (uint e = gl_LocalInvocationIndex; e < BLOCK_M * PADDED; e += WORKGROUP) {
        uint four = e % PADDED;
        uint row = min(row0 + e / PADDED, seq_q - 1u);
        uint visible = visible_keys(row);
        vec4 s = vec4(0.0);
        // A tile of scores beyond every query of its rows was never written; it is not read either.
        if (4u * four < visible)
            for (uint slice = 0; slice < SLICES; ++slice)
                s += partial_scores[partial_row(bh, slice, row) + four];
        s *= score_scale();
        [[unroll]] for (uint j = 0; j < 4u; ++j)
            if (4u * four + j >= visible)
                s[j] = MINUS_INFINITY;
        p_tile[e / PADDED * P_STRIDE + four] = s;
    }
    barrier();
    uint mine = gl_LocalInvocationIndex;
    if (mine < BLOCK_M) {
        float m = MINUS_INFINITY, l = 0.0;
        for (uint four = 0; four < PADDED; ++four) {
            vec4 s = p_tile[mine * P_STRIDE + four];
            m = max(m, max(max(s.x, s.y), max(s.z, s.w)));
        }
        float origin = softmax_origin(m);
        for (uint four = 0; four < PADDED; ++four) {
            vec4 p = exp2(p_tile[mine * P_STRIDE + four] - origin);
            p_tile[mine * P_STRIDE + four] = p;
            l += (p.x + p.y) + (p.z + p.w);
        }
        row_norm[mine] = softmax_norm(l);
    }
}
#endif

void main() {
    bh = gl_WorkGroupID.z;
    row0 = gl_WorkGroupID.y * BLOCK_M;
    four0 = gl_WorkGroupID.x * V_FOURS;
    uint tx = gl_LocalInvocationIndex % COLUMNS;
    uint ty = gl_LocalInvocationIndex / COLUMNS;
    uint keys = visible_keys(min(row0 + BLOCK_M, seq_q) - 1u);
    [[unroll]] for (uint i = 0; i < THREAD_TILE * FOURS; ++i)
        sums[i] = vec4(0.0);
    fetch(0u);
#if SOFTMAX_HERE
    make_probabilities();
#endif
    for (uint key0 = 0; key0 < keys; key0 += V_KEYS) {
        uint stage = key0 / V_KEYS % STAGES;
        if (STAGES == 1u)
            barrier();
        put(stage);
        barrier();
        if (key0 + V_KEYS < keys)
            fetch(key0 + V_KEYS);
#if SOFTMAX_HERE
        multiply(stage * V_KEYS * V_FOURS, key0 / 4u, tx, ty);
#else
        multiply(stage * V_KEYS * V_FOURS, stage * BLOCK_M * P_STRIDE, tx, ty);
#endif
    }
#if SOFTMAX_HERE
    barrier();
#endif
    [[unroll]] for (uint i = 0; i < THREAD_TILE; ++i) {
        uint row = row0 + ty + i * LINES;
        if (row < seq_q) {
            [[unroll]] for (uint f = 0; f < FOURS; ++f) {
                vec4 value = sums[i * FOURS + f];
#if SOFTMAX_HERE
                value *= row_norm[ty + i * LINES];
#endif
                store4_o(o_start(bh / heads_q, bh % heads_q, row), four0 + tx + f * COLUMNS, V_DIM, value);
            }
        }
    }
}
