// Split-KV attention for few queries, on KHR cooperative matrices. A workgroup takes one KV head of one batch,
// ROW_TILES tiles of MAT_N of the query rows that share it (the group's heads times the queries) and one split of the
// keys.
//
// Everything is transposed: S^T = K Q^T and O^T = V^T P^T, so that K and V, of which every byte is read once and which
// are nearly all there is to do, are A matrices, that a lane fills from its own 16-byte loads (layout.glsl). Only Q and
// P, which are small, go through shared memory. Loads run in rings of slots: a slot is loaded again as soon as its
// matrices are made, with what comes a ring later, be it of the next step. So while scores are computed V is under way,
// and the next step's K during softmax and P V.
//
// A subgroup takes MY_KEYS keys of a step. With DIM_SPLIT 1 it goes on alone: a softmax of its own, all dims of V; the
// subgroups are merged at the end. Else all subgroups share maxima and P, and each has its part of V's dims for all
// keys of the step: fewer registers for sums, for two barriers a step.
#ifndef ATTN_DECODE_MATRIX_SPLIT_GLSL
#define ATTN_DECODE_MATRIX_SPLIT_GLSL

layout(constant_id = 0) const uint SUBGROUPS = 4;    // of a workgroup
layout(constant_id = 1) const uint TILES = 0;
layout(constant_id = 2) const uint ROWS = 0;
layout(constant_id = 3) const uint SHARE = 0;
layout(constant_id = 4) const uint FLIGHT = 0;
layout(constant_id = 5) const uint Q_PLACE = 0;
layout(constant_id = 6) const uint SPLITS = 0;
layout(constant_id = 7) const uint MERGE = 0;     // MERGED
// The manifest's choices where those are 0.
layout(constant_id = 30) const uint KEY_TILES = 1;   // tiles of MAT_M keys a subgroup and step
layout(constant_id = 31) const uint ROW_TILES = 1;   // tiles of MAT_N query rows
layout(constant_id = 32) const uint DIM_SPLIT = 1;   // 1, or SUBGROUPS
layout(constant_id = 33) const uint PIECES_AHEAD = 8;
layout(constant_id = 34) const bool Q_STAYS = true;  // in registers; else in shared memory
layout(constant_id = 35) const uint SPLIT_COUNT = 1;
layout(constant_id = 36) const uint V_PIECE = 8;
layout(constant_id = 37) const uint MERGE_UNITS = 1;
layout(constant_id = 38) const uint LIVE_ROWS = 1;     // query rows of a workgroup at most
layout(constant_id = 39) const uint LIVE_COLUMNS = 1;  // of a lane, up to the last that has such a row
layout(local_size_x_id = 20) in;

const uint Q_SHARED = 0;
const uint RAISE = 8;  // log2 of the slack before the running maximum moves
#include "layout.glsl"
const uint TILE_ROWS = ROW_TILES * MAT_N;
#if PAGED
layout(constant_id = 23) const uint PAGE_SIZE = 1;
layout(constant_id = 24) const uint PAGES = 1;
#endif
#include "common/group_rows.glsl"
#include "memory.glsl"

OUTPUT(o, BINDING_O)

const bool TOGETHER = DIM_SPLIT > 1;
const uint MY_KEYS = KEY_TILES * MAT_M;
const uint STEP_KEYS = SUBGROUPS * MY_KEYS;
#ifdef OPTION_WINDOW
const uint MASKED = 1;
#else
const uint MASKED = CAUSAL || RAGGED_KV ? 1 : 0;
#endif
const uint V_BLOCKS = (V_DIM + V_BLOCK * DIM_SPLIT - 1) / (V_BLOCK * DIM_SPLIT);  // of a subgroup
const uint O_TILES = V_BLOCKS * V_MATRICES;
const uint DEPTHS = K_BLOCKS * K_MATRICES;
const uint P_TILES = (TOGETHER ? STEP_KEYS : MY_KEYS) / MAT_K;
const uint COLUMNS = ROW_TILES * ROW_COLS;  // query rows that a lane sees

