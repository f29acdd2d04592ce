// Eight neighbouring elements of a packed K or V, for kernels whose operands are 16 bits: as they wait in registers,
// and as operands. Included after to_operands() of matrix_types.glsl.
//   KV_EIGHTS(k, slot, type)     held_k(i, size): elements i to i + size - 1, size 4 or 8, i a multiple of it
//   KV_HELD, KV_ZEROS            of any packed type; elements that are zero
//   kv_operands(type, held, i)   as four words of two operands; i as it was loaded, or less by rows of 64 elements:
//                                what matters is the parity of the block
#ifndef ATTN_KV_EIGHTS_GLSL
#define ATTN_KV_EIGHTS_GLSL

#ifndef K_TYPE
#define K_TYPE 0
#define V_TYPE 0
#endif
#if K_TYPE || V_TYPE
#include "common/quantized.glsl"

// Blocks begin at every second byte, so that eight bytes lie in two words or three. Then the word that holds the
// block's head, and of types with fifth bits the word that holds those of the eight.
struct KvHeld { uvec4 words; uint fifth; };
#define KV_HELD KvHeld
#define KV_ZEROS KvHeld(uvec4(0), 0)
// f8e4m3: head dims are multiples of 8.
#define KV_EIGHTS(name, slot, type)                                                                                    \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pairs { uvec2 name##_w2[]; };                       \
    KvHeld held_##name(uint i, uint size) {                                                                            \
        if (type == F8E4M3)                                                                                            \
            return KvHeld(size == 8 ? uvec4(name##_w2[i / 8], 0, 0) : uvec4(name##_w[i / 4], 0, 0, 0), 0);             \
        const uint block = i / 32 * BLOCK_SIZE(type), first = block + BLOCK_HEAD(type) + ELEMENT_AT(type, i % 32);     \
        const uint at = first / 2, odd = first % 2;                                                                    \
        return KvHeld(uvec4(name##_w[at], name##_w[at + (size == 8 ? 1 : odd)],                                        \
                            size == 8 ? name##_w[at + 1 + odd] : 0, name##_w[block / 2]),                              \
                      HAS_FIFTH(type) ? name##_w[(block + BLOCK_HEAD(type) - 2 + i % 32 / 16) / 2] : 0);               \
    }

uvec4 kv_operands(uint type, KvHeld held, uint i) {
    uvec4 y;
    if (type == F8E4M3) {
#if BF16_MATRICES
        const vec4 a = f8_four(held.words.x), b = f8_four(held.words.y);
        return uvec4(pack_operands(a.x, a.y), pack_operands(a.z, a.w), pack_operands(b.x, b.y),
                     pack_operands(b.z, b.w));
#else
        const uvec2 a = f8_halves(held.words.x), b = f8_halves(held.words.y);
        y = uvec4(a, b);
        [[unroll]] for (uint w = 0; w < 4; ++w) y[w] = packFloat2x16(unpackFloat2x16(y[w]) * float16_t(256.0));
        return y;
#endif
    }
    const uint block = i / 32 * BLOCK_SIZE(type);
    uvec2 bytes = held.words.xy;
    if ((block + BLOCK_HEAD(type)) % 2 != 0) bytes = bytes >> 16 | held.words.yz << 16;
    const uint fifth = held.fifth >> (((block + BLOCK_HEAD(type)) * 2 + i % 32 / 8) % 4 * 8 + i % 8);
    const uvec2 n = uvec2(four_numbers(type, bytes.x, i, fifth), four_numbers(type, bytes.y, i, fifth >> 4));
    const vec2 head = block_head(type, held.words.w, i / 32);
    [[unroll]] for (uint w = 0; w < 4; ++w) {
        const uint x = n[w / 2] >> 16 * (w % 2);
#if BF16_MATRICES
        // A byte as the last bits of a number that has nothing else there.
        const vec2 b = uintBitsToFloat(uvec2(x & 255u, x >> 8 & 255u) | 0x4b000000u) - (8388608.0 + MIDDLE(type));
        const vec2 value = HAS_LEAST(type) ? b * head.x + head.y : b * head.x;
        y[w] = pack_operands(as_operand(value.x), as_operand(value.y));
#else
        const f16vec2 b = unpackFloat2x16((x & 255u) | (x << 8 & 0xff0000u) | 0x64006400u) -
                          f16vec2(float16_t(1024.0 + MIDDLE(type)));
        const f16vec2 d = f16vec2(float16_t(head.x));
        y[w] = packFloat2x16(HAS_LEAST(type) ? fma(b, d, f16vec2(float16_t(head.y))) : b * d);
#endif
    }
    return y;
}

#endif

#endif
