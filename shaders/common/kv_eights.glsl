// Eight neighbouring elements of K and V as a problem's kvtype stores them, for kernels whose operands are 16 bits: as they
// wait in registers, and as operands. Included where the host defines KV_Q8_0 or KV_F8E4M3, after to_operands() of
// matrix_types.glsl.
//   KV_EIGHTS(k, slot)           held_k(i, size): elements i to i + size - 1, size 4 or 8, i a multiple of it
//   KV_ZEROS                     elements that are zero
//   kv_operands(held, i)         as four words of two operands; i as it was loaded (of q8_0 it may be less by whole rows of
//                                64 elements: what matters is the parity of the block)
#ifndef ATTN_KV_EIGHTS_GLSL
#define ATTN_KV_EIGHTS_GLSL

#include "common/quantized.glsl"

#if defined(KV_Q8_0)

// Blocks begin at every second byte, so that eight bytes lie in two words or three; the last word holds the scale.
#define KV_HELD uvec4
#define KV_ZEROS uvec4(0)
#define KV_EIGHTS(name, slot)                                                                                          \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    uvec4 held_##name(uint i, uint size) {                                                                             \
        const uint first = Q8_BYTES_AT(i), at = first / 2, odd = first % 2;                                            \
        return uvec4(name##_w[at], name##_w[at + (size == 8 ? 1 : odd)], size == 8 ? name##_w[at + 1 + odd] : 0,       \
                     name##_w[Q8_SCALE_AT(i) / 2]);                                                                    \
    }
// The scale of an even block is the lower half of its word, and its bytes begin in the upper half of theirs.
uvec4 kv_operands(uvec4 held, uint i) {
    const bool even = i / 32 % 2 == 0;
    const uvec2 bytes = even ? held.xy >> 16 | held.yz << 16 : held.xy;
    const float factor = unpackHalf2x16(even ? held.w : held.w >> 16).x;
    uvec4 y;
    [[unroll]] for (uint w = 0; w < 4; ++w) {
        // A byte, its sign turned, as the last bits of a number that has nothing else there: 1024 + 128 + b as f16.
        const uint x = (bytes[w / 2] >> 16 * (w % 2)) ^ 0x8080u;
#if BF16_MATRICES
        const vec2 b = uintBitsToFloat(uvec2(x & 255u, x >> 8 & 255u) | 0x4b000000u) - 8388736.0;
        y[w] = pack_operands(as_operand(b.x * factor), as_operand(b.y * factor));
#else
        const f16vec2 b = unpackFloat2x16((x & 255u) | (x << 8 & 0xff0000u) | 0x64006400u) - f16vec2(1152.0);
        y[w] = packFloat2x16(b * float16_t(factor));
#endif
    }
    return y;
}

#else

#define KV_HELD uvec2
#define KV_ZEROS uvec2(0)
// Head dims are multiples of 8.
#define KV_EIGHTS(name, slot)                                                                                          \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    layout(set = 0, binding = slot, std430) readonly buffer name##_pairs { uvec2 name##_w2[]; };                       \
    uvec2 held_##name(uint i, uint size) { return size == 8 ? name##_w2[i / 8] : uvec2(name##_w[i / 4], 0); }
uvec4 kv_operands(uvec2 held, uint i) {
    const vec4 a = f8_four(held.x), b = f8_four(held.y);
    return uvec4(pack_operands(a.x, a.y), pack_operands(a.z, a.w), pack_operands(b.x, b.y), pack_operands(b.z, b.w));
}

#endif

#endif