// Rings. A slot of K is one block of dims of a tile of keys, a slot of V likewise.
const uint K_ITEMS = KEY_TILES * K_BLOCKS;
const uint V_ITEMS = P_TILES * V_BLOCKS;
const uint K_WANTED = PIECES_AHEAD > CLASSES ? PIECES_AHEAD / CLASSES : 1;
#if V_WIDE && V_TYPE == F8E4M3
const uint V_ELEMENTS = PIECES_AHEAD * 16;
#else
const uint V_ELEMENTS = PIECES_AHEAD * 8;
#endif
const uint V_WANTED = V_ELEMENTS / V_PIECE > COLS ? V_ELEMENTS / V_PIECE / COLS : 1;
const uint K_SLOTS = K_WANTED < K_ITEMS ? K_WANTED : K_ITEMS;
const uint V_SLOTS = V_WANTED < V_ITEMS ? V_WANTED : V_ITEMS;

// Shared memory, in vectors of 16 bytes; odd strides, so that eight rows fall into different banks. P comes first, in
// two places by turns where no barrier of the workgroup keeps reads from the next step's writes; then Q.
const uint Q_STRIDE = (DEPTHS * MAT_K / 8) | 1u;
const uint P_STRIDE = (TILE_ROWS / 8) | 1u;
const uint P_PLACES = TOGETHER ? 1 : 2;
const uint P_AREA = STEP_KEYS * P_STRIDE;
const uint CELLS = MAT_M * MAT_N / 4;
const uint Q_AT = P_PLACES * P_AREA > CELLS ? P_PLACES * P_AREA : CELLS;
const uint Q_ROWS = TILE_ROWS > MAT_M ? TILE_ROWS : MAT_M;  // staged by whole A matrices
const uint USED = Q_AT + Q_ROWS * Q_STRIDE;
const uint MERGE_AREA = TOGETHER || SUBGROUPS == 1 ? 1 : SUBGROUPS * MERGE_UNITS * SUBGROUP;
shared uvec4 stage[USED > MERGE_AREA ? USED : MERGE_AREA];
shared float tops[TOGETHER ? SUBGROUPS * TILE_ROWS : 1];
shared vec2 softmaxes[SUBGROUPS * TILE_ROWS];
shared float norms[TILE_ROWS];

K_HELD k_held[K_SLOTS * CLASSES];
V_HELD v_held[V_SLOTS * COLS];
uint k_rows[CLASSES], v_rows[COLS];  // where the rows of the tile start that is being fetched
uint thread, last;                   // last: key that loads do not go beyond
uint part;                           // of V's dims

// Item `item` of the step that begins at key0. The row starts are computed where they may have changed; keys past
// `last` repeat it: they are masked, and what is read must be finite.
void fetch_k(uint item, uint slot, uint key0, bool anew) {
    const uint block = item % K_BLOCKS;
    if (anew || block == 0)
        [[unroll]] for (uint c = 0; c < CLASSES; ++c)
            k_rows[c] = k_at(KEY_AT(
                min(key0 + gl_SubgroupID * MY_KEYS + item / K_BLOCKS * MAT_M + lane_row + class_row(c), last)));
    [[unroll]] for (uint c = 0; c < CLASSES; ++c)
        k_held[slot * CLASSES + c] = piece_k(k_rows[c], block * SHARERS + col_rank, K_PIECE, HEAD_DIM);
}
void fetch_v(uint item, uint slot, uint key0, bool anew) {
    const uint block = item % V_BLOCKS;
    if (anew || block == 0)
        [[unroll]] for (uint e = 0; e < COLS; ++e)
            v_rows[e] = v_at(KEY_AT(min(key0 + (TOGETHER ? 0 : gl_SubgroupID * MY_KEYS) + item / V_BLOCKS * MAT_K +
                                        lane_col + element_col(e), last)));
    [[unroll]] for (uint e = 0; e < COLS; ++e)
        v_held[slot * COLS + e] = piece_v(v_rows[e], (part * V_BLOCKS + block) * RANKS + row_rank, V_PIECE, V_DIM);
}
// After an item is used: what comes next into its slot, of this step or of the next.
#define REFILL(name, item, items, slots)                                                                               \
    if (item + slots < items) fetch_##name(item + slots, item % slots, key0, item == 0);                               \
    else fetch_##name(item % slots, item % slots, key0 + STEP_KEYS, item + slots == items);

