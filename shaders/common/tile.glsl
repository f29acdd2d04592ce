// The two matrix products of a flash-attention step, S = Q K^T and O += P V, for a BLOCK_M x BLOCK_N tile of scores.
//
// Threads form a grid of TILE_Y rows by LANES columns. Each owns THREAD_M rows (ty, ty + TILE_Y, ...) of the tile and
// THREAD_N of its columns (tx, tx + LANES, ...), and of O the same rows with OUT_VECTORS groups of four columns:
// strided, so that neighbouring threads touch neighbouring banks. Operands pass through shared memory in slices, as
// float: Q and K by BLOCK_K of the head dim, V by V_ROWS keys. A slice is fetched to registers first and put into
// shared memory later, so that a caller can compute in between (STAGES = 2).
//
// Declare before including: the spec constants WORKGROUP, BLOCK_M, BLOCK_N, THREAD_M, THREAD_N, BLOCK_K, V_ROWS; and
// WIDE_LOADS (true: load four neighbours at once where alignment allows).
#ifndef ATTN_TILE_GLSL
#define ATTN_TILE_GLSL

#include "common/bindings.glsl"
#include "common/mask.glsl"

const uint LANES = BLOCK_N / THREAD_N;
const uint TILE_Y = BLOCK_M / THREAD_M;
#define REDUCE_COUNT THREAD_M
#include "common/reduce.glsl"

INPUT(q, BINDING_Q)
INPUT(k, BINDING_K)
INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

const uint OUT_VECTORS = (V_DIM + 4u * LANES - 1u) / (4u * LANES);  // a thread's share of a row of O, in vec4
const uint OUT_ROW = OUT_VECTORS * LANES;                           // a padded row of V or O, in vec4
const uint K_VECTORS = BLOCK_K / 4u;
const uint SLICES = (HEAD_DIM + BLOCK_K - 1u) / BLOCK_K;
// Row strides in shared memory, in vec4. Odd, or one past a multiple of 16 floats: rows start in different banks.
const uint QK_STRIDE = K_VECTORS + 1u;
const uint P_STRIDE = BLOCK_N / 4u + 1u;

// Q and K slices are dead once the scores are known, so P and V take their place.
const uint QK_VECTORS = (BLOCK_M + BLOCK_N) * QK_STRIDE;
const uint PV_VECTORS = BLOCK_M * P_STRIDE + V_ROWS * OUT_ROW;
const uint K_AT = BLOCK_M * QK_STRIDE;
const uint V_AT = BLOCK_M * P_STRIDE;
shared vec4 tile_pool[QK_VECTORS > PV_VECTORS ? QK_VECTORS : PV_VECTORS];

// A thread's share of a slice on its way from global to shared memory. Loads are not branched around: past an edge they
// repeat what is inside, and zeros are chosen afterwards.
const uint Q_SHARE = (BLOCK_M * K_VECTORS + WORKGROUP - 1u) / WORKGROUP;
const uint K_SHARE = (BLOCK_N * K_VECTORS + WORKGROUP - 1u) / WORKGROUP;
const uint QK_SHARE = Q_SHARE + K_SHARE;
const uint V_SHARE = (V_ROWS * OUT_ROW + WORKGROUP - 1u) / WORKGROUP;
vec4 fetched[QK_SHARE > V_SHARE ? QK_SHARE : V_SHARE];

float scores[THREAD_M * THREAD_N];
vec4 sums[THREAD_M * OUT_VECTORS];

uint tx, ty;             // this thread's place in the grid
uint batch_at, head_at;  // which (batch, query head)

void tile_begin(uint b, uint head) {
    tx = thread_index() % LANES;
    ty = thread_index() / LANES;
    batch_at = b;
    head_at = head;
    [[unroll]] for (uint i = 0; i < THREAD_M * OUT_VECTORS; ++i)
        sums[i] = vec4(0.0);
}

// Slice `slice` of the queries from `row0` and the keys from `key0`; rows past the end are zeros.
void fetch_qk(uint row0, uint key0, uint slice) {
    [[unroll]] for (uint i = 0; i < Q_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        uint row = row0 + e / K_VECTORS;
        vec4 value = row4_q(q_start(batch_at, head_at, SEQUENCE_ROW(min(row, LENGTH_Q - 1u))),
                            e % K_VECTORS + slice * K_VECTORS, HEAD_DIM, WIDE_LOADS);
        fetched[i] = mix(vec4(0.0), value, bvec4(row < LENGTH_Q));
    }
    [[unroll]] for (uint i = 0; i < K_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        uint key = key0 + e / K_VECTORS;
        vec4 value = row4_k(k_start(batch_at, head_at, SEQUENCE_ROW(min(key, LENGTH_KV - 1u))),
                            e % K_VECTORS + slice * K_VECTORS, HEAD_DIM, WIDE_LOADS);
        fetched[Q_SHARE + i] = mix(vec4(0.0), value, bvec4(key < LENGTH_KV));
    }
}

