#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// The last pass. With SOFTMAX_HERE every workgroup first makes the probabilities of its rows from the partial scores,
// which saves a pass; without, they come from the softmax pass.
#include "matrices.glsl"
layout(constant_id = 26) const uint OUT_M = 32;
layout(constant_id = 25) const uint PAD_ROWS = 64;  // rows of P of a head in scratch, whole tiles
#define OUT_ROWS OUT_M
#define SCORE_PARTS SLICES
#if !SOFTMAX_HERE
#define P_FROM_SCRATCH
layout(set = 0, binding = 10, std430) readonly buffer Norms { float norms[]; };
#endif
#include "values.glsl"

#if SOFTMAX_HERE
layout(set = 0, binding = 8, std430) readonly buffer Partial { vec4 partial_scores[]; };

vec4 four_scores(uint part, uint row, uint four) {
    return partial_scores[partial_row(gl_WorkGroupID.z, part, min(row_first + row, seq_q - 1)) + four];
}
#endif

void main() {
    uint bh = gl_WorkGroupID.z;
    row_first = gl_WorkGroupID.y * OUT_M;
    chunk_first = gl_WorkGroupID.x * (OUT_DIMS / 8);
    v_base = v_start(bh / heads_q, bh % heads_q, 0);
    o_base = o_start(bh / heads_q, bh % heads_q, 0);
    fetch_values(0);
#if SOFTMAX_HERE
    make_probabilities();
#else
    p_base = (bh * PAD_ROWS + row_first) * LP;
    for (uint row = thread_of_workgroup(); row < OUT_M && row_first + row < seq_q; row += WORKGROUP)
        row_norm[row] = norms[bh * seq_q + row_first + row];
#endif
    add_values(visible_keys(min(row_first + OUT_M, seq_q) - 1));
}
