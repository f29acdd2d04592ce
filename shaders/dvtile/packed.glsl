// Four neighbours of a row of K or V as they lie in memory, so that a tile in shared memory takes no more than there
// and needs no 16-bit arithmetic: a vec4 of f32, or four 16-bit values in two words.
//   PACKED_INPUT(k, BINDING_K)   packed_k(row, c, dim): elements 4c .. 4c+3 of the row of `dim` that starts at element
//                                `row`, zeros past its end. Declares INPUT too (common/bindings.glsl).
//   unpack4(x)                   as floats
#ifndef ATTN_PACKED_GLSL
#define ATTN_PACKED_GLSL

#include "common/bindings.glsl"

#if defined(DTYPE_F32)

#define PACK4 vec4
vec4 unpack4(vec4 x) { return x; }
#define pack4(value) value

#else

#define PACK4 uvec2
#if defined(DTYPE_F16)
vec4 unpack4(uvec2 x) { return vec4(unpackHalf2x16(x.x), unpackHalf2x16(x.y)); }
#define pack4(value) uvec2(packHalf2x16((value).xy), packHalf2x16((value).zw))
#else
vec4 unpack4(uvec2 x) { return from_store4(x); }
#define pack4(value) to_store4(value)
#endif

#endif

#define PACKED_INPUT(name, slot)                                                                                       \
    INPUT(name, slot)                                                                                                  \
    layout(set = 0, binding = slot, std430) readonly buffer name##_packs { PACK4 name##_packed[]; };                   \
    PACK4 packed_##name(uint row, uint c, uint dim) {                                                                  \
        if (dim % 4u == 0u)                                                                                            \
            return name##_packed[(row >> 2) + c];                                                                      \
        return pack4(row4_##name(row, c, dim, false));                                                                 \
    }

#endif
