#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// One workgroup a query: adds the slices' partial scores, in order, and leaves exp(score - maximum) as f16, zeros from
// the first key that the query does not see to the end of the padded row, and 1 / sum (0 if it sees none).
#include "matrices.glsl"
layout(constant_id = 21) const uint KV_PAD = 64;   // keys of a row of P, whole steps of the last pass
layout(constant_id = 27) const uint MINE = 1;      // fours of a row that a thread keeps
layout(constant_id = 25) const uint PAD_ROWS = 64; // rows of P of a head, whole tiles of the last pass
const uint LANES = WORKGROUP;
const uint REDUCE_COUNT = 1;
#include "common/reduce.glsl"

layout(set = 0, binding = 8, std430) readonly buffer Partial { vec4 partial_scores[]; };
layout(set = 0, binding = 9, std430) writeonly buffer Probabilities { uvec2 probabilities[]; };
layout(set = 0, binding = 10, std430) writeonly buffer Norms { float norms[]; };

void main() {
    uint row = gl_WorkGroupID.x, bh = gl_WorkGroupID.y;
    uint visible = visible_keys(row);
    vec4 x[MINE];
    float top[REDUCE_COUNT], total[REDUCE_COUNT];
    top[0] = MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < MINE; ++i) {
        uint four = thread_index() + i * WORKGROUP;
        x[i] = vec4(0.0);
        if (4 * four < visible)
            for (uint slice = 0; slice < SLICES; ++slice)
                x[i] += partial_scores[partial_row(bh, slice, row) + four];
        [[unroll]] for (uint j = 0; j < 4; ++j)
            if (4 * four + j < visible) top[0] = max(top[0], x[i][j] * score_scale());
    }
    lanes_max(top);
    total[0] = 0.0;
    [[unroll]] for (uint i = 0; i < MINE; ++i) {
        uint four = thread_index() + i * WORKGROUP;
        // Scaled again, in one step with the subtraction: what rounding took from the maximum is common to the row.
        [[unroll]] for (uint j = 0; j < 4; ++j)
            x[i][j] = 4 * four + j < visible ? exp2(fma(x[i][j], score_scale(), -softmax_origin(top[0]))) : 0.0;
        // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
        x[i] = rounded_to_half(x[i]);
        total[0] += (x[i].x + x[i].y) + (x[i].z + x[i].w);
        if (four < KV_PAD / 4)
            probabilities[(bh * PAD_ROWS + row) * (KV_PAD / 4) + four] = uvec2(pack_half(x[i].xy), pack_half(x[i].zw));
    }
    lanes_add(total);
    if (thread_index() == 0) norms[bh * seq_q + row] = softmax_norm(total[0]);
}
