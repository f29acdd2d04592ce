#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Partial scores of one slice of the head dim: a BLOCK_M x BLOCK_N tile, THREAD_TILE x THREAD_TILE of it in each
// thread's registers. Q and K pass through shared memory BLOCK_K dims at a time; the next step is fetched while this
// one multiplies.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 64;
layout(constant_id = 1) const uint BLOCK_M = 32;
layout(constant_id = 2) const uint BLOCK_N = 32;
layout(constant_id = 3) const uint THREAD_TILE = 4;
layout(constant_id = 4) const uint BLOCK_K = 32;
layout(constant_id = 5) const uint STAGES = 1;
layout(constant_id = 6) const uint SLICE_STEPS = 1;
layout(constant_id = 7) const uint SLICES = 1;
// Read by the manifest alone, which makes SLICES and SLICE_STEPS of them, and leaves out the softmax pass.
layout(constant_id = 8) const uint DIM_SPLIT = 0;
layout(constant_id = 9) const uint SOFTMAX = 0;

#include "layout.glsl"

INPUT(q, BINDING_Q)
INPUT(k, BINDING_K)
layout(set = 0, binding = 8, std430) writeonly buffer Partial { float partial_scores[]; };

const uint COLUMNS = BLOCK_N / THREAD_TILE;
const uint LINES = BLOCK_M / THREAD_TILE;
const uint K_FOURS = BLOCK_K / 4u;
const uint STRIDE = K_FOURS + 1u;  // odd, so that rows start in different banks
const uint TILE = (BLOCK_M + BLOCK_N) * STRIDE;
const uint SHARE = ((BLOCK_M + BLOCK_N) * K_FOURS + WORKGROUP - 1u) / WORKGROUP;
shared vec4 tile[TILE * STAGES];

vec4 fetched[SHARE];
float sums[THREAD_TILE * THREAD_TILE];
uint batch_at, head_at, row0, key0;

// Rows past the end stand in for the last one; their scores are not stored.
void fetch(uint step) {
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        uint row = e / K_FOURS;
        uint c = e % K_FOURS + step * K_FOURS;
        if (row < BLOCK_M)
            fetched[i] = row4_q(q_start(batch_at, head_at, min(row0 + row, seq_q - 1u)), c, HEAD_DIM, true);
        else
            fetched[i] =
                row4_k(k_start(batch_at, head_at, min(key0 + row - BLOCK_M, seq_kv - 1u)), c, HEAD_DIM, true);
    }
}

void put(uint at) {
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint e = gl_LocalInvocationIndex + i * WORKGROUP;
        if (e < (BLOCK_M + BLOCK_N) * K_FOURS)
            tile[at + e / K_FOURS * STRIDE + e % K_FOURS] = fetched[i];
    }
}

void multiply(uint at, uint tx, uint ty) {
    [[dont_unroll]] for (uint c = 0; c < K_FOURS; ++c) {
        vec4 k_now[THREAD_TILE];
        [[unroll]] for (uint j = 0; j < THREAD_TILE; ++j)
            k_now[j] = tile[at + (BLOCK_M + tx + j * COLUMNS) * STRIDE + c];
        [[unroll]] for (uint i = 0; i < THREAD_TILE; ++i) {
            vec4 q_now = tile[at + (ty + i * LINES) * STRIDE + c];
            [[unroll]] for (uint j = 0; j < THREAD_TILE; ++j) {
                float s = sums[i * THREAD_TILE + j];
                s = fma(q_now.x, k_now[j].x, s);
                s = fma(q_now.y, k_now[j].y, s);
                s = fma(q_now.z, k_now[j].z, s);
                sums[i * THREAD_TILE + j] = fma(q_now.w, k_now[j].w, s);
            }
        }
    }
}

void main() {
    uint bh = gl_WorkGroupID.z;
    batch_at = bh / heads_q;
    head_at = bh % heads_q;
    uint n_tiles = (seq_kv + BLOCK_N - 1u) / BLOCK_N;
    row0 = gl_WorkGroupID.y / n_tiles * BLOCK_M;
    key0 = gl_WorkGroupID.y % n_tiles * BLOCK_N;
    // A tile that no query sees: the softmax never reads it.
    if (key0 >= visible_keys(min(row0 + BLOCK_M, seq_q) - 1u))
        return;
    uint tx = gl_LocalInvocationIndex % COLUMNS;
    uint ty = gl_LocalInvocationIndex / COLUMNS;
    [[unroll]] for (uint i = 0; i < THREAD_TILE * THREAD_TILE; ++i)
        sums[i] = 0.0;
    uint begin = gl_WorkGroupID.x * SLICE_STEPS;
    uint end = min(begin + SLICE_STEPS, (HEAD_DIM + BLOCK_K - 1u) / BLOCK_K);
    fetch(begin);
    for (uint step = begin; step < end; ++step) {
        uint at = (step - begin) % STAGES * TILE;
        if (STAGES == 1u)
            barrier();
        put(at);
        barrier();
        if (step + 1u < end)
            fetch(step + 1u);
        multiply(at, tx, ty);
    }
    [[unroll]] for (uint i = 0; i < THREAD_TILE; ++i) {
        uint row = row0 + ty + i * LINES;
        [[unroll]] for (uint j = 0; j < THREAD_TILE; ++j) {
            uint key = key0 + tx + j * COLUMNS;
            if (row < seq_q && key < seq_kv)
                partial_scores[4u * partial_row(bh, gl_WorkGroupID.x, row) + key] = sums[i * THREAD_TILE + j];
        }
    }
}
