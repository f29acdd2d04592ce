// How a matrix lies over the lanes of a subgroup, as the engine's probe found it: every matrix of a type lies alike,
// and an A matrix like an accumulator. Element i of a lane is in class i >> MAT_ROW_SHIFT; a class is one row of the
// tile.
#ifndef ATTN_MATRIX_LANES_GLSL
#define ATTN_MATRIX_LANES_GLSL

#extension GL_KHR_shader_subgroup_shuffle : require
#include "common/matrix_types.glsl"

layout(constant_id = 14) const uint MAT_ELEMENTS = 8;    // of an accumulator, a lane
layout(constant_id = 15) const uint MAT_ROW_SHIFT = 2;   // elements i with equal i >> MAT_ROW_SHIFT share a row
layout(constant_id = 16) const uint MAT_LANE_MASK = 3;   // lanes that differ in these bits share their rows
layout(constant_id = 17) const uint MAT_ELEMENT_ROWS = 0x88880000u;  // row of element i less element 0's, 4 bits each
layout(constant_id = 18) const uint MAT_ELEMENT_COLS = 0x98109810u;

const uint CLASSES = MAT_ELEMENTS >> MAT_ROW_SHIFT;  // rows of a tile that a lane sees

uint element_row(uint i) { return (MAT_ELEMENT_ROWS >> (4 * i)) & 15u; }
uint element_col(uint i) { return (MAT_ELEMENT_COLS >> (4 * i)) & 15u; }

// Over the lanes that share a row.
float row_max(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) != 0) x = max(x, subgroupShuffleXor(x, bit));
    return x;
}
float row_sum(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) != 0) x += subgroupShuffleXor(x, bit);
    return x;
}

#endif
