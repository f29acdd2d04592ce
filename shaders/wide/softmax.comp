#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// One workgroup a query: adds the slices' partial scores, in order, and turns them into probabilities. Zeros where the
// query sees no key, so that a row that sees none gives zeros.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 64;
layout(constant_id = 1) const uint SLICES = 1;
layout(constant_id = 2) const uint MINE = 1;

const uint LANES = WORKGROUP;
const uint REDUCE_COUNT = 1;
#define SOFTMAX_BASE_2
#include "layout.glsl"
#include "common/softmax.glsl"
#include "common/reduce.glsl"

layout(set = 0, binding = 8, std430) readonly buffer Partial { float partial_scores[]; };
layout(set = 0, binding = 9, std430) writeonly buffer Probabilities { float probabilities[]; };

void main() {
    uint row = gl_WorkGroupID.x, bh = gl_WorkGroupID.y;
    uint visible = visible_keys(row);
    float scores[MINE];
    float top[REDUCE_COUNT], total[REDUCE_COUNT];
    top[0] = MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < MINE; ++i) {
        uint key = thread_index() + i * WORKGROUP;
        scores[i] = MINUS_INFINITY;
        if (key < visible) {
            float s = 0.0;
            uint at = 4u * partial_row(bh, 0u, row) + key;
            for (uint slice = 0; slice < SLICES; ++slice)
                s += partial_scores[at + slice * 4u * seq_q * kv_fours()];
            scores[i] = s * score_scale();
        }
        top[0] = max(top[0], scores[i]);
    }
    lanes_max(top);
    total[0] = 0.0;
    [[unroll]] for (uint i = 0; i < MINE; ++i) {
        scores[i] = exp2(scores[i] - softmax_origin(top[0]));
        total[0] += scores[i];
    }
    lanes_add(total);
    float norm = softmax_norm(total[0]);
    [[unroll]] for (uint i = 0; i < MINE; ++i) {
        uint key = thread_index() + i * WORKGROUP;
        if (key < 4u * kv_fours())
            probabilities[4u * probability_row(bh, row) + key] = scores[i] * norm;
    }
}
