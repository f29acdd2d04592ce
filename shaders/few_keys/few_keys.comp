#version 460
#extension GL_GOOGLE_include_directive : require
// Attention to few keys (text for an image model, windows of an image, short sequences) on KHR cooperative matrices.
//
// All keys are staged once, in shared memory. A subgroup takes ROWS tiles of MAT_M query rows, has all their scores in
// registers, and so needs one softmax and no running maximum. Then it makes the output some columns at a time and
// stores them at once. Without an output in registers many subgroups share a core, and hide each other's loads and
// stores, which are most of the work. No subgroup waits for another once K and V are staged.
//
// With TOGETHER K and V are both staged, and a workgroup takes TURNS tiles after each other; without it V takes K's
// place between the two products. With SLICES > 1 the columns of K, then those of V, are staged in so many parts, each
// while the one before it is multiplied: many keys of wide heads, and more workgroups a core. The last tile begins
// early enough to have all its rows: rows of two tiles are written twice, with the same values.
layout(constant_id = 0) const uint SUBGROUPS = 8;   // of a workgroup
layout(constant_id = 1) const uint ROWS = 1;        // tiles of MAT_M query rows a subgroup
layout(constant_id = 2) const uint TURNS = 1;       // of a subgroup, each ROWS tiles
layout(constant_id = 3) const uint BLOCK_N = 64;    // all keys, in whole matrix tiles
layout(constant_id = 90) const uint SHAPE = 0;      // to the preprocessor: FIXED_SHAPE
layout(local_size_x_id = 20) in;
const uint KEY_SPLIT = 1, PREFETCH = 0, Q_SHARED = 0;
// Output tiles that are stored at once: with ROW_LANES as many as a lane makes a chunk of 8 elements of.
// And depth steps of Q that are read at once.
#if ROW_LANES
#define TILES (8 * ROW_LANES / MAT_N)
#define Q_STEP (8 * ROW_LANES / MAT_K)
#else
#define TILES 1
#define Q_STEP 1
#endif
// Depth steps of K and output tiles of V that are staged at once.
#if SLICES > 1
#define STAGE_TILES 2
#define SLICE_DEPTH ((DEPTH + SLICES * Q_STEP - 1) / (SLICES * Q_STEP) * Q_STEP)
#define SLICE_WIDTH ((WIDTH + SLICES * TILES - 1) / (SLICES * TILES) * TILES)
#define STAGED_CHUNKS (SLICE_DEPTH * MAT_K > SLICE_WIDTH * MAT_N ? SLICE_DEPTH * MAT_K / 8 : SLICE_WIDTH * MAT_N / 8)
#else
#define STAGE_TILES (1 + TOGETHER)
#define SLICE_DEPTH DEPTH
#define SLICE_WIDTH WIDTH
#endif
#include "common/matrix_types.glsl"
#include "common/matrix_lanes.glsl"
#include "common/matrix_stage.glsl"

