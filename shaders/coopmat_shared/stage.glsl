// Tiles of K and V, and Q, from memory to shared memory as f16, whatever lies in memory: dense rows, packed sequences
// (VARLEN), pages (PAGED, chosen by the preprocessor like VARLEN); f16, or bf16, which becomes f16 (values up to
// 65,504). Zeros outside.
#ifndef ATTN_STAGE_GLSL
#define ATTN_STAGE_GLSL

#include "common/matrix_types.glsl"

const uint BLOCK_M = SUBGROUPS * ROWS * MAT_M;
const uint KEYS = BLOCK_N / MAT_N;                       // tiles of S
const uint TILE = BLOCK_N * LD;                          // where V begins
const uint LEAST = MAT_M * (LD > LO ? LD : LO);          // the area must hold a tile of Q or O
const uint STAGE = 2 * TILE > LEAST ? 2 * TILE : LEAST;
const uint Q_SLAB = STAGE / LD / MAT_M * MAT_M;          // rows that the area holds at once
const uint O_SLAB = STAGE / LO / MAT_M * MAT_M;
shared uvec4 stage[STAGE];
shared uvec4 q_stage[Q_STEPS > 0 ? BLOCK_M * LQ : 1];

// Macros where 16-bit integers are values: as those of functions they would need a feature of their own.
#if defined(DTYPE_F16)
#define ELEMENT float16_t
#define bits_of(x) packFloat2x16(f16vec2(x, 0.0))
#define to_element(x) float16_t(x)
#else
#define ELEMENT uint16_t
#define bits_of(x) uint(x)
uint bf16_bits(float x) {
    uint u = floatBitsToUint(x);
    return (u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
}
#define to_element(x) uint16_t(bf16_bits(x))
#endif

// Eight neighbouring elements as they lie in memory: chunk `c` of the row of `dim` elements that starts at `row`.
#define LOADER(name, slot)                                                                                             \
    layout(set = 0, binding = slot, std430) readonly buffer name##_vectors { uvec4 name##_8[]; };                      \
    layout(set = 0, binding = slot, std430) readonly buffer name##_elements { ELEMENT name##_1[]; };                   \
    uvec4 load_##name(uint row, uint c, uint dim) {                                                                    \
        uvec4 chunk = uvec4(0);                                                                                        \
        if (8 * c >= dim) return chunk;                                                                                \
        if (dim % 8 == 0) return name##_8[row / 8 + c];                                                                \
        for (uint i = 0; i < 8 && 8 * c + i < dim; ++i)                                                                \
            chunk[i / 2] |= bits_of(name##_1[row + 8 * c + i]) << (16 * (i % 2));                                      \
        return chunk;                                                                                                  \
    }
LOADER(q, 0)
LOADER(k, 1)
LOADER(v, 2)
layout(set = 0, binding = 3, std430) writeonly buffer o_vectors { uvec4 o_8[]; };
layout(set = 0, binding = 3, std430) writeonly buffer o_elements { ELEMENT o_1[]; };

#include "rows.glsl"

const uint k_EACH = (BLOCK_N * k_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint v_EACH = (BLOCK_N * v_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const bool k_EXACT = BLOCK_N * k_CHUNKS % WORKGROUP == 0;
const bool v_EXACT = BLOCK_N * v_CHUNKS % WORKGROUP == 0;
uvec4 k_next[k_EACH], v_next[v_EACH];

#define FETCH(name, step)                                                                                              \
    [[unroll]] for (uint i = 0; i < name##_EACH; ++i) {                                                                \
        const uint e = i * WORKGROUP + thread, key = (step) * BLOCK_N + e / name##_CHUNKS;                             \
        if ((name##_EXACT || e < BLOCK_N * name##_CHUNKS) && (!RAGGED_KV || key < LENGTH_KV))                          \
            name##_next[i] = load_##name(name##_at(key), e % name##_CHUNKS, name##_DIM);                               \
        else                                                                                                           \
            name##_next[i] = uvec4(0);                                                                                 \
    }
#define STORE_STAGE(name, at)                                                                                          \
    [[unroll]] for (uint i = 0; i < name##_EACH; ++i) {                                                                \
        const uint e = i * WORKGROUP + thread;                                                                         \
        if (name##_EXACT || e < BLOCK_N * name##_CHUNKS)                                                               \
            stage[(at) + e / name##_CHUNKS * LD + e % name##_CHUNKS] = to_operands(name##_next[i]);                    \
    }

// Rows slab ... of the workgroup's Q, through the staging area.
void stage_q_slab(uint b, uint head, uint first_row, uint slab) {
    const uint base = SEQUENCE_START(q, b, head);
    barrier();
    for (uint e = thread; e < Q_SLAB * k_CHUNKS; e += WORKGROUP) {
        const uint row = first_row + slab + e / k_CHUNKS;
        stage[e / k_CHUNKS * LD + e % k_CHUNKS] =
            row < LENGTH_Q ? to_operands(load_q(base + row * q_row, e % k_CHUNKS, HEAD_DIM)) : uvec4(0);
    }
    barrier();
}
// The depth steps of Q that stay in shared memory; a barrier comes before their use.
void stage_q_rest(uint b, uint head, uint first_row) {
    if (Q_STEPS == 0) return;
    const uint base = SEQUENCE_START(q, b, head);
    for (uint e = thread; e < BLOCK_M * Q_CHUNKS; e += WORKGROUP) {
        const uint row = first_row + e / Q_CHUNKS, c = e % Q_CHUNKS;
        q_stage[e / Q_CHUNKS * LQ + c] =
            row < LENGTH_Q ? to_operands(load_q(base + row * q_row, Q_KEPT * MAT_K / 8 + c, HEAD_DIM)) : uvec4(0);
    }
}

#endif
