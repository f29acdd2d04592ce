// Slices of Q, K and V from memory to registers (fetch) and from registers to shared memory (put), as float.
//
// Q and K are transposed on the way: shared memory holds, for each head dim, the rows next to each other, so that a
// thread reads four rows at once. Dims lie in groups of four with a gap after each: the threads that put one row's dims
// then hit different banks (a gap of 32 / BLOCK_K vectors for the 32 / (BLOCK_K / 4) rows that a subgroup puts at
// once).
#ifndef SIMT_STAGE_GLSL
#define SIMT_STAGE_GLSL

#include "common/packed.glsl"

PACKED_INPUT(q, BINDING_Q)
PACKED_INPUT(k, BINDING_K)
PACKED_INPUT(v, BINDING_V)

const uint K_FOURS = BLOCK_K / 4u;
const uint SLICES = (HEAD_DIM + BLOCK_K - 1u) / BLOCK_K;
const uint GAP = BLOCK_K < 32 ? 32 / BLOCK_K : 1;
const uint Q_GROUP = BLOCK_M + GAP;  // four dims of all rows, in vec4
const uint K_GROUP = BLOCK_N + GAP;
const uint K_AT = K_FOURS * Q_GROUP;
const uint QK_SLICE = K_FOURS * (Q_GROUP + K_GROUP);

const uint P_COLUMNS = BLOCK_N / P_PARTS;  // of the probabilities, in shared memory at once
const uint P_GROUP = BLOCK_M + 2u;         // four keys of all rows; the gap parts the threads that put neighbours
const uint V_AT = P_COLUMNS / 4u * P_GROUP;
const uint V_SLICE = V_ROWS * OUT_ROW;

// Rows meet here when a subgroup does not hold them: a float for each row and lane.
const uint MEET = ROW_IN_SUBGROUP ? 0 : BLOCK_M * LANES / 4;
// Teams hand their sums to the first one, through its own and their memory.
const uint HAND_OVER = KV_SPLIT > 1 ? (TEAM * (THREAD_M * OUT_VECTORS + 2u * ROW_FOURS) + KV_SPLIT - 1u) / KV_SPLIT : 0;
const uint POOL_A = STAGES * QK_SLICE > V_AT + STAGES * V_SLICE ? STAGES * QK_SLICE : V_AT + STAGES * V_SLICE;
const uint POOL_B = MEET > HAND_OVER ? MEET : HAND_OVER;
const uint POOL = POOL_A > POOL_B ? POOL_A : POOL_B;
shared vec4 pool[POOL * KV_SPLIT];

const uint Q_SHARE = (BLOCK_M * K_FOURS + TEAM - 1u) / TEAM;
const uint K_SHARE = (BLOCK_N * K_FOURS + TEAM - 1u) / TEAM;
const uint V_SHARE = (V_SLICE + TEAM - 1u) / TEAM;
PACKED4 q_part[Q_SHARE], k_part[K_SHARE], v_part[V_SHARE];
uint q_from[Q_SHARE], k_from[K_SHARE];

// Rows past the end stand in for the last one: queries past it are not stored, keys past it are masked.
void aim_q(uint row0) {
    [[unroll]] for (uint i = 0; i < Q_SHARE; ++i)
        q_from[i] = q_start(batch_at, head_at, min(row0 + (member + i * TEAM) / K_FOURS, seq_q - 1u));
}
void aim_k(uint key0) {
    [[unroll]] for (uint i = 0; i < K_SHARE; ++i)
        k_from[i] = k_start(batch_at, head_at, min(key0 + (member + i * TEAM) / K_FOURS, seq_kv - 1u));
}

void fetch_qk(uint slice) {
    [[unroll]] for (uint i = 0; i < Q_SHARE; ++i)
        q_part[i] = packed_q(q_from[i], slice * K_FOURS + (member + i * TEAM) % K_FOURS, HEAD_DIM);
    [[unroll]] for (uint i = 0; i < K_SHARE; ++i)
        k_part[i] = packed_k(k_from[i], slice * K_FOURS + (member + i * TEAM) % K_FOURS, HEAD_DIM);
}

void put_transposed(uint at, uint rows, uint row, vec4 dims) {
    [[unroll]] for (uint d = 0; d < 4u; ++d)
        pool[at + d * (rows / 4u) + row / 4u][row % 4u] = dims[d];
}

void put_qk(uint at) {
    [[unroll]] for (uint i = 0; i < Q_SHARE; ++i) {
        uint e = member + i * TEAM;
        if (BLOCK_M * K_FOURS % TEAM == 0u || e < BLOCK_M * K_FOURS)
            put_transposed(at + e % K_FOURS * Q_GROUP, BLOCK_M, e / K_FOURS, unpack4(q_part[i]));
    }
    [[unroll]] for (uint i = 0; i < K_SHARE; ++i) {
        uint e = member + i * TEAM;
        if (BLOCK_N * K_FOURS % TEAM == 0u || e < BLOCK_N * K_FOURS)
            put_transposed(at + K_AT + e % K_FOURS * K_GROUP, BLOCK_N, e / K_FOURS, unpack4(k_part[i]));
    }
}

void fetch_v(uint key0) {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = member + i * TEAM;
        v_part[i] = packed_v(v_start(batch_at, head_at, min(key0 + e / OUT_ROW, seq_kv - 1u)), e % OUT_ROW, V_DIM);
    }
}

void put_v(uint at) {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = member + i * TEAM;
        if (V_SLICE % TEAM == 0u || e < V_SLICE)
            pool[at + e] = unpack4(v_part[i]);
    }
}

#endif
