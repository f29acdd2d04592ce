// Part of main, where the splits of a tile are few: the last to arrive adds the others' sums to its own and goes
// on as a workgroup with a whole tile does, which saves a second pass. They are added in their order, so that two runs
// agree in every bit whoever was last. A lane leaves and takes up its share of the matrices as it lies: whole vectors,
// side by side. The count is left at 0 for the next run. (Under a causal mask a tile may have fewer parts than others.)
#define SPLIT_AT(s) (((tile - WHOLE_TILES) * SPLIT_COUNT + (s)) * TEAM + gl_SubgroupID % TEAM)
#define SUMS_AT(s, r, d, i)                                                                                            \
    ((((SPLIT_AT(s) * ROWS + r) * WIDTH + d) * (MAT_ELEMENTS / 4) + i) * SUBGROUP + gl_SubgroupInvocationID)
#define SOFTMAX_AT(s, r, c) (((SPLIT_AT(s) * ROWS + r) * CLASSES + c) * SUBGROUP + gl_SubgroupInvocationID)
if (team == 0)
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) partial_softmax[SOFTMAX_AT(split, r, c)] = vec2(m[r][c], l[r][c]);
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS / 4; ++i)
                partial_sums[SUMS_AT(split, r, d, i)] = FOUR_OF(o[r][d], 4 * i);
    }
memoryBarrierBuffer();
barrier();
if (thread == 0) {
    const bool all = atomicAdd(arrivals[tile - WHOLE_TILES], 1) + 1 == parts_here;
    if (all) arrivals[tile - WHOLE_TILES] = 0;
    all_here = all ? 1 : 0;
}
barrier();
memoryBarrierBuffer();
if (all_here == 0) return;
if (team == 0)
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        float weight[SPLIT_COUNT][CLASSES];
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
            vec2 part[SPLIT_COUNT];
            [[unroll]] for (uint s = 0; s < SPLIT_COUNT; ++s)
                part[s] = s < parts_here ? partial_softmax[SOFTMAX_AT(s, r, c)] : vec2(-1e30, 0.0);
            [[unroll]] for (uint s = 0; s < SPLIT_COUNT; ++s) m[r][c] = max(m[r][c], part[s].x);
            l[r][c] = 0.0;
            [[unroll]] for (uint s = 0; s < SPLIT_COUNT; ++s) {
                weight[s][c] = exp2(part[s].x - m[r][c]);
                l[r][c] += weight[s][c] * part[s].y;
            }
        }
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS / 4; ++i) {
                // Without its own, which is still here: before that one, the part of split s is others[s].
                vec4 others[SPLIT_COUNT];
                [[unroll]] for (uint s = 0; s + 1 < SPLIT_COUNT; ++s)
                    others[s] = partial_sums[SUMS_AT(min(s < split ? s : s + 1, parts_here - 1), r, d, i)];
                [[unroll]] for (uint j = 0; j < 4; ++j) {
                    float sum = 0.0;
                    [[unroll]] for (uint s = 0; s < SPLIT_COUNT; ++s) {
                        const float after = s > 0 ? others[s > 0 ? s - 1 : 0][j] : 0.0;
                        const float part = s == split ? o[r][d][4 * i + j] : s < split ? others[s][j] : after;
                        sum += weight[s][(4 * i + j) >> MAT_ROW_SHIFT] * part;
                    }
                    o[r][d][4 * i + j] = sum;
                }
            }
    }
