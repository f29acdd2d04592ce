#version 460
#extension GL_GOOGLE_include_directive : require

// Flash attention on KHR cooperative matrices that knows nothing of how a matrix lies over the lanes of a subgroup.
// What it rests on is that two matrices of one type lie alike, so that element i of one and element i of another are
// the same cell. Hence running maxima and sums are matrices too:
//   - m has its row's maximum in every cell, so that exp2(s * slope - m) and o *= exp2(m - raised) go by elements;
//   - l adds up probabilities cell by cell; its rows are summed once, at the end;
//   - only where a score exceeds m by more than RAISE (base 2, a vote of the subgroup) does a tile of maxima leave
//     through shared memory, where lanes take rows, and come back as the new m;
//   - P leaves the accumulators for a scratch area of the subgroup and comes back as A matrices (exchange.glsl).
//
// A subgroup owns ROWS tiles of MAT_M query rows; tiles of BLOCK_N keys are staged for the workgroup (stage.glsl).
layout(constant_id = 0) const uint SUBGROUPS = 8;   // of a workgroup
layout(constant_id = 1) const uint ROWS = 1;        // tiles of MAT_M query rows a subgroup
layout(constant_id = 2) const uint BLOCK_N = 32;    // keys a step
layout(constant_id = 3) const uint Q_SHARED = 0;    // depth steps of Q kept in shared memory, the rest in registers
layout(constant_id = 4) const uint PREFETCH = 2;    // 0 none, 1 the next tile into the cache, 2 into registers
layout(constant_id = 5) const uint RAISE = 8;       // log2 of the slack before the running maximum moves
layout(constant_id = 6) const uint P_KEYS = 0;      // keys of P that pass through the scratch area at once
layout(constant_id = 7) const uint P_BITS = 0;      // of P on its way
layout(constant_id = 8) const uint P_STEP = 16;     // P_KEYS, or the manifest's choice when that is 0
layout(constant_id = 90) const uint SHAPE = 0;  // to the preprocessor: FIXED_SHAPE
layout(local_size_x_id = 20) in;

#include "stage.glsl"
#include "exchange.glsl"
#include "softmax.glsl"

#define LOAD_Q(a, r, k)                                                                                                \
    if (k < Q_KEPT) a = q_kept[r][k];                                                                                  \
    else coopMatLoad(a, q_stage, (my_tile + r) * MAT_M * LQ + (k - Q_KEPT) * MAT_K / 8, LQ, BY_ROW);
#include "common/matrix_products.glsl"

