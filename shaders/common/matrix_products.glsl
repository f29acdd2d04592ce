// The two products of a step on 16-bit operands, from the tiles that are staged: statements on the scores s and the
// output o of main. A K or V fragment, once read from shared memory, serves all ROWS row tiles.
//
// Declare before including: LOAD_Q(a, r, k), which makes a the depth step k of the subgroup's row tile r of Q.
#ifndef ATTN_MATRIX_PRODUCTS_GLSL
#define ATTN_MATRIX_PRODUCTS_GLSL

#include "common/matrix_types.glsl"

// s[ROWS][KEYS] += Q K^T. `row`, in terms of n: the staged row where the keys of score tile n begin.
#define MULTIPLY_QK(row)                                                                                               \
    [[unroll]] for (uint k = 0; k < DEPTH; ++k) {                                                                      \
        MATRIX_A a[ROWS];                                                                                              \
        [[unroll]] for (uint r = 0; r < ROWS; ++r) LOAD_Q(a[r], r, k)                                                  \
        [[unroll]] for (uint n = 0; n < KEYS; ++n) {                                                                   \
            MATRIX_B b;                                                                                                \
            coopMatLoad(b, stage, (row) * LD + k * MAT_K / 8, LD, BY_COLUMN);                                          \
            [[unroll]] for (uint r = 0; r < ROWS; ++r) s[r][n] = MULTIPLY_ADD(a[r], b, s[r][n]);                      \
        }                                                                                                              \
    }

// o[ROWS][WIDTH] += P V, for the `tiles` tiles of MAT_K keys that are staged from row `first` on; p[ROWS][tiles].
#define MULTIPLY_PV(p, first, tiles)                                                                                   \
    [[unroll]] for (uint n = 0; n < tiles; ++n)                                                                        \
        [[unroll]] for (uint d = 0; d < WIDTH; ++d) {                                                                  \
            MATRIX_B b;                                                                                                \
            coopMatLoad(b, stage, TILE + (first + n * MAT_K) * LD + d * MAT_N / 8, LD, BY_ROW);                        \
            [[unroll]] for (uint r = 0; r < ROWS; ++r) o[r][d] = MULTIPLY_ADD(p[r][n], b, o[r][d]);                   \
        }

#endif
