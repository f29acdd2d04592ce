// Part of main: s = Q K^T for the subgroup's row tiles and its team's keys of the step, unscaled, in the accumulators
// s[r][n] of row tile r and key tile n; MINUS_INFINITY where a masked step's query does not see the key.
#ifdef OPTION_MASK
// The mask of these scores, under way during the products, two elements a word. Keys past the end repeat the last: they
// are masked.
uint mask_held[ROWS][CLASSES][EACH / 2];
const uint mask_from = key + staged_key(0, lane_col);
// Zero where a lane's columns lie as staged_row() has them, and rows begin at 16 bytes.
const uint astray = EACH % 8 + lane_col % RUN + lane_col / RUNS + mask_row % 8 +
                    (element_col(COLS - 1) ^ (COLS - 1) / RUN * RUNS + (COLS - 1) % RUN);
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
        const uint query = my_row + r * MAT_M + lane_row + element_row(c * COLS);
        const uint row = mask_start(batch_index, min(query, LENGTH_Q - 1));
        if (astray == 0)
            [[unroll]] for (uint g = 0; g < EACH / 8; ++g) {
                const uvec4 eight = mask_eights[(row + min(mask_from + 8 * g, LENGTH_KV - 8)) / 8];
                [[unroll]] for (uint w = 0; w < 4; ++w) mask_held[r][c][4 * g + w] = eight[w];
            }
        else
            [[unroll]] for (uint x = 0; x < EACH; x += 2) {
                const uint col = lane_col + element_col(x % COLS), next = lane_col + element_col((x + 1) % COLS);
                mask_held[r][c][x / 2] =
                    packHalf2x16(vec2(mask_at(row + min(key + staged_key(x / COLS, col), LENGTH_KV - 1)),
                                      mask_at(row + min(key + staged_key((x + 1) / COLS, next), LENGTH_KV - 1))));
            }
    }
#define COLUMN_KEY(n, i) key + staged_key(n, lane_col + element_col(i))
#define MASK_OF(r, n, i)                                                                                               \
    unpackHalf2x16(mask_held[r][i >> MAT_ROW_SHIFT][(n * COLS + i % COLS) / 2])[(n * COLS + i % COLS) % 2]
#else
#define COLUMN_KEY(n, i) key + n * MAT_N + lane_col + element_col(i)
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

#ifdef OPTION_MASK
#define WITH_MASK(x, r, n, i) fma(MASK_OF(r, n, i), slope_of_mask, x)
#else
#define WITH_MASK(x, r, n, i) (x)
#endif
#define WHOLE_SCORES(capped)                                                                                           \
    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                         \
        [[unroll]] for (uint n = 0; n < KEYS; ++n)                                                                     \
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)                                                         \
                s[r][n][i] = WITH_MASK(capped(s[r][n][i] * reach), r, n, i);
#if defined(OPTION_SOFTCAP)
// Whole scores, in base 2: main's slope is 1. Most tiles have no score near the cap.
const float reach = score_scale();
float largest = 0.0;
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) largest = max(largest, abs(s[r][n][i]));
if (subgroupAll(largest * abs(reach) < SOFTCAP_NEAR)) { WHOLE_SCORES(softcapped_near) }
else { WHOLE_SCORES(softcapped) }
#elif defined(OPTION_MASK)
const float reach = score_scale();
WHOLE_SCORES(float)
#endif
if (phase == 1) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
            uint seen = visible_keys(my_row + r * MAT_M + lane_row + element_row(i));
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                if (COLUMN_KEY(n, i) >= seen) s[r][n][i] = MINUS_INFINITY;
#ifdef OPTION_WINDOW
            uint unseen = first_visible_key(my_row + r * MAT_M + lane_row + element_row(i));
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                if (COLUMN_KEY(n, i) < unseen) s[r][n][i] = MINUS_INFINITY;
#endif
        }
}
