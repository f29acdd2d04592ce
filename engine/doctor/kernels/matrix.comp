#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#if BFLOAT
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "check.glsl"

// A B + C with A by rows and B by columns; the result by rows, then by columns.
#if BFLOAT
// A type that the language does not know takes no spec constants.
const uint M = BFLOAT_M, N = BFLOAT_N, K = BFLOAT_K;
#else
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
#endif
shared A_TYPE a_words[M * K];
shared B_TYPE b_words[K * N];
shared C_TYPE c_words[2 * M * N];

#define MATRIX_A coopmat<A_TYPE, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define MATRIX_B coopmat<B_TYPE, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
#define MATRIX_C coopmat<C_TYPE, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#if BFLOAT
// bf16 by SPIR-V's numbers (SPV_KHR_bfloat16): elsewhere an operand is a matrix of float16_t that carries the bits.
const uint BF16_SCOPE = gl_ScopeSubgroup, BF16_USE_A = 0, BF16_USE_B = 1;
#define BF16 spirv_type(extensions = ["SPV_KHR_bfloat16"], capabilities = [5116, 5118], id = 22, 16, 0)
#define BF16_A spirv_type(id = 4456, BF16, BF16_SCOPE, M, K, BF16_USE_A)
#define BF16_B spirv_type(id = 4456, BF16, BF16_SCOPE, K, N, BF16_USE_B)
spirv_instruction(id = 124) BF16_A as_operand(MATRIX_A bits);
spirv_instruction(id = 124) BF16_B as_operand(MATRIX_B bits);
spirv_instruction(id = 4459) MATRIX_C multiply_add(BF16_A a, BF16_B b, MATRIX_C c);
A_TYPE to_a(float x) { return uint16BitsToFloat16(uint16_t(floatBitsToUint(x) >> 16)); }
#define to_b(x) to_a(x)
#else
#define as_operand(x) x
#define multiply_add(a, b, c) coopMatMulAdd(a, b, c)
#define to_a(x) A_TYPE(x)
#define to_b(x) B_TYPE(x)
#endif

void main() {
    uint lane = gl_LocalInvocationIndex;
    for (uint i = lane; i < M * K; i += SIZE) a_words[i] = to_a(uintBitsToFloat(given[i]));
    for (uint i = lane; i < K * N; i += SIZE) b_words[i] = to_b(uintBitsToFloat(given[M * K + i]));
    for (uint i = lane; i < M * N; i += SIZE) c_words[i] = C_TYPE(uintBitsToFloat(given[M * K + K * N + i]));
    barrier();
    MATRIX_A a;
    MATRIX_B b;
    MATRIX_C c;
    coopMatLoad(a, a_words, 0, K, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, b_words, 0, K, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(c, c_words, 0, N, gl_CooperativeMatrixLayoutRowMajor);
    MATRIX_C d = multiply_add(as_operand(a), as_operand(b), c);
    barrier();
    coopMatStore(d, c_words, 0, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(d, c_words, M * N, M, gl_CooperativeMatrixLayoutColumnMajor);
    barrier();
    for (uint i = lane; i < 2 * M * N; i += SIZE) put(i, float(c_words[i]));
}
