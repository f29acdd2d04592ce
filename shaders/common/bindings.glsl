// Buffers of set 0, by operand. A shader declares the ones it touches, so that its SPIR-V names just those:
//   INPUT(q, BINDING_Q)    load_q(i): element i as float
//                          row4_q(row, c, dim, wide): elements 4c .. 4c+3 of the row of `dim` elements that starts at
//                          element `row`, zeros past its end; one wide load when `wide` and dim allow it
//   OUTPUT(o, BINDING_O)   store4_o(row, c, dim, value): the counterpart; nothing past the row's end is written
// A row whose length is a multiple of 4 starts at a multiple of 4 too, since all strides are multiples of the length.
#ifndef ATTN_BINDINGS_GLSL
#define ATTN_BINDINGS_GLSL

#include "common/dtype.glsl"

#define BINDING_Q 0
#define BINDING_K 1
#define BINDING_V 2
#define BINDING_O 3
#define BINDING_OFFSETS 4
#define BINDING_PAGES 5
// Scratch buffers take 8 and up, as the manifest says.

#define INPUT(name, slot)                                                                                              \
    layout(set = 0, binding = slot, std430) readonly buffer name##_elements { STORE name##_1[]; };                     \
    layout(set = 0, binding = slot, std430) readonly buffer name##_vectors { STORE4 name##_4[]; };                     \
    float load_##name(uint i) { return from_store(name##_1[i]); }                                                      \
    vec4 row4_##name(uint row, uint c, uint dim, bool wide) {                                                          \
        uint at = 4u * c;                                                                                              \
        if (wide && dim % 4u == 0u)                                                                                    \
            return at < dim ? from_store4(name##_4[(row >> 2) + c]) : vec4(0.0);                                       \
        uvec4 d = at + uvec4(0, 1, 2, 3);                                                                              \
        uvec4 inside = row + min(d, dim - 1u);                                                                         \
        vec4 value = vec4(load_##name(inside.x), load_##name(inside.y), load_##name(inside.z), load_##name(inside.w)); \
        return mix(vec4(0.0), value, lessThan(d, uvec4(dim)));                                                         \
    }

#define OUTPUT(name, slot)                                                                                             \
    layout(set = 0, binding = slot, std430) writeonly buffer name##_elements { STORE name##_1[]; };                    \
    layout(set = 0, binding = slot, std430) writeonly buffer name##_vectors { STORE4 name##_4[]; };                    \
    void store4_##name(uint row, uint c, uint dim, vec4 value) {                                                       \
        uint at = 4u * c;                                                                                              \
        if (dim % 4u == 0u) {                                                                                          \
            if (at < dim) name##_4[(row >> 2) + c] = to_store4(value);                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        if (at + 0u < dim) name##_1[row + at] = to_store(value.x);                                                     \
        if (at + 1u < dim) name##_1[row + at + 1u] = to_store(value.y);                                                \
        if (at + 2u < dim) name##_1[row + at + 2u] = to_store(value.z);                                                \
        if (at + 3u < dim) name##_1[row + at + 3u] = to_store(value.w);                                                \
    }

#endif
