#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#if BFLOAT
#extension GL_EXT_spirv_intrinsics : require
#endif

// Chains of matrix multiply-adds that do not depend on each other: C += A B0, C += A B1 in turn, and A B0 once more at
// the end. The caller chooses numbers whose products and sums each type holds.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint SUBGROUP = 32;
#if BFLOAT
// A type that the language does not know takes no spec constants.
const uint M = BFLOAT_M, N = BFLOAT_N, K = BFLOAT_K;
#else
layout(constant_id = 2) const uint M = 16;
layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const uint K = 16;
#endif
const uint CHAINS = 8;
layout(set = 0, binding = 0) readonly buffer Numbers { float numbers[]; };  // A, B0, B1: rows first
layout(set = 0, binding = 1) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Push { uint rounds; uint kept; };  // kept: matrices in `results`
shared A_TYPE operands[M * K + 2 * K * N];
shared C_TYPE sums[WORKGROUP / SUBGROUP * M * N];

#define MATRIX_A coopmat<A_TYPE, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define MATRIX_B coopmat<A_TYPE, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
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
A_TYPE to_operand(float x) { return uint16BitsToFloat16(uint16_t(floatBitsToUint(x) >> 16)); }
#else
#define BF16_A MATRIX_A
#define BF16_B MATRIX_B
#define as_operand(x) x
#define multiply_add(a, b, c) coopMatMulAdd(a, b, c)
#define to_operand(x) A_TYPE(x)
#endif

void main() {
    for (uint i = gl_LocalInvocationIndex; i < M * K + 2 * K * N; i += WORKGROUP)
        operands[i] = to_operand(numbers[i]);
    barrier();
    MATRIX_A raw_a;
    MATRIX_B raw_b0, raw_b1;
    coopMatLoad(raw_a, operands, 0, K, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(raw_b0, operands, M * K, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(raw_b1, operands, M * K + K * N, N, gl_CooperativeMatrixLayoutRowMajor);
    BF16_A a = as_operand(raw_a);
    BF16_B b0 = as_operand(raw_b0), b1 = as_operand(raw_b1);
    MATRIX_C chain[CHAINS];
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        chain[c] = MATRIX_C(C_TYPE(c));
    for (uint r = 0; r < rounds; ++r) {
        [[unroll]] for (uint c = 0; c < CHAINS; ++c)
            chain[c] = multiply_add(a, b0, chain[c]);
        [[unroll]] for (uint c = 0; c < CHAINS; ++c)
            chain[c] = multiply_add(a, b1, chain[c]);
    }
    MATRIX_C sum = multiply_add(a, b0, chain[0]);
    [[unroll]] for (uint c = 1; c < CHAINS; ++c)
        sum += chain[c];
    uint mine = gl_SubgroupID * M * N;
    coopMatStore(sum, sums, mine, N, gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    uint slot = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) % kept * M * N;
    for (uint i = gl_SubgroupInvocationID; i < M * N; i += SUBGROUP)
        results[slot + i] = float(sums[mine + i]);
}