// Q as B matrices, its dims in the order of K's: filled like K, stored, and loaded the other way round. A unit is a
// block of dims of MAT_M rows. The first of a subgroup are fetched before K and V, since loads return in order.
const uint Q_EIGHTS = K_PIECE / 8;
const uint Q_PIECES = CLASSES * Q_EIGHTS;
const uint Q_UNITS = Q_ROWS / MAT_M * K_BLOCKS;
const uint Q_EACH = (Q_UNITS + SUBGROUPS - 1) / SUBGROUPS;
const uint Q_AT_ONCE = Q_ROWS > MAT_M || Q_PIECES > 4 ? 1 : Q_EACH < 5 ? Q_EACH : 5;
#if K_WIDE
#define Q_ELEMENT(e) WIDE_ELEMENT(e)
#else
#define Q_ELEMENT(e) (e)
#endif
uvec4 q_held[Q_AT_ONCE * Q_PIECES];
void fetch_q(uint unit0) {
    [[unroll]] for (uint u = 0; u < Q_AT_ONCE; ++u) {
        const uint unit = min(unit0 + u * SUBGROUPS, Q_UNITS - 1);
        [[unroll]] for (uint c = 0; c < Q_PIECES; ++c)
            q_held[u * Q_PIECES + c] =
                piece_q(q_at(unit / K_BLOCKS * MAT_M + lane_row + class_row(c / Q_EIGHTS)),
                        (unit % K_BLOCKS * SHARERS + col_rank) * Q_EIGHTS + c % Q_EIGHTS, 8, HEAD_DIM);
    }
}
void stage_q() {
    for (uint unit0 = gl_SubgroupID; unit0 < Q_UNITS; unit0 += SUBGROUPS * Q_AT_ONCE) {
        if (unit0 >= SUBGROUPS) fetch_q(unit0);
        [[unroll]] for (uint u = 0; u < Q_AT_ONCE; ++u) {
            const uint unit = unit0 + u * SUBGROUPS;
            if (unit >= Q_UNITS) break;
            [[unroll]] for (uint f = 0; f < K_MATRICES; ++f) {
                MATRIX_A a;
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
                    const uint e = Q_ELEMENT(f * COLS + col_of(i));
                    a[i] = half_of(to_operands(q_held[u * Q_PIECES + class_of(i) * Q_EIGHTS + e / 8]), e % 8);
                }
                coopMatStore(a, stage,
                             Q_AT + unit / K_BLOCKS * MAT_M * Q_STRIDE + (unit % K_BLOCKS * K_MATRICES + f) * MAT_K / 8,
                             Q_STRIDE, BY_ROW);
            }
        }
    }
}
#define LOAD_Q(b, r, k) coopMatLoad(b, stage, Q_AT + r * MAT_N * Q_STRIDE + (k) * MAT_K / 8, Q_STRIDE, BY_COLUMN);

// Between lanes that write P and lanes that read it. Of shared memory alone: subgroupBarrier() would wait for loads
// from global memory too.
#define FENCE controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);

// P as it leaves for shared memory.
#if NARROW
#define MATRIX_P MATRIX_H
#else
#define MATRIX_P MATRIX_A
#endif