void main() {
    const uint head = gl_WorkGroupID.x % heads_q, batch_index = gl_WorkGroupID.x / heads_q;
    // Heavy tiles first: under a causal mask the last query tile has the most keys.
    const uint tiles = (seq_q + BLOCK_M - 1) / BLOCK_M;
    const uint first_row = (CAUSAL ? tiles - 1 - gl_WorkGroupID.y : gl_WorkGroupID.y) * BLOCK_M;
    if (!stage_begin(batch_index, head, first_row)) return;
    exchange_begin();
    const uint my_tile = gl_SubgroupID * ROWS;
    const uint my_row = first_row + my_tile * MAT_M;
    const float slope = score_scale();

    MATRIX_A q_kept[ROWS][Q_KEPT > 0 ? Q_KEPT : 1];
    for (uint slab = 0; slab < BLOCK_M; slab += Q_SLAB) {
        stage_q_slab(batch_index, head, first_row, slab);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            uint at = (my_tile + r) * MAT_M;
            if (at >= slab && at < slab + Q_SLAB)
                [[unroll]] for (uint k = 0; k < Q_KEPT; ++k)
                    coopMatLoad(q_kept[r][k], stage, (at - slab) * LD + k * MAT_K / 8, LD, BY_ROW);
        }
    }
    stage_q_rest(batch_index, head, first_row);

    MATRIX_C o[ROWS][WIDTH], m[ROWS], l[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        m[r] = MATRIX_C(-1e30);
        l[r] = MATRIX_C(0.0);
        [[unroll]] for (uint d = 0; d < WIDTH; ++d) o[r][d] = MATRIX_C(0.0);
    }

    const uint keys = visible_keys(min(first_row + BLOCK_M, LENGTH_Q) - 1);
    const uint my_keys = CAUSAL ? visible_keys(min(my_row + ROWS * MAT_M, LENGTH_Q) - 1) : keys;
    const uint steps = (keys + BLOCK_N - 1) / BLOCK_N;
    const uint last = max(steps, 1) - 1;
    if (PREFETCH == 2) { FETCH(k, 0) FETCH(v, 0) }

    // First the tiles that every row of the workgroup sees whole, then those that need a mask: the same loop twice, so
    // that the long one carries no branch for the mask.
    const uint clear_steps = CAUSAL || RAGGED_KV ? min(visible_keys(first_row), LENGTH_KV) / BLOCK_N : steps;
    [[unroll]] for (uint phase = 0; phase < PHASES; ++phase) {
        MATRIX_C cells;
        if (phase == 1) LOAD_CELLS(cells)
        for (uint step = phase == 0 ? 0 : clear_steps; step < (phase == 0 ? clear_steps : steps); ++step) {
            barrier();
            if (PREFETCH != 2) { FETCH(k, step) FETCH(v, step) }
            STORE_STAGE(k, 0)
            STORE_STAGE(v, TILE)
            barrier();
            if (PREFETCH == 2) {
                if (step < last) { FETCH(k, step + 1) FETCH(v, step + 1) }
            } else if (PREFETCH == 1 && phase == 0) {
                touch(min(step + 1, last) * BLOCK_N);
            }
            const uint key = step * BLOCK_N;
            if (!CAUSAL || phase == 0 || key < my_keys) {
                MATRIX_C s[ROWS][KEYS];
                [[unroll]] for (uint r = 0; r < ROWS; ++r)
                    [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
                MULTIPLY_QK(n * MAT_N)

                if (phase == 1)
                    [[unroll]] for (uint i = 0; i < cells.length(); ++i) {
                        const uint cell = uint(cells[i]);
                        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                            const uint seen = visible_keys(my_row + r * MAT_M + cell / MAT_N);
                            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                                if (key + n * MAT_N + cell % MAT_N >= seen) s[r][n][i] = MINUS_INFINITY;
                        }
                    }

                RAISE_ROWS(0) RAISE_ROWS(1) RAISE_ROWS(2) RAISE_ROWS(3)
                // Part by part, so that products of one part are under way while the next is exponentiated.
                [[unroll]] for (uint part = 0; part < PARTS; ++part) {
                    MATRIX_A p[ROWS][P_STEP / MAT_K];
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) EXCHANGE_P(p[r], r, part)
                    MULTIPLY_PV(p, part * P_STEP, P_STEP / MAT_K)
                }
            }
            if (PREFETCH == 1 && phase == 0) join_touches();
        }
    }

    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        EXCHANGE_ROWS(l[r], rows_norm())
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)
            [[unroll]] for (uint i = 0; i < l[r].length(); ++i) o[r][d][i] *= l[r][i];
    }
    const uint o_base = SEQUENCE_START(o, batch_index, head);
#if HALF_TILES && defined(DTYPE_F16)
    if (V_DIM % MAT_N == 0 && (!RAGGED_Q || first_row + BLOCK_M <= LENGTH_Q)) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                coopMatStore(MATRIX_H(o[r][d]), o_1, o_base + (my_row + r * MAT_M) * o_row + d * MAT_N, o_row, BY_ROW);
    } else
#endif
    {
        // Rows past the end and ragged widths leave through the staging area, as floats.
        for (uint slab = 0; slab < BLOCK_M; slab += O_SLAB) {
            barrier();
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                uint at = (my_tile + r) * MAT_M;
                if (at >= slab && at < slab + O_SLAB)
                    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                        coopMatStore(o[r][d], stage, (at - slab) * LO + d * MAT_N / 4, LO, BY_ROW);
            }
            barrier();
            for (uint e = thread; e < O_SLAB * V_DIM; e += WORKGROUP) {
                uint row = first_row + slab + e / V_DIM, d = e % V_DIM;
                if (slab + e / V_DIM < BLOCK_M && row < LENGTH_Q)
                    o_1[o_base + row * o_row + d] = to_element(uintBitsToFloat(stage[e / V_DIM * LO + d / 4][d % 4]));
            }
        }
    }
    // Never true; it keeps the touches, whose values nobody needs.
    if (PREFETCH == 1 && touched == 0x9e3779b9u && floatBitsToUint(scale) == 0xffffffffu) o_8[0] = uvec4(touched);
}
