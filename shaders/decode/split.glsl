// Split-KV attention for few queries on many keys (flash-decoding). A workgroup takes one KV head of one batch,
// TILE_ROWS of the query rows that share it (the group's heads times the queries) and one split of the keys. LANES
// neighbouring threads share a key, each with some 16-byte pieces of its row, straight from memory to registers. A
// thread has KEYS keys under way at once, and V's loads fly while the scores are computed, as the next keys' do during
// P V. Every group of LANES threads runs a softmax of its own (lanes.glsl); they are merged at the end, in a fixed
// order (merge.glsl).
#ifndef ATTN_DECODE_SPLIT_GLSL
#define ATTN_DECODE_SPLIT_GLSL

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint KEYS = 4;
layout(constant_id = 2) const uint ROW_LANES = 0;
layout(constant_id = 3) const uint ROWS = 0;
layout(constant_id = 4) const uint SPLITS = 0;
layout(constant_id = 5) const uint LANES = 8;        // ROW_LANES, or the manifest's choice when that is 0
layout(constant_id = 6) const uint TILE_ROWS = 1;    // likewise of ROWS
layout(constant_id = 7) const uint SPLIT_COUNT = 1;  // likewise of SPLITS
layout(constant_id = 8) const uint MERGE_UNITS = 1;
layout(constant_id = 9) const uint PAGE_SIZE = 0;
layout(constant_id = 10) const uint PAGES = 0;
layout(constant_id = 11) const uint MERGE = 0;     // MERGED

#define SOFTMAX_BASE_2
#include "common/group_rows.glsl"
#include "lanes.glsl"
#include "pieces.glsl"

INPUT(q, BINDING_Q)
K_PIECES
V_PIECES
OUTPUT(o, BINDING_O)

const uint KEY_GROUPS = WORKGROUP / LANES;                               // keys that the workgroup reads at once
const uint K_SHARE = (HEAD_DIM + LANES * K_PIECE - 1u) / (LANES * K_PIECE);  // pieces of a thread
const uint V_SHARE = (V_DIM + LANES * V_PIECE - 1u) / (LANES * V_PIECE);
const uint Q_VECTORS = K_SHARE * K_PARTS;
const uint V_VECTORS = V_SHARE * V_PARTS;

K_HELD k_held[KEYS * K_SHARE];
V_HELD v_held[KEYS * V_SHARE];
vec4 q_part[TILE_ROWS * Q_VECTORS];
vec4 sums[TILE_ROWS * V_VECTORS];

uint key_group;                  // of this thread

uint key_of(uint key0, uint u) { return key0 + u * KEY_GROUPS + key_group; }

// Keys past `last` repeat it: their scores are masked, and what is read must be finite.
void fetch_k(uint key0, uint last) {
    [[unroll]] for (uint u = 0; u < KEYS; ++u) {
        uint row = k_at(KEY_AT(min(key_of(key0, u), last)));
        [[unroll]] for (uint c = 0; c < K_SHARE; ++c)
            k_held[u * K_SHARE + c] = piece_k(row, c * LANES + lane, HEAD_DIM, K_SHARE * LANES);
    }
}

// With mla what was loaded of K is V too: a lane has the same places of both.
#ifdef OPTION_MLA
void fetch_v(uint key0, uint last) {
    [[unroll]] for (uint u = 0; u < KEYS; ++u)
        [[unroll]] for (uint c = 0; c < V_SHARE; ++c)
            v_held[u * V_SHARE + c] = k_held[u * K_SHARE + c];
}
#else
void fetch_v(uint key0, uint last) {
    [[unroll]] for (uint u = 0; u < KEYS; ++u) {
        uint row = v_at(KEY_AT(min(key_of(key0, u), last)));
        [[unroll]] for (uint c = 0; c < V_SHARE; ++c)
            v_held[u * V_SHARE + c] = piece_v(row, c * LANES + lane, V_DIM, V_SHARE * LANES);
    }
}
#endif

void fetch_q() {
    [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
        uint row = q_start(batch_at, row_head(n), row_query(n));
        [[unroll]] for (uint c = 0; c < K_SHARE; ++c)
            [[unroll]] for (uint e = 0; e < K_PARTS; ++e)
                q_part[n * Q_VECTORS + c * K_PARTS + e] =
                    row4_q(row, (c * LANES + lane) * K_PARTS + e, HEAD_DIM, true);
    }
}

