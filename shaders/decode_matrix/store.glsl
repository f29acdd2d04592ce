// A lane's share of the output, in units: four neighbouring dims of one query row. Units count quarters of a piece
// first, then blocks of V, then the lane's query rows.
#ifndef ATTN_DECODE_STORE_GLSL
#define ATTN_DECODE_STORE_GLSL

const uint QUARTERS = V_PIECE / 4;
const uint UNITS = LIVE_COLUMNS * V_BLOCKS * QUARTERS;

// The query row of the lane's column j, among those of the workgroup.
uint lane_column(uint j) { return j / ROW_COLS * MAT_N + lane_col + element_col(j % ROW_COLS); }

uint unit_column(uint u) { return u / (V_BLOCKS * QUARTERS); }
uint unit_block(uint u) { return u / QUARTERS % V_BLOCKS; }
uint unit_quarter(uint u) { return u % QUARTERS; }

// Dim x of unit u, from the accumulators; u a constant.
#define UNIT_DIM(u, x)                                                                                                 \
    o[unit_column(u) / ROW_COLS][unit_block(u) * V_MATRICES + (unit_quarter(u) * 4 + V_PLACE(x)) / CLASSES]            \
     [(unit_quarter(u) * 4 + V_PLACE(x)) % CLASSES * ROW_COLS + unit_column(u) % ROW_COLS]
#define UNIT_OF(u) vec4(UNIT_DIM(u, 0), UNIT_DIM(u, 1), UNIT_DIM(u, 2), UNIT_DIM(u, 3))

void store_unit(uint u, vec4 sum) {
    const uint n = lane_column(unit_column(u));
    const uint c = ((part * V_BLOCKS + unit_block(u)) * RANKS + row_rank) * QUARTERS + unit_quarter(u);
    if (row0 + n >= rows || c >= ROW_VECTORS) return;
    if (SPLIT_COUNT == 1) store4_o(o_start(batch_at, row_head(n), row_query(n)), c, V_DIM, sum * norms[n]);
    else partial_sums[partial_at(output_row(n), split) * ROW_VECTORS + c] = sum;
}

#endif