void put_qk() {
    [[unroll]] for (uint i = 0; i < Q_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        if (BLOCK_M * K_VECTORS % WORKGROUP == 0u || e < BLOCK_M * K_VECTORS)
            tile_pool[e / K_VECTORS * QK_STRIDE + e % K_VECTORS] = fetched[i];
    }
    [[unroll]] for (uint i = 0; i < K_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        if (BLOCK_N * K_VECTORS % WORKGROUP == 0u || e < BLOCK_N * K_VECTORS)
            tile_pool[K_AT + e / K_VECTORS * QK_STRIDE + e % K_VECTORS] = fetched[Q_SHARE + i];
    }
}

void fetch_v(uint key0) {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        uint key = key0 + e / OUT_ROW;
        vec4 value = row4_v(v_start(batch_at, head_at, SEQUENCE_ROW(min(key, LENGTH_KV - 1u))), e % OUT_ROW,
                            V_DIM, WIDE_LOADS);
        fetched[i] = mix(vec4(0.0), value, bvec4(key < LENGTH_KV));
    }
}

void put_v() {
    [[unroll]] for (uint i = 0; i < V_SHARE; ++i) {
        uint e = thread_index() + i * WORKGROUP;
        if (V_ROWS * OUT_ROW % WORKGROUP == 0u || e < V_ROWS * OUT_ROW)
            tile_pool[V_AT + e] = fetched[i];
    }
}

// scores += the product of the slices of Q and K in shared memory.
void multiply_qk() {
    for (uint c = 0; c < K_VECTORS; ++c) {
        vec4 k_part[THREAD_N];
        [[unroll]] for (uint j = 0; j < THREAD_N; ++j)
            k_part[j] = tile_pool[K_AT + (tx + j * LANES) * QK_STRIDE + c];
        [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
            vec4 q_part = tile_pool[(ty + i * TILE_Y) * QK_STRIDE + c];
            [[unroll]] for (uint j = 0; j < THREAD_N; ++j) {
                float s = scores[i * THREAD_N + j];
                s = fma(q_part.x, k_part[j].x, s);
                s = fma(q_part.y, k_part[j].y, s);
                s = fma(q_part.z, k_part[j].z, s);
                scores[i * THREAD_N + j] = fma(q_part.w, k_part[j].w, s);
            }
        }
    }
}

// Scaled scores, and -inf where the query does not see the key. `masked`: some key of the tile is out of sight.
void scale_and_mask(uint row0, uint key0, float factor, bool masked) {
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
        uint visible = masked ? visible_keys(row0 + ty + i * TILE_Y) : 0u;
        [[unroll]] for (uint j = 0; j < THREAD_N; ++j) {
            float s = scores[i * THREAD_N + j] * factor;
            if (masked && key0 + tx + j * LANES >= visible)
                s = uintBitsToFloat(0xff800000u);
            scores[i * THREAD_N + j] = s;
        }
    }
}

// The tile's row maxima, the same in every thread of a row.
void row_maxima(out float top[REDUCE_COUNT]) {
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
        top[i] = scores[i * THREAD_N];
        [[unroll]] for (uint j = 1; j < THREAD_N; ++j)
            top[i] = max(top[i], scores[i * THREAD_N + j]);
    }
    lanes_max(top);
}

// Hands P (in `scores`) to the other threads of the row.
void put_p() {
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i)
        [[unroll]] for (uint j = 0; j < THREAD_N; ++j) {
            uint column = tx + j * LANES;
            tile_pool[(ty + i * TILE_Y) * P_STRIDE + column / 4u][column % 4u] = scores[i * THREAD_N + j];
        }
}

// sums += P V over the V_ROWS keys in shared memory, which begin at column `first` of the tile.
void multiply_pv(uint first) {
    for (uint n = 0; n < V_ROWS; n += 4u) {
        vec4 p_part[THREAD_M];
        [[unroll]] for (uint i = 0; i < THREAD_M; ++i)
            p_part[i] = tile_pool[(ty + i * TILE_Y) * P_STRIDE + (first + n) / 4u];
        [[unroll]] for (uint step = 0; step < 4u; ++step)
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c) {
                vec4 v_part = tile_pool[V_AT + (n + step) * OUT_ROW + c * LANES + tx];
                [[unroll]] for (uint i = 0; i < THREAD_M; ++i)
                    sums[i * OUT_VECTORS + c] = fma(vec4(p_part[i][step]), v_part, sums[i * OUT_VECTORS + c]);
            }
    }
}

// O = sums / l, with l already whole.
void store_rows(uint row0, float norm[REDUCE_COUNT]) {
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
        uint row = row0 + ty + i * TILE_Y;
        if (row < LENGTH_Q)
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                store4_o(o_start(batch_at, head_at, SEQUENCE_ROW(row)), c * LANES + tx, V_DIM,
                         sums[i * OUT_VECTORS + c] * norm[i]);
    }
}

#endif
