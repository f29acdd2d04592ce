// The end of a split where no second pass follows. Each workgroup of the same query rows counts itself in when its sums
// are written; who finds all others there adds the splits, in their order, so that two runs agree in every bit whoever
// was last (as stream-K's fix-up does: Osama et al. 2023). The count is left at 0 for the next run.
//
// Before: SPLIT_COUNT, WORKGROUP, TILE_ROWS, row0, rows, batch_at, thread_index(), row_head(n), row_query(n),
// output_row(n), store4_o(), softmax.glsl, options.glsl, split_partial.glsl; LAST_LOADS, if not 4; LAST_ROWS, the rows
// of a workgroup at most, if not TILE_ROWS.
#ifndef ATTN_SPLIT_LAST_GLSL
#define ATTN_SPLIT_LAST_GLSL

layout(set = 0, binding = 10, std430) coherent buffer Arrivals { uint arrivals[]; };

#ifndef LAST_ROWS
#define LAST_ROWS TILE_ROWS
#endif
const uint LAST_UNITS = LAST_ROWS * ROW_VECTORS;  // vectors of four dims of a row
const uint LAST_AT_ONCE = LAST_UNITS < WORKGROUP ? LAST_UNITS : WORKGROUP;
const uint LAST_TURNS = WORKGROUP / LAST_AT_ONCE;  // threads that share the splits of a vector
#ifndef LAST_LOADS
#define LAST_LOADS 4
#endif
const uint LAST_HELD = LAST_LOADS;                 // loads that a thread has under way
shared uint last_here;
shared vec4 last_sums[WORKGROUP];
shared vec2 last_softmax[WORKGROUP];

/// True in all threads of the workgroup that is the last of SPLIT_COUNT at `slot`.
bool last_to_arrive(uint slot) {
    memoryBarrierBuffer();
    barrier();
    if (thread_index() == 0u) {
        const bool all = atomicAdd(arrivals[slot], 1u) + 1u == SPLIT_COUNT;
        if (all) arrivals[slot] = 0u;
        last_here = all ? 1u : 0u;
    }
    barrier();
    memoryBarrierBuffer();
    return last_here != 0u;
}

void add_splits() {
    const uint turn = thread_index() / LAST_AT_ONCE;
    for (uint first = 0; first < LAST_UNITS; first += LAST_AT_ONCE) {
        const uint unit = first + thread_index() % LAST_AT_ONCE;
        const uint n = unit / ROW_VECTORS, column = unit % ROW_VECTORS;
        const bool live = turn < LAST_TURNS && unit < LAST_UNITS && row0 + n < rows;
        float top = MINUS_INFINITY, total = 0.0;
        vec4 sum = vec4(0.0);
        if (live)
            for (uint split0 = turn; split0 < SPLIT_COUNT; split0 += LAST_HELD * LAST_TURNS) {
                vec2 softmax[LAST_HELD];
                vec4 part[LAST_HELD];
                [[unroll]] for (uint i = 0; i < LAST_HELD; ++i) {
                    const uint at = partial_at(output_row(n), min(split0 + i * LAST_TURNS, SPLIT_COUNT - 1u));
                    softmax[i] = partial_softmax[at];
                    part[i] = partial_sums[at * ROW_VECTORS + column];
                }
                [[unroll]] for (uint i = 0; i < LAST_HELD; ++i)
                    if (split0 + i * LAST_TURNS < SPLIT_COUNT) {
                        const float factor = softmax_raise(top, softmax[i].x);
                        const float weight = softmax_exp(softmax[i].x - softmax_origin(top));
                        total = total * factor + weight * softmax[i].y;
                        sum = sum * factor + weight * part[i];
                    }
            }
        if (LAST_TURNS > 1) {
            if (first > 0u) barrier();
            last_sums[thread_index()] = sum;
            last_softmax[thread_index()] = vec2(top, total);
            barrier();
            if (turn == 0u)
                for (uint t = 1; t < LAST_TURNS; ++t) {
                    const uint from = t * LAST_AT_ONCE + thread_index();
                    const vec2 other = last_softmax[from];
                    const float factor = softmax_raise(top, other.x);
                    const float weight = softmax_exp(other.x - softmax_origin(top));
                    total = total * factor + weight * other.y;
                    sum = sum * factor + weight * last_sums[from];
                }
        }
#ifdef OPTION_SINKS
        total += sink_weight(row_head(n), softmax_origin(top));
#endif
        if (live && turn == 0u)
            store4_o(o_start(batch_at, row_head(n), row_query(n)), column, V_DIM, sum * softmax_norm(total));
    }
}

#endif
