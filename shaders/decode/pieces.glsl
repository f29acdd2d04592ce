// Rows of K and V in 16-byte pieces, the widest load there is: PIECE elements each, kept as in memory until used.
//   PIECE_INPUT(k, BINDING_K)   piece_k(row, c, dim, asked): elements c * PIECE ... of the row of `dim` that starts at
//                               element `row`, zeros past its end; c < asked. Declares INPUT or KV_INPUT too.
//   HELD_PIECE                  a piece as it waits in registers
//   piece_part(p, e)            elements 4e .. 4e+3 of a piece as floats, e < PIECE_PARTS
#ifndef ATTN_PIECES_GLSL
#define ATTN_PIECES_GLSL

#include "common/quantized.glsl"

#if defined(KV_Q8_0)

// Half a block, and its scale. Blocks begin at every second byte, so a piece is four words of five.
#define PIECE 16u
struct Q8Piece { uvec4 bytes; float scale; };
#define HELD_PIECE Q8Piece
#define piece_part(piece, e) (q8_four((piece).bytes[e]) * (piece).scale)

#elif defined(KV_F8E4M3)

#define PIECE 16u
#define HELD_PIECE uvec4
#define piece_part(piece, e) f8_four((piece)[e])

#else

#define HELD_PIECE uvec4
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
#endif

#define PIECE_PARTS (PIECE / 4u)

#if defined(KV_Q8_0)

#define PIECE_INPUT(name, slot)                                                                                        \
    KV_INPUT(name, slot)                                                                                               \
    Q8Piece piece_##name(uint row, uint c, uint dim, uint asked) {                                                     \
        if (dim != asked * PIECE && c * PIECE >= dim)                                                                  \
            return Q8Piece(uvec4(0u), 0.0);                                                                            \
        uint i = row + c * PIECE, first = Q8_BYTES_AT(i), at = first / 2u;                                             \
        uvec4 words = uvec4(name##_w[at], name##_w[at + 1u], name##_w[at + 2u], name##_w[at + 3u]);                    \
        if (first % 2u != 0u)                                                                                          \
            words = words >> 16 | uvec4(words.yzw, name##_w[at + 4u]) << 16;                                           \
        return Q8Piece(words, q8_scale(name##_w[Q8_SCALE_AT(i) / 2u], Q8_SCALE_AT(i)));                                \
    }

#elif defined(KV_F8E4M3)

#define PIECE_INPUT(name, slot)                                                                                        \
    KV_INPUT(name, slot)                                                                                               \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pieces { uvec4 name##_16[]; };                      \
    uvec4 piece_##name(uint row, uint c, uint dim, uint asked) {                                                       \
        if (dim == asked * PIECE)                                                                                      \
            return name##_16[row / PIECE + c];                                                                         \
        if (dim % PIECE == 0u)                                                                                         \
            return c * PIECE < dim ? name##_16[row / PIECE + c] : uvec4(0u);                                           \
        uint at = c * PIECE;                                                                                           \
        return uvec4(four_##name(row, at, dim), four_##name(row, at + 4u, dim), four_##name(row, at + 8u, dim),        \
                     four_##name(row, at + 12u, dim));                                                                 \
    }

#else

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

#endif
