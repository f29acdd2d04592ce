// K and V as a problem's ktype and vtype store them, read as if they were elements. The host defines K_TYPE and V_TYPE,
// each one of the types below, or 0 for a tensor that is as all others. Strides count elements; blocks never straddle
// rows. A value of a block is (n - middle) * d + least: n its number of 4, 5 or 8 bits, d and least in the block's
// head.
//   KV_INPUT(k, BINDING_K)   what INPUT of bindings.glsl declares: row4_k(row, c, dim, wide), and where it is no packed
//                            tensor load_k(i)
//   four_numbers()           the decode function: a new type is a case of it, and of the macros before it
//   f8_four(u)               the same of f8e4m3, which has no blocks
#ifndef ATTN_QUANTIZED_GLSL
#define ATTN_QUANTIZED_GLSL

#include "common/bindings.glsl"

#ifndef K_TYPE
#define K_TYPE 0
#define V_TYPE 0
#endif

#if K_TYPE || V_TYPE

#define Q8_0 1
#define F8E4M3 2
#define Q4_0 3
#define Q4_1 4
#define Q5_0 5
#define Q5_1 6
#define IQ4_NL 7

// Of a block of 32 elements: its halfwords, those before the elements (d; then least; then fifth bits), and what is
// taken from n.
#define BLOCK_SIZE(type) (type == Q8_0 ? 17u : type == Q4_1 ? 10u : type == Q5_0 ? 11u : type == Q5_1 ? 12u : 9u)
#define BLOCK_HEAD(type) (type == Q4_1 ? 2u : type == Q5_0 ? 3u : type == Q5_1 ? 4u : 1u)
#define HAS_LEAST(type) (type == Q4_1 || type == Q5_1)
#define HAS_FIFTH(type) (type == Q5_0 || type == Q5_1)
#define MIDDLE(type) (type == Q8_0 || type == IQ4_NL ? 128.0 : type == Q4_0 ? 8.0 : type == Q5_0 ? 16.0 : 0.0)
// Where element e of a block is, in halfwords from the first element's: a byte an element, or bytes of two, 16 apart.
#define ELEMENT_AT(type, e) ((type == Q8_0 ? (e) : (e) % 16u) / 2u)

// The values of iq4_nl and 128, as bytes.
uint iq4_number(uint n) {
    uint low = (n & 4u) == 0u ? 0x3f2d1801u : 0x766a5d4fu, high = (n & 4u) == 0u ? 0xa6998d81u : 0xf1d9c5b5u;
    return ((n & 8u) == 0u ? low : high) >> 8u * (n & 3u) & 255u;
}
// Four neighbours n as bytes, from the four bytes that hold them; e: the first one's place in the block; fifth: its
// fifth bit and the others', lowest first.
uint four_numbers(uint type, uint bytes, uint e, uint fifth) {
    if (type == Q8_0)
        return bytes ^ 0x80808080u;
    uint n = (e % 32u < 16u ? bytes : bytes >> 4) & 0x0f0f0f0fu;
    if (HAS_FIFTH(type))
        return n | ((fifth & 15u) * 0x00204081u & 0x01010101u) << 4;
    if (type == IQ4_NL)
        return iq4_number(n & 15u) | iq4_number(n >> 8 & 15u) << 8 | iq4_number(n >> 16 & 15u) << 16 |
               iq4_number(n >> 24) << 24;
    return n;
}
vec4 four_values(uint type, uint numbers, vec2 head) {
    vec4 n = vec4(numbers & 255u, numbers >> 8 & 255u, numbers >> 16 & 255u, numbers >> 24) - MIDDLE(type);
    return HAS_LEAST(type) ? n * head.x + head.y : n * head.x;
}
// d and least, from the word that holds the first halfword of block `block`; what is no least is not used.
vec2 block_head(uint type, uint word, uint block) {
    return unpackHalf2x16(block * BLOCK_SIZE(type) % 2u == 0u ? word : word >> 16);
}

// A byte shifted into an f16 is too small by 2^8, subnormal numbers too. (A NaN would become 480: caches hold none.)
// Of bytes 0 and 2, and of 1 and 3.
uvec2 f8_apart(uint u) {
    uint even = u << 8;
    return uvec2(even & 0x80008000u | even >> 1 & 0x3f803f80u, u & 0x80008000u | u >> 1 & 0x3f803f80u);
}
uvec2 f8_halves(uint u) {
    uvec2 halves = f8_apart(u);
    return uvec2(halves.x & 0xffffu | halves.y << 16, halves.x >> 16 | halves.y & 0xffff0000u);
}
vec4 f8_four(uint u) {
    uvec2 halves = f8_halves(u);
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y)) * 256.0;
}

//   word_k(h)          the two halfwords from h on
//   head_k(block)      d and least
//   fifth_k(block, e)  the fifth bits of elements e ..., e a multiple of 8 or the rest of one that is
#define PACKED_WORDS(name, slot, type)                                                                                 \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { uint name##_w[]; };                         \
    uint word_##name(uint halfword) {                                                                                  \
        uint low = name##_w[halfword / 2u];                                                                            \
        return halfword % 2u == 0u ? low : low >> 16 | name##_w[halfword / 2u + 1u] << 16;                             \
    }                                                                                                                  \
    vec2 head_##name(uint block) {                                                                                     \
        return block_head(type, name##_w[block * BLOCK_SIZE(type) / 2u], block);                                       \
    }                                                                                                                  \
    uint fifth_##name(uint block, uint e) {                                                                            \
        return HAS_FIFTH(type) ? word_##name(block * BLOCK_SIZE(type) + BLOCK_HEAD(type) - 2u) >> e : 0u;              \
    }                                                                                                                  \
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
    }

#define PACKED_ROWS(name, slot, type)                                                                                  \
    PACKED_WORDS(name, slot, type)                                                                                     \
    vec4 row4_##name(uint row, uint c, uint dim, bool wide) {                                                          \
        if (type == F8E4M3)                                                                                            \
            return f8_four(four_##name(row, 4u * c, dim));                                                             \
        if (4u * c >= dim)                                                                                             \
            return vec4(0.0);                                                                                          \
        uint block = (row + 4u * c) / 32u, e = 4u * c % 32u;                                                           \
        uint bytes = word_##name(block * BLOCK_SIZE(type) + BLOCK_HEAD(type) + ELEMENT_AT(type, e));                   \
        return four_values(type, four_numbers(type, bytes, e, fifth_##name(block, e)), head_##name(block));            \
    }

#endif

#if K_TYPE
#define KV_INPUT_k(slot) PACKED_ROWS(k, slot, K_TYPE)
#else
#define KV_INPUT_k(slot) INPUT(k, slot)
#endif
#if V_TYPE
#define KV_INPUT_v(slot) PACKED_ROWS(v, slot, V_TYPE)
#else
#define KV_INPUT_v(slot) INPUT(v, slot)
#endif
#define KV_INPUT(name, slot) KV_INPUT_##name(slot)

#endif
