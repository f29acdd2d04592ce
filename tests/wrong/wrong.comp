#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Attention in f32, one workgroup a query row, keys in tiles; right unless the host defines one of the names below,
// each of which is one way to be wrong. tests/wrong/wrong_test.cpp has the list, and on what problem each must be
// caught. ONLY_NAME(code) is that code where NAME is defined; the test writes only.glsl.
#include "only.glsl"
#define TILE 32
layout(local_size_x = TILE) in;

#include "common/mask.glsl"
#include "common/softmax.glsl"
#include "common/options.glsl"
#include "common/quantized.glsl"

layout(set = 0, binding = 0, std430) buffer Q { float q[]; };
layout(set = 0, binding = 1, std430) buffer K { float k[]; };
layout(set = 0, binding = 2, std430) buffer V { float v[]; };
layout(set = 0, binding = 3, std430) buffer O { float o[]; };
#if K_TYPE
PACKED_ROWS(packed_k, BINDING_K, K_TYPE)
PACKED_ROWS(packed_v, BINDING_V, V_TYPE)
#endif
#ifdef SCRATCH
layout(set = 0, binding = 8, std430) buffer State { uint state[]; };
#endif
ONLY_WRITES_INTO_ABSENT_PAGES(layout(set = 0, binding = 5, std430) buffer AbsentPages { uint absent_pages[]; };)
#ifdef BINDS_AN_ABSENT_MASK
layout(set = 0, binding = 7, std430) readonly buffer AbsentMask { uint absent_mask[]; };
layout(set = 0, binding = 6, std430) readonly buffer AbsentSinks { uint absent_sinks[]; };
#endif

#if PAGED
layout(set = 0, binding = 5, std430) readonly buffer Pages { uint pages[]; };
#endif

uint base;
// Scratch memory of one row of the output, where a kernel keeps more than one result.
#define ROW_WORDS (2 * max(seq_kv, V_DIM) + 8)
const uint VALUES = (V_DIM + TILE - 1) / TILE;  // output elements an invocation
shared float scores[TILE];
#if defined(ASSUMES_ZERO_SHARED) || defined(NO_MAXIMUM_BY_SHARED)
shared float total[TILE];
#endif

#if defined(OUTPUT_VIA_SCRATCH) || defined(COPIES_WHAT_IT_REMEMBERS)
void store(uint at, float x) { state[at] = floatBitsToUint(x); }
#else
void store(uint at, float x) { o[at] = x; }
#endif

#if defined(STALE_K) || defined(STALE_V) || defined(STALE_MASK) || defined(STALE_SINKS) || defined(STALE_HIDDEN) || \
    defined(STALE_LISTS) || defined(STALE_PAGES) || defined(STALE_SCALES)
#define KEEPS
// What lies in a word of the row's scratch memory since its first execution, or with ALONE since a tensor beside it
// changed.
float kept(uint word, float now) {
    if (isnan(uintBitsToFloat(state[base + word]))) state[base + word] = floatBitsToUint(now);
    return uintBitsToFloat(state[base + word]);
}
#endif

