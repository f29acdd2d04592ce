// O = P V for rows row_first .. + OUT_ROWS - 1 and OUT_DIMS output dims. V goes through shared memory, KEYS keys at a
// time; the subgroups form M_GROUPS x N_GROUPS, each with tiles of its own. P comes from scratch, or is made here for
// all keys.
//
// Declare before including: OUT_ROWS; and either P_FROM_SCRATCH, or SCORE_PARTS and later vec4 four_scores(part, row,
// four): four neighbouring scores of tile row `row`, unscaled, to be summed over the parts.
#ifndef WIDE_MATRIX_VALUES_GLSL
#define WIDE_MATRIX_VALUES_GLSL

layout(constant_id = 20) const uint OUT_DIMS = 64;
layout(constant_id = 21) const uint KV_PAD = 64;   // seq_kv up to whole steps
layout(constant_id = 22) const uint KEYS = 64;
layout(constant_id = 23) const uint N_GROUPS = 4;  // of subgroups, side by side
layout(constant_id = 24) const uint P_LANES = 16;  // neighbouring threads that share a row of P

CHUNKS_OF(v, 2)
layout(set = 0, binding = 3, std430) writeonly buffer o_elements { STORE o_1[]; };
layout(set = 0, binding = 3, std430) writeonly buffer o_chunks { uvec4 o_8[]; };

const uint M_GROUPS = SUBGROUPS / N_GROUPS;
const uint OUT_TILES = OUT_ROWS / MAT_M;
const uint ROWS_EACH = (OUT_TILES + M_GROUPS - 1) / M_GROUPS;  // row tiles of a subgroup
const uint COLS_EACH = OUT_DIMS / MAT_N / N_GROUPS;
const uint COLS = COLS_EACH * MAT_N;                           // output dims of a subgroup
const uint V_CHUNKS = OUT_DIMS / 8;
const uint LV = V_CHUNKS | 1;
const uint V_EACH = (KEYS * V_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint LO = (COLS / 4) | 1;                                // finished sums leave as floats, a row tile at a time
const uint V_STAGE = KEYS * LV, O_STAGE = SUBGROUPS * MAT_M * LO;
shared uvec4 v_stage[V_STAGE > O_STAGE ? V_STAGE : O_STAGE];
shared float row_norm[OUT_ROWS];

#ifdef P_FROM_SCRATCH
layout(set = 0, binding = 9, std430) readonly buffer Probabilities { uvec4 probabilities[]; };
const uint LP = KV_PAD / 8;
uint p_base;
#define P_AT probabilities
#else
const uint LP = (KV_PAD / 8) | 1;
const uint p_base = 0;
shared uvec4 p_stage[OUT_ROWS * LP];
#define P_AT p_stage
#endif

uvec4 v_next[V_EACH];
MATRIX_C o[ROWS_EACH][COLS_EACH];
uint v_base, o_base, row_first, chunk_first;

void fetch_values(uint key) {
    [[unroll]] for (uint i = 0; i < V_EACH; ++i) {
        uint e = i * WORKGROUP + thread_of_workgroup(), j = key + e / V_CHUNKS;
        v_next[i] = load8_v(v_base + j * v_row, chunk_first + e % V_CHUNKS, V_DIM, j < seq_kv);
    }
}

void store8_o(uint row, uint c, vec4 low, vec4 high) {
    if (V_DIM % 8 == 0) {
        if (8 * c >= V_DIM) return;
#if defined(DTYPE_F16)
        o_8[row / 8 + c] = uvec4(pack_half(low.xy), pack_half(low.zw), pack_half(high.xy), pack_half(high.zw));
#else
        o_8[row / 8 + c] = uvec4(to_store4(low), to_store4(high));
#endif
    } else {
        [[unroll]] for (uint i = 0; i < 8; ++i)
            if (8 * c + i < V_DIM) o_1[row + 8 * c + i] = to_store(i < 4 ? low[i % 4] : high[i % 4]);
    }
}

#ifndef P_FROM_SCRATCH
vec4 four_scores(uint part, uint row, uint four);

// exp(score - maximum) of all keys, as f16; zeros from the first key that a query does not see to the end. Loads of
// all rows are under way at once; scores that no query sees were perhaps never written, and are replaced.
void make_probabilities() {
    const uint TEAMS = WORKGROUP / P_LANES;
    const uint EACH = (KV_PAD / 4 + P_LANES - 1) / P_LANES;
    const uint ROUNDS = (OUT_ROWS + TEAMS - 1) / TEAMS;
    const uint lane = thread_of_workgroup() % P_LANES, team = thread_of_workgroup() / P_LANES;
    vec4 x[ROUNDS][EACH];
    [[unroll]] for (uint r = 0; r < ROUNDS; ++r)
        [[unroll]] for (uint i = 0; i < EACH; ++i) x[r][i] = vec4(0.0);
    for (uint first = 0; first < SCORE_PARTS; first += 4)
        [[unroll]] for (uint r = 0; r < ROUNDS; ++r)
            [[unroll]] for (uint i = 0; i < EACH; ++i)
                [[unroll]] for (uint part = first; part < first + 4; ++part) {
                    vec4 more = four_scores(min(part, SCORE_PARTS - 1), min(r * TEAMS + team, OUT_ROWS - 1),
                                            min(i * P_LANES + lane, kv_fours() - 1));
                    x[r][i] += part < SCORE_PARTS ? more : vec4(0.0);
                }
    [[unroll]] for (uint r = 0; r < ROUNDS; ++r) {
        const uint row = r * TEAMS + team, visible = visible_keys(min(row_first + row, seq_q - 1));
        float top = MINUS_INFINITY, total = 0.0;
        [[unroll]] for (uint i = 0; i < EACH; ++i)
            [[unroll]] for (uint j = 0; j < 4; ++j)
                if (4 * (i * P_LANES + lane) + j < visible) top = max(top, x[r][i][j] * score_scale());
        [[unroll]] for (uint bit = P_LANES / 2; bit > 0; bit /= 2) top = max(top, subgroupShuffleXor(top, bit));
        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            const uint four = i * P_LANES + lane;
            // Scaled again, in one step with the subtraction: what rounding took from `top` is common to the row.
            [[unroll]] for (uint j = 0; j < 4; ++j)
                x[r][i][j] = 4 * four + j < visible ? exp2(fma(x[r][i][j], score_scale(), -softmax_origin(top))) : 0.0;
            // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
            x[r][i] = rounded_to_half(x[r][i]);
            total += (x[r][i].x + x[r][i].y) + (x[r][i].z + x[r][i].w);
            if (four < KV_PAD / 4 && row < OUT_ROWS) {
                p_stage[row * LP + four / 2][four % 2 * 2] = pack_half(x[r][i].xy);
                p_stage[row * LP + four / 2][four % 2 * 2 + 1] = pack_half(x[r][i].zw);
            }
        }
        [[unroll]] for (uint bit = P_LANES / 2; bit > 0; bit /= 2) total += subgroupShuffleXor(total, bit);
        if (lane == 0 && row < OUT_ROWS) row_norm[row] = softmax_norm(total);
    }
}
#endif

