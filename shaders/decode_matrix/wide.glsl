// Packed K and V in pieces as long as a load can use: of K a block of 32 elements a lane, of V half a block, of f8e4m3
// 16 elements of both. A lane reads pairs of words that hold its piece, whatever halfword it begins at: five loads
// where pieces of eight elements of q8_0 take sixteen, three for twelve of types of four bits. Rows are whole pieces,
// and whole pairs. The operands of four neighbours are elements 0, 2, 1, 3: two instructions for two of them, and no
// byte is moved.
//   WIDE_INPUT(k, slot, type)              wide_k(i, size): elements i to i + size - 1
//   wide_operands(type, held, at, size)    at: i, or less by whole rows
//   WIDE_ELEMENT(p)                        the element at place p of the operands, and the place of element p
#ifndef ATTN_DECODE_WIDE_GLSL
#define ATTN_DECODE_WIDE_GLSL

#include "common/quantized.glsl"

struct WideHeld { uvec2 pairs[5]; uint head; };
struct WideOperands { uint y[16]; };
#define WIDE_ELEMENT(p) ((p) / 4 * 4 + (p) % 2 * 2 + (p) / 2 % 2)

// Half a block of bytes is read without its head, which is a load of its own.
#define HEAD_APART(type, size) (type == Q8_0 && (size) == 16)
#define WIDE_FIRST(type, i, size)                                                                                      \
    ((i) / 32 * BLOCK_SIZE(type) + (HEAD_APART(type, size) ? BLOCK_HEAD(type) + (i) % 32 / 2 : 0))
#define WIDE_PAIRS(type, size) (HEAD_APART(type, size) ? 3 : type == Q8_0 ? 5 : type == Q5_0 ? 4 : 3)

#define WIDE_INPUT(name, slot, type)                                                                                   \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pairs { uvec2 name##_w2[]; };                       \
    layout(set = 0, binding = slot, std430) readonly buffer name##_quads { uvec4 name##_w4[]; };                       \
    WideHeld wide_##name(uint i, uint size) {                                                                          \
        WideHeld held;                                                                                                 \
        [[unroll]] for (uint k = 0; k < 5; ++k) held.pairs[k] = uvec2(0);                                              \
        held.head = 0;                                                                                                 \
        if (type == F8E4M3) {                                                                                          \
            const uvec4 x = name##_w4[i / 16];                                                                         \
            held.pairs[0] = x.xy;                                                                                      \
            held.pairs[1] = x.zw;                                                                                      \
            return held;                                                                                               \
        }                                                                                                              \
        const uint pair = WIDE_FIRST(type, i, size) / 4;                                                               \
        [[unroll]] for (uint k = 0; k < 5; ++k)                                                                        \
            if (k < WIDE_PAIRS(type, size)) held.pairs[k] = name##_w2[pair + k];                                       \
        if (HEAD_APART(type, size)) held.head = name##_w[i / 32 * BLOCK_SIZE(type) / 2];                               \
        return held;                                                                                                   \
    }

// Word k of those from halfword h on, h a constant.
#define TAKE(k, h)                                                                                                     \
    ((h) % 2 == 0 ? (odd ? t[(k) + (h) / 2] >> 16 | t[(k) + (h) / 2 + 1] << 16 : t[(k) + (h) / 2])                     \
                  : (odd ? t[(k) + (h) / 2 + 1] : t[(k) + (h) / 2] >> 16 | t[(k) + (h) / 2 + 1] << 16))

WideOperands wide_operands(uint type, WideHeld held, uint at, uint size) {
    WideOperands operands;
    [[unroll]] for (uint w = 0; w < 16; ++w) operands.y[w] = 0;
    if (type == F8E4M3) {
        [[unroll]] for (uint g = 0; g < 4; ++g) {
            const uint four = held.pairs[g / 2][g % 2];
#if BF16_MATRICES
            const vec4 v = f8_four(four);
            operands.y[2 * g] = pack_operands(v.x, v.z);
            operands.y[2 * g + 1] = pack_operands(v.y, v.w);
#else
            const uvec2 halves = f8_apart(four);
            operands.y[2 * g] = packFloat2x16(unpackFloat2x16(halves.x) * float16_t(256.0));
            operands.y[2 * g + 1] = packFloat2x16(unpackFloat2x16(halves.y) * float16_t(256.0));
#endif
        }
        return operands;
    }
    // The words from the piece's first on, or from the halfword before.
    const uint skip = WIDE_FIRST(type, at, size) % 4;
    const bool odd = BLOCK_SIZE(type) % 2 != 0 && skip % 2 != 0;
    uint t[9];
    [[unroll]] for (uint k = 0; k < 9; ++k)
        t[k] = skip < 2 ? held.pairs[k / 2][k % 2] : held.pairs[(k + 1) / 2][(k + 1) % 2];
    const vec2 head = HEAD_APART(type, size) ? block_head(type, held.head, at / 32) : unpackHalf2x16(TAKE(0, 0));
    const uint fifth = type == Q5_0 ? TAKE(0, 1) : type == Q5_1 ? TAKE(0, 2) : 0;
    [[unroll]] for (uint g = 0; g < 8; ++g) {
        if (4 * g >= size) break;
        const uint e = at % 32 + 4 * g;
        const uint bytes = HEAD_APART(type, size) ? TAKE(g, 0)
                           : type == Q8_0         ? TAKE(g, 1)
                           : type == Q4_1         ? TAKE(g % 4, 2)
                           : type == Q5_0         ? TAKE(g % 4, 3)
                           : type == Q5_1         ? TAKE(g % 4, 4)
                                                  : TAKE(g % 4, 1);
        const uint n = four_numbers(type, bytes, e, fifth >> e);
#if BF16_MATRICES
        const vec4 v = four_values(type, n, head);
        operands.y[2 * g] = pack_operands(as_operand(v.x), as_operand(v.z));
        operands.y[2 * g + 1] = pack_operands(as_operand(v.y), as_operand(v.w));
#else
        [[unroll]] for (uint w = 0; w < 2; ++w) {
            // A byte, as the last bits of a number that has nothing else there.
            const f16vec2 b = unpackFloat2x16(n >> 8 * w & 0x00ff00ffu | 0x64006400u) -
                              f16vec2(float16_t(1024.0 + MIDDLE(type)));
            const f16vec2 d = f16vec2(float16_t(head.x));
            operands.y[2 * g + w] = packFloat2x16(HAS_LEAST(type) ? fma(b, d, f16vec2(float16_t(head.y))) : b * d);
        }
#endif
    }
    return operands;
}

#endif