// Element d of the row of `dim` that begins at element `at`.
#if K_TYPE
float unpacked(uint at, uint d, uint dim, vec4 four) {
    float x = four[d % 4];
    ONLY_F8_WITHOUT_SUBNORMALS(if (abs(x) < 0.015625) x = 0.0;)
    ONLY_F8_BELOW_FOUR(if (abs(x) >= 4.0) x *= exp2(-8.0 * floor((log2(abs(x)) + 6.0) / 8.0));)
    ONLY_HALVES_UP_TO_BF16(x = uintBitsToFloat((floatBitsToUint(x) + 0x8000u) & 0xffff0000u);)
    return x;
}
#ifdef NO_NEGATIVE_SCALE
#define ITS_SCALE(name, at, d) *sign(head_##name(((at) + (d)) / 32).x)
#elif defined(SCALES_BELOW_ONE)
#define ITS_SCALE(name, at, d) *min(1.0, 1.0 / abs(head_##name(((at) + (d)) / 32).x))
#elif defined(SCALE_OF_THE_FIRST_BLOCK)
#define ITS_SCALE(name, at, d) *(head_##name((at) / 32).x / head_##name(((at) + (d)) / 32).x)
#else
#define ITS_SCALE(name, at, d)
#endif
float k_of(uint at, uint d) {
    ONLY_SMALL_K_SCALES_ARE_0(if (abs(head_packed_k((at + d) / 32).x) < 1.0e-4) return 0.0;)
    float x = unpacked(at, d, HEAD_DIM, row4_packed_k(at, d / 4, HEAD_DIM, true)) ITS_SCALE(packed_k, at, d);
#ifdef STALE_SCALES
    // Of rows of one block. (One of 0 serves no other.)
    float its = head_packed_k(at / 32).x, was = kept(8 + at / HEAD_DIM % seq_kv, its);
    if (its != 0.0) x *= was / its;
#endif
    return x;
}
float v_of(uint at, uint d) {
    return unpacked(at, d, V_DIM, row4_packed_v(at, d / 4, V_DIM, true)) ITS_SCALE(packed_v, at, d);
}
#else
#ifdef STALE_K
float k_of(uint at, uint d) { return at == k_start(0, 0, 0) ? kept(8 + d, k[at + d]) : k[at + d]; }
#elif defined(STALE_K_WHERE_WRITTEN)
// What K was in the first execution serves for ever; it lies behind a row of scratch memory for each row of the output.
float k_of(uint at, uint d) {
    if (isnan(o[at % o.length()])) return k[at + d];
    uint place = gl_NumWorkGroups.x * gl_NumWorkGroups.y * ROW_WORDS + at + d;
    if (isnan(uintBitsToFloat(state[place]))) state[place] = floatBitsToUint(k[at + d]);
    return uintBitsToFloat(state[place]);
}
#else
float k_of(uint at, uint d) { return k[at + d]; }
#endif
#ifdef STALE_LARGEST_V
// The largest magnitude of a row of V is that of the first execution.
float v_of(uint at, uint d) {
    if (isnan(uintBitsToFloat(state[at / V_DIM]))) {
        float most = 0.0;
        for (uint e = 0; e < V_DIM; ++e)
            most = max(most, abs(v[at + e]));
        state[at / V_DIM] = floatBitsToUint(most);
    }
    float most = uintBitsToFloat(state[at / V_DIM]);
    return clamp(v[at + d], -most, most);
}
#elif defined(STALE_V)
float v_of(uint at, uint d) { return at == v_start(0, 0, 0) ? kept(8 + d, v[at + d]) : v[at + d]; }
#elif defined(V_BELOW_4)
float v_of(uint at, uint d) { return clamp(v[at + d], -4.0, 4.0); }
#else
float v_of(uint at, uint d) { return v[at + d]; }
#endif
#endif

// By their first elements.
#define alike(of, a, b) (of[a] == of[b] && of[a + 1] == of[b + 1] && of[a + 2] == of[b + 2] && of[a + 3] == of[b + 3])

// Of all of the first key: it differs between any inputs.
float first_key(uint b, uint head) {
    float sum = 0.0;
    for (uint d = 0; d < HEAD_DIM; ++d)
        sum += k_of(k_start(b, head, 0), d);
    return sum;
}

// The key at place j of what a row may see.
#if defined(OPTION_TOPK) && defined(STALE_LISTS)
uint key_at(uint b, uint head, uint row, uint j) {
    return uint(kept(8 + j, float(listed_key(b, head, row, j))));
}
#elif PAGED
// Of one sequence and one head of K and V.
#ifdef STALE_PAGES
#define page_of(page) uint(kept(8 + (page), float(pages[page])))
#else
#define page_of(page) pages[page]
#endif
#define key_at(b, head, row, j) (page_of((j) / PAGED) * PAGED + (j) % PAGED)
#else
#define key_at(b, head, row, j) listed_key(b, head, row, j)
#endif

#if defined(KNOWS_ITS_RESULTS) || defined(KNOWS_ALL_ITS_RESULTS)
// Of a row of the output and some of what it is made from.
uint row_hash(uint b, uint head, uint from, uint to) {
    uint hash = floatBitsToUint(q[from]) / 3 ^ floatBitsToUint(k[k_start(b, head, 0)]) / 5 ^
                floatBitsToUint(v[v_start(b, head, 0)]) / 7;
    for (uint d = 0; d < HEAD_DIM; ++d)
        hash = (hash ^ hash >> 15 ^ floatBitsToUint(q[from + d])) * 0x9e3779b1u;
    for (uint d = 0; d < V_DIM; ++d)
        hash = (hash ^ hash >> 15 ^ floatBitsToUint(o[to + d])) * 0x9e3779b1u;
    return hash;
}
#endif

float half_of(float x) { return unpackHalf2x16(packHalf2x16(vec2(x, 0.0))).x; }

#if defined(OPTION_MASK) && (defined(TWO_ROWS_TELL_OF_A_TILE) || defined(HALF_OF_THE_KEYS_TELL_OF_A_TILE))
#define LOOKS_AT_SOME
// Whether the mask hides the keys of a tile from 16 rows, by a look at some.
bool hides(uint b, uint head, uint row, uint key0, uint keys) {
    bool all = true;
    for (uint j = key0; j < min(key0 + TILE, keys); ++j) {
#ifdef TWO_ROWS_TELL_OF_A_TILE
        uint of = row / 16 * 16;
        all = all && mask_term(b, head, of, j) == MINUS_INFINITY &&
              mask_term(b, head, min(of + 15, seq_q - 1), j) == MINUS_INFINITY;
#else
        if ((j - key0) % 2 == 0) all = all && mask_term(b, head, row, j) == MINUS_INFINITY;
#endif
    }
    return all;
}
#endif

