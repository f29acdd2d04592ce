// Part of main: the output o is divided by the rows' sums and stored by the first team, tile by tile where rows and
// widths are whole, else through the staging area.
[[unroll]] for (uint r = 0; r < ROWS; ++r) {
    float norm[CLASSES];
#ifdef OPTION_SINKS
    [[unroll]] for (uint c = 0; c < CLASSES; ++c) norm[c] = softmax_norm(row_sum(l[r][c]) + sink_weight(head, m[r][c]));
#else
    [[unroll]] for (uint c = 0; c < CLASSES; ++c) norm[c] = softmax_norm(row_sum(l[r][c]));
#endif
    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= norm[i >> MAT_ROW_SHIFT];
}
const uint o_base = SEQUENCE_START(o, batch_index, head);
if (V_DIM % MAT_N == 0 && (!RAGGED_Q || first_row + BLOCK_M <= LENGTH_Q)) {
    if (team == 0)
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                coopMatStore(to_output(o[r][d]), o_1, o_base + (my_row + r * MAT_M) * o_ROW + d * MAT_N, o_ROW, BY_ROW);
} else {
    // Rows past the end and ragged widths leave through the staging area, as floats.
    for (uint slab = 0; slab < BLOCK_M; slab += O_SLAB) {
        barrier();
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            uint at = (seat * ROWS + r) * MAT_M;
            if (team == 0 && at >= slab && at < slab + O_SLAB)
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(o[r][d], stage, (at - slab) * LO + d * MAT_N / 4, LO, BY_ROW);
        }
        barrier();
        for (uint e = thread; e < O_SLAB * V_DIM; e += WORKGROUP) {
            uint row = first_row + slab + e / V_DIM, d = e % V_DIM;
            if (slab + e / V_DIM < BLOCK_M && row < LENGTH_Q)
                o_1[o_base + row * o_ROW + d] = to_element(uintBitsToFloat(stage[e / V_DIM * LO + d / 4][d % 4]));
        }
    }
}
