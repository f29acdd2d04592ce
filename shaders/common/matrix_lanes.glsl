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
#define FOUR_OF(m, i) vec4(m[i], m[i + 1], m[i + 2], m[i + 3])

uint element_row(uint i) { return (MAT_ELEMENT_ROWS >> (4 * i)) & 15u; }
uint element_col(uint i) { return (MAT_ELEMENT_COLS >> (4 * i)) & 15u; }

// Where this lane's first accumulator element lies, for the mask: read off a matrix of indices. Takes the staging area.
#define FIND_LANE(row, col)                                                                                            \
    {                                                                                                                  \
        MATRIX_C origin;                                                                                               \
        barrier();                                                                                                     \
        for (uint e = thread; e < MAT_M * MAT_N / 4; e += WORKGROUP)                                                   \
            stage[e] = floatBitsToUint(vec4(4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3));                                  \
        barrier();                                                                                                     \
        coopMatLoad(origin, stage, 0, MAT_N / 4, BY_ROW);                                                              \
        row = uint(origin[0]) / MAT_N;                                                                                 \
        col = uint(origin[0]) % MAT_N;                                                                                 \
    }

// In scores s[r][n] minus infinity for the keys that a query does not see. `first`: the subgroup's first query;
// COLUMN_KEY(n, i): the key of a lane's element i of tile n.
#ifdef OPTION_WINDOW
#define FIRST_SEEN(query) first_visible_key(query)
#elif WHOLE_LAST_KEYS
#define FIRST_SEEN(query) step * BLOCK_N
#else
#define FIRST_SEEN(query) 0
#endif
#define HIDE_UNSEEN(first)                                                                                             \
    {                                                                                                                  \
        [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                     \
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {                                                       \
                const uint query = first + r * MAT_M + lane_row + element_row(i), seen = visible_keys(query);          \
                const uint unseen = FIRST_SEEN(query);                                                                 \
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {                                                           \
                    if (COLUMN_KEY(n, i) >= seen) s[r][n][i] = MINUS_INFINITY;                                         \
                    if (COLUMN_KEY(n, i) < unseen) s[r][n][i] = MINUS_INFINITY;                                        \
                }                                                                                                      \
            }                                                                                                          \
    }

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

// With ROW_LANES, which a pass defines as mat_row_lanes (engine/device_info.hpp), so many lanes share each chunk of 8
// columns of a row.
#if defined(ROW_LANES) && ROW_LANES
const uint RUN_COLS = 8 / ROW_LANES;  // of a chunk, a lane
const uint RUN_WORDS = 4 / ROW_LANES;

// The words that a lane has of ROW_LANES neighbouring chunks of 16-bit elements become the whole chunk
// gl_SubgroupInvocationID % ROW_LANES of them. (By selections: with branches the kernel takes half as long again.)
uvec4 gather_chunk(uvec4 words) {
    [[unroll]] for (uint bit = 1; bit < ROW_LANES; bit *= 2) {
        const bool upper = (gl_SubgroupInvocationID & bit) != 0;
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if ((i / RUN_WORDS & bit) == 0) {
                const uint j = i + bit * RUN_WORDS;
                const uint other = subgroupShuffleXor(upper ? words[i] : words[j], bit);
                words[i] = upper ? other : words[i];
                words[j] = upper ? words[j] : other;
            }
    }
    return words;
}
#endif

#endif
