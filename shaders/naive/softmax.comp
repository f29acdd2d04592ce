#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Pass 2: softmax over each row of scores, in place; one workgroup a row. A row that sees no key becomes zeros.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;

#include "scratch.glsl"
#define LANES WORKGROUP
#define REDUCE_COUNT 1
#include "common/reduce.glsl"

void main() {
    uint start = score_start(gl_WorkGroupID.y, gl_WorkGroupID.x);
    float m[REDUCE_COUNT], l[REDUCE_COUNT];
    m[0] = MINUS_INFINITY;
    for (uint j = thread_index(); j < KEY_COUNT; j += WORKGROUP)
        m[0] = max(m[0], score_matrix[start + j]);
    lanes_max(m);
    float origin = softmax_origin(m[0]);
    l[0] = 0.0;
    for (uint j = thread_index(); j < KEY_COUNT; j += WORKGROUP)
        l[0] += exp(score_matrix[start + j] - origin);
    lanes_add(l);
#ifdef OPTION_SINKS
    l[0] += sink_weight(gl_WorkGroupID.y % heads_q, origin);
#endif
    float norm = softmax_norm(l[0]);
    for (uint j = thread_index(); j < KEY_COUNT; j += WORKGROUP)
        score_matrix[start + j] = exp(score_matrix[start + j] - origin) * norm;
}
