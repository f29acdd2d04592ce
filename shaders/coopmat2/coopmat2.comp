// Flash attention on matrices of a whole workgroup (NV cooperative matrix 2).
//
// One matrix is one operand: Q, a tile of K and V, the scores and the output. The driver lays them over the threads and
// stages what threads share, so the shader has no shared memory and no barrier. Loads go through tensor layouts that
// clamp: an element outside the tensor is a zero that is never read, and stores outside it are dropped.
//
// Row statistics are matrices as narrow as the device allows. A row's maximum is reduced into one, and a reduction that
// keeps its first argument widens it again; wide statistics would cost a third of the registers, and spill. The output
// is rescaled at every step: to skip that, all subgroups would have to agree, and their barrier costs more (196 for 224
// TFLOP/s at 64x64, head_dim 128, on an H200).
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#include "common/params.glsl"
#include "common/mask.glsl"
#define SOFTMAX_BASE_2
#include "common/softmax.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 64;    // query rows a workgroup
layout(constant_id = 2) const uint BLOCK_N = 64;    // keys a step
layout(constant_id = 90) const uint SHAPE = 0;  // to the preprocessor: FIXED_SHAPE
layout(constant_id = 10) const uint GRAIN_N = 16;   // matrices are multiples of this wide
layout(constant_id = 11) const uint GRAIN_K = 16;   // and products of this deep
layout(constant_id = 12) const bool RAGGED_KV = true;   // the last tile of keys is not whole
// 1 where a tile can reach outside the tensor, else 0: gl_CooperativeMatrixClampModeConstantNV and ...UndefinedNV. They
// are constants of their own because a layout's type takes no expression.
layout(constant_id = 13) const uint CLAMP_Q = 1;
layout(constant_id = 14) const uint CLAMP_K = 1;
layout(constant_id = 15) const uint CLAMP_V = 1;

layout(set = 0, binding = 0, std430) readonly buffer q_elements { float16_t q_1[]; };
layout(set = 0, binding = 1, std430) readonly buffer k_elements { float16_t k_1[]; };
layout(set = 0, binding = 2, std430) readonly buffer v_elements { float16_t v_1[]; };
layout(set = 0, binding = 3, std430) writeonly buffer o_elements { float16_t o_1[]; };

const uint DEPTH = (HEAD_DIM + GRAIN_K - 1) / GRAIN_K * GRAIN_K;
const uint WIDTH = (V_DIM + GRAIN_N - 1) / GRAIN_N * GRAIN_N;

#define MATRIX(type, rows, columns, use) coopmat<type, gl_ScopeWorkgroup, rows, columns, use>
#define MATRIX_Q MATRIX(float16_t, BLOCK_M, DEPTH, gl_MatrixUseA)
#define MATRIX_K MATRIX(float16_t, DEPTH, BLOCK_N, gl_MatrixUseB)
#define MATRIX_S MATRIX(float, BLOCK_M, BLOCK_N, gl_MatrixUseAccumulator)
#define MATRIX_P MATRIX(float16_t, BLOCK_M, BLOCK_N, gl_MatrixUseA)
#define MATRIX_V MATRIX(float16_t, BLOCK_N, WIDTH, gl_MatrixUseB)
#define MATRIX_O MATRIX(float, BLOCK_M, WIDTH, gl_MatrixUseAccumulator)
#define MATRIX_OUT MATRIX(float16_t, BLOCK_M, WIDTH, gl_MatrixUseAccumulator)
#define MATRIX_ROW MATRIX(float, BLOCK_M, GRAIN_N, gl_MatrixUseAccumulator)  // a value of each row, in every column

// What reductions combine by, and what is done element by element; rows and columns count from the tile's corner.
float larger(const in float a, const in float b) { return max(a, b); }
float sum(const in float a, const in float b) { return a + b; }
float first(const in float a, const in float b) { return a; }
float masked(const in uint32_t i, const in uint32_t j, const in float score, const in uint32_t row,
             const in uint32_t key) {
    return key + j < visible_keys(row + i) ? score : MINUS_INFINITY;
}
float raised(const in uint32_t i, const in uint32_t j, const in float top, const in float m, const in float slope) {
    return max(m, top * slope);
}
float rescale(const in uint32_t i, const in uint32_t j, const in float m, const in float next) {
    return exp2(m - next);
}
float weight(const in uint32_t i, const in uint32_t j, const in float score, const in float m, const in float slope) {
    return exp2(fma(score, slope, -m));
}
float inverse(const in uint32_t i, const in uint32_t j, const in float l) { return softmax_norm(l); }

#define OF_ROW(to, from, combine) coopMatReduceNV(to, from, gl_CooperativeMatrixReduceRowNV, combine)
#define WIDEN(to, from) OF_ROW(to, from, first)

