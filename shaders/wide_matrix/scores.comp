#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Partial scores of one slice of the head dim.
#include "matrices.glsl"
#include "scores.glsl"

layout(set = 0, binding = 8, std430) writeonly buffer Partial { vec4 partial_scores[]; };
// Read by the manifest alone, which makes passes, slices, steps and tiles of them.
layout(constant_id = 30) const uint PASSES = 0;
layout(constant_id = 31) const uint DIM_SPLIT = 0;
layout(constant_id = 33) const uint OUT_N = 0;
layout(constant_id = 34) const uint V_KEYS = 32;

void main() {
    uint bh = gl_WorkGroupID.z;
    batch_at = bh / heads_q;
    head_at = bh % heads_q;
    uint n_tiles = (seq_kv + BLOCK_N - 1) / BLOCK_N;
    row0 = gl_WorkGroupID.y / n_tiles * BLOCK_M;
    key0 = gl_WorkGroupID.y % n_tiles * BLOCK_N;
    // A tile that no query sees: the softmax never reads it.
    if (key0 >= visible_keys(min(row0 + BLOCK_M, seq_q) - 1))
        return;
    const uint BLOCK_K = SUBGROUPS * DEPTH * MAT_K;
    uint begin = gl_WorkGroupID.x * SLICE_STEPS;
    add_scores(begin, min(begin + SLICE_STEPS, (HEAD_DIM + BLOCK_K - 1) / BLOCK_K));
    [[unroll]] for (uint r = 0; r < ROW_TILES; r += LEFT) {
        leave_scores(r);
        for (uint e = thread_of_workgroup(); e < LEFT * MAT_M * (BLOCK_N / 4); e += WORKGROUP) {
            uint at = e / (BLOCK_N / 4), four = e % (BLOCK_N / 4), row = r * MAT_M + at;
            vec4 sum = vec4(0.0);
            [[unroll]] for (uint g = 0; g < SUBGROUPS; ++g) sum += left_scores(g, at, four);
            if (row < BLOCK_M && row0 + row < seq_q && key0 / 4 + four < kv_fours())
                partial_scores[partial_row(bh, gl_WorkGroupID.x, row0 + row) + key0 / 4 + four] = sum;
        }
    }
}
