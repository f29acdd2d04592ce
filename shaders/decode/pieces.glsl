// Rows of K and V in pieces of 16 bytes, the widest load there is, or of 16 elements where they are packed; kept as in
// memory until used. For both (in capitals K or V):
//   K_PIECES             piece_k(row, c, dim, asked): elements c * K_PIECE ... of a row of `dim` that starts at element
//                        `row`, zeros past its end; c < asked
//   K_PIECE, K_PARTS     elements of a piece; a fourth of that
//   K_HELD               a piece as it waits in registers
//   part_k(p, e)         elements 4e .. 4e+3 of a piece as floats, e < K_PARTS
#ifndef ATTN_PIECES_GLSL
#define ATTN_PIECES_GLSL

#include "common/quantized.glsl"

#if defined(DTYPE_F32)

#define PLAIN_PIECE 4u
#define plain_part(piece, e) uintBitsToFloat(piece)
#define pack_piece(row, c, dim, name) floatBitsToUint(row4_##name(row, c, dim, false))

#else

#define PLAIN_PIECE 8u
#if defined(DTYPE_F16)
#define pair_part(words) vec4(unpackHalf2x16((words).x), unpackHalf2x16((words).y))
#define pack_pair(value) uvec2(packHalf2x16((value).xy), packHalf2x16((value).zw))
#else
#define pair_part(words) from_store4(words)
#define pack_pair(value) to_store4(value)
#endif
#define plain_part(piece, e) pair_part((e) == 0u ? (piece).xy : (piece).zw)
#define pack_piece(row, c, dim, name)                                                                                  \
    uvec4(pack_pair(row4_##name(row, 2u * (c), dim, true)), pack_pair(row4_##name(row, 2u * (c) + 1u, dim, true)))

#endif

// Rows that are no whole number of pieces do not start at multiples of 16 bytes: they are read in smaller steps.
#define PLAIN_PIECES(name, slot)                                                                                       \
    INPUT(name, slot)                                                                                                  \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pieces { uvec4 name##_16[]; };                      \
    uvec4 piece_##name(uint row, uint c, uint dim, uint asked) {                                                       \
        if (dim == asked * PLAIN_PIECE)                                                                                \
            return name##_16[row / PLAIN_PIECE + c];                                                                   \
        if (dim % PLAIN_PIECE == 0u)                                                                                   \
            return c * PLAIN_PIECE < dim ? name##_16[row / PLAIN_PIECE + c] : uvec4(0u);                               \
        return pack_piece(row, c, dim, name);                                                                          \
    }

#if K_TYPE || V_TYPE

// Half a block: its bytes (of two elements each: all of the block's), its fifth bits, its head; `half`: which one.
#define PACKED_PIECE 16u
struct PackedPiece { uvec4 bytes; uint fifth, half_at; vec2 head; };
vec4 packed_part(uint type, PackedPiece piece, uint e) {
    if (type == F8E4M3)
        return f8_four(piece.bytes[e]);
    return four_values(type, four_numbers(type, piece.bytes[e], piece.half_at, piece.fifth >> 4u * e), piece.head);
}

#define PACKED_PIECES(name, slot, type)                                                                                \
    PACKED_WORDS(name, slot, type)                                                                                     \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pieces { uvec4 name##_16[]; };                      \
    PackedPiece piece_##name(uint row, uint c, uint dim, uint asked) {                                                 \
        uint at = c * PACKED_PIECE;                                                                                    \
        PackedPiece piece = PackedPiece(uvec4(0u), 0u, 0u, vec2(0.0));                                                 \
        if (dim != asked * PACKED_PIECE && at >= dim)                                                                  \
            return piece;                                                                                              \
        if (type == F8E4M3) {                                                                                          \
            if (dim % PACKED_PIECE == 0u)                                                                              \
                piece.bytes = name##_16[row / PACKED_PIECE + c];                                                       \
            else                                                                                                       \
                piece.bytes = uvec4(four_##name(row, at, dim), four_##name(row, at + 4u, dim),                         \
                                    four_##name(row, at + 8u, dim), four_##name(row, at + 12u, dim));                  \
            return piece;                                                                                              \
        }                                                                                                              \
        uint block = (row + at) / 32u;                                                                                 \
        piece.half_at = at % 32u;                                                                                      \
        uint first = block * BLOCK_SIZE(type) + BLOCK_HEAD(type) + ELEMENT_AT(type, piece.half_at), word = first / 2u; \
        piece.bytes = uvec4(name##_w[word], name##_w[word + 1u], name##_w[word + 2u], name##_w[word + 3u]);            \
        if (first % 2u != 0u)                                                                                          \
            piece.bytes = piece.bytes >> 16 | uvec4(piece.bytes.yzw, name##_w[word + 4u]) << 16;                       \
        piece.fifth = fifth_##name(block, piece.half_at);                                                              \
        piece.head = head_##name(block);                                                                               \
        return piece;                                                                                                  \
    }

#endif

#if K_TYPE
#define K_PIECE PACKED_PIECE
#define K_HELD PackedPiece
#define K_PIECES PACKED_PIECES(k, BINDING_K, K_TYPE)
#define part_k(piece, e) packed_part(K_TYPE, piece, e)
#else
#define K_PIECE PLAIN_PIECE
#define K_HELD uvec4
#define K_PIECES PLAIN_PIECES(k, BINDING_K)
#define part_k(piece, e) plain_part(piece, e)
#endif
#if V_TYPE
#define V_PIECE PACKED_PIECE
#define V_HELD PackedPiece
#define V_PIECES PACKED_PIECES(v, BINDING_V, V_TYPE)
#define part_v(piece, e) packed_part(V_TYPE, piece, e)
#else
#define V_PIECE PLAIN_PIECE
#define V_HELD uvec4
#define V_PIECES PLAIN_PIECES(v, BINDING_V)
#define part_v(piece, e) plain_part(piece, e)
#endif
#define K_PARTS (K_PIECE / 4u)
#define V_PARTS (V_PIECE / 4u)

#endif
