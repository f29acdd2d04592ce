// Online softmax in base 2 with a lazy maximum. A row's m is raised only when a score exceeds it by more than SLACK, so
// probabilities reach at most 2^SLACK, which costs f32 sums no precision, and the rescale of the output sums that each
// raise costs becomes rare. l is each thread's own share of the row's sum until the end.
#ifndef SIMT_SOFTMAX_GLSL
#define SIMT_SOFTMAX_GLSL

#include "common/softmax.glsl"
#include "common/options.glsl"

const float SLACK = 8.0;

float m[THREAD_M], l[THREAD_M];

// The row's value from its threads' values, by shuffles (ROW_IN_SUBGROUP): tx lies in the bits above the lowest.
#define SIMT_ROW_SHUFFLE(name, combine)                                                                                \
    float name(float x) {                                                                                              \
        [[unroll]] for (uint offset = 2; offset <= LANES; offset *= 2u)                                                \
            x = combine(x, subgroupShuffleXor(x, offset));                                                             \
        return x;                                                                                                      \
    }
float plus(float a, float b) { return a + b; }
SIMT_ROW_SHUFFLE(shuffle_max, max)
SIMT_ROW_SHUFFLE(shuffle_sum, plus)

// The same through shared memory at `at`, which must be idle: every thread of the workgroup comes here.
#define SIMT_ROW_MEET(name, combine)                                                                                   \
    void name(uint at, inout float x[THREAD_M]) {                                                                      \
        barrier();                                                                                                     \
        [[unroll]] for (uint r = 0; r < THREAD_M; ++r)                                                                 \
            pool[at + tx * (BLOCK_M / 4u) + tile_row(r) / 4u][r % 4u] = x[r];                                          \
        barrier();                                                                                                     \
        [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {                                                               \
            float all = pool[at + tile_row(r) / 4u][r % 4u];                                                           \
            for (uint lane = 1; lane < LANES; ++lane)                                                                  \
                all = combine(all, pool[at + lane * (BLOCK_M / 4u) + tile_row(r) / 4u][r % 4u]);                       \
            x[r] = all;                                                                                                \
        }                                                                                                              \
    }
SIMT_ROW_MEET(meet_max, max)
SIMT_ROW_MEET(meet_sum, plus)

// m becomes `raised`; everything summed so far follows.
void raise_row(uint r, float raised) {
    float factor = exp2(m[r] - softmax_origin(raised));
    m[r] = raised;
    l[r] *= factor;
    [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
        sums[r * OUT_VECTORS + c] *= factor;
}

// Scores, scaled, become probabilities; l takes them up.
void softmax_tile(uint pool_at, uint row0, uint key0, float factor, bool masked) {
    float top[THREAD_M];
    [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {
        uint visible = masked ? visible_keys(row0 + tile_row(r)) : 0u;
#ifdef OPTION_WINDOW
        uint before = masked ? first_visible_key(row0 + tile_row(r)) : 0u;
#endif
#ifdef OPTION_MASK
        uint row = mask_start(batch_at, min(row0 + tile_row(r), seq_q - 1u));
        float slope = mask_factor(head_at);
#endif
        top[r] = MINUS_INFINITY;
        [[unroll]] for (uint h = 0; h < COLUMN_FOURS; ++h) {
            vec4 s = scores[r * COLUMN_FOURS + h] * factor;
#ifdef OPTION_SOFTCAP
            [[unroll]] for (uint j = 0; j < 4u; ++j)
                s[j] = softcapped(s[j]);
#endif
#ifdef OPTION_MASK
            [[unroll]] for (uint j = 0; j < 4u; ++j)
                s[j] += mask_at(row + min(key0 + tile_column(h) + j, seq_kv - 1u)) * slope;
#endif
            if (masked) {
                [[unroll]] for (uint j = 0; j < 4u; ++j)
                    if (key0 + tile_column(h) + j >= visible)
                        s[j] = MINUS_INFINITY;
#ifdef OPTION_WINDOW
                [[unroll]] for (uint j = 0; j < 4u; ++j)
                    if (key0 + tile_column(h) + j < before)
                        s[j] = MINUS_INFINITY;
#endif
            }
            scores[r * COLUMN_FOURS + h] = s;
            top[r] = max(top[r], max(max(s.x, s.y), max(s.z, s.w)));
        }
    }
    if (ROW_IN_SUBGROUP) {
        bool grown = false;
        [[unroll]] for (uint r = 0; r < THREAD_M; ++r)
            grown = grown || top[r] > m[r] + SLACK;
        if (subgroupAny(grown)) {
            [[unroll]] for (uint r = 0; r < THREAD_M; ++r)
                raise_row(r, max(m[r], shuffle_max(top[r])));
        }
    } else {
        meet_max(pool_at, top);
        [[unroll]] for (uint r = 0; r < THREAD_M; ++r)
            if (top[r] > m[r] + SLACK)
                raise_row(r, top[r]);
    }
    [[unroll]] for (uint r = 0; r < THREAD_M; ++r) {
        float origin = softmax_origin(m[r]);
        vec4 sum = vec4(0.0);
        [[unroll]] for (uint h = 0; h < COLUMN_FOURS; ++h) {
            vec4 p = exp2(scores[r * COLUMN_FOURS + h] - origin);
            scores[r * COLUMN_FOURS + h] = p;
            sum += p;
        }
        l[r] += (sum.x + sum.y) + (sum.z + sum.w);
    }
}

#endif