#include "store.glsl"
#if MERGED
uint thread_index() { return thread; }
#define LAST_LOADS 8
#define LAST_ROWS LIVE_ROWS
#include "common/split_last.glsl"
#endif

void main() {
    thread = gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
    const uint row_tiles = begin_rows();
    part = TOGETHER ? gl_SubgroupID : 0;
    FIND_LANE(lane_row, lane_col)
    col_rank = rank_of(gl_SubgroupInvocationID, MAT_LANE_MASK);
    row_rank = rank_of(gl_SubgroupInvocationID, ~MAT_LANE_MASK);

    // A split is a run of whole steps; splits differ by one step at most.
#ifdef OPTION_WINDOW
    // The splits share what the window leaves to the queries together; this tile's may be less.
    const uint low = first_visible_key(0) / STEP_KEYS * STEP_KEYS;
    const uint all_steps = (seq_kv - low + STEP_KEYS - 1) / STEP_KEYS;
    const uint begin = max(low + all_steps * split / SPLIT_COUNT * STEP_KEYS,
                           first_visible_key(row_query(0)) / STEP_KEYS * STEP_KEYS);
    uint end = min(min(low + all_steps * (split + 1) / SPLIT_COUNT * STEP_KEYS, seq_kv),
                   visible_keys(row_query(TILE_ROWS - 1)));
#else
    const uint all_steps = (KEY_COUNT + STEP_KEYS - 1) / STEP_KEYS;
    const uint begin = all_steps * split / SPLIT_COUNT * STEP_KEYS;
    uint end = min(all_steps * (split + 1) / SPLIT_COUNT * STEP_KEYS, KEY_COUNT);
#endif
    if (CAUSAL) end = min(end, visible_keys(row_query(TILE_ROWS - 1)));
    last = max(end, 1) - 1;

    fetch_q(gl_SubgroupID);
    [[unroll]] for (uint i = 0; i < K_SLOTS; ++i) fetch_k(i, i, begin, i == 0);
    [[unroll]] for (uint i = 0; i < V_SLOTS; ++i) fetch_v(i, i, begin, i == 0);
    stage_q();
    barrier();
    MATRIX_B q_kept[Q_STAYS ? ROW_TILES * DEPTHS : 1];
    if (Q_STAYS)
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
            [[unroll]] for (uint k = 0; k < DEPTHS; ++k) LOAD_Q(q_kept[r * DEPTHS + k], r, k)

    MATRIX_C o[ROW_TILES][O_TILES];
    float m[COLUMNS], l[COLUMNS];
    uint seen[COLUMNS];  // keys of the split that the row sees
#ifdef OPTION_WINDOW
    uint unseen[COLUMNS];  // before the first that it sees
#endif
#ifdef OPTION_MASK
    uint row_mask[COLUMNS];  // where the row of the mask begins
    float row_mask_factor[COLUMNS];
#endif
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
        [[unroll]] for (uint d = 0; d < O_TILES; ++d) o[r][d] = MATRIX_C(0.0);
    }
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
        m[j] = -1e30;
        l[j] = 0.0;
#ifdef OPTION_WINDOW
        seen[j] = min(end, visible_keys(row_query(lane_column(j))));
        unseen[j] = first_visible_key(row_query(lane_column(j)));
#else
        seen[j] = CAUSAL ? min(end, visible_keys(row_query(lane_column(j)))) : end;
#endif
#ifdef OPTION_MASK
        row_mask[j] = mask_start(batch_at, row_query(lane_column(j)));
        row_mask_factor[j] = mask_factor(row_head(lane_column(j)));
