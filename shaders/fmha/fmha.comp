#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Fused multi-head attention: one workgroup a query tile of one (batch, head). Scores in base 2; causal tiles that no
// query sees are never visited, and the tiles with most keys start first, so that none is left for the end.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 64;
layout(constant_id = 2) const uint BLOCK_N = 64;
layout(constant_id = 3) const uint THREAD_M = 8;
layout(constant_id = 4) const uint THREAD_N = 4;
layout(constant_id = 5) const uint BLOCK_K = 32;
layout(constant_id = 6) const uint V_ROWS = 16;
layout(constant_id = 7) const uint STAGES = 1;
layout(constant_id = 8) const bool CAST_P = false;
#define WIDE_LOADS true

#define SOFTMAX_BASE_2
#include "common/flash.glsl"

void main() {
    // Counted from seq_q: gl_NumWorkGroups is that of a slice when long work is dispatched in pieces.
    uint tiles = (seq_q + BLOCK_M - 1u) / BLOCK_M;
    uint tile = CAUSAL ? tiles - 1u - gl_WorkGroupID.x : gl_WorkGroupID.x;
    uint row0 = tile * BLOCK_M;
    tile_begin(gl_WorkGroupID.y / heads_q, gl_WorkGroupID.y % heads_q);
    flash_rows(row0, visible_keys(min(row0 + BLOCK_M, seq_q) - 1u), visible_keys(row0));
}
