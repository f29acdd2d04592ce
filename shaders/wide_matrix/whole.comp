#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Everything in one pass: every tile of output dims computes the scores of its rows again.
#include "matrices.glsl"
#define KEEP_ALL_ROWS
#include "scores.glsl"
#define OUT_ROWS BLOCK_M
#define SCORE_PARTS SUBGROUPS
#include "values.glsl"

vec4 four_scores(uint part, uint row, uint four) { return left_scores(part, row, four); }

void main() {
    uint bh = gl_WorkGroupID.z;
    batch_at = bh / heads_q;
    head_at = bh % heads_q;
    row0 = row_first = gl_WorkGroupID.y * BLOCK_M;
    key0 = 0;
    chunk_first = gl_WorkGroupID.x * (OUT_DIMS / 8);
    v_base = v_start(batch_at, head_at, 0);
    o_base = o_start(batch_at, head_at, 0);
    fetch_values(0);
    add_scores(0, SLICE_STEPS);
    leave_scores(0);
    make_probabilities();
    add_values(visible_keys(min(row_first + BLOCK_M, seq_q) - 1));
}
