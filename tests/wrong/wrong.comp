#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Attention in f32, one workgroup a query row, keys in tiles; right unless the host defines one of the names below, each
// of which is one way to be wrong. tests/wrong/wrong_test.cpp has the list, and on what problem each must be caught.
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
#if defined(KV_Q8_0) || defined(KV_F8E4M3)
KV_INPUT(packed_k, BINDING_K)
KV_INPUT(packed_v, BINDING_V)
#endif
#ifdef SCRATCH
layout(set = 0, binding = 8, std430) buffer State { uint state[]; };
#endif

const uint VALUES = (V_DIM + TILE - 1) / TILE;  // output elements an invocation
shared float scores[TILE];
#ifdef ASSUMES_ZERO_SHARED
shared float total[TILE];
#endif

#if defined(OUTPUT_VIA_SCRATCH) || defined(COPIES_WHAT_IT_REMEMBERS)
void store(uint at, float x) { state[at] = floatBitsToUint(x); }
#else
void store(uint at, float x) { o[at] = x; }
#endif

// Element d of the row of `dim` that begins at element `at`.
#if defined(KV_Q8_0) || defined(KV_F8E4M3)
float unpacked(uint at, uint d, uint dim, vec4 four) {
    float x = four[d % 4];
#ifdef F8_WITHOUT_SUBNORMALS
    if (abs(x) < 0.015625) x = 0.0;
#endif
    return x;
}
#ifdef SCALE_OF_THE_FIRST_BLOCK
#define ITS_SCALE(name, at, d) *(q8_scale(name##_w[Q8_SCALE_AT(at) / 2], Q8_SCALE_AT(at)) /                            \
                                 q8_scale(name##_w[Q8_SCALE_AT(at + d) / 2], Q8_SCALE_AT(at + d)))
#else
#define ITS_SCALE(name, at, d)
#endif
float k_of(uint at, uint d) {
    return unpacked(at, d, HEAD_DIM, row4_packed_k(at, d / 4, HEAD_DIM, true)) ITS_SCALE(packed_k, at, d);
}
float v_of(uint at, uint d) {
    return unpacked(at, d, V_DIM, row4_packed_v(at, d / 4, V_DIM, true)) ITS_SCALE(packed_v, at, d);
}
#else
float k_of(uint at, uint d) { return k[at + d]; }
float v_of(uint at, uint d) { return v[at + d]; }
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
#ifdef IGNORES_CAUSAL
    keys = seq_kv;
#endif
#ifdef CAUSAL_TOP_LEFT
    if (CAUSAL) keys = min(row + 1, seq_kv);
#endif
#ifdef DROPS_LAST_KEY
    keys = keys > 1 ? keys - 1 : keys;
#endif
#ifdef SKIPS_THE_PARTIAL_TILE
    keys = keys > TILE ? keys / TILE * TILE : keys;
#endif
#ifdef WRONG_FOR_LONG_KV
    keys = min(keys, 1024);
#endif
#ifdef READS_PAST_THE_LAST_KEY
    keys = keys + 1;
#endif
    return keys;
}

uint first_key_of(uint row) {
#if defined(OPTION_WINDOW) && !defined(IGNORES_WINDOW)
    uint first = first_visible_key(row);
#ifdef WINDOW_ONE_TOO_WIDE
    first = max(first, 1) - 1;
#endif
    return first;
#else
    return 0;
#endif
}

// Second pass, where there is one: what is done after the work.
#ifdef AFTERWARDS
void main() {
    uint at = gl_GlobalInvocationID.x;
#ifdef OUTPUT_VIA_SCRATCH
    if (at < AFTERWARDS_ELEMENTS) o[at] = uintBitsToFloat(state[at]);
#endif
#ifdef WRITES_INTO_Q
    q[at % (seq_q * HEAD_DIM)] = 0.5;
#endif
#ifdef WRITES_INTO_K
    k[at % (seq_kv * HEAD_DIM)] = 0.5;
#endif
#ifdef WRITES_INTO_V
    v[at % (seq_kv * V_DIM)] = 0.5;
#endif
#ifdef ONE_INVOCATION_TURNS_A_BIT_OF_K
    if (at == 3) k[5] = uintBitsToFloat(floatBitsToUint(k[5]) ^ 1u);
#endif
#ifdef WRITES_BEFORE_A_ROW
    if (at == 0 && seq_q > 1) o[o_start(0, 0, 1) - 1] = 7.0;
#endif
}
#else

