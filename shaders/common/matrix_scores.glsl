// Part of main: s = Q K^T for the subgroup's row tiles and its team's keys of the step, unscaled, in the accumulators
// s[r][n] of row tile r and key tile n; MINUS_INFINITY where a masked step's query does not see the key.
#ifdef OPTION_MASK
// The mask of these scores, under way during the products, two elements a word: one load where a lane's elements are
// neighbours of a row and rows begin at words. Keys past the end repeat the last: they are masked.
const bool NEIGHBOURS = MAT_ROW_SHIFT > 0 && element_col(1) == element_col(0) + 1;
uint mask_held[ROWS][KEYS][MAT_ELEMENTS / 2];
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 2) {
        const uint query = my_row + r * MAT_M + lane_row;
        const uint row = mask_start(batch_index, min(query + element_row(i), LENGTH_Q - 1));
        const uint other_row = mask_start(batch_index, min(query + element_row(i + 1), LENGTH_Q - 1));
        [[unroll]] for (uint n = 0; n < KEYS; ++n) {
            const uint at = key + n * MAT_N + lane_col, end = LENGTH_KV - 1;
            if (NEIGHBOURS && mask_row % 2 == 0) mask_held[r][n][i / 2] = mask_words[(row + min(at + element_col(i), end)) / 2];
            else
                mask_held[r][n][i / 2] = packHalf2x16(vec2(mask_at(row + min(at + element_col(i), end)),
                                                           mask_at(other_row + min(at + element_col(i + 1), end))));
        }
    }
#define MASK_OF(r, n, i) unpackHalf2x16(mask_held[r][n][i / 2])[i % 2]
#endif
MATRIX_C s[ROWS][KEYS];
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
#if PARTS == 2
const uint CHAIN = 2;  // depth steps that are summed in the matrix units
// Matrix units round sums toward zero, and the bias of long sums would outgrow f32's own error: a few
// products are summed apart, small ones first, and join the others by an addition that rounds to nearest.
[[unroll]] for (uint n = 0; n < KEYS; ++n)
    [[unroll]] for (uint first = 0; first < DEPTH; first += CHAIN) {
        MATRIX_C sum[ROWS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
        [[unroll]] for (uint k = first; k < min(first + CHAIN, DEPTH); ++k) {
            const uint at = (my_key + n * MAT_N) * LD + k * MAT_K / 8;
            MATRIX_B high, low;
            coopMatLoad(high, stage, at, LD, BY_COLUMN);
            coopMatLoad(low, stage, K_SIZE + at, LD, BY_COLUMN);
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                MATRIX_A a, a_low;
                LOAD_Q_PART(a, 0, r, k)
                LOAD_Q_PART(a_low, 1, r, k)
                sum[r] = coopMatMulAdd(a, low, sum[r]);
                sum[r] = coopMatMulAdd(a_low, high, sum[r]);
                sum[r] = coopMatMulAdd(a, high, sum[r]);
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r) s[r][n] += sum[r];
    }
#else
MULTIPLY_QK(my_key + n * MAT_N)
#endif

#if defined(OPTION_SOFTCAP) || defined(OPTION_MASK)
// Whole scores, in base 2: main's slope is 1.
const float reach = score_scale();
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
            float x = s[r][n][i] * reach;
#ifdef OPTION_SOFTCAP
            x = softcapped(x);
#endif
#ifdef OPTION_MASK
            x = fma(MASK_OF(r, n, i), slope_of_mask, x);
#endif
            s[r][n][i] = x;
        }
#endif
if (phase == 1) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
            uint seen = visible_keys(my_row + r * MAT_M + lane_row + element_row(i));
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                if (key + n * MAT_N + lane_col + element_col(i) >= seen) s[r][n][i] = MINUS_INFINITY;
#ifdef OPTION_WINDOW
            uint unseen = first_visible_key(my_row + r * MAT_M + lane_row + element_row(i));
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                if (key + n * MAT_N + lane_col + element_col(i) < unseen) s[r][n][i] = MINUS_INFINITY;
#endif
        }
}
