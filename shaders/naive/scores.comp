#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Pass 1: S = scale * Q K^T + mask, one thread a score.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;

#include "common/bindings.glsl"
#include "common/quantized.glsl"
#include "scratch.glsl"

INPUT(q, BINDING_Q)
KV_INPUT(k, BINDING_K)

void main() {
    uint j = gl_WorkGroupID.x * WORKGROUP + gl_LocalInvocationIndex;
    uint i = gl_WorkGroupID.y;
    uint batch_head = gl_WorkGroupID.z;
    if (j >= KEY_COUNT)
        return;
    uint q_at = q_start(batch_head / heads_q, batch_head % heads_q, i);
    uint key = listed_key(batch_head / heads_q, batch_head % heads_q, i, j);
    uint k_at = k_start(batch_head / heads_q, batch_head % heads_q, key);
    float s = 0.0;
    for (uint c = 0; 4u * c < HEAD_DIM; ++c)
        s += dot(row4_q(q_at, c, HEAD_DIM, true), row4_k(k_at, c, HEAD_DIM, true));
#if defined(OPTION_SOFTCAP) || defined(OPTION_MASK) || defined(OPTION_WINDOW)
    float score = s * score_scale();
#ifdef OPTION_SOFTCAP
    score = softcapped(score);
#endif
#ifdef OPTION_MASK
    score += mask_term(batch_head / heads_q, batch_head % heads_q, i, key);
#endif
    bool seen = j < visible_keys(i);
#ifdef OPTION_WINDOW
    seen = seen && j >= first_visible_key(i);
#endif
    score_matrix[score_start(batch_head, i) + j] = seen ? score : MINUS_INFINITY;
#else
    score_matrix[score_start(batch_head, i) + j] = j < visible_keys(i) ? s * scale : MINUS_INFINITY;
#endif
}
