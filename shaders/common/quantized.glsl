// K and V as a problem's kvtype stores them, read as if they were elements; the host defines KV_Q8_0 or KV_F8E4M3, else
// they are as all other tensors. Strides count elements; blocks never straddle rows.
//   KV_INPUT(k, BINDING_K)   what INPUT of bindings.glsl declares: load_k(i), row4_k(row, c, dim, wide)
//   q8_scale(word, block)    the scale of a block, from the word that holds it
//   q8_four(u), f8_four(u)   four neighbouring bytes as numbers, those of q8_0 without their scale
#ifndef ATTN_QUANTIZED_GLSL
#define ATTN_QUANTIZED_GLSL

#include "common/bindings.glsl"

#if defined(KV_Q8_0)

// A block is 17 halfwords: the scale, an f16, and 32 signed bytes.
#define Q8_SCALE_AT(i) ((i) / 32u * 17u)
#define Q8_BYTES_AT(i) ((i) / 32u * 17u + 1u + (i) % 32u / 2u)
float q8_scale(uint word, uint halfword) { return unpackHalf2x16(halfword % 2u == 0u ? word : word >> 16).x; }
vec4 q8_four(uint u) {
    int x = int(u);
    return vec4(bitfieldExtract(x, 0, 8), bitfieldExtract(x, 8, 8), bitfieldExtract(x, 16, 8), x >> 24);
}

#define KV_INPUT(name, slot)                                                                                           \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    uint word_##name(uint halfword) {                                                                                  \
        uint low = name##_w[halfword / 2u];                                                                            \
        return halfword % 2u == 0u ? low : low >> 16 | name##_w[halfword / 2u + 1u] << 16;                             \
    }                                                                                                                  \
    vec4 row4_##name(uint row, uint c, uint dim, bool wide) {                                                          \
        uint i = row + 4u * c;                                                                                         \
        if (4u * c >= dim)                                                                                             \
            return vec4(0.0);                                                                                          \
        return q8_four(word_##name(Q8_BYTES_AT(i))) * q8_scale(name##_w[Q8_SCALE_AT(i) / 2u], Q8_SCALE_AT(i));         \
    }

#elif defined(KV_F8E4M3)

// A byte shifted into an f16 is too small by 2^8, subnormal numbers too. (A NaN would become 480: caches hold none.)
vec4 f8_four(uint u) {
    uint low = (u & 0x7fu) << 7 | (u & 0x80u) << 8 | (u & 0x7f00u) << 15 | (u & 0x8000u) << 16;
    u >>= 16;
    uint high = (u & 0x7fu) << 7 | (u & 0x80u) << 8 | (u & 0x7f00u) << 15 | (u & 0x8000u) << 16;
    return vec4(unpackHalf2x16(low), unpackHalf2x16(high)) * 256.0;
}

#define KV_INPUT(name, slot)                                                                                           \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    uint byte_##name(uint i) { return name##_w[i / 4u] >> i % 4u * 8u & 255u; }                                        \
    uint four_##name(uint row, uint at, uint dim) {                                                                    \
        if (at >= dim)                                                                                                 \
            return 0u;                                                                                                 \
        if (dim % 4u == 0u)                                                                                            \
            return name##_w[(row + at) / 4u];                                                                          \
        uint four = byte_##name(row + at);                                                                             \
        for (uint j = 1; j < 4u && at + j < dim; ++j)                                                                  \
            four |= byte_##name(row + at + j) << 8u * j;                                                               \
        return four;                                                                                                   \
    }                                                                                                                  \
    vec4 row4_##name(uint row, uint c, uint dim, bool wide) { return f8_four(four_##name(row, 4u * c, dim)); }

#else

#define KV_INPUT(name, slot) INPUT(name, slot)

#endif

#endif
