// Scores of a BLOCK_M x BLOCK_N tile over a range of the head dim. Each subgroup takes its own MAT_K * DEPTH dims of
// every step, for the whole tile: so no element is read from shared memory twice, a subgroup waits for no other until
// the end, and sums over subgroups, made in their order, finish the scores. The next step is fetched while this one
// multiplies.
//
// Define KEEP_ALL_ROWS before including if the whole tile is to lie in shared memory at once in the end.
#ifndef WIDE_MATRIX_SCORES_GLSL
#define WIDE_MATRIX_SCORES_GLSL

layout(constant_id = 10) const uint BLOCK_M = 32;
layout(constant_id = 11) const uint BLOCK_N = 32;
layout(constant_id = 12) const uint DEPTH = 2;  // matrix depths a subgroup takes in a step
layout(constant_id = 13) const uint SLICE_STEPS = 1;

CHUNKS_OF(q, 0)
CHUNKS_OF(k, 1)

const uint ROW_TILES = BLOCK_M / MAT_M, KEY_TILES = BLOCK_N / MAT_N;
const uint SHARE = DEPTH * MAT_K / 8;       // chunks of a row, a subgroup and step
const uint LD = SHARE | 1;                  // odd, so that rows start in different banks
const uint AREA = (BLOCK_M + BLOCK_N) * LD; // of a subgroup
const uint Q_EACH = (BLOCK_M * SHARE + SUBGROUP - 1) / SUBGROUP;
const uint K_EACH = (BLOCK_N * SHARE + SUBGROUP - 1) / SUBGROUP;
const uint TILE_STAGE = SUBGROUPS * AREA;
const uint LS = (BLOCK_N / 4) | 1;          // a row of finished scores, in fours
const uint BAND = SUBGROUPS * MAT_M * LS;   // a row tile of every subgroup
#ifdef KEEP_ALL_ROWS
const uint LEFT = ROW_TILES;
#else
const uint FIT = TILE_STAGE / BAND;
const uint LEFT = FIT < 1 ? 1 : FIT < ROW_TILES ? FIT : ROW_TILES;
#endif
shared uvec4 stage[TILE_STAGE > LEFT * BAND ? TILE_STAGE : LEFT * BAND];

uvec4 q_next[Q_EACH], k_next[K_EACH];
MATRIX_C s[ROW_TILES][KEY_TILES];
uint batch_at, head_at, row0, key0;

void fetch_scores(uint step) {
    uint first = (step * SUBGROUPS + gl_SubgroupID) * SHARE;
    [[unroll]] for (uint i = 0; i < Q_EACH; ++i) {
        uint e = i * SUBGROUP + gl_SubgroupInvocationID, row = row0 + e / SHARE;
        q_next[i] = load8_q(q_start(batch_at, head_at, row), first + e % SHARE, HEAD_DIM, row < seq_q);
    }
    [[unroll]] for (uint i = 0; i < K_EACH; ++i) {
        uint e = i * SUBGROUP + gl_SubgroupInvocationID, key = key0 + e / SHARE;
        k_next[i] = load8_k(k_start(batch_at, head_at, key), first + e % SHARE, HEAD_DIM, key < seq_kv);
    }
}

void add_scores(uint begin, uint end) {
    const uint own = gl_SubgroupID * AREA;
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
        [[unroll]] for (uint n = 0; n < KEY_TILES; ++n) s[r][n] = MATRIX_C(0.0);
    fetch_scores(begin);
    [[dont_unroll]] for (uint step = begin; step < end; ++step) {
        [[unroll]] for (uint i = 0; i < Q_EACH; ++i) {
            uint e = i * SUBGROUP + gl_SubgroupInvocationID;
            if (e < BLOCK_M * SHARE) stage[own + e / SHARE * LD + e % SHARE] = halves_of(q_next[i]);
        }
        [[unroll]] for (uint i = 0; i < K_EACH; ++i) {
            uint e = i * SUBGROUP + gl_SubgroupInvocationID;
            if (e < BLOCK_N * SHARE) stage[own + (BLOCK_M + e / SHARE) * LD + e % SHARE] = halves_of(k_next[i]);
        }
        subgroupBarrier();
        if (step + 1 < end) fetch_scores(step + 1);
        [[unroll]] for (uint d = 0; d < DEPTH; ++d) {
            MATRIX_A a[ROW_TILES];
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                coopMatLoad(a[r], stage, own + r * MAT_M * LD + d * MAT_K / 8, LD, BY_ROW);
            [[unroll]] for (uint n = 0; n < KEY_TILES; ++n) {
                MATRIX_B b;
                coopMatLoad(b, stage, own + (BLOCK_M + n * MAT_N) * LD + d * MAT_K / 8, LD, BY_COLUMN);
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) s[r][n] = coopMatMulAdd(a[r], b, s[r][n]);
            }
        }
        subgroupBarrier();
    }
}

// LEFT row tiles of every subgroup, from tile `first`, into shared memory, between barriers.
void leave_scores(uint first) {
    barrier();
    [[unroll]] for (uint i = 0; i < LEFT; ++i)
        if (first + i < ROW_TILES)
            [[unroll]] for (uint n = 0; n < KEY_TILES; ++n)
                coopMatStore(s[first + i][n], stage, (gl_SubgroupID * LEFT + i) * MAT_M * LS + n * MAT_N / 4, LS,
                             BY_ROW);
    barrier();
}

// Four neighbouring scores of a row of the tiles that a subgroup left there; to be summed over the subgroups in order.
vec4 left_scores(uint subgroup, uint row, uint four) {
    return uintBitsToFloat(stage[(subgroup * LEFT * MAT_M + row) * LS + four]);
}

#endif
