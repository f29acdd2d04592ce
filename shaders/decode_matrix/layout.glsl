// What an A matrix takes straight from memory, without shared memory, given how it lies over the lanes. A lane has
// CLASSES rows of a matrix and COLS neighbouring places of each; SHARERS lanes have the same rows, RANKS lanes the same
// columns. Which columns must depend on MAT_LANE_MASK's bits of the lane alone.
//
// K Q^T sums over head_dim in whatever order, as long as Q has the same. So a lane reads 16 bytes of each of its rows,
// eight neighbouring dims, and makes them its places of 8 / COLS matrices: that is a block of SHARERS * 8 dims. With
// WIDE_BLOCKS packed K and V are read in longer pieces (wide.glsl).
// V^T is dims by keys: a lane reads V_PIECE neighbouring dims of each of its COLS keys, and makes them its rows of
// V_PIECE / CLASSES matrices: a block of RANKS * V_PIECE dims. The order of dims is undone when the output is stored.
#ifndef ATTN_DECODE_LAYOUT_GLSL
#define ATTN_DECODE_LAYOUT_GLSL

#include "common/matrix_lanes.glsl"

#ifndef K_TYPE
#define K_TYPE 0
#define V_TYPE 0
#endif
#define K_WIDE (WIDE_BLOCKS && K_TYPE)
#define V_WIDE (WIDE_BLOCKS && V_TYPE)
#if K_WIDE
const uint K_PIECE = K_TYPE == 2 ? 16 : 32;  // f8e4m3, or a block
#else
const uint K_PIECE = 8;
#endif
// With NARROW, which the pass defines where the device has such matrices and few query rows are enough, B matrices and
// accumulators have half as many columns as an A matrix (MatrixLayout::half_columns): of COLS neighbouring places of a
// row a lane has ROW_COLS there.
const uint COLS = 1u << MAT_ROW_SHIFT, ROW_COLS = COLS >> NARROW;
const uint SUMS = MAT_ELEMENTS >> NARROW;  // elements of an accumulator, a lane
const uint SHARERS = MAT_K / COLS;
const uint RANKS = MAT_M / CLASSES;
const uint K_MATRICES = K_PIECE / COLS;     // of a block of K
const uint V_MATRICES = V_PIECE / CLASSES;  // of a block of V
const uint K_BLOCK = SHARERS * K_PIECE;     // dims
const uint V_BLOCK = RANKS * V_PIECE;
const uint K_BLOCKS = (HEAD_DIM + K_BLOCK - 1) / K_BLOCK;

uint lane_row, lane_col;    // of this lane's first element
uint col_rank, row_rank;    // of this lane among the SHARERS, and among the RANKS

uint rank_of(uint lane, uint mask) {
    uint rank = 0, place = 0;
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((mask & bit) != 0) {
            if ((lane & bit) != 0) rank |= 1u << place;
            ++place;
        }
    return rank;
}

uint class_row(uint c) { return element_row(c * COLS); }
uint class_of(uint i) { return i / COLS; }
uint col_of(uint i) { return i % COLS; }
// Of element i of an accumulator: its column, and its row less element 0's.
uint sum_col(uint i) { return i % ROW_COLS; }
uint sum_row(uint i) { return class_row(i / ROW_COLS); }

// Over the lanes that share a column.
float column_max(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) == 0) x = max(x, subgroupShuffleXor(x, bit));
    return x;
}
float column_sum(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) == 0) x += subgroupShuffleXor(x, bit);
    return x;
}

#endif
