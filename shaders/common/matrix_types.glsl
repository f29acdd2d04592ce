// What flash kernels on KHR cooperative matrices share: the sequence at hand, the device's matrices as types, the sizes
// of what they stage in shared memory, and the bits of f16.
//
// Declare before including: Q_SHARED, the depth steps of Q that stay in shared memory. The pass defines VARLEN, for
// packed sequences, and BF16_MATRICES, where operands are bf16. What depends on them is chosen by the preprocessor: a
// spec constant joined by && to a plain one crashes the compiler of NVIDIA's driver 580.
#ifndef ATTN_MATRIX_TYPES_GLSL
#define ATTN_MATRIX_TYPES_GLSL

#ifndef BF16_MATRICES
#define BF16_MATRICES 0
#endif
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require

#if VARLEN
layout(set = 0, binding = 4, std430) readonly buffer Offsets { uint offsets[]; };
uint sequence_start, sequence_length;  // of this workgroup's
#define LENGTH_Q sequence_length
#define LENGTH_KV sequence_length
#define SEQUENCE_ROW(i) (sequence_start + (i))
#define SEQUENCE_START(tensor, b, head) tensor##_start(0, head, sequence_start)
#else
#define SEQUENCE_START(tensor, b, head) tensor##_start(b, head, 0)
#endif
#include "common/mask.glsl"
#define SOFTMAX_BASE_2
#include "common/softmax.glsl"
#include "common/options.glsl"

layout(constant_id = 10) const uint SUBGROUP = 32;
#if BF16_MATRICES
// A type that the language does not know takes no spec constants: the shape is plain, and the manifest asks for it.
const uint MAT_M = 16, MAT_N = 16, MAT_K = 16;
#else
layout(constant_id = 11) const uint MAT_M = 16;
layout(constant_id = 12) const uint MAT_N = 16;
layout(constant_id = 13) const uint MAT_K = 16;
#endif
layout(constant_id = 20) const uint WORKGROUP = 256;    // SUBGROUPS * SUBGROUP
layout(constant_id = 21) const bool RAGGED_KV = false;  // the last tile of keys is not whole
layout(constant_id = 22) const bool RAGGED_Q = false;   // the last tile of queries is not whole

#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, MAT_M, MAT_K, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, MAT_K, MAT_N, gl_MatrixUseB>
#define MATRIX_C coopmat<float, gl_ScopeSubgroup, MAT_M, MAT_N, gl_MatrixUseAccumulator>
#define MATRIX_H coopmat<float16_t, gl_ScopeSubgroup, MAT_M, MAT_N, gl_MatrixUseAccumulator>
#if BF16_MATRICES
#include "common/matrix_bf16.glsl"
#else
#define MULTIPLY_ADD(a, b, c) coopMatMulAdd(a, b, c)
#endif
const int BY_ROW = gl_CooperativeMatrixLayoutRowMajor;
const int BY_COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

// So many subgroups share query rows, each with its part of the dims of Q, K, V and O: f32 alone.
#ifndef DIM_PARTS
#define DIM_PARTS 1
#endif
const uint DEPTH = (HEAD_DIM + MAT_K * DIM_PARTS - 1) / (MAT_K * DIM_PARTS);  // steps of Q K^T, a subgroup
const uint WIDTH = (V_DIM + MAT_N * DIM_PARTS - 1) / (MAT_N * DIM_PARTS);     // tiles of O, a subgroup
#if DIM_PARTS > 1
#define DIM_PART (gl_SubgroupID % DIM_PARTS)
#define FIRST_DEPTH (DIM_PART * DEPTH)
#define FIRST_WIDTH (DIM_PART * WIDTH)
#else
#define FIRST_DEPTH 0
#define FIRST_WIDTH 0
#endif
#if defined(OPTION_WINDOW) || defined(TWO_LOOPS) && TWO_LOOPS
const uint PHASES = 2;
#else
const uint PHASES = CAUSAL || RAGGED_KV ? 2 : 1;    // clear steps, then those that need a mask
#endif
const uint k_CHUNKS = DIM_PARTS * DEPTH * MAT_K / 8;  // chunks of 8 elements, a row as staged
const uint v_CHUNKS = DIM_PARTS * WIDTH * MAT_N / 8;
// One odd stride for both, so that eight rows' chunks fall into different banks.
#ifndef STAGED_CHUNKS
#define STAGED_CHUNKS (k_CHUNKS > v_CHUNKS ? k_CHUNKS : v_CHUNKS)
#endif
const uint LD = STAGED_CHUNKS | 1u;
const uint LO = (DIM_PARTS * WIDTH * MAT_N / 4) | 1u;  // output rows leave as floats
const uint Q_STEPS = Q_SHARED < DEPTH ? Q_SHARED : DEPTH;
const uint Q_KEPT = DEPTH - Q_STEPS;  // depth steps of Q in registers
const uint Q_CHUNKS = DIM_PARTS * Q_STEPS * MAT_K / 8;
const uint LQ = Q_CHUNKS | 1u;

// x with the bits that f16 has, cut off or rounded; by a mask, since compilers fold a conversion to f16 and back away.
float upper(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xffffe000u); }
float upper_rounded(float x) { return uintBitsToFloat((floatBitsToUint(x) + 0x1000u) & 0xffffe000u); }
uint pack_half(float a, float b) { return packFloat2x16(f16vec2(a, b)); }

// What a 16-bit operand of the matrices keeps of x; x of such bits as an element, and two of them as they are staged.
#if BF16_MATRICES
const float16_t OPERAND_ONE = float16_t(1.875);  // whose bits are bf16's 1
float as_operand(float x) { return uintBitsToFloat((floatBitsToUint(x) + 0x8000u) & 0xffff0000u); }
float16_t to_operand(float x) { return uint16BitsToFloat16(uint16_t(floatBitsToUint(x) >> 16)); }
uint pack_operands(float a, float b) { return floatBitsToUint(a) >> 16 | floatBitsToUint(b) & 0xffff0000u; }
// Two elements of P. They are cut off, which takes one instruction, after a factor of 1 + 4/3 * 2^-9 in the exponent,
// which takes none: the error is at most 2/3 of a last place, 0 in the mean, and 0 for what bf16 holds.
#define P_EXP2(s, m) exp2(fma(s, slope, 0.0037522 - m))
#define p_operands(a, b) unpackFloat2x16(pack_operands(a, b))
// Cut off, this is the nearest to x, of two as near the one away from 0; infinities and NaN stay.
float plus_half_place(float x) { return fma(uintBitsToFloat(floatBitsToUint(x) & 0xff800000u), 0.00390625, x); }
#else
const float16_t OPERAND_ONE = float16_t(1.0);
#define as_operand(x) upper(x)
#define to_operand(x) float16_t(x)
#define pack_operands(a, b) pack_half(a, b)
#define P_EXP2(s, m) exp2(fma(s, slope, -m))
#define p_operands(a, b) f16vec2(a, b)
#endif
#if !defined(DTYPE_F32)
// Eight elements as they lie in memory, as operands.
uvec4 to_operands(uvec4 x) {
#if defined(DTYPE_F16) || BF16_MATRICES
    return x;
#else
    uvec4 y;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        y[i] = pack_half(uintBitsToFloat(x[i] << 16), uintBitsToFloat(x[i] & 0xffff0000u));
    return y;
#endif
}
#endif

#endif
