// Part of main: o += P V for the team's keys of the step, in the accumulators o[r][d] of row tile r and output tile d.
#if PARTS == 2
// A step is summed apart, for the same reason as the scores.
[[unroll]] for (uint d = 0; d < WIDTH; ++d) {
    MATRIX_C sum[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
    [[unroll]] for (uint n = 0; n < KEYS; ++n) {
        MATRIX_B b;
        coopMatLoad(b, stage, TILE + K_SIZE + (my_key + n * MAT_K) * LD + (FIRST_WIDTH + d) * MAT_N / 8, LD, BY_ROW);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[0][r][n], b, sum[r]);
        coopMatLoad(b, stage, TILE + (my_key + n * MAT_K) * LD + (FIRST_WIDTH + d) * MAT_N / 8, LD, BY_ROW);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[1][r][n], b, sum[r]);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[0][r][n], b, sum[r]);
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r) o[r][d] += sum[r];
}
#else
MULTIPLY_PV(p[0], my_key, KEYS)
#if SUM_TILE
[[unroll]] for (uint n = 0; n < KEYS; ++n)
    [[unroll]] for (uint r = 0; r < ROWS; ++r) sums[r] = MULTIPLY_ADD(p[0][r][n], ones, sums[r]);
#endif
#endif