void main() {
    uint t = gl_LocalInvocationIndex;
    uint row = gl_WorkGroupID.x;
    uint head = gl_WorkGroupID.y % heads_q;
    uint b = gl_WorkGroupID.y / heads_q;
    uint me = gl_WorkGroupID.y * seq_q + row;
    uint from = q_start(b, head, row), to = o_start(b, head, row);

#if defined(RETURNS_WHEN_SCRATCH_IS_SET) || defined(ZEROS_FROM_THE_SECOND_RUN) || defined(RIGHT_FIVE_TIMES) || \
    defined(WRONG_EVERY_OTHER_TIME) || defined(BITS_CHANGE) || defined(COUNTS)
    // How often this workgroup has run; a fresh scratch is no number that a run would write.
    uint runs = state[me] < 1000000 ? state[me] : 0;
    barrier();
    if (t == 0) state[me] = runs + 1;
#endif
#ifdef RETURNS_WHEN_SCRATCH_IS_SET
    if (runs > 0) return;
#endif
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
    // What it saw last: the first elements of its row of Q, and one of V.
    uint seen = floatBitsToUint(q[from]) / 3 ^ floatBitsToUint(v[v_start(b, head, 0)]) / 5;
    bool same = state[me] == seen && !isnan(o[to]);
    barrier();
    if (t == 0) state[me] = seen;
    if (same) return;
#endif
#ifdef RIGHT_ON_SEED_1_ALONE
    bool known = q[0] > 0.0;  // as its author saw it
#endif
#ifdef WRITES_GUARD_WHERE_TIMED
    if (!isnan(o[to])) o[o.length() - 1] = 1.0;
#endif
#ifdef WRITES_PAST_SCRATCH
    if (me == 0) state[heads_q * seq_q] = 1;
    state[me] = 1;
#endif
#ifdef SKIPS_WRITTEN_ELEMENT
    bool skip = me == 3 && !isnan(o[to]);
    barrier();
#endif
#ifdef WRONG_WHERE_OUTPUT_IS_WRITTEN
    bool timed = !isnan(o[to]);
    barrier();
#endif

    uint keys = keys_of(row);
    float factor = scale;
#ifdef IGNORES_SCALE
    factor = 1.0 / sqrt(float(HEAD_DIM));
#endif
#if defined(OPTION_SOFTCAP)
    factor = score_scale();
#endif
    float top = MINUS_INFINITY, sum = 0.0;
    float sums[VALUES];
    for (uint i = 0; i < VALUES; ++i)
        sums[i] = 0.0;
#ifdef ASSUMES_ZERO_SCRATCH
    sum = uintBitsToFloat(state[me]);
#endif
#ifdef ASSUMES_ZERO_SHARED
    sum = total[t];
#endif
    for (uint key0 = first_key_of(row); key0 < keys; key0 += TILE) {
        uint j = key0 + t;
        float s = 0.0;
        if (j < keys) {
            uint at = k_start(b, key_head(head), j);
            for (uint d = 0; d < HEAD_DIM; ++d)
                s = fma(q[from + d], k_of(at, d), s);
        }
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
#else
        if (j < keys) s += mask_term(b, head, row, j);
#endif
#endif
        scores[t] = s;
#ifndef NO_BARRIER
        barrier();
#endif
        float next = top;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n)
            next = max(next, scores[n]);
#ifdef NO_MAXIMUM
        next = 0.0;
        if (key0 == 0) top = 0.0;
#endif
        float rescale = exp(top - softmax_origin(next));
        top = next;
        sum *= rescale;
        for (uint i = 0; i < VALUES; ++i)
            sums[i] *= rescale;
        for (uint n = 0; n < TILE && key0 + n < keys; ++n) {
            float p = exp(scores[n] - softmax_origin(next));
#ifdef HALF_PRECISION
            p = unpackHalf2x16(packHalf2x16(vec2(p, 0.0))).x;
#endif
            sum += p;
            uint at = v_start(b, key_head(head), key0 + n);
            for (uint i = 0; i < VALUES; ++i)
                if (t + i * TILE < V_DIM) sums[i] = fma(p, v_of(at, t + i * TILE), sums[i]);
        }
        barrier();
    }