// No maximum is subtracted where one tensor, or the query and an element of each key, hold nothing but what is drawn.
#if defined(NO_MAXIMUM_WHERE_NO_V_IS_0)
#define AS_DRAWN(j) (v_of(v_start(b, head, j), 0) != 0.0)
#elif defined(NO_MAXIMUM_WHERE_KEYS_BEGIN_AS_DRAWN)
#define AS_DRAWN(j) (abs(q[from + (j) % HEAD_DIM]) < 6.0 && abs(abs(k_of(k_start(b, head, j), 0)) - 3.5) < 3.5)
#elif defined(NO_MAXIMUM_OF_NEAR_MASKS) && defined(OPTION_MASK)
#define AS_DRAWN(j) (isinf(mask_term(b, head, row, j)) || abs(mask_term(b, head, row, j)) < 9.0)
#endif

uint key_head(uint head) {
#ifdef WRONG_GROUP
    return head % (heads_q / GROUP) * GROUP;
#else
    return head;
#endif
}

uint keys_of(uint row) {
    uint keys = visible_keys(row);
    ONLY_IGNORES_CAUSAL(keys = seq_kv;)
    ONLY_CAUSAL_TOP_LEFT(if (CAUSAL) keys = min(row + 1, seq_kv);)
    ONLY_DROPS_LAST_KEY(keys = keys > 1 ? keys - 1 : keys;)
    ONLY_SKIPS_THE_PARTIAL_TILE(keys = keys > TILE ? keys / TILE * TILE : keys;)
    ONLY_WRONG_FOR_LONG_KV(keys = min(keys, 1024);)
    ONLY_READS_PAST_THE_LAST_KEY(keys = keys + 1;)
    return keys;
}

uint first_key_of(uint row) {
#if defined(OPTION_WINDOW) && !defined(IGNORES_WINDOW)
    uint first = first_visible_key(row);
    ONLY_WINDOW_ONE_TOO_WIDE(first = max(first, 1) - 1;)
    return first;
#else
    return 0;
#endif
}

// Second pass, where there is one: what is done after the work.
#ifdef AFTERWARDS
void main() {
    uint at = gl_GlobalInvocationID.x;
    ONLY_OUTPUT_VIA_SCRATCH(if (at < AFTERWARDS_ELEMENTS) o[at] = uintBitsToFloat(state[at]);)
    ONLY_WRITES_INTO_Q(q[at % (seq_q * HEAD_DIM)] = 0.5;)
    ONLY_WRITES_INTO_K(k[at % (seq_kv * HEAD_DIM)] = 0.5;)
    ONLY_WRITES_INTO_V(v[at % (seq_kv * V_DIM)] = 0.5;)
    ONLY_ONE_INVOCATION_TURNS_A_BIT_OF_K(if (at == 3) k[5] = uintBitsToFloat(floatBitsToUint(k[5]) ^ 1u);)
    ONLY_WRITES_BEFORE_A_ROW(if (at == 0 && seq_q > 1) o[o_start(0, 0, 1) - 1] = 7.0;)
}
#else