#ifdef OPTION_MASK
#define COLUMN_KEY(n, i) staged_key(n, lane_col + element_col(i))
#else
#define COLUMN_KEY(n, i) (n * MAT_N + lane_col + element_col(i))
#endif
#if defined(OPTION_WINDOW) || defined(OPTION_MASK)
const bool MASKED = true;
#else
const bool MASKED = CAUSAL ? true : RAGGED_KV;
#endif
const uint K_SLICES = (DEPTH + SLICE_DEPTH - 1) / SLICE_DEPTH, Q_SLICE = SLICE_DEPTH * MAT_K / 8;
// Where slice i of V, and slice i of all, are staged.
#if SLICES > 1
#define V_AT(i) AREA(K_SLICES + (i))
#define AREA(i) ((i) % 2 * TILE)
const uint k_SLICE = SLICE_DEPTH * MAT_K / 8, v_SLICE = SLICE_WIDTH * MAT_N / 8;  // in chunks
#define FETCH_SLICE(name, slice)                                                                                       \
    [[unroll]] for (uint i = 0; i < (BLOCK_N * name##_SLICE + WORKGROUP - 1) / WORKGROUP; ++i) {                       \
        const uint e = i * WORKGROUP + thread, key = min(e / name##_SLICE, LENGTH_KV - 1);                             \
        name##_next[i] = load_##name(KEY_START(name, key), (slice) * name##_SLICE + e % name##_SLICE, name##_DIM,      \
                                     e < BLOCK_N * name##_SLICE);                                                      \
    }
#define STORE_SLICE(name, area)                                                                                        \
    [[unroll]] for (uint i = 0; i < (BLOCK_N * name##_SLICE + WORKGROUP - 1) / WORKGROUP; ++i) {                       \
        const uint e = i * WORKGROUP + thread;                                                                         \
        if (e < BLOCK_N * name##_SLICE)                                                                                \
            stage[(area) + staged_row(e / name##_SLICE) * LD + e % name##_SLICE] = name##_part_of(name##_next[i], 0);  \
    }
#else
#define V_AT(i) (TOGETHER * TILE)
#define AREA(i) 0
#define FETCH_SLICE(name, slice) FETCH(name, 0)
#define STORE_SLICE(name, area) STORE_STAGE(name, area)
#endif

#if ROW_LANES
// The row of class c and the chunk of every ROW_LANES that this lane reads and writes; and its elements i and i + 1 of
// the matrix that has `chunk`, whose word w they are as gather_chunk() moves words.
uint own_row(uint c) { return gl_SubgroupInvocationID / ROW_LANES + element_row(c << MAT_ROW_SHIFT); }
uint own_chunk() { return gl_SubgroupInvocationID % ROW_LANES; }
uint pair_of(uint c, uint chunk, uint w, uint columns) {
    return (c << MAT_ROW_SHIFT) + chunk % (columns / 8) * RUN_COLS + w % RUN_WORDS * 2;
}
#endif
// The last tile begins early enough to have all its rows.
uint first_row(uint tile) { return min(tile * ROWS * MAT_M, seq_q - ROWS * MAT_M); }
#if ROW_LANES
// In chunks of 8 elements, each whole in a lane, which the lanes of a row then share out as the matrices lie. (A matrix
// that is loaded from memory takes four times the accesses: 4 bytes a lane.)
#define READ_Q(tile, slice)                                                                                            \
    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                         \
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) {                                                                \
            const uint row = first_row(tile) + r * MAT_M + own_row(c);                                                 \
            [[unroll]] for (uint at = 0; at < Q_SLICE; at += ROW_LANES) {                                              \
                const uint first = (slice) * Q_SLICE + at;                                                             \
                uvec4 words = uvec4(0);                                                                                \
                if (8 * (first + ROW_LANES) <= HEAD_DIM ? true : 8 * (first + own_chunk()) < HEAD_DIM)                 \
                    words = to_operands(q_8[(q_base + row * q_ROW) / 8 + first + own_chunk()]);                        \
                words = gather_chunk(words);                                                                           \
                [[unroll]] for (uint w = 0; w < 4; ++w) {                                                              \
                    const uint chunk = first + w / RUN_WORDS, i = pair_of(c, chunk, w, MAT_K);                         \
                    if (chunk < k_CHUNKS) {                                                                            \
                        q[r][chunk * 8 / MAT_K][i] = uint16BitsToFloat16(uint16_t(words[w]));                          \
                        q[r][chunk * 8 / MAT_K][i + 1] = uint16BitsToFloat16(uint16_t(words[w] >> 16));                \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }
#else
#define READ_Q(tile, slice)                                                                                            \
    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                         \
        [[unroll]] for (uint k = (slice) * SLICE_DEPTH; k < ((slice) + 1) * SLICE_DEPTH; ++k)                          \
            if (k < DEPTH)                                                                                             \
                coopMatLoad(q[r][k], q_8, (q_base + (first_row(tile) + r * MAT_M) * q_ROW + k * MAT_K) / 8, q_ROW / 8, \
                            BY_ROW);
#endif
// The masks, before the products are added or, with a softcap, after.
#ifdef OPTION_MASK
#define MASK_SCORES                                                                                                    \
    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                                         \
        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {                                                           \
            const uint at = mask_start(batch_index, first + r * MAT_M + lane_row + element_row(i));                    \
            [[unroll]] for (uint n = 0; n < KEYS; ++n)                                                                 \
                s[r][n][i] = fma(mask_at(at + min(COLUMN_KEY(n, i), seq_kv - 1)), mask_ratio, s[r][n][i]);             \
        }                                                                                                              \
    HIDE_UNSEEN(first)
#else
#define MASK_SCORES if (MASKED) HIDE_UNSEEN(first)
#endif
// The part of the scores that a slice of Q and K makes, while the next one is under way. (Written out one by one: what
// keeps the compiler from unrolling, such as min() in a loop's bounds, doubles the time.)
#define SCORES(slice)                                                                                                  \
    if (slice < K_SLICES) {                                                                                            \
        if (slice + 1 < K_SLICES) {                                                                                    \
            FETCH_SLICE(k, slice + 1)                                                                                  \
            READ_Q(tile, slice + 1)                                                                                    \
        }                                                                                                              \
        [[unroll]] for (uint k = 0; k < SLICE_DEPTH; ++k)                                                              \
            if (slice * SLICE_DEPTH + k < DEPTH)                                                                       \
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {                                                           \
                    MATRIX_B b;                                                                                        \
                    coopMatLoad(b, stage, AREA(slice) + n * MAT_N * LD + k * MAT_K / 8, LD, BY_COLUMN);                \
                    [[unroll]] for (uint r = 0; r < ROWS; ++r)                                                         \
                        s[r][n] = MULTIPLY_ADD(q[r][slice * SLICE_DEPTH + k], b, s[r][n]);                             \
                }                                                                                                      \
        if (slice + 1 < K_SLICES) {                                                                                    \
            STORE_SLICE(k, AREA(slice + 1))                                                                            \
            barrier();                                                                                                 \
        }                                                                                                              \
    }

void main() {
    thread = gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
    const uint head = gl_WorkGroupID.x % heads_q, batch_index = gl_WorkGroupID.x / heads_q;
#if PAGED
    first_page = batch_index * PAGES;
    k_base = k_start(0, head, 0);
    v_base = v_start(0, head, 0);
#else
    k_base = k_start(batch_index, head, 0);
    v_base = v_start(batch_index, head, 0);
#endif
    const uint q_base = q_start(batch_index, head, 0), o_base = o_start(batch_index, head, 0);
    const float slope = product_factor();
#ifdef OPTION_MASK
    const float mask_ratio = mask_factor(head) / slope;
#endif
    uint lane_row = 0, lane_col = 0;
    if (MASKED) FIND_LANE(lane_row, lane_col)
    const uint tiles = (seq_q + ROWS * MAT_M - 1) / (ROWS * MAT_M);
    const uint begin = gl_WorkGroupID.y * TURNS * SUBGROUPS + gl_SubgroupID;
    FETCH_SLICE(k, 0)
    // Q of the first tile is under way while K is staged, that of each next one while the output is made.
    MATRIX_A q[ROWS][DEPTH];
    READ_Q(begin, 0)
    barrier();
    STORE_SLICE(k, 0)
#if TOGETHER
    FETCH_SLICE(v, 0)
    STORE_SLICE(v, V_AT(0))
#endif
    barrier();

#if TOGETHER
    const uint end = min(begin + TURNS * SUBGROUPS, tiles);
    for (uint tile = begin; tile < end; tile += SUBGROUPS) {
#else
    const uint tile = begin;
    {
#endif
        const uint first = first_row(tile);
        MATRIX_C s[ROWS][KEYS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
#ifndef OPTION_SOFTCAP
        MASK_SCORES
#endif
        SCORES(0)
#if SLICES > 1
        SCORES(1)
#endif
#if SLICES > 2
        SCORES(2) SCORES(3)
#endif
#if SLICES > 4
        SCORES(4) SCORES(5) SCORES(6) SCORES(7)
#endif
#if TOGETHER
        if (TURNS > 1) READ_Q(tile + SUBGROUPS, 0)
#else
        FETCH_SLICE(v, 0)
#endif

#ifdef OPTION_SOFTCAP
        const float reach = score_scale();
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
#if SOFTCAP_TOGETHER
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 4) {
                    const vec4 four = softcapped_products(FOUR_OF(s[r][n], i), reach);
                    s[r][n][i] = four.x;
                    s[r][n][i + 1] = four.y;
                    s[r][n][i + 2] = four.z;
                    s[r][n][i + 3] = four.w;
                }
#else
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                    s[r][n][i] = softcapped_product(s[r][n][i], reach);
#endif
        MASK_SCORES
#endif
        MATRIX_A p[ROWS][KEYS];
        float norm[ROWS][CLASSES];
        const MATRIX_B ones = MATRIX_B(OPERAND_ONE);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            float m[CLASSES];
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) m[c] = MINUS_INFINITY;
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                    m[i >> MAT_ROW_SHIFT] = max(m[i >> MAT_ROW_SHIFT], s[r][n][i] * slope);
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) m[c] = softmax_origin(row_max(m[c]));
            // The matrix units add up the rows of P too.
            MATRIX_C sums = MATRIX_C(0.0);
            [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 2) {
                    const f16vec2 pair = p_operands(P_EXP2(s[r][n][i], m[i >> MAT_ROW_SHIFT]),
                                                    P_EXP2(s[r][n][i + 1], m[i + 1 >> MAT_ROW_SHIFT]));
                    p[r][n][i] = pair.x;
                    p[r][n][i + 1] = pair.y;
                }
                sums = MULTIPLY_ADD(p[r][n], ones, sums);
            }
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                float l = sums[c << MAT_ROW_SHIFT];
#if defined(OPTION_SINKS) && SOFTCAP_TOGETHER
                l += sink_weight(head, m[c] + SCORE_SHIFT);
#elif defined(OPTION_SINKS)
                l += sink_weight(head, m[c]);
#endif
                norm[r][c] = softmax_norm(l);
            }
        }

#if !TOGETHER
        if (SLICES == 1) barrier();
        STORE_SLICE(v, V_AT(0))
        barrier();
#endif
        [[unroll]] for (uint d = 0; d < WIDTH; d += TILES) {
            const uint slice = d / SLICE_WIDTH, column = d % SLICE_WIDTH;
            const bool more = (slice + 1) * SLICE_WIDTH < WIDTH;
            if (column == 0 && more) FETCH_SLICE(v, slice + 1)
            MATRIX_C o[ROWS][TILES];
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                [[unroll]] for (uint t = 0; t < TILES; ++t) o[r][t] = MATRIX_C(0.0);
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                [[unroll]] for (uint t = 0; t < TILES; ++t)
                    if (d + t < WIDTH) {
                        MATRIX_B b;
                        coopMatLoad(b, stage, V_AT(slice) + n * MAT_K * LD + (column + t) * MAT_N / 8, LD, BY_ROW);
                        [[unroll]] for (uint r = 0; r < ROWS; ++r) o[r][t] = MULTIPLY_ADD(p[r][n], b, o[r][t]);
                    }
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint t = 0; t < TILES; ++t)
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][t][i] *= norm[r][i >> MAT_ROW_SHIFT];
                const uint to = o_base + (first + r * MAT_M) * o_ROW + d * MAT_N;
#if ROW_LANES
                [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                    uvec4 words;
                    [[unroll]] for (uint w = 0; w < 4; ++w) {
                        const uint chunk = w / RUN_WORDS, t = chunk * 8 / MAT_N, i = pair_of(c, chunk, w, MAT_N);
                        words[w] = pack_elements(o[r][t][i], o[r][t][i + 1]);
                    }
                    words = gather_chunk(words);
                    if (d * MAT_N + 8 * ROW_LANES <= V_DIM ? true : d * MAT_N + 8 * own_chunk() < V_DIM)
                        o_8[(to + own_row(c) * o_ROW) / 8 + own_chunk()] = words;
                }
#else
                coopMatStore(to_output(o[r][0]), o_1, to, o_ROW, BY_ROW);
#endif
            }
            if (column + TILES == SLICE_WIDTH && more) {
                STORE_SLICE(v, V_AT(slice + 1))
                barrier();
            }
        }
    }
}