#endif
    }
    const float slope = score_scale();
    uint p_at = TOGETHER ? 0 : gl_SubgroupID * MY_KEYS * P_STRIDE;

    // Uniform for the workgroup: every subgroup takes part in every barrier.
    for (uint key0 = begin; key0 < end; key0 += STEP_KEYS) {
        MATRIX_C s[KEY_TILES][ROW_TILES];
        [[unroll]] for (uint t = 0; t < KEY_TILES; ++t)
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) s[t][r] = MATRIX_C(0.0);
        [[unroll]] for (uint item = 0; item < K_ITEMS; ++item) {
            K_OPERANDS piece[CLASSES];
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) piece[c] = k_operands(k_held[item % K_SLOTS * CLASSES + c]);
            REFILL(k, item, K_ITEMS, K_SLOTS)
            [[unroll]] for (uint f = 0; f < K_MATRICES; ++f) {
                MATRIX_A a;
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                    a[i] = k_half(piece[class_of(i)], f * COLS + col_of(i));
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
                    MATRIX_B b;
                    const uint k = item % K_BLOCKS * K_MATRICES + f;
                    if (Q_STAYS) b = q_kept[r * DEPTHS + k];
                    else LOAD_Q(b, r, k)
                    s[item / K_BLOCKS][r] = MULTIPLY_ADD(a, b, s[item / K_BLOCKS][r]);
                }
            }
        }

        float top[COLUMNS];
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) top[j] = MINUS_INFINITY;
        const uint my_key = key0 + gl_SubgroupID * MY_KEYS + lane_row;
        [[unroll]] for (uint t = 0; t < KEY_TILES; ++t)
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                [[unroll]] for (uint i = 0; i < SUMS; ++i) {
                    const uint j = r * ROW_COLS + sum_col(i);
                    float x = s[t][r][i] * slope;
#ifdef OPTION_SOFTCAP
                    x = softcapped(x);
#endif
#ifdef OPTION_MASK
                    x = fma(mask_at(row_mask[j] + KEY_AT(min(my_key + t * MAT_M + sum_row(i), last))),
                            row_mask_factor[j], x);
#endif
                    if (MASKED == 1 && my_key + t * MAT_M + sum_row(i) >= seen[j]) x = MINUS_INFINITY;
#ifdef OPTION_WINDOW
                    if (my_key + t * MAT_M + sum_row(i) < unseen[j]) x = MINUS_INFINITY;
#endif
                    s[t][r][i] = x;
                    top[j] = max(top[j], x);
                }
        if (TOGETHER) {
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j) top[j] = column_max(top[j]);
            if (row_rank == 0)
                [[unroll]] for (uint j = 0; j < COLUMNS; ++j) tops[gl_SubgroupID * TILE_ROWS + lane_column(j)] = top[j];
            barrier();
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
                [[unroll]] for (uint g = 0; g < SUBGROUPS; ++g)
                    top[j] = max(top[j], tops[g * TILE_ROWS + lane_column(j)]);
        }
        bool raise = false;
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) raise = raise || top[j] > m[j] + float(RAISE);
        // Alike in all subgroups that share P: they have seen the same maxima.
        if (subgroupAny(raise)) {
            float factor[COLUMNS];
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
                const float raised = max(m[j], TOGETHER ? top[j] : column_max(top[j]));
                factor[j] = exp2(m[j] - raised);
                m[j] = raised;
                l[j] *= factor[j];
            }
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                [[unroll]] for (uint d = 0; d < O_TILES; ++d)
                    [[unroll]] for (uint i = 0; i < SUMS; ++i) o[r][d][i] *= factor[r * ROW_COLS + sum_col(i)];
        }

        [[unroll]] for (uint t = 0; t < KEY_TILES; ++t)
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
                MATRIX_P p;
                [[unroll]] for (uint i = 0; i < SUMS; ++i) {
                    const uint j = r * ROW_COLS + sum_col(i);
                    // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
                    const float x = as_operand(exp2(s[t][r][i] - m[j]));
                    l[j] += x;
                    p[i] = to_operand(x);
                }
                coopMatStore(p, stage,
                             p_at + ((TOGETHER ? gl_SubgroupID * MY_KEYS : 0) + t * MAT_M) * P_STRIDE + r * MAT_N / 8,
                             P_STRIDE, BY_ROW);
            }
        if (TOGETHER) barrier();
        else FENCE

        MATRIX_B p[ROW_TILES];
        [[unroll]] for (uint item = 0; item < V_ITEMS; ++item) {
            if (item % V_BLOCKS == 0)
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    coopMatLoad(p[r], stage, p_at + item / V_BLOCKS * MAT_K * P_STRIDE + r * MAT_N / 8, P_STRIDE,
                                BY_ROW);
            V_OPERANDS piece[COLS];
            [[unroll]] for (uint e = 0; e < COLS; ++e) piece[e] = v_operands(v_held[item % V_SLOTS * COLS + e]);
            REFILL(v, item, V_ITEMS, V_SLOTS)
            [[unroll]] for (uint g = 0; g < V_MATRICES; ++g) {
                MATRIX_A a;
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                    a[i] = v_half(piece[col_of(i)], g * CLASSES + class_of(i));
                const uint d = item % V_BLOCKS * V_MATRICES + g;
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) o[r][d] = MULTIPLY_ADD(a, p[r], o[r][d]);
            }
        }
        if (!TOGETHER) p_at = p_at < P_AREA ? p_at + P_AREA : p_at - P_AREA;
    }

    // The softmaxes of all subgroups become one, in a fixed order.
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) l[j] = column_sum(l[j]);
    if (row_rank == 0)
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
            softmaxes[gl_SubgroupID * TILE_ROWS + lane_column(j)] = vec2(m[j], l[j]);
    barrier();
    float factor[COLUMNS];
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
        float highest = m[j], total = 0.0;
        for (uint g = 0; g < SUBGROUPS; ++g) highest = max(highest, softmaxes[g * TILE_ROWS + lane_column(j)].x);
        for (uint g = 0; g < SUBGROUPS; ++g) {
            const vec2 other = softmaxes[g * TILE_ROWS + lane_column(j)];
            total += other.y * exp2(other.x - highest);
        }
        factor[j] = exp2(m[j] - highest);
        m[j] = highest;
        l[j] = total;
    }
    if (gl_SubgroupID == 0 && row_rank == 0)
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
            const uint n = lane_column(j);
