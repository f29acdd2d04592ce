// Rows of K and V in 16-byte pieces, the widest load there is: PIECE elements each, kept as in memory until used.
//   PIECE_INPUT(k, BINDING_K)   piece_k(row, c, dim, asked): elements c * PIECE ... of the row of `dim` that starts at
//                               element `row`, zeros past its end; c < asked. Declares INPUT too.
//   piece_part(p, e)            elements 4e .. 4e+3 of a piece as floats, e < PIECE_PARTS
#ifndef ATTN_PIECES_GLSL
#define ATTN_PIECES_GLSL

#include "common/bindings.glsl"

#if defined(DTYPE_F32)

#define PIECE 4u
#define piece_part(piece, e) uintBitsToFloat(piece)
#define pack_piece(row, c, dim, name) floatBitsToUint(row4_##name(row, c, dim, false))

#else

#define PIECE 8u
#if defined(DTYPE_F16)
#define pair_part(words) vec4(unpackHalf2x16((words).x), unpackHalf2x16((words).y))
#define pack_pair(value) uvec2(packHalf2x16((value).xy), packHalf2x16((value).zw))
#else
#define pair_part(words) from_store4(words)
#define pack_pair(value) to_store4(value)
#endif
#define piece_part(piece, e) pair_part((e) == 0u ? (piece).xy : (piece).zw)
#define pack_piece(row, c, dim, name)                                                                                  \
    uvec4(pack_pair(row4_##name(row, 2u * (c), dim, true)), pack_pair(row4_##name(row, 2u * (c) + 1u, dim, true)))

#endif

#define PIECE_PARTS (PIECE / 4u)

// Rows that are no whole number of pieces do not start at multiples of 16 bytes: they are read in smaller steps.
#define PIECE_INPUT(name, slot)                                                                                        \
    INPUT(name, slot)                                                                                                  \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pieces { uvec4 name##_16[]; };                      \
    uvec4 piece_##name(uint row, uint c, uint dim, uint asked) {                                                       \
        if (dim == asked * PIECE)                                                                                      \
            return name##_16[row / PIECE + c];                                                                         \
        if (dim % PIECE == 0u)                                                                                         \
            return c * PIECE < dim ? name##_16[row / PIECE + c] : uvec4(0u);                                           \
        return pack_piece(row, c, dim, name);                                                                          \
    }

#endif