void multiply_qk() {
    [[unroll]] for (uint i = 0; i < VALUES; ++i)
        scores[i] = 0.0;
    [[unroll]] for (uint u = 0; u < KEYS; ++u)
        [[unroll]] for (uint c = 0; c < K_SHARE; ++c)
            [[unroll]] for (uint e = 0; e < K_PARTS; ++e) {
                vec4 k_part = part_k(k_held[u * K_SHARE + c], e);
                [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
                    vec4 q4 = q_part[n * Q_VECTORS + c * K_PARTS + e];
                    float s = scores[u * TILE_ROWS + n];
                    s = fma(q4.x, k_part.x, s);
                    s = fma(q4.y, k_part.y, s);
                    s = fma(q4.z, k_part.z, s);
                    scores[u * TILE_ROWS + n] = fma(q4.w, k_part.w, s);
                }
            }
    add_scores();
}

// Scores become probabilities; the sums are rescaled where a row's maximum moved.
void softmax_step(uint key0, uint end, float factor) {
    float rescale[HELD_ROWS];
    bool moved = softmax_of_scores(key_of(key0, held_key()), KEY_GROUPS, end, factor, rescale);
    if (subgroupAny(moved))
        [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
            float row_rescale = from_owner_of_row(rescale[n % HELD_ROWS], n);
            [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
                sums[n * V_VECTORS + c] *= row_rescale;
        }
}

void multiply_pv() {
    [[unroll]] for (uint u = 0; u < KEYS; ++u) {
        float p[TILE_ROWS];
        [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n)
            p[n] = from_owner(scores[(u * TILE_ROWS + n) % HELD], u * TILE_ROWS + n);
        [[unroll]] for (uint c = 0; c < V_SHARE; ++c)
            [[unroll]] for (uint e = 0; e < V_PARTS; ++e) {
                vec4 v_part = part_v(v_held[u * V_SHARE + c], e);
                [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
                    uint at = n * V_VECTORS + c * V_PARTS + e;
                    sums[at] = fma(vec4(p[n]), v_part, sums[at]);
                }
            }
    }
}

#include "merge.glsl"
#if MERGED
#include "common/split_last.glsl"
#endif

void main() {
    const uint row_tiles = begin_rows();
    lanes_begin();
    key_group = thread_index() / LANES;

    // A split begins at a multiple of KEY_GROUPS; splits differ by at most that many keys.
#ifdef OPTION_WINDOW
    // The splits share what the window leaves to the queries together; this tile's may be less.
    uint low = first_visible_key(0u);
    uint groups = (seq_kv - low + KEY_GROUPS - 1u) / KEY_GROUPS;
    uint begin = low + groups * split / SPLIT_COUNT * KEY_GROUPS;
    uint end = min(low + groups * (split + 1u) / SPLIT_COUNT * KEY_GROUPS, visible_keys(row_query(TILE_ROWS - 1u)));
    uint before = first_visible_key(row_query(0u));
    begin += before > begin ? (before - begin) / KEY_GROUPS * KEY_GROUPS : 0u;
#else
    uint groups = (KEY_COUNT + KEY_GROUPS - 1u) / KEY_GROUPS;
    uint begin = groups * split / SPLIT_COUNT * KEY_GROUPS;
    uint end = min(groups * (split + 1u) / SPLIT_COUNT * KEY_GROUPS, KEY_COUNT);
    if (CAUSAL)
        end = min(end, visible_keys(row_query(TILE_ROWS - 1u)));
#endif

#ifdef OPTION_WINDOW
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j) {
        row_visible[j] = visible_keys(row_query(held_row() + j));
        row_first[j] = first_visible_key(row_query(held_row() + j));
    }
#else
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j)
        row_visible[j] = CAUSAL ? visible_keys(row_query(held_row() + j)) : KEY_COUNT;
#endif
#ifdef OPTION_MASK
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j) {
        row_mask[j] = mask_start(batch_at, row_query(held_row() + j));
        row_mask_factor[j] = mask_factor(row_head(held_row() + j));
    }
#endif
    [[unroll]] for (uint i = 0; i < TILE_ROWS * V_VECTORS; ++i)
        sums[i] = vec4(0.0);
    fetch_q();
    float factor = score_scale();
    const uint step_keys = KEYS * KEY_GROUPS;
    // Uniform for the workgroup, as is the loop: every thread takes part in every exchange.
    if (begin < end)
        fetch_k(begin, end - 1u);
    for (uint key0 = begin; key0 < end; key0 += step_keys) {
        fetch_v(key0, end - 1u);
        multiply_qk();
        if (key0 + step_keys < end)
            fetch_k(key0 + step_keys, end - 1u);
        softmax_step(key0, end, factor);
        multiply_pv();
    }
    merge_and_store();
#if MERGED
    if (last_to_arrive(gl_WorkGroupID.y * row_tiles + gl_WorkGroupID.x % row_tiles)) add_splits();
#endif
}

#endif
