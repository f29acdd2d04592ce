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

// Lengths and first rows are those of this workgroup's sequence.
uint sequence_start, sequence_length;
#define LENGTH_Q sequence_length
#define LENGTH_KV sequence_length
#define SEQUENCE_ROW(i) (sequence_start + (i))

#define SOFTMAX_BASE_2
#include "common/bindings.glsl"
#include "common/flash.glsl"

layout(set = 0, binding = BINDING_OFFSETS, std430) readonly buffer Offsets { uint offsets[]; };
uint longest() { return seq_q; }  // of all sequences: the grid is made for it

void main() {
    sequence_start = offsets[gl_WorkGroupID.z];
    sequence_length = offsets[gl_WorkGroupID.z + 1u] - sequence_start;
    uint tiles = (longest() + BLOCK_M - 1u) / BLOCK_M;
    uint tile = CAUSAL ? tiles - 1u - gl_WorkGroupID.x : gl_WorkGroupID.x;  // those with most keys first
    uint row0 = tile * BLOCK_M;
    if (row0 >= sequence_length)
        return;
    tile_begin(0u, gl_WorkGroupID.y);
    flash_rows(row0, visible_keys(min(row0 + BLOCK_M, sequence_length) - 1u), visible_keys(row0));
}
