// An additive mask of a flash kernel on matrices: the elements that belong to a lane's scores are read while the step's
// K and V are staged, and wait in registers, two a word. The pass defines MASK_RUNS where a lane's columns lie as
// gather_chunk() has them (then staged_row() makes its keys neighbours), and MASK_EIGHTS where every row of the mask
// begins at 16 bytes.
#ifndef ATTN_MATRIX_MASK_GLSL
#define ATTN_MATRIX_MASK_GLSL

#include "common/matrix_stage.glsl"

const uint HELD = (EACH + 1) / 2;
uint mask_held[ROWS][CLASSES][HELD];

// Those of batch item b, rows `first` on and keys `key` on of the subgroup's tiles, for the lane whose first element is
// at row and column `lane`. Keys past the end get any other's: they are masked.
void fetch_mask(uint b, uint first, uint key, uvec2 lane) {
    const uint from = key + staged_key(0, lane.y);
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
            const uint row = mask_start(b, min(first + r * MAT_M + lane.x + element_row(c * COLS), LENGTH_Q - 1));
#if MASK_RUNS
            if (MASK_EIGHTS == 1 && EACH % 8 == 0) {
                [[unroll]] for (uint g = 0; g < EACH / 8; ++g) {
                    const uvec4 eight = mask_eights[(row + min(from + 8 * g, LENGTH_KV - 8)) / 8];
                    [[unroll]] for (uint w = 0; w < 4; ++w) mask_held[r][c][4 * g + w] = eight[w];
                }
            } else {
                const uint last = (row + LENGTH_KV - 1) / 2, begin = row + from;
                uint word = mask_words[min(begin / 2, last)];
                [[unroll]] for (uint x = 0; x < HELD; ++x) {
                    const uint next = mask_words[min(begin / 2 + x + 1, last)];
                    mask_held[r][c][x] = begin % 2 == 0 ? word : word >> 16 | next << 16;
                    word = next;
                }
            }
#else
            [[unroll]] for (uint x = 0; x < EACH; x += 2) {
                const uint col = lane.y + element_col(x % COLS), next = lane.y + element_col((x + 1) % COLS);
                mask_held[r][c][x / 2] =
                    packHalf2x16(vec2(mask_at(row + min(key + staged_key(x / COLS, col), LENGTH_KV - 1)),
                                      mask_at(row + min(key + staged_key((x + 1) / COLS, next), LENGTH_KV - 1))));
            }
#endif
        }
}

// Whether any of the subgroup's queries sees any of its keys of the step: not every element is minus infinity.
bool mask_sees() {
    uint other = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint c = 0; c < CLASSES; ++c)
            [[unroll]] for (uint x = 0; x < HELD; ++x) other |= mask_held[r][c][x] ^ 0xfc00fc00u;
    return subgroupAny(other != 0);
}

#endif
