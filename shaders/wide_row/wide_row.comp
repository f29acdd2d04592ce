#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Online softmax for ROWS queries of one head. Scores: a group of LANES threads takes KEYS keys, its lanes along the
// head dim. Output: threads along the value dim, OUT_FOURS vectors each.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint ROWS = 2;
layout(constant_id = 2) const uint BLOCK_N = 64;
layout(constant_id = 3) const uint OUT_FOURS = 16;
layout(constant_id = 4) const uint DV_SPLIT = 1;
layout(constant_id = 5) const uint KV_SHARED = 0;
layout(constant_id = 6) const uint STAGES = 1;
layout(constant_id = 7) const uint LANES = 8;

const uint GROUPS = WORKGROUP / LANES;
const uint KEYS = BLOCK_N / GROUPS;
const uint REDUCE_COUNT = ROWS * KEYS;
#define SOFTMAX_BASE_2
#include "common/bindings.glsl"
#include "common/mask.glsl"
#include "common/softmax.glsl"
#include "common/reduce.glsl"

INPUT(q, BINDING_Q)
INPUT(k, BINDING_K)
INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

const uint HEAD_FOURS = (HEAD_DIM + 3u) / 4u;
const uint STEPS = (HEAD_FOURS + LANES - 1u) / LANES;
const uint STEP_SCORES = (BLOCK_N + LANES - 1u) / LANES;  // a lane's share of a row of scores
const uint K_TILE = KV_SHARED == 1 ? BLOCK_N * HEAD_FOURS : 1;
const uint K_SHARE = KV_SHARED == 1 ? (K_TILE + WORKGROUP - 1u) / WORKGROUP : 1;
shared vec4 k_tile[K_TILE * STAGES];
shared float row_scores[ROWS * BLOCK_N];

vec4 sums[ROWS * OUT_FOURS];
float m[ROWS], l[ROWS];
uint batch_at, head_at, row0;

uint query(uint r) { return min(row0 + r, seq_q - 1u); }
uint key_start(uint key) { return k_start(batch_at, head_at, min(key, seq_kv - 1u)); }

void stage_k(uint key0, uint at) {
    for (uint e = gl_LocalInvocationIndex; e < K_TILE; e += WORKGROUP)
        k_tile[at + e] = row4_k(key_start(key0 + e / HEAD_FOURS), e % HEAD_FOURS, HEAD_DIM, true);
}

