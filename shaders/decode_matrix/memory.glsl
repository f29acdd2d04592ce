// Pieces of the rows of Q, K and V as they lie in memory: eight elements, or four of V where V_PIECE is 4, in the lower
// half of the vector; zeros past the end of a row.
#ifndef ATTN_DECODE_MEMORY_GLSL
#define ATTN_DECODE_MEMORY_GLSL

#include "common/bindings.glsl"
#include "layout.glsl"

#if defined(DTYPE_F16)
#define ELEMENT_BITS(x) packFloat2x16(f16vec2(x, 0.0))
#else
#define ELEMENT_BITS(x) uint(x)
#endif

// Rows that are no whole number of pieces do not start at multiples of a piece: they are read by elements.
#define PIECES(name, slot, whole)                                                                                      \
    layout(set = 0, binding = slot, std430) readonly buffer name##_bits { STORE name##_1[]; };                         \
    layout(set = 0, binding = slot, std430) readonly buffer name##_fours { uvec2 name##_4[]; };                        \
    layout(set = 0, binding = slot, std430) readonly buffer name##_eights { uvec4 name##_8[]; };                       \
    uvec4 piece_##name(uint row, uint c, uint size, uint dim) {                                                        \
        uvec4 piece = uvec4(0);                                                                                        \
        if (!(whole) && c * size >= dim) return piece;                                                                 \
        if (dim % size == 0) {                                                                                         \
            if (size == 8) return name##_8[row / 8 + c];                                                               \
            return uvec4(name##_4[row / 4 + c], 0, 0);                                                                 \
        }                                                                                                              \
        [[unroll]] for (uint i = 0; i < size; ++i) {                                                                   \
            const uint d = c * size + i;                                                                               \
            const uint bits = ELEMENT_BITS(name##_1[row + min(d, dim - 1)]);                                           \
            if (d < dim) piece[i / 2] |= bits << (16 * (i % 2));                                                       \
        }                                                                                                              \
        return piece;                                                                                                  \
    }
PIECES(q, BINDING_Q, HEAD_DIM % K_BLOCK == 0)
#include "common/kv_eights.glsl"
#if K_WIDE || V_WIDE
#include "wide.glsl"
struct WidePiece { WideHeld raw; uint at; };
#define WIDE_PIECES(name, slot, type)                                                                                  \
    WIDE_INPUT(name, slot, type)                                                                                       \
    WidePiece piece_##name(uint row, uint c, uint size, uint dim) {                                                    \
        return WidePiece(wide_##name(row + c * size, size), c * size);                                                 \
    }
// Place i of the operands.
#define WIDE_HALF(piece, i) unpackFloat2x16((piece).y[(i) / 2])[(i) % 2]
#endif
#if (K_TYPE && !K_WIDE) || (V_TYPE && !V_WIDE)
// A piece of a packed K or V, and the element it began at, or one of the same place in its row.
#ifdef OPTION_MLA
#define KV_STRIDE(dim) HEAD_DIM  // V is the beginning of K's rows
#else
#define KV_STRIDE(dim) (dim)
#endif
struct HeldPiece { KV_HELD raw; uint at; };
#define PACKED_PIECES(name, slot, type, whole)                                                                         \
    KV_EIGHTS(name, slot, type)                                                                                        \
    HeldPiece piece_##name(uint row, uint c, uint size, uint dim) {                                                    \
        if (!(whole) && c * size >= dim) return HeldPiece(KV_ZEROS, 0);                                                \
        return HeldPiece(held_##name(row + c * size, size), KV_STRIDE(dim) % 64 == 0 ? c * size : row + c * size);     \
    }
#endif
// For both: a piece in registers, its operands, and place i of those.
#if K_WIDE
WIDE_PIECES(k, BINDING_K, K_TYPE)
#define K_HELD WidePiece
#define K_OPERANDS WideOperands
#define k_operands(piece) wide_operands(K_TYPE, (piece).raw, (piece).at, K_PIECE)
#define k_half(piece, i) WIDE_HALF(piece, i)
#else
#if K_TYPE
PACKED_PIECES(k, BINDING_K, K_TYPE, HEAD_DIM % K_BLOCK == 0)
#define K_HELD HeldPiece
#define k_operands(piece) kv_operands(K_TYPE, (piece).raw, (piece).at)
#else
PIECES(k, BINDING_K, HEAD_DIM % K_BLOCK == 0)
#define K_HELD uvec4
#define k_operands(piece) to_operands(piece)
#endif
#define K_OPERANDS uvec4
#define k_half(piece, i) half_of(piece, i)
#endif
#if V_WIDE
WIDE_PIECES(v, BINDING_V, V_TYPE)
#define V_HELD WidePiece
#define V_OPERANDS WideOperands
#define v_operands(piece) wide_operands(V_TYPE, (piece).raw, (piece).at, 16)
#define v_half(piece, i) WIDE_HALF(piece, i)
#define V_PLACE(x) WIDE_ELEMENT(x)
#else
#if V_TYPE
PACKED_PIECES(v, BINDING_V, V_TYPE, V_DIM % (V_BLOCK * DIM_SPLIT) == 0)
#define V_HELD HeldPiece
#define v_operands(piece) kv_operands(V_TYPE, (piece).raw, (piece).at)
#else
PIECES(v, BINDING_V, V_DIM % (V_BLOCK * DIM_SPLIT) == 0)
#define V_HELD uvec4
#define v_operands(piece) to_operands(piece)
#endif
#define V_OPERANDS uvec4
#define v_half(piece, i) half_of(piece, i)
#define V_PLACE(x) (x)
#endif

// Element i of a piece of operands.
float16_t half_of(uvec4 piece, uint i) { return unpackFloat2x16(piece[i / 2])[i % 2]; }

uint q_at(uint n) { return q_start(batch_at, row_head(n), row_query(n)); }

#endif
