// What leaves the accumulators: through an area of shared memory that is the subgroup's own, so that no other subgroup
// waits. A lane sees there what no rule says about its registers: whole rows.
//   EXCHANGE_ROWS(x, rows_max())      each element of x becomes its row's maximum; rows_norm(): 1 / its row's sum
//   LOAD_CELLS(x)                     each element of x becomes its own place, row * MAT_N + column
//   GIVE_P(x, at, n), TAKE_P(p, at)   accumulators x of the keys n * MAT_N ... become the A matrices p[P_STEP / MAT_K]
#ifndef ATTN_EXCHANGE_GLSL
#define ATTN_EXCHANGE_GLSL

#include "stage.glsl"

// Odd strides in vectors of 16 bytes, so that eight rows fall into different banks. P takes turns between two PLACES:
// one is read while the next is written.
const uint LP = (P_STEP / 8) | 1u;
#if HALF_TILES
const uint LT = (MAT_N / 4) | 1u, PLACES = 2;
const uint P_AT = 0, P_AREA = MAT_M * LP;
#else
const uint LT = (P_STEP / 4) | 1u, PLACES = 1;
const uint P_AT = MAT_M * LT, P_AREA = MAT_M * (LT + LP);
#endif
// Other tiles of floats and P are never there at once.
const uint AREA = PLACES * P_AREA > MAT_M * LT ? PLACES * P_AREA : MAT_M * LT;
shared uvec4 scratch[SUBGROUPS * AREA];

uint area;
// Between lanes that write the area and lanes that read it. Of shared memory alone: subgroupBarrier() would wait for
// loads from global memory too.
#if LOCKSTEP
// Mesa's llvmpipe (26.2) makes a barrier of the workgroup of it, which subgroups reach as often as they like. The lanes
// of its subgroups run in step.
#define FENCE subgroupMemoryBarrierShared();
#else
#define FENCE controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
#endif
void exchange_begin() { area = gl_SubgroupID * AREA; }

void rows_max() {
    [[unroll]] for (uint i = 0; i < (MAT_M + SUBGROUP - 1) / SUBGROUP; ++i) {
        const uint row = i * SUBGROUP + gl_SubgroupInvocationID;
        if (MAT_M % SUBGROUP != 0 && row >= MAT_M) break;
        vec4 x = vec4(MINUS_INFINITY);
        [[unroll]] for (uint c = 0; c < MAT_N / 4; ++c) x = max(x, uintBitsToFloat(scratch[area + row * LT + c]));
        const uint top = floatBitsToUint(max(max(x.x, x.y), max(x.z, x.w)));
        [[unroll]] for (uint c = 0; c < MAT_N / 4; ++c) scratch[area + row * LT + c] = uvec4(top);
    }
}
void rows_norm() {
    [[unroll]] for (uint i = 0; i < (MAT_M + SUBGROUP - 1) / SUBGROUP; ++i) {
        const uint row = i * SUBGROUP + gl_SubgroupInvocationID;
        if (MAT_M % SUBGROUP != 0 && row >= MAT_M) break;
        vec4 x = vec4(0.0);
        [[unroll]] for (uint c = 0; c < MAT_N / 4; ++c) x += uintBitsToFloat(scratch[area + row * LT + c]);
        const uint norm = floatBitsToUint(softmax_norm((x.x + x.y) + (x.z + x.w)));
        [[unroll]] for (uint c = 0; c < MAT_N / 4; ++c) scratch[area + row * LT + c] = uvec4(norm);
    }
}
#define EXCHANGE_ROWS(x, reduce)                                                                                       \
    {                                                                                                                  \
        FENCE                                                                                                          \
        coopMatStore(x, scratch, area, LT, BY_ROW);                                                                    \
        FENCE                                                                                                          \
        reduce;                                                                                                        \
        FENCE                                                                                                          \
        coopMatLoad(x, scratch, area, LT, BY_ROW);                                                                     \
        FENCE                                                                                                          \
    }

void write_cells() {
    for (uint e = gl_SubgroupInvocationID; e < MAT_M * (MAT_N / 4); e += SUBGROUP)
        scratch[area + e / (MAT_N / 4) * LT + e % (MAT_N / 4)] = floatBitsToUint(4 * e + vec4(0.0, 1.0, 2.0, 3.0));
}
#define LOAD_CELLS(x)                                                                                                  \
    {                                                                                                                  \
        FENCE                                                                                                          \
        write_cells();                                                                                                 \
        FENCE                                                                                                          \
        coopMatLoad(x, scratch, area, LT, BY_ROW);                                                                     \
        FENCE                                                                                                          \
    }

#if HALF_TILES
#define GIVE_P(x, at, n) coopMatStore(MATRIX_H(x), scratch, (at) + (n) * MAT_N / 8, LP, BY_ROW);
#define REPACK(at)
#else
// Without f16 accumulators the floats leave, and lanes make operands of them, eight at a time.
void repack(uint at) {
    for (uint e = gl_SubgroupInvocationID; e < MAT_M * (P_STEP / 8); e += SUBGROUP) {
        const uint row = e / (P_STEP / 8), c = e % (P_STEP / 8), from = at + row * LT + 2 * c;
        const vec4 x = uintBitsToFloat(scratch[from]), y = uintBitsToFloat(scratch[from + 1]);
        scratch[at + P_AT + row * LP + c] =
            uvec4(pack_operands(x.x, x.y), pack_operands(x.z, x.w), pack_operands(y.x, y.y), pack_operands(y.z, y.w));
    }
}
#define GIVE_P(x, at, n) coopMatStore(x, scratch, (at) + (n) * MAT_N / 4, LT, BY_ROW);
#define REPACK(at)                                                                                                     \
    repack(at);                                                                                                        \
    FENCE
#endif
#define TAKE_P(p, at)                                                                                                  \
    FENCE                                                                                                              \
    REPACK(at)                                                                                                         \
    [[unroll]] for (uint k = 0; k < P_STEP / MAT_K; ++k)                                                               \
        coopMatLoad(p[k], scratch, (at) + P_AT + k * MAT_K / 8, LP, BY_ROW);                                           \
    if (PLACES == 1) FENCE

#endif
