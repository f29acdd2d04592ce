// The output to memory: tile by tile where rows and widths are whole, else through the staging area.
//
// Declare before including: o, the subgroup's output o[ROWS][WIDTH]; first_row and my_row, the queries where the
// workgroup and the subgroup begin; MY_TILE, the subgroup's first row tile; MINE, whether it has these rows to store;
// O_SLAB, the rows of output that the staging area holds; to_element; and OUT_MATRIX, an accumulator of the elements of
// O, where there is one.
#ifndef ATTN_MATRIX_STORE_GLSL
#define ATTN_MATRIX_STORE_GLSL

#include "common/matrix_types.glsl"

// o_base: the first element of the sequence's output.
void store_output(uint o_base) {
#ifdef OUT_MATRIX
    if (V_DIM % MAT_N == 0 && (!RAGGED_Q || first_row + BLOCK_M <= LENGTH_Q)) {
        if (MINE)
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(OUT_MATRIX(o[r][d]), o_1, o_base + (my_row + r * MAT_M) * o_row + d * MAT_N, o_row,
                                 BY_ROW);
    } else
#endif
    {
        // Rows past the end and ragged widths leave as floats.
        for (uint slab = 0; slab < BLOCK_M; slab += O_SLAB) {
            barrier();
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                uint at = (MY_TILE + r) * MAT_M;
                if (MINE && at >= slab && at < slab + O_SLAB)
                    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                        coopMatStore(o[r][d], stage, (at - slab) * LO + d * MAT_N / 4, LO, BY_ROW);
            }
            barrier();
            for (uint e = thread; e < O_SLAB * V_DIM; e += WORKGROUP) {
                uint row = first_row + slab + e / V_DIM, d = e % V_DIM;
                if (slab + e / V_DIM < BLOCK_M && row < LENGTH_Q)
                    o_1[o_base + row * o_row + d] = to_element(uintBitsToFloat(stage[e / V_DIM * LO + d / 4][d % 4]));
            }
        }
    }
}

#endif
