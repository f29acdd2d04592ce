#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Flash tiling, from its plain form up: one workgroup a query tile, one loop over key tiles, natural exp. Wide loads,
// software pipelining and skipping masked tiles are each a switch, so that what each is worth can be measured.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 64;
layout(constant_id = 1) const uint BLOCK_M = 32;
layout(constant_id = 2) const uint BLOCK_N = 32;
layout(constant_id = 3) const uint THREAD_M = 4;
layout(constant_id = 4) const uint THREAD_N = 4;
layout(constant_id = 5) const uint BLOCK_K = 32;
layout(constant_id = 6) const uint V_ROWS = 16;
layout(constant_id = 7) const uint STAGES = 1;
layout(constant_id = 8) const bool VECTOR = true;
layout(constant_id = 9) const bool SKIP_MASKED = false;
#define WIDE_LOADS VECTOR
#define CAST_P false

#include "common/flash.glsl"

void main() {
    uint row0 = gl_WorkGroupID.x * BLOCK_M;
    tile_begin(gl_WorkGroupID.y / heads_q, gl_WorkGroupID.y % heads_q);
    uint keys = SKIP_MASKED ? visible_keys(min(row0 + BLOCK_M, seq_q) - 1u) : seq_kv;
    flash_rows(row0, keys, visible_keys(row0));
}
