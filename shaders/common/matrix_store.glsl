// Part of main: the output o is divided by the rows' sums and stored by the first team. (With a barrier in a loop over
// the tiles, NVIDIA's compiler keeps that loop and moves the tiles to memory: 4 to 25 times as long.)
[[unroll]] for (uint r = 0; r < ROWS; ++r) {
    float norm[CLASSES];
#ifdef OPTION_SINKS
    [[unroll]] for (uint c = 0; c < CLASSES; ++c)
        norm[c] = softmax_norm(LANES_SUM(l[r][c]) + sink_weight(head, m[r][c]));
#else
    [[unroll]] for (uint c = 0; c < CLASSES; ++c) norm[c] = softmax_norm(LANES_SUM(l[r][c]));
#endif
    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= norm[i >> MAT_ROW_SHIFT];
}
const uint o_base = SEQUENCE_START(o, batch_index, head);
#if defined(ROW_LANES) && ROW_LANES && RAW == 1
// In chunks of 8 elements, a lane the whole of one. coopMatStore writes 4 bytes a lane on an H200: 9,800 of the 31,400
// clocks of a workgroup of four steps.
if (V_DIM % 8 == 0) {
    if (team == 0)
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                const uint row =
                    my_row + r * MAT_M + gl_SubgroupInvocationID / ROW_LANES + element_row(c << MAT_ROW_SHIFT);
                [[unroll]] for (uint first = 0; first < v_CHUNKS; first += ROW_LANES) {
                    uvec4 words = uvec4(0);
                    [[unroll]] for (uint w = 0; w < 4; ++w) {
                        const uint chunk = first + w / RUN_WORDS, d = chunk * 8 / MAT_N;
                        const uint i = (c << MAT_ROW_SHIFT) + chunk % (MAT_N / 8) * RUN_COLS + w % RUN_WORDS * 2;
                        if (chunk < v_CHUNKS) words[w] = pack_elements(o[r][d][i], o[r][d][i + 1]);
                    }
                    words = gather_chunk(words);
                    const uint chunk = first + gl_SubgroupInvocationID % ROW_LANES;
                    if (RAGGED_Q ? STORES(row, 1) : true)
                        if (V_DIM % (8 * ROW_LANES) == 0 ? true : 8 * chunk < V_DIM)
                            o_8[(o_base + row * o_ROW) / 8 + chunk] = words;
                }
            }
} else
#endif
#if defined(STAGED_OUTPUT) && STAGED_OUTPUT && RAW == 1
// Run by run of chunks through the subgroup's part of the staging area, so that a lane stores 16 bytes. (By literals:
// in a loop with a barrier the tiles would be in memory.)
#define O_FENCE                                                                                                        \
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
#define STORE_RUN(r, n)                                                                                                \
    if (r < ROWS && n * O_RUN < v_CHUNKS) {                                                                            \
        [[unroll]] for (uint d = n * O_RUN * 8 / MAT_N; d < (n + 1) * O_RUN * 8 / MAT_N; ++d)                          \
            if (d < WIDTH)                                                                                             \
                coopMatStore(to_output(o[r < ROWS ? r : 0][d]), stage, area + d * MAT_N / 8 - n * O_RUN, O_RUN + 1,    \
                             BY_ROW);                                                                                  \
        O_FENCE                                                                                                        \
        [[unroll]] for (uint e = 0; e < MAT_M * O_RUN; e += SUBGROUP) {                                                \
            const uint at = e + gl_SubgroupInvocationID, row = my_row + r * MAT_M + at / O_RUN;                        \
            const uint chunk = n * O_RUN + at % O_RUN;                                                                 \
            if (8 * chunk < V_DIM && (RAGGED_Q ? STORES(row, 1) : true))                                               \
                o_8[(o_base + row * o_ROW) / 8 + chunk] = stage[area + at / O_RUN * (O_RUN + 1) + at % O_RUN];         \
        }                                                                                                              \
        O_FENCE                                                                                                        \
    }
#define STORE_RUNS(r)                                                                                                  \
    STORE_RUN(r, 0) STORE_RUN(r, 1) STORE_RUN(r, 2) STORE_RUN(r, 3) STORE_RUN(r, 4) STORE_RUN(r, 5) STORE_RUN(r, 6)    \
    STORE_RUN(r, 7)
const uint area = gl_SubgroupID * MAT_M * (O_RUN + 1);
if (V_DIM % 8 == 0 ? O_FITS : false) {
    barrier();
    if (team == 0) { STORE_RUNS(0) STORE_RUNS(1) STORE_RUNS(2) STORE_RUNS(3) }
} else
#endif
if (V_DIM % (MAT_N * DIM_PARTS) == 0) {
    if (team == 0)
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            const uint first = my_row + r * MAT_M;
            if (STORES_ALL(first, MAT_M)) {
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(to_output(o[r][d]), o_1, o_base + first * o_ROW + (FIRST_WIDTH + d) * MAT_N, o_ROW,
                                 BY_ROW);
            } else if (STORES(first, MAT_M)) {
                // A tile of which not all rows are stored: as it lies over the lanes.
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
                        const uint row = first + lane_row + element_row(i);
                        const uint at = o_base + row * o_ROW + (FIRST_WIDTH + d) * MAT_N + lane_col + element_col(i);
                        if (!STORES(row, 1)) continue;
                        if (!O_PAIRS) o_1[at] = to_element(o[r][d][i]);
#if RAW == 1
                        else if (i % 2 == 0)
                            o_2[at / 2] = pack_elements(o[r][d][i], o[r][d][i + 1]);
#endif
                    }
            }
        }
} else {
    // Ragged widths leave through the staging area, as floats, and from there in chunks of eight elements where rows
    // are.
    for (uint slab = 0; slab < BLOCK_M; slab += O_SLAB) {
        barrier();
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            uint at = (seat * ROWS + r) * MAT_M;
            if (team == 0 && at >= slab && at < slab + O_SLAB)
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(o[r][d], stage, (at - slab) * LO + (FIRST_WIDTH + d) * MAT_N / 4, LO, BY_ROW);
        }
        barrier();
        const uint width = V_DIM % 8 == 0 ? V_DIM / 8 : V_DIM;
        for (uint e = thread; e < O_SLAB * width; e += WORKGROUP) {
            const uint row = slab + e / width, d = e % width;
            if (row >= BLOCK_M || !STORES(QUERY_OF(row), 1)) continue;
            if (V_DIM % 8 == 0)
                store_eight(ROW_START(o, row), d, stage[e / width * LO + 2 * d], stage[e / width * LO + 2 * d + 1]);
            else
                o_1[ROW_START(o, row) + d] = to_element(uintBitsToFloat(stage[e / width * LO + d / 4][d % 4]));
        }
    }
}
