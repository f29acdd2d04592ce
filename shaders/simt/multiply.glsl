// The two products as outer products in registers: for each head dim (or key), THREAD_M values of one operand times
// THREAD_N (or 4 OUT_VECTORS) of the other, each read as vec4 from shared memory.
#ifndef SIMT_MULTIPLY_GLSL
#define SIMT_MULTIPLY_GLSL

vec4 scores[THREAD_M * COLUMN_FOURS];
vec4 sums[THREAD_M * OUT_VECTORS];

// UNROLL steps of a product are written out at a time: enough that reads are under way while earlier steps multiply,
// few enough that they do not take the registers of the sums.

// scores += the product of the slices of Q and K at `at`.
void multiply_qk(uint at) {
    uint q_row = at + ty;
    uint k_row = at + K_AT + tx;
    [[dont_unroll]] for (uint first = 0; first < BLOCK_K; first += UNROLL) {
        [[unroll]] for (uint d = 0; d < UNROLL; ++d) {
            vec4 k_now[COLUMN_FOURS];
            [[unroll]] for (uint h = 0; h < COLUMN_FOURS; ++h)
                k_now[h] = pool[k_row + d / 4u * K_GROUP + d % 4u * (BLOCK_N / 4u) + h * LANES];
            [[unroll]] for (uint g = 0; g < ROW_FOURS; ++g) {
                vec4 q_now = pool[q_row + d / 4u * Q_GROUP + d % 4u * (BLOCK_M / 4u) + g * TILE_Y];
                [[unroll]] for (uint r = 0; r < 4u; ++r)
                    [[unroll]] for (uint h = 0; h < COLUMN_FOURS; ++h) {
                        uint s = (4u * g + r) * COLUMN_FOURS + h;
                        scores[s] = fma(vec4(q_now[r]), k_now[h], scores[s]);
                    }
            }
        }
        q_row += UNROLL / 4u * Q_GROUP;
        k_row += UNROLL / 4u * K_GROUP;
    }
}

// Hands part `part` of P (in `scores`) to the team, transposed: for each key, the rows next to each other.
void put_p(uint at, uint part) {
    const uint FOURS = P_COLUMNS / 4u;
    [[unroll]] for (uint h = 0; h < COLUMN_FOURS; ++h) {
        uint four = tx + h * LANES;
        if (P_PARTS > 1u && four / FOURS != part)
            continue;
        [[unroll]] for (uint j = 0; j < 4u; ++j)
            [[unroll]] for (uint g = 0; g < ROW_FOURS; ++g) {
                vec4 rows;
                [[unroll]] for (uint r = 0; r < 4u; ++r)
                    rows[r] = scores[(4u * g + r) * COLUMN_FOURS + h][j];
                pool[at + four % FOURS * P_GROUP + j * (BLOCK_M / 4u) + ty + g * TILE_Y] = rows;
            }
    }
}

// sums += P V over the V_ROWS keys at `v_at`, which begin at column `first` of the part of P at `p_at`.
void multiply_pv(uint p_at, uint v_at, uint first) {
    uint p_row = p_at + first / 4u * P_GROUP + ty;
    uint v_row = v_at + tx;
    [[dont_unroll]] for (uint key = 0; key < V_ROWS; key += UNROLL) {
        [[unroll]] for (uint n = 0; n < UNROLL; ++n) {
            vec4 v_now[OUT_VECTORS];
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                v_now[c] = pool[v_row + n * OUT_ROW + c * LANES];
            [[unroll]] for (uint g = 0; g < ROW_FOURS; ++g) {
                vec4 p_now = pool[p_row + n / 4u * P_GROUP + n % 4u * (BLOCK_M / 4u) + g * TILE_Y];
                [[unroll]] for (uint r = 0; r < 4u; ++r)
                    [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c) {
                        uint s = (4u * g + r) * OUT_VECTORS + c;
                        sums[s] = fma(vec4(p_now[r]), v_now[c], sums[s]);
                    }
            }
        }
        p_row += UNROLL / 4u * P_GROUP;
        v_row += UNROLL * OUT_ROW;
    }
}

#endif