// Scores of the keys from key0 into row_scores, scaled, -inf where a query does not see the key.
void score_keys(uint key0, uint tile_at) {
    uint lane = thread_index() % LANES, first = thread_index() / LANES * KEYS;
    float dots[REDUCE_COUNT];
    [[unroll]] for (uint i = 0; i < REDUCE_COUNT; ++i)
        dots[i] = 0.0;
    for (uint step = 0; step < STEPS; ++step) {
        uint c = step * LANES + lane;
        vec4 q_now[ROWS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            q_now[r] = row4_q(q_start(batch_at, head_at, query(r)), c, HEAD_DIM, true);
        [[unroll]] for (uint n = 0; n < KEYS; ++n) {
            vec4 k_now;
            if (KV_SHARED == 1u)
                k_now = c < HEAD_FOURS ? k_tile[tile_at + (first + n) * HEAD_FOURS + c] : vec4(0.0);
            else
                k_now = row4_k(key_start(key0 + first + n), c, HEAD_DIM, true);
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                dots[r * KEYS + n] += dot(q_now[r], k_now);
        }
    }
    lanes_add(dots);
    if (lane == 0u)
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                row_scores[r * BLOCK_N + first + n] =
                    key0 + first + n < visible_keys(query(r)) ? dots[r * KEYS + n] * score_scale() : MINUS_INFINITY;
}

float group_max(float x) {
    [[unroll]] for (uint offset = 1; offset < LANES; offset *= 2u)
        x = max(x, subgroupShuffleXor(x, offset));
    return x;
}

float group_sum(float x) {
    [[unroll]] for (uint offset = 1; offset < LANES; offset *= 2u)
        x += subgroupShuffleXor(x, offset);
    return x;
}

// Every group of lanes does all rows, and gets the same bits; the first one leaves the probabilities behind.
void softmax_step() {
    uint lane = thread_index() % LANES;
    float p[ROWS * STEP_SCORES];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        float top = MINUS_INFINITY;
        [[unroll]] for (uint i = 0; i < STEP_SCORES; ++i) {
            uint key = lane + i * LANES;
            p[r * STEP_SCORES + i] = key < BLOCK_N ? row_scores[r * BLOCK_N + key] : MINUS_INFINITY;
            top = max(top, p[r * STEP_SCORES + i]);
        }
        float rescale = softmax_raise(m[r], group_max(top));
        float sum = 0.0;
        [[unroll]] for (uint i = 0; i < STEP_SCORES; ++i) {
            p[r * STEP_SCORES + i] = exp2(p[r * STEP_SCORES + i] - softmax_origin(m[r]));
            sum += p[r * STEP_SCORES + i];
        }
        l[r] = l[r] * rescale + group_sum(sum);
        [[unroll]] for (uint f = 0; f < OUT_FOURS; ++f)
            sums[r * OUT_FOURS + f] *= rescale;
    }
    barrier();
    if (thread_index() < LANES)
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint i = 0; i < STEP_SCORES; ++i)
                if (lane + i * LANES < BLOCK_N)
                    row_scores[r * BLOCK_N + lane + i * LANES] = p[r * STEP_SCORES + i];
    barrier();
}

void main() {
    batch_at = gl_WorkGroupID.z / heads_q;
    head_at = gl_WorkGroupID.z % heads_q;
    row0 = gl_WorkGroupID.x * ROWS;
    uint keys = visible_keys(query(ROWS - 1u));
    uint four0 = gl_WorkGroupID.y * OUT_FOURS * WORKGROUP + gl_LocalInvocationIndex;
    [[unroll]] for (uint i = 0; i < ROWS * OUT_FOURS; ++i)
        sums[i] = vec4(0.0);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        m[r] = MINUS_INFINITY;
        l[r] = 0.0;
    }
    if (KV_SHARED == 1u) {
        stage_k(0u, 0u);
        barrier();
    }
    for (uint key0 = 0; key0 < keys; key0 += BLOCK_N) {
        uint tile_at = key0 / BLOCK_N % STAGES * K_TILE;
        bool more = key0 + BLOCK_N < keys;
        if (STAGES == 2u && more)
            stage_k(key0 + BLOCK_N, K_TILE - tile_at);
        score_keys(key0, tile_at);
        barrier();
        softmax_step();
        if (KV_SHARED == 1u && STAGES == 1u && more)
            stage_k(key0 + BLOCK_N, 0u);
        for (uint n = 0; n < min(BLOCK_N, keys - key0); ++n) {
            uint at = v_start(batch_at, head_at, key0 + n);
            [[unroll]] for (uint f = 0; f < OUT_FOURS; ++f) {
                vec4 v_now = row4_v(at, four0 + f * WORKGROUP, V_DIM, true);
                [[unroll]] for (uint r = 0; r < ROWS; ++r)
                    sums[r * OUT_FOURS + f] = fma(vec4(row_scores[r * BLOCK_N + n]), v_now, sums[r * OUT_FOURS + f]);
            }
        }
        // The next step overwrites the probabilities, and reads the tile put meanwhile.
        barrier();
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        if (row0 + r < seq_q)
            [[unroll]] for (uint f = 0; f < OUT_FOURS; ++f)
                store4_o(o_start(batch_at, head_at, row0 + r), four0 + f * WORKGROUP, V_DIM,
                         sums[r * OUT_FOURS + f] * softmax_norm(l[r]));
}
