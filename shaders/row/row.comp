#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// One group of LANES threads a query row, which spread over the head dim; keys in blocks of BLOCK_N, whose scores are
// summed over the lanes together; online softmax.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint ROWS = 4;
layout(constant_id = 2) const uint LANES = 32;
layout(constant_id = 3) const uint BLOCK_N = 16;

#include "common/bindings.glsl"
#include "common/mask.glsl"
#include "common/options.glsl"
#include "common/quantized.glsl"
#include "common/softmax.glsl"
#define REDUCE_COUNT BLOCK_N
#include "common/reduce.glsl"

INPUT(q, BINDING_Q)
KV_INPUT(k, BINDING_K)
KV_INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

// A lane's share of a row, in groups of four.
const uint Q_VECTORS = (HEAD_DIM + 4u * LANES - 1u) / (4u * LANES);
const uint V_VECTORS = (V_DIM + 4u * LANES - 1u) / (4u * LANES);

#define KEY(n) listed_key(b, head, min(row, seq_q - 1u), key0 + (n))

void main() {
    uint lane = thread_index() % LANES;
    uint first_row = gl_WorkGroupID.x * ROWS;
    uint row = first_row + thread_index() / LANES;
    uint head = gl_WorkGroupID.y % heads_q;
    uint b = gl_WorkGroupID.y / heads_q;

    float factor = score_scale();
    vec4 query[Q_VECTORS];
    [[unroll]] for (uint c = 0; c < Q_VECTORS; ++c)
        query[c] = row < seq_q ? row4_q(q_start(b, head, row), lane + c * LANES, HEAD_DIM, true) * factor : vec4(0.0);
    vec4 sums[V_VECTORS];
    [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
        sums[c] = vec4(0.0);
    float m = MINUS_INFINITY, l = 0.0;

    // The loop's bound is the workgroup's, since lanes may have to meet at barriers; the mask is the row's own.
    uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u);
    uint visible = visible_keys(min(row, seq_q - 1u));
#ifdef OPTION_WINDOW
    uint before = first_visible_key(row);
    for (uint key0 = first_visible_key(first_row); key0 < keys; key0 += BLOCK_N) {
#else
    for (uint key0 = 0; key0 < keys; key0 += BLOCK_N) {
#endif
        float scores[REDUCE_COUNT];
        [[unroll]] for (uint n = 0; n < BLOCK_N; ++n) {
            scores[n] = 0.0;
            if (key0 + n < keys)
                [[unroll]] for (uint c = 0; c < Q_VECTORS; ++c)
                    scores[n] += dot(query[c], row4_k(k_start(b, head, KEY(n)), lane + c * LANES, HEAD_DIM, true));
        }
        lanes_add(scores);
        float top = MINUS_INFINITY;
        [[unroll]] for (uint n = 0; n < BLOCK_N; ++n) {
#ifdef OPTION_SOFTCAP
            scores[n] = softcapped(scores[n]);
#endif
#ifdef OPTION_MASK
            if (key0 + n < visible && row < seq_q)
                scores[n] += mask_term(b, head, row, KEY(n));
#endif
            if (key0 + n >= visible)
                scores[n] = MINUS_INFINITY;
#ifdef OPTION_WINDOW
            if (key0 + n < before)
                scores[n] = MINUS_INFINITY;
#endif
            top = max(top, scores[n]);
        }
        float rescale = softmax_raise(m, top);
        float origin = softmax_origin(m);
        l *= rescale;
        [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
            sums[c] *= rescale;
        [[unroll]] for (uint n = 0; n < BLOCK_N; ++n) {
            float p = softmax_exp(scores[n] - origin);
            l += p;
            if (key0 + n < keys)
                [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
                    sums[c] = fma(vec4(p), row4_v(v_start(b, head, KEY(n)), lane + c * LANES, V_DIM, true), sums[c]);
        }
    }
#ifdef OPTION_SINKS
    l += sink_weight(head, softmax_origin(m));
#endif
    float norm = softmax_norm(l);
    if (row < seq_q)
        [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
            store4_o(o_start(b, head, row), lane + c * LANES, V_DIM, sums[c] * norm);
}
