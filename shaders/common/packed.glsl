// Four neighbouring elements as they lie in memory, kept in registers until they are needed as floats: 16-bit types
// then take half the registers of a vec4 while a load is under way. No 16-bit arithmetic, just words.
//   PACKED4                     four elements: a vec4 for f32, two words for f16 and bf16
//   unpack4, pack4              to and from vec4
//   PACKED_INPUT(q, BINDING_Q)  packed_q(row, c, dim): elements 4c .. 4c+3 of the row of `dim` elements that starts at
//                               element `row`; zeros past its end. Declares load_q(i) too: element i as float
#ifndef ATTN_PACKED_GLSL
#define ATTN_PACKED_GLSL

#include "common/bindings.glsl"

#if defined(DTYPE_F32)
#define PACKED4 vec4
vec4 unpack4(vec4 x) { return x; }
vec4 pack4(vec4 x) { return x; }
#elif defined(DTYPE_F16)
#define PACKED4 uvec2
vec4 unpack4(uvec2 x) { return vec4(unpackHalf2x16(x.x), unpackHalf2x16(x.y)); }
uvec2 pack4(vec4 x) { return uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw)); }
#else
#define PACKED4 uvec2
vec4 unpack4(uvec2 x) { return from_store4(x); }
uvec2 pack4(vec4 x) { return to_store4(x); }
#endif

#define PACKED_INPUT(name, slot)                                                                                       \
    layout(set = 0, binding = slot, std430) readonly buffer name##_elements { STORE name##_1[]; };                     \
    layout(set = 0, binding = slot, std430) readonly buffer name##_words { PACKED4 name##_4[]; };                      \
    float load_##name(uint i) { return from_store(name##_1[i]); }                                                      \
    PACKED4 packed_##name(uint row, uint c, uint dim) {                                                                \
        uint at = 4u * c;                                                                                              \
        if (at >= dim)                                                                                                 \
            return PACKED4(0);                                                                                         \
        if (dim % 4u == 0u)                                                                                            \
            return name##_4[(row >> 2) + c];                                                                           \
        vec4 value = vec4(load_##name(row + at), 0.0, 0.0, 0.0);                                                       \
        if (at + 1u < dim) value.y = load_##name(row + at + 1u);                                                       \
        if (at + 2u < dim) value.z = load_##name(row + at + 2u);                                                       \
        if (at + 3u < dim) value.w = load_##name(row + at + 3u);                                                       \
        return pack4(value);                                                                                           \
    }

#endif
