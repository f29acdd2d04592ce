// Row reductions for any subgroup size: a row belongs to an aligned group of LANES neighbouring threads (a power of
// two). Groups inside a subgroup exchange by shuffles; wider groups finish through shared memory. Declare before
// including:
//   WORKGROUP   invocations (a power of two)      LANES   threads a row       REDUCE_COUNT   values reduced at once
#ifndef ATTN_REDUCE_GLSL
#define ATTN_REDUCE_GLSL


#include "common/params.glsl"

// The index that subgroups are made of; gl_LocalInvocationIndex need not be.
uint thread_index() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }

// One slot a subgroup and value. The device may run any subgroup size from MIN_SUBGROUP_SIZE up.
const bool REDUCE_WIDE = LANES > MIN_SUBGROUP_SIZE;
const uint REDUCE_SLOTS = REDUCE_WIDE ? WORKGROUP / MIN_SUBGROUP_SIZE * REDUCE_COUNT : 1;
shared float reduce_slots[REDUCE_SLOTS];

#define REDUCE_LANES(name, combine)                                                                                    \
    void name(inout float v[REDUCE_COUNT]) {                                                                           \
        uint width = min(LANES, gl_SubgroupSize);                                                                      \
        for (uint offset = width / 2u; offset > 0u; offset /= 2u)                                                      \
            [[unroll]] for (uint i = 0; i < REDUCE_COUNT; ++i)                                                         \
                v[i] = combine(v[i], subgroupShuffleXor(v[i], offset));                                                \
        if (!REDUCE_WIDE || LANES <= gl_SubgroupSize)                                                                  \
            return;                                                                                                    \
        if (gl_SubgroupInvocationID == 0u)                                                                             \
            [[unroll]] for (uint i = 0; i < REDUCE_COUNT; ++i)                                                         \
                reduce_slots[gl_SubgroupID * REDUCE_COUNT + i] = v[i];                                                 \
        barrier();                                                                                                     \
        uint subgroups = LANES / gl_SubgroupSize;                                                                      \
        uint first = gl_SubgroupID / subgroups * subgroups;                                                            \
        [[unroll]] for (uint i = 0; i < REDUCE_COUNT; ++i) {                                                           \
            float total = reduce_slots[first * REDUCE_COUNT + i];                                                      \
            for (uint s = 1; s < subgroups; ++s)                                                                       \
                total = combine(total, reduce_slots[(first + s) * REDUCE_COUNT + i]);                                  \
            v[i] = total;                                                                                              \
        }                                                                                                              \
        barrier();                                                                                                     \
    }

float reduce_sum(float a, float b) { return a + b; }
REDUCE_LANES(lanes_max, max)
REDUCE_LANES(lanes_add, reduce_sum)

#endif
