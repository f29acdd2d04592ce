#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Flash attention over a packed batch: sequence b is the rows offsets[b] .. offsets[b + 1] - 1 of Q, K, V and O. The
// grid is made for the longest sequence; workgroups past the end of theirs return at once.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 64;
layout(constant_id = 2) const uint BLOCK_N = 64;
layout(constant_id = 3) const uint THREAD_M = 8;
layout(constant_id = 4) const uint THREAD_N = 4;
layout(constant_id = 5) const uint BLOCK_K = 32;
layout(constant_id = 6) const uint V_ROWS = 16;
layout(constant_id = 7) const uint STAGES = 1;
const bool CAST_P = false;
const bool WIDE_LOADS = true;

#define SOFTMAX_BASE_2
#include "common/bindings.glsl"
#include "common/params.glsl"

layout(set = 0, binding = BINDING_OFFSETS, std430) readonly buffer Offsets { uint offsets[]; };

// The shared files speak of one batch of equal lengths. Here lengths and first rows are those of this workgroup's
// sequence.
uint longest() { return seq_q; }
uint first_row, sequence;
#define seq_q sequence
#define seq_kv sequence
#define q_start(b, head, i) q_start(b, head, first_row + (i))
#define k_start(b, head, i) k_start(b, head, first_row + (i))
#define v_start(b, head, i) v_start(b, head, first_row + (i))
#define o_start(b, head, i) o_start(b, head, first_row + (i))
#include "common/flash.glsl"

void main() {
    first_row = offsets[gl_WorkGroupID.z];
    sequence = offsets[gl_WorkGroupID.z + 1u] - first_row;
    uint tiles = (longest() + BLOCK_M - 1u) / BLOCK_M;
    uint tile = CAUSAL ? tiles - 1u - gl_WorkGroupID.x : gl_WorkGroupID.x;  // those with most keys first
    uint row0 = tile * BLOCK_M;
    if (row0 >= sequence)
        return;
    tile_begin(0u, gl_WorkGroupID.y);
    flash_rows(row0, visible_keys(min(row0 + BLOCK_M, sequence) - 1u), visible_keys(row0));
}
