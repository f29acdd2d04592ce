// Q, K and V from memory to shared memory as f16, in chunks of 8 elements: the sizes, the areas, and the copies. Zeros
// outside the tensors.
//
// f32 elements become PARTS = 2 areas of f16, the value rounded and what rounding lost; bf16 is converted to f16, or
// with BF16_MATRICES stays as it is. The staging area holds BLOCK_N rows of K and as many of V; before that Q passes
// through it, and after it the output.
#ifndef ATTN_MATRIX_STAGE_GLSL
#define ATTN_MATRIX_STAGE_GLSL

#include "common/matrix_types.glsl"
#include "common/matrix_lanes.glsl"
#include "common/kv_eights.glsl"

// Tiles of BLOCK_N keys that are staged at once: K's and V's.
#ifndef STAGE_TILES
#define STAGE_TILES 2
#endif

#if defined(DTYPE_F32)
#define PARTS 2
#define RAW 2
#else
#define PARTS 1
#define RAW 1
#endif
layout(set = 0, binding = 0, std430) readonly buffer q_vectors { uvec4 q_8[]; };
layout(set = 0, binding = 1, std430) readonly buffer k_vectors { uvec4 k_8[]; };
layout(set = 0, binding = 2, std430) readonly buffer v_vectors { uvec4 v_8[]; };
layout(set = 0, binding = 3, std430) writeonly buffer o_vectors { uvec4 o_8[]; };
#if defined(DTYPE_F32)
#define ELEMENT float
#elif defined(DTYPE_F16)
#define ELEMENT float16_t
#else
#define ELEMENT uint16_t
#endif
layout(set = 0, binding = 0, std430) readonly buffer q_elements { ELEMENT q_1[]; };
layout(set = 0, binding = 1, std430) readonly buffer k_elements { ELEMENT k_1[]; };
layout(set = 0, binding = 2, std430) readonly buffer v_elements { ELEMENT v_1[]; };
layout(set = 0, binding = 3, std430) writeonly buffer o_elements { ELEMENT o_1[]; };

const uint TEAM = SUBGROUPS / KEY_SPLIT;                     // subgroups that together own the query rows
const uint BLOCK_M = TEAM / DIM_PARTS * ROWS * MAT_M;
const uint TEAM_N = BLOCK_N / KEY_SPLIT;                     // keys of a step that a subgroup works on
const uint CHUNK_ROWS = ROWS * MAT_M;                        // query rows of a subgroup
const uint KEYS = TEAM_N / MAT_N;                            // tiles of S
const uint K_SIZE = BLOCK_N * LD;
const uint TILE = PARTS * K_SIZE;                            // where V's parts begin
const uint ROOM = 2 * PARTS * BLOCK_N / MAT_M * MAT_M;       // rows that the whole staging area holds at once
const uint Q_SLAB = ROOM < BLOCK_M ? ROOM : BLOCK_M;
const uint O_SLAB = 2 * TILE / LO / MAT_M * MAT_M;
const uint O_RUN = 4;                                        // chunks of an output row that pass through at once
const bool O_FITS =
    MAT_M * O_RUN % SUBGROUP != 0 ? false : SUBGROUPS * MAT_M * (O_RUN + 1) <= STAGE_TILES * TILE;
const uint TEAM_AREA = KEY_SPLIT / 2 * BLOCK_M * LO;         // output of the teams that join another one
shared uvec4 stage[TEAM_AREA > STAGE_TILES * TILE ? TEAM_AREA : STAGE_TILES * TILE];
shared uvec4 q_stage[Q_STEPS > 0 ? PARTS * BLOCK_M * LQ : 1];
// Running maxima and sums of the teams that join another one.
shared vec2 team_softmax[KEY_SPLIT > 1 ? SUBGROUPS / 2 * ROWS * CLASSES * SUBGROUP : 1];
#if DIM_PARTS > 1
// Sums over the subgroup's own dims, four elements of each lane, which the other part adds to its own.
shared vec4 part_scores[SUBGROUPS * ROWS * KEYS * MAT_ELEMENTS / 4 * SUBGROUP];
#define PART_SCORES(subgroup, r, n, i)                                                                                 \
    part_scores[((((subgroup) * ROWS + r) * KEYS + n) * MAT_ELEMENTS / 4 + i) * SUBGROUP + gl_SubgroupInvocationID]