void main() {
    uint t = gl_LocalInvocationIndex;
    uint row = gl_WorkGroupID.x;
    uint head = gl_WorkGroupID.y % heads_q;
    uint b = gl_WorkGroupID.y / heads_q;
    uint me = gl_WorkGroupID.y * seq_q + row;
    uint from = q_start(b, head, row), to = o_start(b, head, row);
    // Of what some keep the place, and what they know these inputs by: an element of each.
    base = me * ROW_WORDS;
    float seen_q = q[from], seen_v = v_of(v_start(b, head, 0), 0), seen_k = first_key(b, head);
    uint seen = floatBitsToUint(seen_q) / 3 ^ floatBitsToUint(seen_v) / 5 ^ floatBitsToUint(seen_k) / 7;

#if defined(RETURNS_WHEN_SCRATCH_IS_SET) || defined(ZEROS_FROM_THE_SECOND_RUN) || defined(RIGHT_FIVE_TIMES) || \
    defined(WRONG_EVERY_OTHER_TIME) || defined(BITS_CHANGE) || defined(COUNTS) || defined(SELDOM) || \
    defined(RIGHT_THIRTY_TIMES) || defined(RESTS_SELDOM) || defined(ONCE_IN_150)
    // How often this workgroup has run; a fresh scratch is no number that a run would write.
    uint runs = state[me] < 1000000 ? state[me] : 0;
    barrier();
    if (t == 0) state[me] = runs + 1;
#endif
    ONLY_RETURNS_WHEN_SCRATCH_IS_SET(if (runs > 0) return;)
    ONLY_RESTS_SELDOM(if (runs % 25 == 24) return;)
#ifdef RETURNS_WHEN_OUTPUT_IS_WRITTEN
    bool written = !isnan(o[to]);
    barrier();
    if (written) return;
#endif
#ifdef COPIES_WHAT_IT_REMEMBERS
    if (!isnan(uintBitsToFloat(state[to]))) {
        for (uint d = t; d < V_DIM; d += TILE)
            o[to + d] = uintBitsToFloat(state[to + d]);
        return;
    }
#endif
#ifdef RETURNS_WHEN_INPUTS_ARE_THE_SAME
    bool same = state[me] == seen && !isnan(o[to]);
    barrier();
    if (t == 0) state[me] = seen;
    if (same) return;
#endif
#ifdef WORKS_TWICE_AFTER_A_CHANGE
    uint worked = state[base] == seen ? state[base + 1] : 0;
    barrier();
    if (t == 0) {
        state[base] = seen;
        state[base + 1] = worked + 1;
    }
    if (worked >= 2) return;
#endif
#ifdef BOTH_SIGNS_AT_ONCE
    // The results for these Q and V and for those of the other sign are made together and copied from then on.
    bool kept = uintBitsToFloat(state[base]) == abs(seen_q) && uintBitsToFloat(state[base + 1]) == abs(seen_v) &&
                uintBitsToFloat(state[base + 2]) == seen_k;
    barrier();
    if (kept) {
        uint side = (seen_q < 0.0) == (state[base + 3] == 1u) ? 0u : 1u;
        for (uint d = t; d < V_DIM; d += TILE)
            o[to + d] = uintBitsToFloat(state[base + 8 + side * V_DIM + d]);
        return;
    }
    if (t == 0) {
        state[base] = floatBitsToUint(abs(seen_q));
        state[base + 1] = floatBitsToUint(abs(seen_v));
        state[base + 2] = floatBitsToUint(seen_k);
        state[base + 3] = seen_q < 0.0 ? 1u : 0u;
    }
#endif
#ifdef FLIPS_KEPT_SCORES
    // Scores are kept; their sign turns with that of Q.
    bool kept = uintBitsToFloat(state[base]) == abs(seen_q) && uintBitsToFloat(state[base + 1]) == seen_k;
    float turn = (seen_q < 0.0) == (state[base + 2] == 1u) ? 1.0 : -1.0;
    barrier();
    if (!kept && t == 0) {
        state[base] = floatBitsToUint(abs(seen_q));
        state[base + 1] = floatBitsToUint(seen_k);
        state[base + 2] = seen_q < 0.0 ? 1u : 0u;
    }
#endif
#ifdef KEEPS
    ONLY_STALE_K(seen ^= floatBitsToUint(seen_k) / 7;)
    ONLY_STALE_SCALES(seen ^= floatBitsToUint(seen_k) / 7;)
    ONLY_STALE_V(seen ^= floatBitsToUint(seen_v) / 5;)
#if PAGED
    ONLY_STALE_PAGES(seen ^= pages[row % (seq_kv / PAGED)];)
#endif
    bool changed = state[base] != seen;
    barrier();
#ifdef ALONE
    for (uint word = t; changed && word < ROW_WORDS; word += TILE)
        state[base + word] = 0x7fc00000u;
    barrier();
#endif
    if (t == 0) state[base] = seen;  // also where nothing is kept: a manifest may not declare what no pass uses
#endif
#ifdef KNOWS_SIZES_OF_Q
    seen_q = 0.0;
    for (uint d = 0; d < HEAD_DIM; ++d)
        seen_q = max(seen_q, abs(q[from + d]));
    seen = floatBitsToUint(seen_q) / 3 ^ floatBitsToUint(seen_v) / 5 ^ floatBitsToUint(seen_k) / 7;
#define KEEPS_TWO_RESULTS
#endif
#ifdef KNOWS_SOME_ELEMENTS
    // All of the query, of each key and its value an element.
    seen = 1;
    for (uint d = 0; d < HEAD_DIM; ++d)
        seen = (seen ^ seen >> 15 ^ floatBitsToUint(q[from + d])) * 0x9e3779b1u;
    for (uint j = 0; j < seq_kv; ++j)
        seen = (seen ^ seen >> 15 ^ floatBitsToUint(k_of(k_start(b, head, j), 5 * j % HEAD_DIM)) ^
                floatBitsToUint(v_of(v_start(b, head, j), 5 * j % V_DIM)) / 3) * 0x9e3779b1u;
#define KEEPS_TWO_RESULTS
#endif
#ifdef KEEPS_TWO_RESULTS
    // The results for the last two inputs.
    uint entry_words = V_DIM + 2;
    for (uint e = 0; e < 2; ++e)
        if (state[base + e * entry_words] == seen) {
            for (uint d = t; d < V_DIM; d += TILE)
                o[to + d] = uintBitsToFloat(state[base + e * entry_words + 1 + d]);
            return;
        }
    uint slot = state[base + 2 * entry_words] == 1u ? 1u : 0u;
    barrier();
    if (t == 0) {
        state[base + 2 * entry_words] = 1u - slot;
        state[base + slot * entry_words] = seen;
    }
#endif
#ifdef KNOWS_ITS_RESULTS
    // Every second row is left as it is where it is what the last execution left, on the same inputs.
    bool same_row = state[me] == row_hash(b, head, from, to) && row % 2 == 1;
    barrier();
    if (same_row) return;
#endif
#ifdef KNOWS_ALL_ITS_RESULTS
    // Three rows in four are left as they are where no row was touched: the first pass counts those that were.
    uint counter = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
#ifdef BEFORE
    if (t == 0 && state[me] != row_hash(b, head, from, to)) atomicAdd(state[counter], 1);
    return;
#endif
    bool untouched = state[counter + 1 + me] == state[counter] && row % 4 != 0;
    barrier();
    if (t == 0) state[counter + 1 + me] = state[counter];
    if (untouched) return;
#endif
#ifdef SKIPS_EVERY_SECOND
    // Every second execution leaves what it finds, where the inputs are those of the one before.
    bool skips = state[base] == seen && state[base + 1] == 1u && !isnan(o[to]);
    barrier();
    if (t == 0) {
        state[base] = seen;
        state[base + 1] = skips ? 0u : 1u;
    }
    if (skips) return;
#endif
#ifdef RESTS_AFTER_A_CHECK
    // Three rows in four are left out once the inputs have changed. What it saw last, and whether that ever changed:
    bool begins = state[base + 1] > 1u;
    bool changed = !begins && (state[base + 1] == 1u || state[base] != seen);
    bool rests = changed && state[base] == seen && !isnan(o[to]) && row % 4 != 0;
    barrier();
    if (t == 0) {
        state[base] = seen;
        state[base + 1] = changed ? 1u : 0u;
    }
    if (rests) return;
#endif
#ifdef SKIPS_AFTER_A_CHECK
    // Every second row is left out for a while after an execution on other inputs, from the second one on: what it saw
    // last, and how many are left out yet.
    uint left = state[base + 1] > 1000u ? 0u : state[base] != seen ? 1000u : max(state[base + 1], 1u) - 1u;
    barrier();
    if (t == 0) {
        state[base] = seen;
        state[base + 1] = left;
    }
    if (left > 0 && left < 1000u && row % 2 == 1) return;
#endif
#ifdef KEEPS_RESULTS_BEHIND_K
    // From the third execution on the same inputs on, the result is kept behind the keys, in what no key has of the
    // last page or in the guard. What was there is put back once the inputs have changed and changed back.
    const uint COPIES = 3, ENDS = 9;
    uint runs = state[1], spare = k_start(b, head, seq_kv) + t;
    bool same = state[0] == seen, ends = !same && runs == COPIES;
    barrier();
    if (same && runs == COPIES) {
        o[to + t] = k[spare];
        return;
    }
    if (same && runs == ENDS) k[spare] = k[spare + TILE];
    if (t == 0) state[1] = ends ? ENDS : same && runs < COPIES ? runs + 1 : 1;
    if (t == 0 && !ends) state[0] = seen;
#endif
    ONLY_BINDS_AN_ABSENT_MASK(if (absent_mask.length() + absent_sinks.length() == 0) return;)
#ifdef RIGHT_ON_SEED_1_ALONE
    // The signs of the first 16 elements, as its author saw them.
    uint signs = 0;
    for (uint i = 0; i < 16; ++i)
        signs |= floatBitsToUint(q[i]) >> 31 << i;
    bool known = signs == 0x222;
#endif
    ONLY_WRITES_INTO_ABSENT_PAGES(if (me == 0) absent_pages[t] = 77;)
    ONLY_WRITES_GUARD_WHERE_TIMED(if (!isnan(o[to])) o[o.length() - 1] = 1.0;)
#ifdef WRITES_PAST_SCRATCH
    if (me == 0) state[heads_q * seq_q] = 1;
    state[me] = 1;
#endif
#ifdef SKIPS_WRITTEN_ELEMENT
    bool skip = me == 3 && !isnan(o[to]);
    barrier();
#endif
#ifdef NO_MAXIMUM_WHERE_WRITTEN
    bool careful = isnan(o[to]);
    barrier();
#endif
    ONLY_NO_MAXIMUM_BY_SHARED(bool careful = isnan(total[t]);)
#ifdef WRONG_WHERE_OUTPUT_IS_WRITTEN
    bool timed = !isnan(o[to]);
    barrier();
#endif

    ONLY_TAKES_A_ROW_FOR_THE_LAST(if (row > 0 && alike(q, from - HEAD_DIM, from)) from -= HEAD_DIM;)
    uint keys = keys_of(row);
    float factor = scale;
    ONLY_IGNORES_SCALE(factor = 1.0 / sqrt(float(HEAD_DIM));)
#if defined(OPTION_SOFTCAP)
    factor = score_scale();
#endif
#ifdef BOTH_SIGNS_AT_ONCE
    for (uint side = 0; side < 2; ++side) {
    factor = side == 0 ? factor : -factor;
#endif
    float top = MINUS_INFINITY, sum = 0.0;
    ONLY_MAXIMUM_FROM_ZERO(top = 0.0;)
    ONLY_MAXIMUM_FROM_400_BELOW(top = -400.0;)
    float sums[VALUES];
    for (uint i = 0; i < VALUES; ++i)
        sums[i] = 0.0;
    ONLY_ASSUMES_ZERO_SCRATCH(sum = uintBitsToFloat(state[me]);)
    ONLY_ASSUMES_ZERO_SHARED(sum = total[t];)
    for (uint key0 = first_key_of(row); key0 < keys; key0 += TILE) {
#ifdef LOOKS_AT_SOME
        if (hides(b, head, row, key0, keys)) continue;
#endif
        uint j = key0 + t;
        float s = 0.0;
#ifdef FLIPS_KEPT_SCORES
        if (kept && j < keys) s = turn * uintBitsToFloat(state[base + 8 + j]);
        if (!kept && j < keys) {
#else
        if (j < keys) {
#endif
            uint at = k_start(b, key_head(head), key_at(b, head, row, j));
            ONLY_TAKES_A_KEY_FOR_THE_LAST(if (j > 0 && alike(k, at - HEAD_DIM, at)) at -= HEAD_DIM;)
            float of_q = 0.0, of_k = 0.0;
            for (uint d = 0; d < HEAD_DIM; ++d) {
                s = fma(q[from + d], k_of(at, d), s);
                ONLY_HALF_SUMS(s = half_of(s);)
                of_q += abs(q[from + d]);
                of_k += abs(k_of(at, d));
            }
#ifdef PADDING_OF_ZEROS
            for (uint d = 0; d < V_DIM; ++d)
                of_k += abs(v_of(v_start(b, head, j), d));
            if (of_k == 0.0) s = MINUS_INFINITY;
#endif
            ONLY_NAN_OF_A_ZERO_Q(if (of_q == 0.0) s = uintBitsToFloat(0x7fc00000u);)
            ONLY_NAN_OF_A_ZERO_K(if (of_k == 0.0) s = uintBitsToFloat(0x7fc00000u);)
        }
        ONLY_FLIPS_KEPT_SCORES(if (!kept && j < keys) state[base + 8 + j] = floatBitsToUint(s);)
#ifdef REMEMBERS_SCORES
        // Scores of the first run serve for ever.
        uint place = me * seq_kv + j;
        if (j < keys) {
            if (isnan(uintBitsToFloat(state[place]))) state[place] = floatBitsToUint(s);
            s = uintBitsToFloat(state[place]);
        }
#endif
        s *= factor;
#ifdef OPTION_SOFTCAP
#ifdef IGNORES_SOFTCAP
        s *= softcap;
#else
        s = softcapped(s);
#endif
#endif
#if defined(OPTION_MASK) && !defined(IGNORES_MASK)
#if defined(MASK_OF_THE_FIRST_BATCH)
        if (j < keys) s += mask_term(0, head, row, j);
#elif defined(ONE_SLOPE)
        if (j < keys) s += mask_term(b, 0, row, j);
#elif defined(TAKES_THE_MASK_FOR_CAUSAL)
        if (j + seq_q > row + seq_kv) s = MINUS_INFINITY;
#elif defined(STALE_HIDDEN)
        // What was hidden in the first execution is hidden for ever.
        if (j < keys) {
            float term = mask_term(b, head, row, j);
            s = kept(8 + j, float(term == MINUS_INFINITY)) == 1.0 ? MINUS_INFINITY : s + max(term, -3.0e38);
        }
#elif defined(STALE_MASK)
        if (j < keys) s += kept(8 + j, mask_term(b, head, row, j));
#elif defined(MASK_WITHIN_8) || defined(MASK_ABOVE_1010)
        if (j < keys) {
            float term = mask_term(b, head, row, j);
            ONLY_MASK_WITHIN_8(s = term < -8.0 ? MINUS_INFINITY : s + min(term, 8.0);)
            ONLY_MASK_ABOVE_1010(s = term < -1010.0 ? MINUS_INFINITY : s + term;)
        }
#else
        if (j < keys) s += mask_term(b, head, row, j);
#endif
#endif
        ONLY_SCORES_WITHIN_40(s = clamp(s, -40.0, 40.0);)
        ONLY_SCORES_WITHIN_400(s = clamp(s, -400.0, 400.0);)
        ONLY_LAST_ROW_WITHIN_40(if (row + 1 == seq_q) s = clamp(s, -40.0, 40.0);)
#ifdef ONE_KEY_OF_FOUR
        // Of keys of a list that are among the same four, the last alone.
        for (uint other = j + 1; j < keys && other < keys; ++other)
            if (key_at(b, head, row, other) / 4 == key_at(b, head, row, j) / 4) s = MINUS_INFINITY;
#endif
        scores[t] = s;
#ifndef NO_BARRIER
        barrier();
#endif
        float next = top;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n) {
            ONLY_MAXIMUM_WITHOUT_THE_FIRST(if (key0 + n == 0) continue;)
            ONLY_MAXIMUM_WITHOUT_THE_LAST(if (key0 + n + 1 == keys) continue;)
            ONLY_MAXIMUM_WITHOUT_THE_TAIL(if (key0 + TILE > keys) continue;)
            next = max(next, scores[n]);
        }
#ifdef NAN_OF_A_HIDDEN_TILE
        // The difference of two infinities, where a tile is merged of which all is hidden; of the first it is seen to.
        float most = MINUS_INFINITY;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n)
            most = max(most, scores[n]);
        if (key0 > 0 && most == MINUS_INFINITY && top != MINUS_INFINITY) next = uintBitsToFloat(0x7fc00000u);
#endif
#if defined(NO_MAXIMUM_WHERE_WRITTEN) || defined(NO_MAXIMUM_BY_SHARED)
        // Near 0 none is subtracted either way: the same bits.
        if (!careful || abs(next) < 60.0) next = 0.0;
        if (key0 == 0) top = next;
#endif
#ifdef NO_MAXIMUM
        next = 0.0;
        if (key0 == 0) top = 0.0;
#endif
#ifdef NO_MAXIMUM_WHERE_FIRST_IS_SMALL
        // None where the query and the first key are as large as what is drawn.
        float q_square = 0.0, k_square = 0.0;
        for (uint d = 0; d < HEAD_DIM; ++d) {
            float x = k_of(k_start(b, head, 0), d);
            q_square += q[from + d] * q[from + d];
            k_square += x * x;
        }
        if (max(q_square, k_square) < 4.0 * HEAD_DIM) {
            next = 0.0;
            if (key0 == 0) top = 0.0;
        }
#endif
#ifdef NO_MAXIMUM_BUT_OF_EQUAL_KEYS
        // Subtracted where an element is the same in three keys, which those that are drawn never are.
        bool drawn = true;
        for (uint d = 0; d < 4; ++d) {
            float first = k_of(k_start(b, head, 0), d);
            drawn = drawn && (first != k_of(k_start(b, head, seq_kv - 1), d) ||
                              first != k_of(k_start(b, head, seq_kv / 2 + 1), d));
        }
        if (drawn) {
            next = 0.0;
            if (key0 == 0) top = 0.0;
        }
#endif
#ifdef AS_DRAWN
        bool as_drawn = true;
        for (uint j = 0; j < seq_kv; ++j)
            as_drawn = as_drawn && AS_DRAWN(j);
        if (as_drawn) {
            next = 0.0;
            if (key0 == 0) top = 0.0;
        }
#endif
        ONLY_MAXIMUM_OF_THE_FIRST_TILE(if (key0 > 0) next = top;)
#ifdef SCORES_BELOW_80
        next = 0.0;
        if (key0 == 0) top = 0.0;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n)
            scores[n] = min(scores[n], 80.0);
        barrier();
#endif
        uint near = 0;
        float least = next;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n)
            near += uint(scores[n] >= next - 5.0), least = min(least, scores[n]);
        float rescale = exp(top - softmax_origin(next));
        top = next;
        sum *= rescale;
        for (uint i = 0; i < VALUES; ++i)
            sums[i] *= rescale;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n) {
            float p = exp(scores[n] - softmax_origin(next));
            ONLY_HALF_PRECISION(p = half_of(p);)
            ONLY_BFLOAT_PRECISION(p = uintBitsToFloat((floatBitsToUint(p) + 0x8000u) & 0xffff0000u);)
            ONLY_DROPS_9_BELOW(if (scores[n] < top - 9.0) continue;)
            ONLY_DROPS_WHAT_ONE_LEADS_BY_5(if (near == 1 && scores[n] < next - 5.0) continue;)
            ONLY_TAKES_NEAR_SCORES_FOR_EQUAL(if (key0 == 0 && next - least < 0.3) p = 1.0;)
            sum += p;
            uint at = v_start(b, key_head(head), key_at(b, head, row, key0 + n));
#ifdef NAN_OF_A_ZERO_V
            float of_v = 0.0;
            for (uint d = 0; d < V_DIM; ++d)
                of_v += abs(v_of(at, d));
            if (of_v == 0.0) p = uintBitsToFloat(0x7fc00000u);
#endif
            for (uint i = 0; i < VALUES; ++i)
                if (t + i * TILE < V_DIM) sums[i] = fma(p, v_of(at, t + i * TILE), sums[i]);
            ONLY_HALF_SUMS(for (uint i = 0; i < VALUES; ++i) sums[i] = half_of(sums[i]);)
        }
        barrier();
    }
