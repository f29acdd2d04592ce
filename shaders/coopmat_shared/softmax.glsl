// The online softmax on accumulators of any layout: statements on the scores s, the running maxima m and sums l, and
// the output o of main.
#ifndef ATTN_MATRIX_SOFTMAX_GLSL
#define ATTN_MATRIX_SOFTMAX_GLSL

#include "exchange.glsl"

const uint PARTS = BLOCK_N / P_STEP;   // in which P passes, for each tile of rows

// Where scores of row tile `number` exceed m by more than RAISE, m becomes the maximum, and l and o are rescaled. For
// literal numbers: NVIDIA's compiler leaves a loop around a barrier under a condition as a loop, and what that indexes,
// here the scores and the output, in local memory.
#define RAISE_ROWS(number)                                                                                             \
    if (number < ROWS) {                                                                                               \
        const uint r = number % ROWS;                                                                                  \
        MATRIX_C top = s[r][0];                                                                                        \
        bool raise = false;                                                                                            \
        [[unroll]] for (uint i = 0; i < top.length(); ++i) {                                                           \
            [[unroll]] for (uint n = 1; n < KEYS; ++n) top[i] = max(top[i], s[r][n][i]);                               \
            top[i] *= slope;                                                                                           \
            raise = raise || top[i] > m[r][i] + float(RAISE);                                                          \
        }                                                                                                              \
        if (subgroupAny(raise)) {                                                                                      \
            EXCHANGE_ROWS(top, rows_max())                                                                             \
            [[unroll]] for (uint i = 0; i < top.length(); ++i) {                                                       \
                const float raised = max(m[r][i], top[i]);                                                             \
                top[i] = exp2(m[r][i] - raised);                                                                       \
                m[r][i] = raised;                                                                                      \
                l[r][i] *= top[i];                                                                                     \
            }                                                                                                          \
            [[unroll]] for (uint d = 0; d < WIDTH; ++d)                                                                \
                [[unroll]] for (uint i = 0; i < top.length(); ++i) o[r][d][i] *= top[i];                               \
        }                                                                                                              \
    }

// Scores of row tile r and the P_STEP keys of a part become probabilities, and those the A matrices p. The sum takes
// what the product takes, else a row that one key dominates keeps P's rounding.
#define EXCHANGE_P(p, r, part)                                                                                         \
    {                                                                                                                  \
        const uint at = area + (part * ROWS + r) % PLACES * P_AREA;                                                    \
        [[unroll]] for (uint n = 0; n < P_STEP / MAT_N; ++n) {                                                         \
            MATRIX_C x = s[r][part * (P_STEP / MAT_N) + n];                                                            \
            [[unroll]] for (uint i = 0; i < x.length(); ++i) {                                                         \
                x[i] = as_operand(exp2(fma(x[i], slope, -m[r][i])));                                                   \
                l[r][i] += x[i];                                                                                       \
            }                                                                                                          \
            GIVE_P(x, at, n)                                                                                           \
        }                                                                                                              \
        TAKE_P(p, at)                                                                                                  \
    }

#endif
