#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// The second pass of split-KV attention: one workgroup an output row brings the splits' sums to one maximum and adds
// them, always in the same order, so that two runs agree in every bit.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint REDUCE_THREADS = 128;
layout(constant_id = 1) const uint COLUMNS = 32;     // threads that share a split: a power of two, one vec4 each
layout(constant_id = 2) const uint SPLIT_COUNT = 2;

#define WORKGROUP REDUCE_THREADS
#define LANES REDUCE_THREADS
const uint REDUCE_COUNT = 1;
#define SOFTMAX_BASE_2
#include "common/bindings.glsl"
#include "common/reduce.glsl"
#include "common/softmax.glsl"
#include "common/options.glsl"
#include "common/split_partial.glsl"

OUTPUT(o, BINDING_O)
layout(set = 0, binding = 8, std430) readonly buffer PartialSums { vec4 partial_sums[]; };
layout(set = 0, binding = 9, std430) readonly buffer PartialSoftmax { vec2 partial_softmax[]; };

const uint SPLIT_LANES = REDUCE_THREADS / COLUMNS;  // splits read at once
const uint STEPS = (SPLIT_COUNT + SPLIT_LANES - 1u) / SPLIT_LANES;
const uint HELD = STEPS < 8u ? STEPS : 8u;          // of them fetched before the weights are known
const uint SHARE = (SPLIT_COUNT + REDUCE_THREADS - 1u) / REDUCE_THREADS;
shared float weights[SPLIT_COUNT];
shared vec4 columns[REDUCE_THREADS];

void main() {
    uint row = gl_WorkGroupID.y * heads_q * seq_q + gl_WorkGroupID.x;
    uint thread = thread_index();
    uint column = thread % COLUMNS;
    uint first = thread / COLUMNS;
    bool live = column < ROW_VECTORS;

    vec4 held[HELD];
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        uint split = first + i * SPLIT_LANES;
        held[i] = live && split < SPLIT_COUNT ? partial_sums[partial_at(row, split) * ROW_VECTORS + column] : vec4(0.0);
    }

    vec2 part[SHARE];
    float top[REDUCE_COUNT], total[REDUCE_COUNT];
    top[0] = MINUS_INFINITY;
    total[0] = 0.0;
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint split = thread + i * REDUCE_THREADS;
        part[i] = split < SPLIT_COUNT ? partial_softmax[partial_at(row, split)] : vec2(MINUS_INFINITY, 0.0);
        top[0] = max(top[0], part[i].x);
    }
    lanes_max(top);
    float origin = softmax_origin(top[0]);
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        uint split = thread + i * REDUCE_THREADS;
        float weight = softmax_exp(part[i].x - origin);
        total[0] += weight * part[i].y;
        if (split < SPLIT_COUNT)
            weights[split] = weight;
    }
    lanes_add(total);
#ifdef OPTION_SINKS
    total[0] += sink_weight(gl_WorkGroupID.x / seq_q, origin);
#endif
    barrier();

    vec4 sum = vec4(0.0);
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        uint split = first + i * SPLIT_LANES;
        if (split < SPLIT_COUNT)
            sum += weights[split] * held[i];
    }
    if (live)
        for (uint split = first + HELD * SPLIT_LANES; split < SPLIT_COUNT; split += SPLIT_LANES)
            sum += weights[split] * partial_sums[partial_at(row, split) * ROW_VECTORS + column];
    columns[thread] = sum;
    barrier();
    if (thread < ROW_VECTORS) {
        for (uint s = 1; s < SPLIT_LANES; ++s)
            sum += columns[s * COLUMNS + thread];
        store4_o(o_start(gl_WorkGroupID.y, gl_WorkGroupID.x / seq_q, gl_WorkGroupID.x % seq_q), thread, V_DIM,
                 sum * softmax_norm(total[0]));
    }
}
