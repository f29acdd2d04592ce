// The softmax of one group of LANES threads, which hold VALUES = KEYS x TILE_ROWS partial scores each (value i is row
// i % TILE_ROWS of key i / TILE_ROWS) and need the sums over the group. Adding all values in all threads would take
// log2(LANES) exchanges for each value, and every thread would then exponentiate all of them. Instead each exchange
// halves the number of values too: a thread keeps one half and gives the other, until it owns HELD values, whose
// softmax it alone computes. Owners hand the probabilities out again, one exchange for each value.
#ifndef ATTN_LANES_GLSL
#define ATTN_LANES_GLSL

#include "common/params.glsl"
#include "common/softmax.glsl"
#include "common/options.glsl"

// The index that subgroups are made of; gl_LocalInvocationIndex need not be.
uint thread_index() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }

const uint VALUES = KEYS * TILE_ROWS;
const uint LOG_UP_TO_8 = LANES >= 8u ? 3u : LANES >= 4u ? 2u : LANES >= 2u ? 1u : 0u;
const uint LOG_LANES = LANES >= 64u ? 6u : LANES >= 32u ? 5u : LANES >= 16u ? 4u : LOG_UP_TO_8;
const uint LOG_KEYS = KEYS >= 8u ? 3u : KEYS >= 4u ? 2u : KEYS >= 2u ? 1u : 0u;
const uint LOG_ROWS = TILE_ROWS % 8u == 0u ? 3u : TILE_ROWS % 4u == 0u ? 2u : TILE_ROWS % 2u == 0u ? 1u : 0u;
const uint HALVINGS = LOG_LANES < LOG_KEYS + LOG_ROWS ? LOG_LANES : LOG_KEYS + LOG_ROWS;
const uint KEY_HALVINGS = HALVINGS < LOG_KEYS ? HALVINGS : LOG_KEYS;  // these part the keys, the rest the rows
const uint HELD = VALUES >> HALVINGS;
const uint HELD_ROWS = HELD < TILE_ROWS ? HELD : TILE_ROWS;
const uint COPIES = LANES >> HALVINGS;  // neighbouring threads that own the same values

float scores[VALUES];            // sums or probabilities of the HELD values that this thread owns come first
float row_max[HELD_ROWS];        // of the rows among them
float row_sum[HELD_ROWS];        // over this thread's keys alone
uint row_visible[HELD_ROWS];     // keys that the row sees
#ifdef OPTION_WINDOW
uint row_first[HELD_ROWS];       // from this one on
#endif
#ifdef OPTION_MASK
uint row_mask[HELD_ROWS];        // where its row of the mask begins
float row_mask_factor[HELD_ROWS];
#endif
uint lane, first_lane;           // in the group; of the group in the subgroup

void lanes_begin() {
    lane = thread_index() % LANES;
    first_lane = gl_SubgroupInvocationID - lane;
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j) {
        row_max[j] = MINUS_INFINITY;
        row_sum[j] = 0.0;
    }
}

// Key and row of the first value that this thread owns.
uint held_key() { return lane / COPIES * HELD / TILE_ROWS; }
uint held_row() { return lane / COPIES * HELD % TILE_ROWS; }

// `x` of the first thread that owns value i, or row n.
float from_owner(float x, uint i) { return subgroupShuffle(x, first_lane + i / HELD * COPIES); }
float from_owner_of_row(float x, uint n) { return from_owner(x, n); }

void add_scores() {
    [[unroll]] for (uint step = 1; step <= HALVINGS; ++step) {
        uint offset = LANES >> step;
        uint count = VALUES >> step;
        bool upper = (lane & offset) != 0u;
        [[unroll]] for (uint i = 0; i < count; ++i) {
            float low = scores[i], high = scores[i + count];
            float given = subgroupShuffleXor(upper ? low : high, offset);
            scores[i] = (upper ? high : low) + given;
        }
    }
    [[unroll]] for (uint offset = COPIES / 2u; offset > 0u; offset /= 2u)
        [[unroll]] for (uint i = 0; i < HELD; ++i)
            scores[i] += subgroupShuffleXor(scores[i], offset);
}

// Owned scores become probabilities. `key`: of the first owned value; further ones are `stride` keys apart. True when a
// maximum moved: what was summed so far must be multiplied by `rescale`.
bool softmax_of_scores(uint key, uint stride, uint end, float factor, out float rescale[HELD_ROWS]) {
    float top[HELD_ROWS];
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j)
        top[j] = MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        bool seen = key + i / TILE_ROWS * stride < min(end, row_visible[i % HELD_ROWS]);
#ifdef OPTION_WINDOW
        seen = seen && key + i / TILE_ROWS * stride >= row_first[i % HELD_ROWS];
#endif
        float score = scores[i] * factor;
#ifdef OPTION_SOFTCAP
        score = softcapped(score);
#endif
#ifdef OPTION_MASK
        if (seen)
            score += mask_at(row_mask[i % HELD_ROWS] + KEY_AT(key + i / TILE_ROWS * stride)) *
                     row_mask_factor[i % HELD_ROWS];
#endif
        scores[i] = seen ? score : MINUS_INFINITY;
        top[i % HELD_ROWS] = max(top[i % HELD_ROWS], scores[i]);
    }
    [[unroll]] for (uint step = 1; step <= KEY_HALVINGS; ++step)
        [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j)
            top[j] = max(top[j], subgroupShuffleXor(top[j], LANES >> step));
    bool moved = false;
    [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j) {
        rescale[j] = softmax_raise(row_max[j], top[j]);
        moved = moved || rescale[j] != 1.0;
        row_sum[j] *= rescale[j];
    }
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        scores[i] = softmax_exp(scores[i] - softmax_origin(row_max[i % HELD_ROWS]));
        row_sum[i % HELD_ROWS] += scores[i];
    }
    return moved;
}

// Maximum and sum of every row, in every thread of the group.
void softmax_of_lanes(out float m[TILE_ROWS], out float l[TILE_ROWS]) {
    [[unroll]] for (uint step = 1; step <= KEY_HALVINGS; ++step)
        [[unroll]] for (uint j = 0; j < HELD_ROWS; ++j)
            row_sum[j] += subgroupShuffleXor(row_sum[j], LANES >> step);
    [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
        m[n] = from_owner_of_row(row_max[n % HELD_ROWS], n);
        l[n] = from_owner_of_row(row_sum[n % HELD_ROWS], n);
    }
}

#endif
