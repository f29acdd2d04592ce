#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#extension GL_KHR_shader_subgroup_vote : require

// Flash attention without matrix units, built like an SGEMM: large register tiles, operands transposed into shared
// memory so that every read is a vec4, the next slice on its way from memory while this one is multiplied.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 64;
layout(constant_id = 2) const uint BLOCK_N = 128;
layout(constant_id = 3) const uint THREAD_M = 8;
layout(constant_id = 4) const uint THREAD_N = 8;
layout(constant_id = 5) const uint BLOCK_K = 16;
layout(constant_id = 6) const uint V_ROWS = 8;
layout(constant_id = 7) const uint STAGES = 1;
layout(constant_id = 8) const uint P_PARTS = 2;
layout(constant_id = 9) const uint KV_SPLIT = 1;
layout(constant_id = 10) const uint UNROLL = 8;

#define SOFTMAX_BASE_2
#include "common/mask.glsl"
#include "grid.glsl"
#include "stage.glsl"
#include "multiply.glsl"
#include "softmax.glsl"

OUTPUT(o, BINDING_O)

// A slice is put where nobody reads any more: with two stages the other buffer, which everyone left before the last
// barrier; with one only after a barrier of its own.
void before_put() {
    if (STAGES == 1u)
        barrier();
}

void tile_scores(uint base) {
    [[unroll]] for (uint s = 0; s < THREAD_M * COLUMN_FOURS; ++s)
        scores[s] = vec4(0.0);
    [[dont_unroll]] for (uint slice = 0; slice < SLICES; ++slice) {
        uint at = base + slice % STAGES * QK_SLICE;
        before_put();
        put_qk(at);
        barrier();
        if (slice + 1u < SLICES)
            fetch_qk(slice + 1u);
        multiply_qk(at);
    }
}

// The first slice of V is fetched already. Ends with the first slice of the next tile on its way.
void tile_values(uint base, uint key0, uint next) {
    const uint PER_PART = P_COLUMNS / V_ROWS;
    [[dont_unroll]] for (uint part = 0; part < P_PARTS; ++part) {
        barrier();
        put_p(base, part);
        [[dont_unroll]] for (uint slice = 0; slice < PER_PART; ++slice) {
            uint at = base + V_AT + slice % STAGES * V_SLICE;
            if (slice > 0u)
                before_put();
            put_v(at);
            barrier();
            uint done = part * PER_PART + slice + 1u;
            if (done < PER_PART * P_PARTS) {
                fetch_v(key0 + done * V_ROWS);
            } else {
                aim_k(next);
                fetch_qk(0u);
            }
            multiply_pv(base, at, slice * V_ROWS);
        }
    }
    // With one stage the next tile's first put has a barrier of its own.
    if (STAGES > 1u)
        barrier();
}

// Adds the other teams' sums to the first team's, in order, so that the result does not depend on timing.
void gather_teams() {
    const uint STATE_AT = TEAM * THREAD_M * OUT_VECTORS;
    for (uint from = 1; from < KV_SPLIT; ++from) {
        barrier();
        if (team == from) {
            [[unroll]] for (uint s = 0; s < THREAD_M * OUT_VECTORS; ++s)
                pool[s * TEAM + member] = sums[s];
            [[unroll]] for (uint r = 0; r < THREAD_M; r += 2u)
                pool[STATE_AT + r / 2u * TEAM + member] = vec4(m[r], l[r], m[r + 1u], l[r + 1u]);
        }
        barrier();
        if (team == 0u) {
            [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {
                vec4 state = pool[STATE_AT + r / 2u * TEAM + member];
                float other_m = r % 2u == 0u ? state.x : state.z;
                if (other_m > m[r])
                    raise_row(r, other_m);
                float factor = exp2(other_m - softmax_origin(m[r]));
                l[r] += factor * (r % 2u == 0u ? state.y : state.w);
                [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                    sums[r * OUT_VECTORS + c] += factor * pool[(r * OUT_VECTORS + c) * TEAM + member];
            }
        }
    }
}

void store_rows(uint row0, uint base) {
    if (ROW_IN_SUBGROUP) {
        [[unroll]] for (uint r = 0; r < THREAD_M; ++r)
            l[r] = shuffle_sum(l[r]);
    } else {
        meet_sum(base, l);
    }
    if (team != 0u)
        return;
#ifdef OPTION_SINKS
    [[unroll]] for (uint r = 0; r < THREAD_M; ++r)
        l[r] += sink_weight(head_at, softmax_origin(m[r]));
#endif
    [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {
        uint row = row0 + tile_row(r);
        float norm = softmax_norm(l[r]);
        if (row < seq_q)
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                store4_o(o_start(batch_at, head_at, row), tx + c * LANES, V_DIM, sums[r * OUT_VECTORS + c] * norm);
    }
}

void main() {
    grid_begin(gl_WorkGroupID.y / heads_q, gl_WorkGroupID.y % heads_q);
    // Causal tiles with most keys start first, so that none is left for the end.
    uint tiles = (seq_q + BLOCK_M - 1u) / BLOCK_M;
    uint row0 = (CAUSAL ? tiles - 1u - gl_WorkGroupID.x : gl_WorkGroupID.x) * BLOCK_M;
    uint keys = visible_keys(min(row0 + BLOCK_M, seq_q) - 1u);
    uint unmasked = visible_keys(row0);
    uint base = team * POOL;
    float factor = score_scale();
    [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {
        m[r] = MINUS_INFINITY;
        l[r] = 0.0;
    }
    [[unroll]] for (uint s = 0; s < THREAD_M * OUT_VECTORS; ++s)
        sums[s] = vec4(0.0);
    aim_q(row0);
#ifdef OPTION_WINDOW
    // From the first tile that any row sees; those that not every row sees whole are masked, at both ends.
    uint begin = first_visible_key(row0) / BLOCK_N * BLOCK_N;
    uint before = first_visible_key(min(row0 + BLOCK_M, seq_q) - 1u);
    aim_k(begin + team * BLOCK_N);
    fetch_qk(0u);
    for (uint first = begin; first < keys; first += KV_SPLIT * BLOCK_N) {
        uint key0 = first + team * BLOCK_N;
        tile_scores(base);
        fetch_v(key0);
        softmax_tile(base, row0, key0, factor, key0 + BLOCK_N > unmasked || key0 < before);
        tile_values(base, key0, key0 + KV_SPLIT * BLOCK_N);
    }
#else
    aim_k(team * BLOCK_N);
    fetch_qk(0u);
    // Teams take key tiles in turn; all go round equally often, since barriers are the workgroup's.
    for (uint first = 0; first < keys; first += KV_SPLIT * BLOCK_N) {
        uint key0 = first + team * BLOCK_N;
        tile_scores(base);
        fetch_v(key0);
        softmax_tile(base, row0, key0, factor, key0 + BLOCK_N > unmasked);
        tile_values(base, key0, key0 + KV_SPLIT * BLOCK_N);
    }
#endif
    if (KV_SPLIT > 1u)
        gather_teams();
    store_rows(row0, base);
}
