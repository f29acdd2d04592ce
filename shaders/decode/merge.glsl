// The end of a split: the softmaxes of all threads become one, in a fixed order, and the sums go to O or to scratch.
#ifndef ATTN_MERGE_GLSL
#define ATTN_MERGE_GLSL

// A merge goes by units: one piece column of one row, V_PIECE floats for each of LANES threads.
const uint UNITS = TILE_ROWS * V_SHARE;
const uint UNIT_VECTORS = LANES * V_PARTS;
const uint MAX_SUBGROUPS = WORKGROUP / MIN_SUBGROUP_SIZE;
shared vec4 merge_sums[MAX_SUBGROUPS * MERGE_UNITS * UNIT_VECTORS];
shared vec2 merge_softmax[MAX_SUBGROUPS * TILE_ROWS];
shared float merge_norm[TILE_ROWS];

float m[TILE_ROWS], l[TILE_ROWS];

// The groups of LANES threads inside a subgroup become one: afterwards all of them hold the same.
void merge_in_subgroup() {
    for (uint offset = LANES; offset < gl_SubgroupSize; offset *= 2u)
        [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
            float factor = softmax_raise(m[n], subgroupShuffleXor(m[n], offset));
            l[n] *= factor;
            l[n] += subgroupShuffleXor(l[n], offset);
            [[unroll]] for (uint c = 0; c < V_VECTORS; ++c) {
                vec4 sum = sums[n * V_VECTORS + c] * factor;
                sums[n * V_VECTORS + c] = sum + subgroupShuffleXor(sum, offset);
            }
        }
}

// Brings every subgroup's sums to the workgroup's maxima, and m and l to the workgroup's.
void merge_softmax_of_subgroups() {
    if (gl_SubgroupInvocationID == 0u)
        [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n)
            merge_softmax[gl_SubgroupID * TILE_ROWS + n] = vec2(m[n], l[n]);
    barrier();
    [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
        float top = MINUS_INFINITY, total = 0.0;
        for (uint s = 0; s < gl_NumSubgroups; ++s)
            top = max(top, merge_softmax[s * TILE_ROWS + n].x);
        float origin = softmax_origin(top);
        for (uint s = 0; s < gl_NumSubgroups; ++s) {
            vec2 part = merge_softmax[s * TILE_ROWS + n];
            total += part.y * softmax_exp(part.x - origin);
        }
        float factor = softmax_exp(m[n] - origin);
        [[unroll]] for (uint c = 0; c < V_VECTORS; ++c)
            sums[n * V_VECTORS + c] *= factor;
        m[n] = top;
        l[n] = total;
    }
}

// Column c (in vec4) of row n of the tile, summed over the workgroup.
void store_column(uint n, uint c, vec4 sum) {
    if (row0 + n >= rows)
        return;
    if (SPLIT_COUNT == 1u)
        store4_o(o_start(batch_at, row_head(n), row_query(n)), c, V_DIM, sum * merge_norm[n]);
    else if (c < ROW_VECTORS)
        partial_sums[partial_at(output_row(n), split) * ROW_VECTORS + c] = sum;
}

void merge_and_store() {
    softmax_of_lanes(m, l);
    merge_in_subgroup();
    merge_softmax_of_subgroups();
    if (thread_index() == 0u)
        [[unroll]] for (uint n = 0; n < TILE_ROWS; ++n) {
#ifdef OPTION_SINKS
            merge_norm[n] = softmax_norm(l[n] + sink_weight(row_head(n), softmax_origin(m[n])));
#else
            merge_norm[n] = softmax_norm(l[n]);
#endif
            if (SPLIT_COUNT > 1u && row0 + n < rows)
                partial_softmax[partial_at(output_row(n), split)] = vec2(m[n], l[n]);
        }
    [[unroll]] for (uint first = 0; first < UNITS; first += MERGE_UNITS) {
        if (first > 0u)
            barrier();
        if (gl_SubgroupInvocationID < LANES)
            [[unroll]] for (uint i = 0; i < MERGE_UNITS; ++i)
                [[unroll]] for (uint e = 0; e < V_PARTS; ++e)
                    if (first + i < UNITS)
                        merge_sums[(gl_SubgroupID * MERGE_UNITS + i) * UNIT_VECTORS + lane * V_PARTS + e] =
                            sums[(first + i) * V_PARTS + e];
        barrier();
        for (uint t = thread_index(); t < MERGE_UNITS * UNIT_VECTORS; t += WORKGROUP) {
            uint unit = first + t / UNIT_VECTORS;
            if (unit >= UNITS)
                break;
            vec4 sum = merge_sums[t];
            for (uint s = 1; s < gl_NumSubgroups; ++s)
                sum += merge_sums[s * MERGE_UNITS * UNIT_VECTORS + t];
            store_column(unit / V_SHARE, unit % V_SHARE * UNIT_VECTORS + t % UNIT_VECTORS, sum);
        }
    }
}

#endif
