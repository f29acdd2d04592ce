// Part of main: Q through the staging area, slab by slab, so that rows past the end are zeros and no load leaves the
// tensor. The first Q_KEPT depth steps k of each row tile r end in registers, q_kept[part][r][k], the others in
// q_stage.
MATRIX_A q_kept[PARTS][ROWS][Q_KEPT > 0 ? Q_KEPT : 1];
#if defined(DIRECT_Q) && DIRECT_Q && PARTS == 1 && (defined(DTYPE_F16) || BF16_MATRICES)
// A workgroup whose rows are all there reads matrices from memory, without a barrier.
const bool direct = HEAD_DIM % MAT_K != 0 ? false : rows_exist;
if (direct)
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint k = 0; k < Q_KEPT; ++k)
            coopMatLoad(q_kept[0][r][k], q_8, (q_base + (my_row + r * MAT_M) * q_ROW) / 8 + k * MAT_K / 8, q_ROW / 8,
                        BY_ROW);
#define STAGED_ROWS (direct ? 0 : BLOCK_M)
#else
#define STAGED_ROWS BLOCK_M
#endif
[[unroll]] for (uint part = 0; part < PARTS; ++part) {
    for (uint first = 0; first < STAGED_ROWS; first += Q_SLAB * Q_GROUP) {
        barrier();  // after the loads 2x8x4096x40:f16 takes 2.4 % longer on an H200, f32 1.2 %
        // Where registers are short a batch costs the main loop its allocation (530 against 439 us on an H200 with
        // coopmat's defaults), so there one chunk after the other.
        Chunk q_next[Q_GROUP][q_EACH];
        if (Q_BATCH)
            [[unroll]] for (uint n = 0; n < Q_GROUP; ++n)
                [[unroll]] for (uint i = 0; i < q_EACH; ++i) {
                    const uint e = i * WORKGROUP + thread, row = first + n * Q_SLAB + e / k_CHUNKS;
                    q_next[n][i] = load_q(ROW_START(q, row), e % k_CHUNKS, HEAD_DIM, QUERY_OF(row) < LENGTH_Q);
                }
        [[unroll]] for (uint n = 0; n < Q_GROUP; ++n) {
            const uint slab = first + n * Q_SLAB;
            if (n > 0) barrier();
            if (Q_BATCH) {
                [[unroll]] for (uint i = 0; i < q_EACH; ++i) {
                    const uint e = i * WORKGROUP + thread;
                    if (e < Q_SLAB * k_CHUNKS) stage[e / k_CHUNKS * LD + e % k_CHUNKS] = part_of(q_next[n][i], part);
                }
            } else {
                for (uint e = thread; e < Q_SLAB * k_CHUNKS; e += WORKGROUP) {
                    const uint row = slab + e / k_CHUNKS;
                    stage[e / k_CHUNKS * LD + e % k_CHUNKS] =
                        part_of(load_q(ROW_START(q, row), e % k_CHUNKS, HEAD_DIM, QUERY_OF(row) < LENGTH_Q), part);
                }
            }
            barrier();
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                const uint at = (seat * ROWS + r) * MAT_M;
                if (at >= slab && at < slab + Q_SLAB)
                    [[unroll]] for (uint k = 0; k < Q_KEPT; ++k)
                        coopMatLoad(q_kept[part][r][k], stage, (at - slab) * LD + (FIRST_DEPTH + k) * MAT_K / 8, LD,
                                    BY_ROW);
            }
        }
    }
    // The chunks of the other depth steps: e counts them, row by row.
#define LOAD_STAGED(e, inside)                                                                                         \
    load_q(ROW_START(q, (e) / Q_CHUNKS),                                                                               \
           ((e) % Q_CHUNKS / (Q_CHUNKS / DIM_PARTS) * DEPTH + Q_KEPT) * MAT_K / 8 +                                    \
               (e) % Q_CHUNKS % (Q_CHUNKS / DIM_PARTS),                                                                \
           HEAD_DIM, inside && QUERY_OF((e) / Q_CHUNKS) < LENGTH_Q)
#define STORE_STAGED(e, chunk)                                                                                         \
    q_stage[(part * BLOCK_M + (e) / Q_CHUNKS) * LQ + (e) % Q_CHUNKS] = part_of(chunk, part);
    if (Q_STEPS > 0) {
        // So many are under way at once. All of them cost the main loop its registers, but for wide heads.
#if defined(Q_AT_ONCE) && Q_AT_ONCE
        const uint MOST = STAGED_EACH > 0 ? STAGED_EACH : 1;
#else
        const uint MOST = PARTS == 1 ? 3 : 1;
#endif
        const uint BATCH = STAGED_EACH == 0 ? 1 : STAGED_EACH < MOST ? STAGED_EACH : MOST;
        for (uint from = 0; from < STAGED_EACH; from += BATCH) {
            Chunk q_next[BATCH];
            [[unroll]] for (uint i = 0; i < BATCH; ++i) {
                const uint e = (from + i) * WORKGROUP + thread;
                q_next[i] = LOAD_STAGED(e, e < BLOCK_M * Q_CHUNKS);
            }
            [[unroll]] for (uint i = 0; i < BATCH; ++i) {
                const uint e = (from + i) * WORKGROUP + thread;
                if (e < BLOCK_M * Q_CHUNKS) STORE_STAGED(e, q_next[i])
            }
        }
    }
}
