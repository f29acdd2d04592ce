// Scores of a step: s = Q K^T for the subgroup's row tiles and its team's keys, unscaled, in the accumulators s[r][n]
// of row tile r and key tile n; and the mask.
#ifndef ATTN_MATRIX_SCORES_GLSL
#define ATTN_MATRIX_SCORES_GLSL

#include "common/matrix_lanes.glsl"
#include "common/matrix_products.glsl"
#include "common/matrix_queries.glsl"

MATRIX_C s[ROWS][KEYS];

const uint CHAIN = 2;  // depth steps that f32 parts sum in the matrix units
void compute_scores() {
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
#if PARTS == 2
    // Matrix units round sums toward zero, and the bias of long sums would outgrow f32's own error: a few products are
    // summed apart, small ones first, and join the others by an addition that rounds to nearest.
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint first = 0; first < DEPTH; first += CHAIN) {
            MATRIX_C sum[ROWS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
            [[unroll]] for (uint k = first; k < min(first + CHAIN, DEPTH); ++k) {
                const uint at = (my_key + n * MAT_N) * LD + k * MAT_K / 8;
                MATRIX_B high, low;
                coopMatLoad(high, stage, at, LD, BY_COLUMN);
                coopMatLoad(low, stage, K_SIZE + at, LD, BY_COLUMN);
                [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                    MATRIX_A a, a_low;
                    LOAD_Q_PART(a, 0, r, k)
                    LOAD_Q_PART(a_low, 1, r, k)
                    sum[r] = coopMatMulAdd(a, low, sum[r]);
                    sum[r] = coopMatMulAdd(a_low, high, sum[r]);
                    sum[r] = coopMatMulAdd(a, high, sum[r]);
                }
            }
            [[unroll]] for (uint r = 0; r < ROWS; ++r) s[r][n] += sum[r];
        }
#else
    MULTIPLY_QK(my_key + n * MAT_N)
#endif
}

// Where this lane's first accumulator element lies, for the mask: read off a matrix of indices in the staging area.
uint lane_row = 0, lane_col = 0;
void find_lane() {
    MATRIX_C origin;
    barrier();
    for (uint e = thread; e < MAT_M * MAT_N / 4; e += WORKGROUP)
        stage[e] = floatBitsToUint(vec4(4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3));
    barrier();
    coopMatLoad(origin, stage, 0, MAT_N / 4, BY_ROW);
    lane_row = uint(origin[0]) / MAT_N;
    lane_col = uint(origin[0]) % MAT_N;
}

// MINUS_INFINITY where the query does not see the key; the team's keys begin at `key`.
void mask_scores(uint key) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
            uint seen = visible_keys(my_row + r * MAT_M + lane_row + element_row(i));
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                if (key + n * MAT_N + lane_col + element_col(i) >= seen) s[r][n][i] = MINUS_INFINITY;
        }
}

#endif