void main() {
    const uint head = gl_WorkGroupID.x % heads_q, batch_index = gl_WorkGroupID.x / heads_q;
    // Heavy tiles first: under a causal mask the last query tile has the most keys.
    const uint tiles = (seq_q + BLOCK_M - 1) / BLOCK_M;
    const uint first_row = (CAUSAL ? tiles - 1 - gl_WorkGroupID.y : gl_WorkGroupID.y) * BLOCK_M;
    const float slope = score_scale();

    // Strides are multiples of the row's length. Saying so in bits lets the compiler load 16 bytes at once.
    const uint QK_BITS = HEAD_DIM % 8 == 0 ? ~7u : ~0u, VO_BITS = V_DIM % 8 == 0 ? ~7u : ~0u;
    const uint q_base = q_start(batch_index, head, 0) & QK_BITS, k_base = k_start(batch_index, head, 0) & QK_BITS;
    const uint v_base = v_start(batch_index, head, 0) & VO_BITS, o_base = o_start(batch_index, head, 0) & VO_BITS;

    tensorLayoutNV<2, CLAMP_Q> q_layout = createTensorLayoutNV(2, CLAMP_Q);
    tensorLayoutNV<2, CLAMP_K> k_layout = createTensorLayoutNV(2, CLAMP_K);
    tensorLayoutNV<2, CLAMP_V> v_layout = createTensorLayoutNV(2, CLAMP_V);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> o_layout =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorViewNV<2, false, 1, 0> transposed = createTensorViewNV(2, false, 1, 0);
    q_layout = setTensorLayoutDimensionNV(q_layout, seq_q, HEAD_DIM);
    k_layout = setTensorLayoutDimensionNV(k_layout, seq_kv, HEAD_DIM);
    v_layout = setTensorLayoutDimensionNV(v_layout, seq_kv, V_DIM);
    o_layout = setTensorLayoutDimensionNV(o_layout, seq_q, V_DIM);
    q_layout = setTensorLayoutStrideNV(q_layout, q_row & QK_BITS, 1);
    k_layout = setTensorLayoutStrideNV(k_layout, k_row & QK_BITS, 1);
    v_layout = setTensorLayoutStrideNV(v_layout, v_row & VO_BITS, 1);
    o_layout = setTensorLayoutStrideNV(o_layout, o_row & VO_BITS, 1);

    MATRIX_Q q;
    coopMatLoadTensorNV(q, q_1, q_base, sliceTensorLayoutNV(q_layout, first_row, BLOCK_M, 0, DEPTH));
    MATRIX_O o = MATRIX_O(0.0);
    // Finite, so that a row that has seen no key yet subtracts no infinities; exp2 of a masked score less this is 0.
    MATRIX_ROW m = MATRIX_ROW(-1e30);
    MATRIX_ROW l = MATRIX_ROW(0.0);

    // First the tiles that every row sees whole, then those that need a mask: the same loop twice, so that the long one
    // carries no mask. Unrolled by the driver, the loop outgrows the instruction cache and spills: 170 TFLOP/s.
    const uint PHASES = CAUSAL || RAGGED_KV ? 2 : 1;
    const uint keys = visible_keys(min(first_row + BLOCK_M, seq_q) - 1);
    const uint steps = (keys + BLOCK_N - 1) / BLOCK_N;
    const uint clear_steps = PHASES == 2 ? visible_keys(first_row) / BLOCK_N : steps;
    [[unroll]] for (uint phase = 0; phase < PHASES; ++phase)
    [[dont_unroll]] for (uint step = phase == 0 ? 0 : clear_steps; step < (phase == 0 ? clear_steps : steps); ++step) {
        const uint key = step * BLOCK_N;
        MATRIX_K k;
        coopMatLoadTensorNV(k, k_1, k_base, sliceTensorLayoutNV(k_layout, key, BLOCK_N, 0, DEPTH), transposed);
        MATRIX_S s = coopMatMulAdd(q, k, MATRIX_S(0.0));
        if (phase == 1) coopMatPerElementNV(s, s, masked, first_row, key);

        MATRIX_ROW next, factor, added;
        OF_ROW(next, s, larger);
        coopMatPerElementNV(next, next, raised, m, slope);
        coopMatPerElementNV(factor, m, rescale, next);
        m = next;
        MATRIX_O o_factor;
        WIDEN(o_factor, factor);
        o = o * o_factor;

        MATRIX_S s_origin;
        WIDEN(s_origin, m);
        coopMatPerElementNV(s, s, weight, s_origin, slope);
        OF_ROW(added, s, sum);
        l = l * factor + added;

        MATRIX_V v;
        coopMatLoadTensorNV(v, v_1, v_base, sliceTensorLayoutNV(v_layout, key, BLOCK_N, 0, WIDTH));
        o = coopMatMulAdd(MATRIX_P(s), v, o);
    }

    coopMatPerElementNV(l, l, inverse);
    MATRIX_O norm;
    WIDEN(norm, l);
    o = o * norm;
    coopMatStoreTensorNV(MATRIX_OUT(o), o_1, o_base, sliceTensorLayoutNV(o_layout, first_row, BLOCK_M, 0, WIDTH));
}
