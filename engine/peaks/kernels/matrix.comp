#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#if BFLOAT
#extension GL_EXT_bfloat16 : require
#endif

// Chains of matrix multiply-adds that do not depend on each other: C += A B0, C += A B1 in turn, and A B0 once more at
// the end. The caller chooses numbers whose products and sums each type holds.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint M = 16;
layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const uint K = 16;
const uint CHAINS = 8;
layout(set = 0, binding = 0) readonly buffer Numbers { float numbers[]; };  // A, B0, B1: rows first
layout(set = 0, binding = 1) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Push { uint rounds; uint kept; };  // kept: matrices in `results`
shared A_TYPE operands[M * K + 2 * K * N];
shared C_TYPE sums[WORKGROUP / SUBGROUP * M * N];

#define MATRIX_C coopmat<C_TYPE, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>

void main() {
    for (uint i = gl_LocalInvocationIndex; i < M * K + 2 * K * N; i += WORKGROUP)
        operands[i] = A_TYPE(numbers[i]);
    barrier();
    coopmat<A_TYPE, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a;
    coopmat<A_TYPE, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b0, b1;
    coopMatLoad(a, operands, 0, K, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b0, operands, M * K, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b1, operands, M * K + K * N, N, gl_CooperativeMatrixLayoutRowMajor);
    MATRIX_C chain[CHAINS];
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        chain[c] = MATRIX_C(C_TYPE(c));
    for (uint r = 0; r < rounds; ++r) {
        [[unroll]] for (uint c = 0; c < CHAINS; ++c)
            chain[c] = coopMatMulAdd(a, b0, chain[c]);
        [[unroll]] for (uint c = 0; c < CHAINS; ++c)
            chain[c] = coopMatMulAdd(a, b1, chain[c]);
    }
    MATRIX_C sum = coopMatMulAdd(a, b0, chain[0]);
    [[unroll]] for (uint c = 1; c < CHAINS; ++c)
        sum += chain[c];
    uint mine = gl_SubgroupID * M * N;
    coopMatStore(sum, sums, mine, N, gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    uint slot = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) % kept * M * N;
    for (uint i = gl_SubgroupInvocationID; i < M * N; i += SUBGROUP)
        results[slot + i] = float(sums[mine + i]);
}
