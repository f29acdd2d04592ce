// The online softmax of a step, on the scores s. The running maxima m[r][c] and sums l[r][c] of row tile r and class c
// are in registers; a lane sums its own columns, and the lanes are added up at the end.
#ifndef ATTN_MATRIX_SOFTMAX_GLSL
#define ATTN_MATRIX_SOFTMAX_GLSL

#include "common/matrix_scores.glsl"

float m[ROWS][CLASSES], l[ROWS][CLASSES];
MATRIX_C o[ROWS][WIDTH];        // the output, of row tile r and output tile d, not yet divided by the rows' sums
MATRIX_A p[PARTS][ROWS][KEYS];  // the probabilities of the step, in f16 parts

void begin_rows() {
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) { m[r][c] = -1e30; l[r][c] = 0.0; }
        [[unroll]] for (uint d = 0; d < WIDTH; ++d) o[r][d] = MATRIX_C(0.0);
    }
}

// Where a score, times slope, exceeds m by more than RAISE, the subgroup's maxima move, and sums and output follow.
void raise_maxima(float slope) {
    float top[ROWS][CLASSES];
    bool raise = false;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) top[r][c] = MINUS_INFINITY;
        [[unroll]] for (uint n = 0; n < KEYS; ++n)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                top[r][i >> MAT_ROW_SHIFT] = max(top[r][i >> MAT_ROW_SHIFT], s[r][n][i]);
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
            top[r][c] *= slope;
            raise = raise || top[r][c] > m[r][c] + float(RAISE);
        }
    }
    if (subgroupAny(raise)) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            float factor[CLASSES];
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                float raised = max(m[r][c], row_max(top[r][c]));
                factor[c] = exp2(m[r][c] - raised);
                m[r][c] = raised;
                l[r][c] *= factor[c];
            }
            [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= factor[i >> MAT_ROW_SHIFT];
        }
    }
}

// p = exp2(s * slope - m), which l takes up.
void exponentiate(float slope) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint n = 0; n < KEYS; ++n)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
                float x = exp2(fma(s[r][n][i], slope, -m[r][i >> MAT_ROW_SHIFT]));
#if PARTS == 1
                // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
                x = upper(x);
#endif
                l[r][i >> MAT_ROW_SHIFT] += x;
#if PARTS == 2
                float high = upper_rounded(x);
                p[0][r][n][i] = float16_t(high);
                p[1][r][n][i] = float16_t(x - high);
#else
                p[0][r][n][i] = float16_t(x);
#endif
            }
}

#endif
