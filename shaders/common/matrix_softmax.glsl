// Part of main: the online softmax of a step. The running maxima m[r][c] and sums l[r][c] of row tile r and class c are
// in registers; a lane sums its own columns, and the lanes are added up at the end (SUM_TILE: all by the products).
//
// First the maxima, and where one is to move, the output and the sums are rescaled; then the scores s become
// probabilities, and those the A matrices p[part][r][n].
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
#if SUM_TILE
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) sums[r][i] *= factor[i >> MAT_ROW_SHIFT];
#endif
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= factor[i >> MAT_ROW_SHIFT];
    }
}

MATRIX_A p[PARTS][ROWS][KEYS];
[[unroll]] for (uint r = 0; r < ROWS; ++r)
    [[unroll]] for (uint n = 0; n < KEYS; ++n)
#if SUM_TILE || BF16_MATRICES
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 2) {
            const f16vec2 pair = p_operands(P_EXP2(s[r][n][i], m[r][i >> MAT_ROW_SHIFT]),
                                            P_EXP2(s[r][n][i + 1], m[r][i + 1 >> MAT_ROW_SHIFT]));
            p[0][r][n][i] = pair.x;
            p[0][r][n][i + 1] = pair.y;
#if !SUM_TILE
            // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
            const uint bits = packFloat2x16(pair);
            l[r][i >> MAT_ROW_SHIFT] += uintBitsToFloat(bits << 16);
            l[r][i + 1 >> MAT_ROW_SHIFT] += uintBitsToFloat(bits & 0xffff0000u);
#endif
        }
#else
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
            float x = exp2(fma(s[r][n][i], slope, -m[r][i >> MAT_ROW_SHIFT]));
#if PARTS == 1
            x = as_operand(x);
#endif
            l[r][i >> MAT_ROW_SHIFT] += x;
#if PARTS == 2
            float high = upper_rounded(x);
            p[0][r][n][i] = float16_t(high);
            p[1][r][n][i] = float16_t(x - high);
#else
            p[0][r][n][i] = to_operand(x);
#endif
        }
#endif