#endif

#ifdef OPTION_MASK
// Keys are staged in another order, so that a lane's columns of a row are neighbours in the mask: key j of a team is
// element j % COLS of tile j / COLS % KEYS in the (j / EACH)th lane of a row, as lanes usually lie: in runs of RUN
// columns. Which lane has a column decides about the width of loads alone.
layout(set = 0, binding = BINDING_MASK, std430) readonly buffer MaskEights { uvec4 mask_eights[]; };
const uint COLS = 1u << MAT_ROW_SHIFT, EACH = KEYS * COLS;
// (Without && and ||, which crash NVIDIA's compiler in such constants.)
const uint RUN = COLS < 2                               ? 1
                 : (MAT_ELEMENT_COLS >> 4 & 15u) != 1 ? 1
                 : COLS < 4                           ? 2
                 : (MAT_ELEMENT_COLS >> 8 & 15u) != 2 ? 2
                                                      : 4;
const uint RUNS = MAT_N * RUN / COLS;  // columns from one run of a lane to its next
uint staged_row(uint j) {
    const uint e = j % COLS;
    return j / TEAM_N * TEAM_N + j / COLS % KEYS * MAT_N + e / RUN * RUNS + j % TEAM_N / EACH * RUN + e % RUN;
}
uint staged_key(uint tile, uint col) { return col % RUNS / RUN * EACH + tile * COLS + col / RUNS * RUN + col % RUN; }
#else
#define staged_row(j) (j)
#endif

// Whether a lane's output elements are pairs of neighbours, each one word of 32 bits.
#if RAW == 1
layout(set = 0, binding = 3, std430) writeonly buffer o_words { uint o_2[]; };
const bool O_PAIRS = MAT_ROW_SHIFT < 1 ? false : (MAT_ELEMENT_COLS >> 4 & 15u) == 1;
#else
const bool O_PAIRS = false;
#endif

#if BF16_MATRICES
uint pack_elements(float a, float b) { return pack_operands(plus_half_place(a), plus_half_place(b)); }
ELEMENT to_element(float x) { return ELEMENT(floatBitsToUint(plus_half_place(x)) >> 16); }
#elif defined(DTYPE_BF16)
ELEMENT to_element(float x) {
    // To the nearest, of two as near the one away from 0: fewer instructions than for the even one.
    const uint u = floatBitsToUint(x);
    return uint16_t(((u & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : u + 0x8000u) >> 16);
}
uint pack_elements(float a, float b) { return uint(to_element(a)) | uint(to_element(b)) << 16; }
#else
#define to_element(x) ELEMENT(x)
#define pack_elements(a, b) pack_half(a, b)
#endif
// An output tile as it is stored; one of bf16 is a matrix of float16_t that carries the bits.
#if defined(DTYPE_F32)
#define to_output(x) (x)
#elif defined(DTYPE_F16)
#define to_output(x) MATRIX_H(x)
#else
MATRIX_H to_output(MATRIX_C x) {
    MATRIX_H y;
    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; i += 2) {
        const f16vec2 pair = unpackFloat2x16(pack_elements(x[i], x[i + 1]));
        y[i] = pair.x;
        y[i + 1] = pair.y;
    }
    return y;
}
#endif

// Eight neighbouring elements as they lie in memory; zeros outside.
struct Chunk { uvec4 raw[RAW]; };

uint bits_of(ELEMENT x) {
#if defined(DTYPE_F32)
    return floatBitsToUint(x);
#elif defined(DTYPE_F16)
    return uint(float16BitsToUint16(x));
#else
    return uint(x);
#endif
}

// Stores eight neighbouring floats as chunk c of the output row that starts at element `row`, both multiples of 8.
void store_eight(uint row, uint c, uvec4 a, uvec4 b) {
#if defined(DTYPE_F32)
    o_8[2 * (row / 8 + c)] = a;
    o_8[2 * (row / 8 + c) + 1] = b;
#else
    uvec4 y;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec2 x = i < 2 ? uvec2(a[2 * i], a[2 * i + 1]) : uvec2(b[2 * i - 4], b[2 * i - 3]);
        y[i] = pack_elements(uintBitsToFloat(x[0]), uintBitsToFloat(x[1]));
    }
    o_8[row / 8 + c] = y;