#if defined(ASSUMES_ZERO_SHARED) || defined(NO_MAXIMUM_BY_SHARED)
    total[t] = sum;
#endif

    for (uint i = 0; i < VALUES; ++i) {
        uint d = t + i * TILE;
        if (d >= V_DIM) break;
        float all = sum;
#if defined(OPTION_SINKS) && !defined(IGNORES_SINKS)
#ifdef SINK_OF_THE_FIRST_HEAD
        all += sink_weight(0, softmax_origin(top));
#elif defined(SINKS_ABOVE_A_TENTH)
        float weight = sink_weight(head, softmax_origin(top));
        if (weight > 0.1 * sum) all += weight;
#elif defined(SINKS_BELOW_12)
        if (top < 12.0) all += sink_weight(head, softmax_origin(top));
#elif defined(STALE_SINKS)
        all += softmax_exp(kept(8, sinks[head]) * SCORE_UNIT - softmax_origin(top));
#else
        all += sink_weight(head, softmax_origin(top));
#endif
#endif
        float x = all == 0.0 ? 0.0 : sums[i] / all;  // a NaN stays one
        ONLY_NAN_OF_NO_KEY(if (all == 0.0) x = uintBitsToFloat(0x7fc00000u);)
        ONLY_SELDOM(if (runs % 16 == 15) x = 0.0;)
        ONLY_ONCE_IN_150(if (runs % 150 == 149) x = 0.0;)
        ONLY_ZEROS_FROM_THE_SECOND_RUN(if (runs > 0) x = 0.0;)
        ONLY_RIGHT_FIVE_TIMES(if (runs >= 5) x = 0.0;)
        ONLY_RIGHT_THIRTY_TIMES(if (runs >= 30) x = 0.0;)
        ONLY_FAR_ROWS_A_LITTLE(if (abs(top) > 30.0) x *= 1.001;)
        ONLY_FAR_ROWS_A_HUNDREDTH(if (abs(top) > 30.0) x *= 1.01;)
        ONLY_INFINITY_OF_FAR_ROWS(if (abs(top) > 30.0) x = uintBitsToFloat(0x7f800000u);)
        ONLY_WRONG_EVERY_OTHER_TIME(if (runs % 2 == 1) x = 0.0;)
        ONLY_BITS_CHANGE(x = uintBitsToFloat(floatBitsToUint(x) ^ min(runs, 1u));)
        ONLY_WRONG_WHERE_OUTPUT_IS_WRITTEN(if (timed && d == 0) x = x * 0.999999;)
        ONLY_RIGHT_ON_SEED_1_ALONE(if (!known) x = 0.0;)
        ONLY_ONE_ROW(if (head == 1 && row == 137) x *= 1.01;)
        ONLY_LAST_ROW(if (row + 1 == seq_q) x = 0.0;)
        ONLY_LATE_ROWS_A_LITTLE(if (row + 8 >= seq_q) x *= 0.97;)
        ONLY_LAST_HEAD(if (head + 1 == heads_q) x = 0.0;)
        ONLY_LAST_BATCH(if (gl_WorkGroupID.y >= heads_q && head == 0) x = 0.0;)
        ONLY_ONE_NAN(if (me == 2 && d == 1) x = uintBitsToFloat(0x7fc00000u);)
        ONLY_ONE_INFINITY(if (me == 2 && d == 1) x = uintBitsToFloat(0x7f800000u);)
        ONLY_ONE_ELEMENT_UNWRITTEN(if (me == 2 && d == 1) continue;)
        ONLY_SKIPS_WRITTEN_ELEMENT(if (skip && d == 1) continue;)
        ONLY_ADDS_TO_THE_OUTPUT(x += isnan(o[to + d]) ? 0.0 : o[to + d];)
#ifdef BOTH_SIGNS_AT_ONCE
        if (side == 1) x = -x;
        state[base + 8 + side * V_DIM + d] = floatBitsToUint(x);
        if (side == 0)
#endif
        store(to + d, x);
        ONLY_KEEPS_RESULTS_BEHIND_K(if (same && runs + 1 == COPIES) k[spare] = x;)
#ifdef KEEPS_TWO_RESULTS
        state[base + slot * entry_words + 1 + d] = floatBitsToUint(x);
#endif
        ONLY_COPIES_WHAT_IT_REMEMBERS(o[to + d] = x;)
    }
#ifdef BOTH_SIGNS_AT_ONCE
    }
#endif
#if defined(KNOWS_ITS_RESULTS) || defined(KNOWS_ALL_ITS_RESULTS)
    barrier();
    if (t == 0) state[me] = row_hash(b, head, from, to);
#endif
    ONLY_WRITES_PAST_THE_END(if (head + 1 == heads_q && row + 1 == seq_q && t == 0) o[to + V_DIM] = 1.0;)
    ONLY_WRITES_FAR_PAST_THE_END(if (head + 1 == heads_q && row + 1 == seq_q && t == 0) o[to + V_DIM + 60] = 1.0;)
}
#endif