#ifdef OPTION_SINKS
            norms[n] = softmax_norm(l[j] + sink_weight(row_head(n), m[j]));
#else
            norms[n] = softmax_norm(l[j]);
#endif
            if (SPLIT_COUNT > 1 && row0 + n < rows)
                partial_softmax[partial_at(output_row(n), split)] = vec2(m[j], l[j]);
        }
    barrier();

    // The output, by vectors of four dims of one row.
    if (TOGETHER || SUBGROUPS == 1) {
        [[unroll]] for (uint u = 0; u < UNITS; ++u) store_unit(u, UNIT_OF(u));
    } else {
        [[unroll]] for (uint first = 0; first < UNITS; first += MERGE_UNITS) {
            if (first > 0) barrier();
            [[unroll]] for (uint i = 0; i < MERGE_UNITS; ++i)
                if (first + i < UNITS)
                    stage[(gl_SubgroupID * MERGE_UNITS + i) * SUBGROUP + gl_SubgroupInvocationID] =
                        floatBitsToUint(UNIT_OF(first + i) * factor[unit_column(first + i)]);
            barrier();
            for (uint i = gl_SubgroupID; i < min(MERGE_UNITS, UNITS - first); i += SUBGROUPS) {
                vec4 sum = vec4(0.0);
                for (uint g = 0; g < SUBGROUPS; ++g)
                    sum += uintBitsToFloat(stage[(g * MERGE_UNITS + i) * SUBGROUP + gl_SubgroupInvocationID]);
                store_unit(first + i, sum);
            }
        }
    }
#if MERGED
    if (last_to_arrive(gl_WorkGroupID.y * row_tiles + gl_WorkGroupID.x % row_tiles)) add_splits();
#endif
}

#endif
