// Part of main: s = Q K^T for the subgroup's row tiles and its team's keys of the step, capped, with the mask, over
// main's slope, in the accumulators s[r][n] of row tile r and key tile n; MINUS_INFINITY where a masked step's query
// does not see the key. Products are added to that, but for a softcap: before them the registers are free that the
// comparisons take. So a hidden key must be finite, or its scores are NaN.
#ifdef OPTION_MASK
#define COLUMN_KEY(n, i) key + staged_key(n, lane_col + element_col(i))
#define MASK_OF(r, n, i)                                                                                               \
    unpackHalf2x16(mask_held[r][(i) >> MAT_ROW_SHIFT][(n * COLS + (i) % COLS) / 2])[(n * COLS + (i) % COLS) % 2]
#else
#define COLUMN_KEY(n, i) key + n * MAT_N + lane_col + element_col(i)
#endif
MATRIX_C s[ROWS][KEYS];
#if defined(OPTION_MASK) && !defined(OPTION_SOFTCAP)
// The products are added to the mask, whose registers are free then.
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
            s[r][n][i] = FIRST_DEPTH == 0 ? MASK_OF(r, n, i) * mask_ratio : 0.0;
#else
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
#endif
#ifndef OPTION_SOFTCAP
if (phase == 1) HIDE_UNSEEN(my_row)
#endif
#if PARTS == 2
const uint CHAIN = 2;  // depth steps that are summed in the matrix units
// Matrix units round sums toward zero, and the bias of long sums would outgrow f32's own error: a few
// products are summed apart, small ones first, and join the others by an addition that rounds to nearest.
[[unroll]] for (uint n = 0; n < KEYS; ++n)
    [[unroll]] for (uint first = 0; first < DEPTH; first += CHAIN) {
        MATRIX_C sum[ROWS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
        [[unroll]] for (uint k = first; k < min(first + CHAIN, DEPTH); ++k) {
            const uint at = (my_key + n * MAT_N) * LD + (FIRST_DEPTH + k) * MAT_K / 8;
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
#if DIM_PARTS > 1
// The same sum in both parts: it does not depend on the order of two terms.
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS / 4; ++i)
            PART_SCORES(gl_SubgroupID, r, n, i) =
                vec4(s[r][n][4 * i], s[r][n][4 * i + 1], s[r][n][4 * i + 2], s[r][n][4 * i + 3]);
barrier();
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS / 4; ++i) {
            const vec4 other = PART_SCORES(gl_SubgroupID ^ 1, r, n, i);
            [[unroll]] for (uint x = 0; x < 4; ++x) s[r][n][4 * i + x] += other[x];
        }
#endif

#if defined(OPTION_SOFTCAP)
#ifdef OPTION_MASK
#define WITH_MASK(x, r, n, i) fma(MASK_OF(r, n, i), mask_ratio, x)
#else
#define WITH_MASK(x, r, n, i) (x)
#endif
const float reach = score_scale();
#if SOFTCAP_TOGETHER
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 4) {
            const vec4 four = softcapped_products(FOUR_OF(s[r][n], i), reach);
            s[r][n][i] = WITH_MASK(four.x, r, n, i);
            s[r][n][i + 1] = WITH_MASK(four.y, r, n, i + 1);
            s[r][n][i + 2] = WITH_MASK(four.z, r, n, i + 2);
            s[r][n][i + 3] = WITH_MASK(four.w, r, n, i + 3);
        }
#else
#define FOR_SCORES(capped)                                                                                             \
    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                         \
        [[unroll]] for (uint n = 0; n < KEYS; ++n)                                                                     \
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)                                                         \
                s[r][n][i] = WITH_MASK(capped(s[r][n][i], reach), r, n, i);
#if !(defined(SOFTCAP_BY_EXP) && SOFTCAP_BY_EXP)
// Most tiles have no score near the cap.
float largest = 0.0;
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) largest = max(largest, abs(s[r][n][i]));
if (subgroupAll(largest * abs(reach) < SOFTCAP_NEAR)) { FOR_SCORES(softcap_near) }
else
#endif
{ FOR_SCORES(softcapped_product) }
#endif
if (phase == 1) HIDE_UNSEEN(my_row)
#endif