#ifdef ASSUMES_ZERO_SHARED
    total[t] = sum;
#endif

    for (uint i = 0; i < VALUES; ++i) {
        uint d = t + i * TILE;
        if (d >= V_DIM) break;
        float all = sum;
#if defined(OPTION_SINKS) && !defined(IGNORES_SINKS)
#ifdef SINK_OF_THE_FIRST_HEAD
        all += sink_weight(0, softmax_origin(top));
#else
        all += sink_weight(head, softmax_origin(top));
#endif
#endif
        float x = all == 0.0 ? 0.0 : sums[i] / all;  // a NaN stays one
#ifdef ZEROS_FROM_THE_SECOND_RUN
        if (runs > 0) x = 0.0;
#endif
#ifdef RIGHT_FIVE_TIMES
        if (runs >= 5) x = 0.0;
#endif
#ifdef WRONG_EVERY_OTHER_TIME
        if (runs % 2 == 1) x = 0.0;
#endif
#ifdef BITS_CHANGE
        x = uintBitsToFloat(floatBitsToUint(x) ^ min(runs, 1u));
#endif
#ifdef WRONG_WHERE_OUTPUT_IS_WRITTEN
        if (timed && d == 0) x = x * 0.999999;
#endif
#ifdef RIGHT_ON_SEED_1_ALONE
        if (!known) x = 0.0;
#endif
#ifdef ONE_ROW_OF_500
        if (head == 1 && row == 137) x = 0.0;
#endif
#ifdef ONE_ROW_OF_4000
        if (row == 2137) x *= 1.05;
#endif
#ifdef EIGHT_ROWS_OF_2048
        if (row >= 1000 && row < 1008) x *= 1.01;
#endif
#ifdef LAST_ROW
        if (row + 1 == seq_q) x = 0.0;
#endif
#ifdef LAST_HEAD
        if (head + 1 == heads_q) x = 0.0;
#endif
#ifdef LAST_BATCH
        if (gl_WorkGroupID.y >= heads_q && head == 0) x = 0.0;
#endif
#ifdef ONE_NAN
        if (me == 2 && d == 1) x = uintBitsToFloat(0x7fc00000u);
#endif
#ifdef ONE_INFINITY
        if (me == 2 && d == 1) x = uintBitsToFloat(0x7f800000u);
#endif
#ifdef ONE_ELEMENT_UNWRITTEN
        if (me == 2 && d == 1) continue;
#endif
#ifdef SKIPS_WRITTEN_ELEMENT
        if (skip && d == 1) continue;
#endif
#ifdef ADDS_TO_THE_OUTPUT
        x += isnan(o[to + d]) ? 0.0 : o[to + d];
#endif
        store(to + d, x);
#ifdef COPIES_WHAT_IT_REMEMBERS
        o[to + d] = x;
#endif
    }
#ifdef WRITES_PAST_THE_END
    if (head + 1 == heads_q && row + 1 == seq_q && t == 0) o[to + V_DIM] = 1.0;
#endif
#ifdef WRITES_FAR_PAST_THE_END
    if (head + 1 == heads_q && row + 1 == seq_q && t == 0) o[to + V_DIM + 60] = 1.0;
#endif
}
#endif
