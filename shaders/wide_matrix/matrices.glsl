// What the passes share: subgroup matrices of the device's own shape, and loads of eight elements.
//
// All operands reach the matrix units through shared memory (or through scratch, for P), so that any layout of a
// vendor's matrices will do and every load from a tensor is guarded. bf16 is converted to f16, whose range (65,504)
// its values must keep to.
#ifndef WIDE_MATRIX_MATRICES_GLSL
#define WIDE_MATRIX_MATRICES_GLSL

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#define SOFTMAX_BASE_2
#include "common/dtype.glsl"
#include "common/mask.glsl"
#include "common/softmax.glsl"

layout(constant_id = 0) const uint WORKGROUP = 256;
layout(constant_id = 1) const uint SUBGROUPS = 8;
layout(constant_id = 2) const uint SUBGROUP = 32;
layout(constant_id = 3) const uint MAT_M = 16;
layout(constant_id = 4) const uint MAT_N = 16;
layout(constant_id = 5) const uint MAT_K = 16;
layout(constant_id = 6) const uint SLICES = 1;  // of the head dim, each with partial scores of its own
layout(local_size_x_id = 0) in;

#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, MAT_M, MAT_K, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, MAT_K, MAT_N, gl_MatrixUseB>
#define MATRIX_C coopmat<float, gl_ScopeSubgroup, MAT_M, MAT_N, gl_MatrixUseAccumulator>
const int BY_ROW = gl_CooperativeMatrixLayoutRowMajor;
const int BY_COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

// load8_q(row, c, dim, inside): elements 8c .. 8c+7 of the row of `dim` elements that starts at element `row`; zeros
// past its end, and everywhere if not inside. A row whose length is a multiple of 8 starts at a multiple of 8 too.
#define CHUNKS_OF(name, slot)                                                                                          \
    layout(set = 0, binding = slot, std430) readonly buffer name##_elements { STORE name##_1[]; };                     \
    layout(set = 0, binding = slot, std430) readonly buffer name##_chunks { uvec4 name##_8[]; };                       \
    uvec4 load8_##name(uint row, uint c, uint dim, bool inside) {                                                      \
        uvec4 chunk = uvec4(0);                                                                                        \
        if (!inside || 8 * c >= dim) return chunk;                                                                     \
        if (dim % 8 == 0) return name##_8[row / 8 + c];                                                                \
        [[unroll]] for (uint i = 0; i < 8; ++i)                                                                        \
            if (8 * c + i < dim) chunk[i / 2] |= bits_of(name##_1[row + 8 * c + i]) << (16 * (i % 2));                 \
        return chunk;                                                                                                  \
    }
#if defined(DTYPE_F16)
uint bits_of(float16_t x) { return uint(float16BitsToUint16(x)); }
#else
uint bits_of(uint16_t x) { return uint(x); }
#endif

uint pack_half(vec2 x) { return packFloat2x16(f16vec2(x)); }
// By integers: compilers fold a conversion to f16 and back into nothing.
vec4 rounded_to_half(vec4 x) { return uintBitsToFloat((floatBitsToUint(x) + 0x1000u) & 0xffffe000u); }
// Eight elements as the matrix units take them.
uvec4 halves_of(uvec4 x) {
#if defined(DTYPE_BF16)
    [[unroll]] for (uint i = 0; i < 4; ++i)
        x[i] = pack_half(uintBitsToFloat(uvec2(x[i] << 16, x[i] & 0xffff0000u)));
#endif
    return x;
}

// Partial scores lie as [batch, head][slice][query][key], rows padded to fours. Index in fours:
uint kv_fours() { return (seq_kv + 3) / 4; }
uint partial_row(uint bh, uint slice, uint row) { return ((bh * SLICES + slice) * seq_q + row) * kv_fours(); }

uint thread_of_workgroup() { return gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID; }

#endif