// Row tiles are written out, at most four: drivers leave a loop with a body as long as this one, and what its counter
// indexes then lies in memory instead of registers.
const uint TILE_1 = ROWS_EACH > 1 ? 1 : 0, TILE_2 = ROWS_EACH > 2 ? 2 : 0, TILE_3 = ROWS_EACH > 3 ? 3 : 0;
void store_row_tile(uint row_tile, uint my_tile, uint col, uint r) {
    const uint own = gl_SubgroupID * MAT_M * LO;
    [[unroll]] for (uint c = 0; c < COLS_EACH; ++c)
        coopMatStore(o[r][c], v_stage, own + c * MAT_N / 4, LO, BY_ROW);
    subgroupBarrier();
    for (uint e = gl_SubgroupInvocationID; e < MAT_M * COLS / 8; e += SUBGROUP) {
        uint line = e / (COLS / 8), c = e % (COLS / 8), row = (row_tile + r) * MAT_M + line;
        if (row_first + row < seq_q && row_tile + r >= my_tile) {
            vec4 low = uintBitsToFloat(v_stage[own + line * LO + 2 * c]) * row_norm[row];
            vec4 high = uintBitsToFloat(v_stage[own + line * LO + 2 * c + 1]) * row_norm[row];
            store8_o(o_base + (row_first + row) * o_row, chunk_first + col / 8 + c, low, high);
        }
    }
    subgroupBarrier();
}

// From the fetched values of the first step on.
void add_values(uint keys) {
    // Where subgroups outnumber row tiles, the rest do the last tiles once more, and do not store them.
    const uint my_tile = gl_SubgroupID / N_GROUPS * ROWS_EACH, row_tile = min(my_tile, OUT_TILES - ROWS_EACH);
    const uint col = gl_SubgroupID % N_GROUPS * COLS;
    [[unroll]] for (uint r = 0; r < ROWS_EACH; ++r)
        [[unroll]] for (uint c = 0; c < COLS_EACH; ++c) o[r][c] = MATRIX_C(0.0);
    for (uint key = 0; key < keys; key += KEYS) {
        barrier();
        [[unroll]] for (uint i = 0; i < V_EACH; ++i) {
            uint e = i * WORKGROUP + thread_of_workgroup();
            if (e < KEYS * V_CHUNKS) v_stage[e / V_CHUNKS * LV + e % V_CHUNKS] = halves_of(v_next[i]);
        }
        barrier();
        if (key + KEYS < keys) fetch_values(key + KEYS);
        [[unroll]] for (uint k = 0; k < KEYS / MAT_K; ++k) {
            MATRIX_A p[ROWS_EACH];
            [[unroll]] for (uint r = 0; r < ROWS_EACH; ++r)
                coopMatLoad(p[r], P_AT, p_base + (row_tile + r) * MAT_M * LP + (key + k * MAT_K) / 8, LP, BY_ROW);
            [[unroll]] for (uint c = 0; c < COLS_EACH; ++c) {
                MATRIX_B b;
                coopMatLoad(b, v_stage, k * MAT_K * LV + (col + c * MAT_N) / 8, LV, BY_ROW);
                [[unroll]] for (uint r = 0; r < ROWS_EACH; ++r) o[r][c] = coopMatMulAdd(p[r], b, o[r][c]);
            }
        }
    }
    barrier();
    store_row_tile(row_tile, my_tile, col, 0);
    if (ROWS_EACH > 1) store_row_tile(row_tile, my_tile, col, TILE_1);
    if (ROWS_EACH > 2) store_row_tile(row_tile, my_tile, col, TILE_2);
    if (ROWS_EACH > 3) store_row_tile(row_tile, my_tile, col, TILE_3);
}

#endif