#endif
}

// Chunk `c` of the row of `dim` elements that starts at element `row`.
#define LOADER(name)                                                                                                   \
    Chunk load_##name(uint row, uint c, uint dim, bool inside) {                                                       \
        Chunk chunk;                                                                                                   \
        [[unroll]] for (uint i = 0; i < RAW; ++i) chunk.raw[i] = uvec4(0);                                             \
        if (!inside || 8 * c >= dim) return chunk;                                                                     \
        if (dim % 8 == 0) {                                                                                            \
            [[unroll]] for (uint i = 0; i < RAW; ++i) chunk.raw[i] = name##_8[(row / 8 + c) * RAW + i];                \
        } else {                                                                                                       \
            for (uint i = 0; i < 8 && 8 * c + i < dim; ++i) {                                                          \
                uint bits = bits_of(name##_1[row + 8 * c + i]);                                                        \
                if (RAW == 2) chunk.raw[i / 4][i % 4] = bits;                                                          \
                else chunk.raw[0][i / 2] |= bits << (16 * (i % 2));                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return chunk;                                                                                                  \
    }
LOADER(q)

// A chunk as operands; of f32, its f16 parts: part 0 is the value rounded, part 1 what rounding lost.
uvec4 part_of(Chunk chunk, uint part) {
#if !defined(DTYPE_F32)
    return to_operands(chunk.raw[0]);
#else
    uvec4 y;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        vec2 x = uintBitsToFloat(uvec2(chunk.raw[i / 2][2 * (i % 2)], chunk.raw[i / 2][2 * (i % 2) + 1]));
        vec2 high = vec2(upper_rounded(x.x), upper_rounded(x.y));
        y[i] = part == 0 ? packHalf2x16(high) : packHalf2x16(x - high);
    }
    return y;
#endif
}

#if K_TYPE || V_TYPE
// A chunk of a packed K or V, and the element it began at, or one of the same place in its row.
struct KvChunk { KV_HELD raw; uint at; };
#define KV_LOADER(name, slot, type)                                                                                    \
    KV_EIGHTS(name, slot, type)                                                                                        \
    KvChunk load_##name(uint row, uint c, uint dim, bool inside) {                                                     \
        if (!inside || 8 * c >= dim) return KvChunk(KV_ZEROS, 0);                                                      \
        return KvChunk(held_##name(row + 8 * c, 8), dim % 64 == 0 ? 8 * c : row + 8 * c);                              \
    }
#endif
#if K_TYPE
KV_LOADER(k, 1, K_TYPE)
#define k_CHUNK KvChunk
#define k_part_of(chunk, part) kv_operands(K_TYPE, (chunk).raw, (chunk).at)
#else
LOADER(k)
#define k_CHUNK Chunk
#define k_part_of(chunk, part) part_of(chunk, part)
#endif
#if V_TYPE
KV_LOADER(v, 2, V_TYPE)
#define v_CHUNK KvChunk
#define v_part_of(chunk, part) kv_operands(V_TYPE, (chunk).raw, (chunk).at)
#else
LOADER(v)
#define v_CHUNK Chunk
#define v_part_of(chunk, part) part_of(chunk, part)
#endif

// a = depth step k of part `part` of the subgroup's row tile r of Q, from wherever it waits.
#define LOAD_Q_PART(a, part, r, k)                                                                                     \
    if (k < Q_KEPT) a = q_kept[part][r][k];                                                                            \
    else                                                                                                               \
        coopMatLoad(a, q_stage, (part * BLOCK_M + (seat * ROWS + r) * MAT_M) * LQ +                                    \
                               (FIRST_DEPTH / DEPTH * Q_STEPS + k - Q_KEPT) * MAT_K / 8,                               \
                    LQ, BY_ROW);
#define LOAD_Q(a, r, k) LOAD_Q_PART(a, 0, r, k)

// Whether chunks of Q are under way together, and of how many slabs.
#if defined(Q_AT_ONCE) && Q_AT_ONCE
#define Q_BATCH true
const uint Q_GROUP = (BLOCK_M + Q_SLAB - 1) / Q_SLAB;
#else
#define Q_BATCH (PREFETCH == 2)
const uint Q_GROUP = 1;
#endif
// What a thread carries of a tile on its way to the staging area.
const uint q_EACH = (Q_SLAB * k_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint STAGED_EACH = (BLOCK_M * Q_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint k_EACH = (BLOCK_N * k_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint v_EACH = (BLOCK_N * v_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const bool k_EXACT = BLOCK_N * k_CHUNKS % WORKGROUP == 0;
const bool v_EXACT = BLOCK_N * v_CHUNKS % WORKGROUP == 0;
#define k_DIM HEAD_DIM
#define v_DIM V_DIM
#if VARLEN
const bool k_RUN = false, v_RUN = false;
#define q_ROW q_row
#define k_ROW k_row
#define v_ROW v_row
#define o_ROW o_row
#else
// A tile of whole rows is one run of chunks.
const bool k_RUN = k_CHUNKS * 8 == HEAD_DIM, v_RUN = v_CHUNKS * 8 == V_DIM;
#define q_ROW HEAD_DIM
#define k_ROW HEAD_DIM
#define v_ROW V_DIM
#define o_ROW V_DIM
#endif
uint thread, k_base, v_base;
// Where the row of a key starts. With PAGED it is in the page that the table names, and k_base is the head's place in a
// page.
#if PAGED
layout(constant_id = 27) const uint PAGE_SIZE = 1;
layout(constant_id = 28) const uint PAGES = 1;  // of a batch item
layout(set = 0, binding = 5, std430) readonly buffer PageTable { uint page_table[]; };
uint first_page;
uint page_of(uint key) { return page_table[first_page + key / PAGE_SIZE] * (heads_q / GROUP); }
#define KEY_START(name, key) (name##_base + page_of(key) * name##_head + (key) % PAGE_SIZE * name##_ROW)
#define ROWS_END true  // so does the page table
#else
#define KEY_START(name, key) (name##_base + (key) * name##_ROW)
#define ROWS_END KEYS_END
#endif
k_CHUNK k_next[k_EACH];
v_CHUNK v_next[v_EACH];

// The first key of tile `step`, and its first chunk.
#if WHOLE_LAST_KEYS
#define TILE_KEY(step) min((step) * BLOCK_N, LENGTH_KV - BLOCK_N)
#define TILE_RUN(name, step) TILE_KEY(step) * name##_CHUNKS
#define KEYS_END false  // in the midst of a tile
#else
#define TILE_KEY(step) ((step) * BLOCK_N)
#define TILE_RUN(name, step) (step) * (BLOCK_N * name##_CHUNKS)
#define KEYS_END RAGGED_KV
#endif
// Chunk e of tile `step` where the tile is a run of chunks.
#if K_TYPE || V_TYPE || PAGED
#define FETCH_RUN(name, step, i, e)
#define IN_RUNS(name) false
#else
#define FETCH_RUN(name, step, i, e)                                                                                    \
    uint at = TILE_RUN(name, step) + e;                                                                                \
    if (KEYS_END) at = min(at, (LENGTH_KV - 1) * name##_CHUNKS + e % name##_CHUNKS);                                   \
    [[unroll]] for (uint w = 0; w < RAW; ++w) name##_next[i].raw[w] = name##_8[(name##_base / 8 + at) * RAW + w];
#define IN_RUNS(name) (name##_RUN && name##_EXACT)
#endif
// Tile `step` of K or V, into registers, the last key in place of those past the end, which do not count; from there to
// chunk `at` of the staging area.
#define FETCH(name, step)                                                                                              \
    [[unroll]] for (uint i = 0; i < name##_EACH; ++i) {                                                                \
        uint e = i * WORKGROUP + thread;                                                                               \
        if (IN_RUNS(name)) {                                                                                           \
            FETCH_RUN(name, step, i, e)                                                                                \
        } else {                                                                                                       \
            uint row = TILE_KEY(step) + e / name##_CHUNKS;                                                             \
            if (ROWS_END) row = min(row, LENGTH_KV - 1);                                                               \
            name##_next[i] = load_##name(KEY_START(name, row), e % name##_CHUNKS, name##_DIM,                          \
                                         name##_EXACT || e < BLOCK_N * name##_CHUNKS);                                 \
        }                                                                                                              \
    }
#define STORE_STAGE(name, at)                                                                                          \
    [[unroll]] for (uint i = 0; i < name##_EACH; ++i) {                                                                \
        uint e = i * WORKGROUP + thread;                                                                               \
        if (name##_EXACT || e < BLOCK_N * name##_CHUNKS)                                                               \
            [[unroll]] for (uint part = 0; part < PARTS; ++part)                                                       \
                stage[(at) + part * K_SIZE + staged_row(e / name##_CHUNKS) * LD + e % name##_CHUNKS] =                 \
                    name##_part_of(name##_next[i], part);                                                              \
    }

// A touch is one word of each 32-byte sector of the next tile: the load ends in the cache, its value in one register.
const uint SECTOR = 32;
const uint ELEMENT_BYTES = RAW * 16 / 8;
const uint k_TOUCHES = (BLOCK_N * HEAD_DIM * ELEMENT_BYTES / SECTOR + WORKGROUP - 1) / WORKGROUP;
const uint v_TOUCHES = (BLOCK_N * V_DIM * ELEMENT_BYTES / SECTOR + WORKGROUP - 1) / WORKGROUP;
const bool k_TOUCH_EXACT = BLOCK_N * HEAD_DIM * ELEMENT_BYTES / SECTOR % WORKGROUP == 0;
const bool v_TOUCH_EXACT = BLOCK_N * V_DIM * ELEMENT_BYTES / SECTOR % WORKGROUP == 0;
#if VARLEN || PAGED
const uint k_UNITS = HEAD_DIM * ELEMENT_BYTES / 16, v_UNITS = V_DIM * ELEMENT_BYTES / 16;  // of 16 bytes, a row
// Rows that do not follow one another are touched only where each is whole sectors.
#if K_TYPE || V_TYPE
#define TOUCH false
#else
#define TOUCH (PREFETCH == 1 && HEAD_DIM * ELEMENT_BYTES % SECTOR == 0 && V_DIM * ELEMENT_BYTES % SECTOR == 0)
#endif
#define TOUCHED_AT(name, first, e)                                                                                     \
    KEY_START(name, first + e / name##_UNITS) / 8 * RAW + e % name##_UNITS
#else
#if K_TYPE || V_TYPE
#define TOUCH false
#else
#define TOUCH (PREFETCH == 1)
#endif
#define TOUCHED_AT(name, first, e) (name##_base + first * name##_ROW) / 8 * RAW + e
#endif
#define TOUCH_ROWS(name, first)                                                                                        \
    [[unroll]] for (uint i = 0; i < name##_TOUCHES; ++i) {                                                             \
        uint e = (i * WORKGROUP + thread) * (SECTOR / 16);                                                             \
        if (!name##_TOUCH_EXACT) e = min(e, BLOCK_N * name##_DIM * ELEMENT_BYTES / 16 - 1);                            \
        name##_touch[i] = name##_8[TOUCHED_AT(name, first, e)].x;                                                      \
    }
#define BEGIN_TOUCHES                                                                                                  \
    uint k_touch[k_TOUCHES], v_touch[v_TOUCHES];                                                                       \
    [[unroll]] for (uint i = 0; i < k_TOUCHES; ++i) k_touch[i] = 0;                                                    \
    [[unroll]] for (uint i = 0; i < v_TOUCHES; ++i) v_touch[i] = 0;
#define TOUCH_TILE(step)                                                                                               \
    const uint first = TILE_KEY(step);                                                                                 \
    if (!KEYS_END || first + BLOCK_N <= LENGTH_KV) {                                                                   \
        TOUCH_ROWS(k, first)                                                                                           \
        TOUCH_ROWS(v, first)                                                                                           \
    }
#define JOIN_TOUCHES(sink)                                                                                             \
    {                                                                                                                  \
        [[unroll]] for (uint i = 0; i < k_TOUCHES; ++i) sink ^= k_touch[i];                                            \
        [[unroll]] for (uint i = 0; i < v_TOUCHES; ++i) sink ^= v_touch[i];                                            \
    }

#endif
