// The second pass of split-KV attention: the splits of one output row are brought to one maximum and added, always in
// the same order, so that two runs agree in every bit. A workgroup takes COLUMNS vectors of four dims of the row; its
// threads take the splits by turns. Long rows may be several workgroups', since few rows on many splits are all there
// is to decode.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint MERGE_THREADS = 128;
layout(constant_id = 1) const uint COLUMNS = 32;     // a power of two
layout(constant_id = 2) const uint SPLIT_COUNT = 2;

#define WORKGROUP MERGE_THREADS
#define LANES MERGE_THREADS
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

const uint TURNS = MERGE_THREADS / COLUMNS;  // splits read at once
const uint STEPS = (SPLIT_COUNT + TURNS - 1u) / TURNS;
const uint HELD = STEPS < 8u ? STEPS : 8u;   // of them fetched before the weights are known
const uint SHARE = (SPLIT_COUNT + MERGE_THREADS - 1u) / MERGE_THREADS;
shared float weights[SPLIT_COUNT];
shared vec4 columns[MERGE_THREADS];

void main() {
    const uint chunks = (ROW_VECTORS + COLUMNS - 1u) / COLUMNS;
    const uint in_batch = gl_WorkGroupID.x / chunks;  // head * seq_q + query
    const uint row = gl_WorkGroupID.y * heads_q * seq_q + in_batch;
    const uint thread = thread_index();
    const uint column = gl_WorkGroupID.x % chunks * COLUMNS + thread % COLUMNS;
    const uint first = thread / COLUMNS;
    const bool live = column < ROW_VECTORS;

    vec4 held[HELD];
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        const uint split = first + i * TURNS;
        held[i] = live && split < SPLIT_COUNT ? partial_sums[partial_at(row, split) * ROW_VECTORS + column] : vec4(0.0);
    }

    vec2 softmax[SHARE];
    float top[REDUCE_COUNT], total[REDUCE_COUNT];
    top[0] = MINUS_INFINITY;
    total[0] = 0.0;
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        const uint split = thread + i * MERGE_THREADS;
        softmax[i] = split < SPLIT_COUNT ? partial_softmax[partial_at(row, split)] : vec2(MINUS_INFINITY, 0.0);
        top[0] = max(top[0], softmax[i].x);
    }
    lanes_max(top);
    const float origin = softmax_origin(top[0]);
    [[unroll]] for (uint i = 0; i < SHARE; ++i) {
        const uint split = thread + i * MERGE_THREADS;
        const float weight = softmax_exp(softmax[i].x - origin);
        total[0] += weight * softmax[i].y;
        if (split < SPLIT_COUNT) weights[split] = weight;
    }
    lanes_add(total);
#ifdef OPTION_SINKS
    total[0] += sink_weight(in_batch / seq_q, origin);
#endif
    barrier();

    vec4 sum = vec4(0.0);
    [[unroll]] for (uint i = 0; i < HELD; ++i) {
        const uint split = first + i * TURNS;
        if (split < SPLIT_COUNT) sum += weights[split] * held[i];
    }
    if (live)
        for (uint split = first + HELD * TURNS; split < SPLIT_COUNT; split += TURNS)
            sum += weights[split] * partial_sums[partial_at(row, split) * ROW_VECTORS + column];
    columns[thread] = sum;
    barrier();
    if (thread < COLUMNS && live) {
        for (uint t = 1; t < TURNS; ++t) sum += columns[t * COLUMNS + thread];
        store4_o(o_start(gl_WorkGroupID.y, in_batch / seq_q, in_batch % seq_q), column, V_DIM,
                 sum * softmax_norm(total[0]));
    }
}
