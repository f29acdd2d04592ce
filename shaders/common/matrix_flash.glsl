// Flash attention on KHR cooperative matrices; scores, probabilities and output stay in registers.
//
// A subgroup owns ROWS tiles of MAT_M query rows. K and V tiles of BLOCK_N keys go through shared memory, shared by all
// subgroups. KHR matrices have no row reductions, but every matrix of a type is laid over the lanes alike: the engine
// probes that layout once a device (mat_* names), and with it a row's maximum is a few maxima inside a lane and a few
// shuffles, and P becomes an A matrix element by element (FlashAttention-2's registers, without its assembly).
//
// The running maximum is raised only when a score exceeds it by more than RAISE (base 2): P stays below 2^RAISE, which
// f16 holds at full relative precision, and the output is rescaled a few times a row instead of at every tile.
//
// With KEY_SPLIT above 1 the subgroups form that many teams. Each team takes its share of every tile of keys, for all of
// the workgroup's query rows, with a softmax of its own; the teams are merged at the end, in a fixed order. Short
// sequences give a device few workgroups, and this shortens the chain of steps of each.
//
// Packed sequences (varlen) have lengths and first rows of their own; the grid is made for the longest.
//
// f32 tensors are split into two f16 parts each, and three products of parts make one (lo x lo is below f32's rounding).
// bf16 is converted to f16, whose range (65,504) its values must keep to.
//
// The including shader's pass defines VARLEN, the shader DEFAULT_SUBGROUPS, DEFAULT_ROWS, DEFAULT_BLOCK_N,
// DEFAULT_Q_SHARED and DEFAULT_PREFETCH. (What depends on VARLEN is chosen by the preprocessor: a spec constant joined
// by && to a plain one crashes the compiler of NVIDIA's driver 580.)
#ifndef ATTN_MATRIX_FLASH_GLSL
#define ATTN_MATRIX_FLASH_GLSL

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#include "common/params.glsl"
#if VARLEN
layout(set = 0, binding = 4, std430) readonly buffer Offsets { uint offsets[]; };
uint longest() { return seq_q; }
uint sequence_start, sequence;
#define seq_q sequence
#define seq_kv sequence
#define q_start(b, head) q_start(0, head, sequence_start)
#define k_start(b, head) k_start(0, head, sequence_start)
#define v_start(b, head) v_start(0, head, sequence_start)
#define o_start(b, head) o_start(0, head, sequence_start)
#define K_ROW k_row
#define V_ROW v_row
#else
uint longest() { return seq_q; }
#define q_start(b, head) q_start(b, head, 0)
#define k_start(b, head) k_start(b, head, 0)
#define v_start(b, head) v_start(b, head, 0)
#define o_start(b, head) o_start(b, head, 0)
#define K_ROW HEAD_DIM
#define V_ROW V_DIM
#endif
#include "common/mask.glsl"
#define SOFTMAX_BASE_2
#include "common/softmax.glsl"

layout(constant_id = 0) const uint SUBGROUPS = DEFAULT_SUBGROUPS;   // of a workgroup
layout(constant_id = 1) const uint ROWS = DEFAULT_ROWS;        // tiles of MAT_M query rows a subgroup
layout(constant_id = 2) const uint BLOCK_N = DEFAULT_BLOCK_N;    // keys a step
layout(constant_id = 3) const uint Q_SHARED = DEFAULT_Q_SHARED;    // depth steps of Q in shared memory, not registers
layout(constant_id = 4) const uint PREFETCH = DEFAULT_PREFETCH;    // of the next tile: 0 none, 1 into the cache, 2 registers
layout(constant_id = 5) const uint RAISE = 8;       // log2 of the slack before the running maximum moves
layout(constant_id = 6) const uint KEY_SPLIT = 1;   // teams of subgroups that share the keys of a step
layout(constant_id = 10) const uint SUBGROUP = 32;
layout(constant_id = 11) const uint MAT_M = 16;
layout(constant_id = 12) const uint MAT_N = 16;
layout(constant_id = 13) const uint MAT_K = 16;
layout(constant_id = 14) const uint MAT_ELEMENTS = 8;       // of an accumulator, a lane
layout(constant_id = 15) const uint MAT_ROW_SHIFT = 2;      // elements i with equal i >> MAT_ROW_SHIFT share a row
layout(constant_id = 16) const uint MAT_LANE_MASK = 3;      // lanes that differ in these bits share their rows
layout(constant_id = 17) const uint MAT_ELEMENT_ROWS = 0x88880000u;  // row of element i less element 0's, 4 bits each
layout(constant_id = 18) const uint MAT_ELEMENT_COLS = 0x98109810u;
layout(constant_id = 20) const uint WORKGROUP = 256;        // SUBGROUPS * SUBGROUP
layout(constant_id = 21) const bool RAGGED_KV = false;      // the last tile of keys is not whole
layout(constant_id = 22) const bool RAGGED_Q = false;       // the last tile of queries is not whole
layout(local_size_x_id = 20) in;

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

const uint TEAM = SUBGROUPS / KEY_SPLIT;                    // subgroups that together own the query rows
const uint BLOCK_M = TEAM * ROWS * MAT_M;
const uint DEPTH = (HEAD_DIM + MAT_K - 1) / MAT_K;          // steps of Q K^T
const uint WIDTH = (V_DIM + MAT_N - 1) / MAT_N;             // tiles of O
const uint TEAM_N = BLOCK_N / KEY_SPLIT;                    // keys of a step that a subgroup works on
const uint KEYS = TEAM_N / MAT_N;                           // tiles of S
const uint CLASSES = MAT_ELEMENTS >> MAT_ROW_SHIFT;         // rows of a tile that a lane sees
const uint K_CHUNKS = DEPTH * MAT_K / 8;                    // chunks of 8 elements, a K row
const uint V_CHUNKS = WIDTH * MAT_N / 8;
// One odd stride for both, so that eight rows' chunks fall into different banks.
const uint LD = (K_CHUNKS > V_CHUNKS ? K_CHUNKS : V_CHUNKS) | 1u;
const uint K_SIZE = BLOCK_N * LD;
const uint TILE = PARTS * K_SIZE;                           // where V's parts begin
const uint ROOM = 2 * PARTS * BLOCK_N / MAT_M * MAT_M;      // rows that the whole staging area holds at once
const uint SLAB = ROOM < BLOCK_M ? ROOM : BLOCK_M;
const uint LO = (WIDTH * MAT_N / 4) | 1u;                   // output rows leave as floats
const uint O_SLAB = 2 * TILE / LO / MAT_M * MAT_M;
const uint Q_STEPS = Q_SHARED < DEPTH ? Q_SHARED : DEPTH;
const uint Q_KEPT = DEPTH - Q_STEPS;
const uint LQ = (Q_STEPS * MAT_K / 8) | 1u;
const uint Q_EACH = (SLAB * K_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint K_EACH = (BLOCK_N * K_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint V_EACH = (BLOCK_N * V_CHUNKS + WORKGROUP - 1) / WORKGROUP;
const bool K_EXACT = BLOCK_N * K_CHUNKS % WORKGROUP == 0;
const bool V_EXACT = BLOCK_N * V_CHUNKS % WORKGROUP == 0;
const uint CHAIN = 2;                                       // depth steps that f32 parts sum in the matrix units
const uint PHASES = CAUSAL || RAGGED_KV ? 2 : 1;
const uint SECTOR = 32;                                     // bytes that a touch brings into the cache
const uint ELEMENT_BYTES = RAW * 16 / 8;
#if VARLEN
const uint K_UNITS = HEAD_DIM * ELEMENT_BYTES / 16, V_UNITS = V_DIM * ELEMENT_BYTES / 16;  // of 16 bytes, a row
// Rows that do not follow one another are touched only where each is whole sectors.
#define TOUCH (PREFETCH == 1 && HEAD_DIM * ELEMENT_BYTES % SECTOR == 0 && V_DIM * ELEMENT_BYTES % SECTOR == 0)
#else
#define TOUCH (PREFETCH == 1)
#endif
const uint K_TOUCH = (BLOCK_N * HEAD_DIM * ELEMENT_BYTES / SECTOR + WORKGROUP - 1) / WORKGROUP;
const uint V_TOUCH = (BLOCK_N * V_DIM * ELEMENT_BYTES / SECTOR + WORKGROUP - 1) / WORKGROUP;
const bool K_TOUCH_EXACT = BLOCK_N * HEAD_DIM * ELEMENT_BYTES / SECTOR % WORKGROUP == 0;
const bool V_TOUCH_EXACT = BLOCK_N * V_DIM * ELEMENT_BYTES / SECTOR % WORKGROUP == 0;

const uint TEAM_AREA = KEY_SPLIT / 2 * BLOCK_M * LO;        // output of the teams that join another one
shared uvec4 stage[TEAM_AREA > 2 * TILE ? TEAM_AREA : 2 * TILE];
shared uvec4 q_stage[Q_STEPS > 0 ? PARTS * BLOCK_M * LQ : 1];
// Running maxima and sums of the teams that join another one.
shared vec2 team_softmax[KEY_SPLIT > 1 ? SUBGROUPS / 2 * ROWS * CLASSES * SUBGROUP : 1];

#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, MAT_M, MAT_K, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, MAT_K, MAT_N, gl_MatrixUseB>
#define MATRIX_C coopmat<float, gl_ScopeSubgroup, MAT_M, MAT_N, gl_MatrixUseAccumulator>
#define MATRIX_H coopmat<float16_t, gl_ScopeSubgroup, MAT_M, MAT_N, gl_MatrixUseAccumulator>
const int BY_ROW = gl_CooperativeMatrixLayoutRowMajor;
const int BY_COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

#if defined(DTYPE_F32)
#define OUT_MATRIX MATRIX_C
#else
#define OUT_MATRIX MATRIX_H
#endif
ELEMENT to_element(float x) {
#if defined(DTYPE_BF16)
    uint u = floatBitsToUint(x);
    return uint16_t((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#else
    return ELEMENT(x);
#endif
}

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
LOADER(k)
LOADER(v)

// x with the bits that f16 has, cut off or rounded; by a mask, since compilers fold a conversion to f16 and back away.
float upper(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xffffe000u); }
float upper_rounded(float x) { return uintBitsToFloat((floatBitsToUint(x) + 0x1000u) & 0xffffe000u); }
uint pack_half(float a, float b) { return packFloat2x16(f16vec2(a, b)); }
// The f16 parts of a chunk: part 0 is the value rounded, part 1 what rounding lost.
uvec4 part_of(Chunk chunk, uint part) {
#if defined(DTYPE_F16)
    return chunk.raw[0];
#elif defined(DTYPE_BF16)
    uvec4 x = chunk.raw[0], y;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        y[i] = pack_half(uintBitsToFloat(x[i] << 16), uintBitsToFloat(x[i] & 0xffff0000u));
    return y;
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

uint thread, k_base, v_base;
Chunk k_next[K_EACH], v_next[V_EACH];
// A tile of whole rows is one run of chunks.
#if VARLEN
const bool K_RUN = false, V_RUN = false;
#else
const bool K_RUN = K_CHUNKS * 8 == HEAD_DIM, V_RUN = V_CHUNKS * 8 == V_DIM;
#endif

#define FETCH(name, RUN, step, EACH, EXACT, CHUNKS, DIM, ROW)                                                          \
    [[unroll]] for (uint i = 0; i < EACH; ++i) {                                                                       \
        uint e = i * WORKGROUP + thread;                                                                               \
        if (RUN && EXACT && !RAGGED_KV) {                                                                              \
            [[unroll]] for (uint w = 0; w < RAW; ++w)                                                                  \
                name##_next[i].raw[w] = name##_8[(name##_base / 8 + (step) * (BLOCK_N * CHUNKS) + e) * RAW + w];       \
        } else {                                                                                                       \
            uint row = (step) * BLOCK_N + e / CHUNKS;                                                                  \
            name##_next[i] = load_##name(name##_base + row * ROW, e % CHUNKS, DIM,                                     \
                                         (EXACT || e < BLOCK_N * CHUNKS) && row < seq_kv);                             \
        }                                                                                                              \
    }
#define STORE_STAGE(name, at, EACH, EXACT, CHUNKS)                                                                     \
    [[unroll]] for (uint i = 0; i < EACH; ++i) {                                                                       \
        uint e = i * WORKGROUP + thread;                                                                               \
        if (EXACT || e < BLOCK_N * CHUNKS)                                                                             \
            [[unroll]] for (uint part = 0; part < PARTS; ++part)                                                       \
                stage[(at) + part * K_SIZE + e / CHUNKS * LD + e % CHUNKS] = part_of(name##_next[i], part);            \
    }
#define FETCH_K(step) FETCH(k, K_RUN, step, K_EACH, K_EXACT, K_CHUNKS, HEAD_DIM, K_ROW)
#define FETCH_V(step) FETCH(v, V_RUN, step, V_EACH, V_EXACT, V_CHUNKS, V_DIM, V_ROW)
#define STORE_K STORE_STAGE(k, 0, K_EACH, K_EXACT, K_CHUNKS)
#define STORE_V STORE_STAGE(v, TILE, V_EACH, V_EXACT, V_CHUNKS)

// Depth step `k` of a subgroup's row tile `r`.
#define LOAD_Q(a, part, r, k)                                                                                          \
    if (k < Q_KEPT) a = q_kept[part][r][k];                                                                            \
    else                                                                                                               \
        coopMatLoad(a, q_stage, (part * BLOCK_M + (seat * ROWS + r) * MAT_M) * LQ + (k - Q_KEPT) * MAT_K / 8, LQ,      \
                    BY_ROW);

uint element_row(uint i) { return (MAT_ELEMENT_ROWS >> (4 * i)) & 15u; }
uint element_col(uint i) { return (MAT_ELEMENT_COLS >> (4 * i)) & 15u; }

// Over the lanes that share a row.
float row_max(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) != 0) x = max(x, subgroupShuffleXor(x, bit));
    return x;
}
float row_sum(float x) {
    [[unroll]] for (uint bit = 1; bit < SUBGROUP; bit *= 2)
        if ((MAT_LANE_MASK & bit) != 0) x += subgroupShuffleXor(x, bit);
    return x;
}

void main() {
    thread = gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
    const uint head = gl_WorkGroupID.x % heads_q, batch_index = gl_WorkGroupID.x / heads_q;
    // Heavy tiles first: under a causal mask the last query tile has the most keys.
    const uint tiles = (longest() + BLOCK_M - 1) / BLOCK_M;
    const uint first_row = (CAUSAL ? tiles - 1 - gl_WorkGroupID.y : gl_WorkGroupID.y) * BLOCK_M;
#if VARLEN
    sequence_start = offsets[batch_index];
    sequence = offsets[batch_index + 1] - sequence_start;
    if (first_row >= seq_q) return;
#endif
    k_base = k_start(batch_index, head);
    v_base = v_start(batch_index, head);
    const uint team = KEY_SPLIT > 1 ? gl_SubgroupID / TEAM : 0;
    const uint seat = KEY_SPLIT > 1 ? gl_SubgroupID % TEAM : gl_SubgroupID;
    const uint my_row = first_row + seat * ROWS * MAT_M;
    const uint my_key = team * TEAM_N;
    const float slope = score_scale();
    const uint q_base = q_start(batch_index, head);

    // The first tile is under way while Q is staged.
    if (PREFETCH == 2) { FETCH_K(0) FETCH_V(0) }

    // Q, slab by slab through the staging area, so that rows past the end are zeros and no load leaves the tensor.
    MATRIX_A q_kept[PARTS][ROWS][Q_KEPT > 0 ? Q_KEPT : 1];
    [[unroll]] for (uint part = 0; part < PARTS; ++part) {
        for (uint slab = 0; slab < BLOCK_M; slab += SLAB) {
            barrier();
            // All of a slab under way at once; but where registers are short such a batch costs the main loop its
            // allocation (530 against 439 us on an H200 with coopmat's defaults), so there one chunk after the other.
            if (PREFETCH == 2) {
                Chunk q_next[Q_EACH];
                [[unroll]] for (uint i = 0; i < Q_EACH; ++i) {
                    uint e = i * WORKGROUP + thread, row = first_row + slab + e / K_CHUNKS;
                    q_next[i] = load_q(q_base + row * q_row, e % K_CHUNKS, HEAD_DIM, row < seq_q);
                }
                [[unroll]] for (uint i = 0; i < Q_EACH; ++i) {
                    uint e = i * WORKGROUP + thread;
                    if (e < SLAB * K_CHUNKS) stage[e / K_CHUNKS * LD + e % K_CHUNKS] = part_of(q_next[i], part);
                }
            } else {
                for (uint e = thread; e < SLAB * K_CHUNKS; e += WORKGROUP) {
                    uint row = first_row + slab + e / K_CHUNKS;
                    stage[e / K_CHUNKS * LD + e % K_CHUNKS] =
                        part_of(load_q(q_base + row * q_row, e % K_CHUNKS, HEAD_DIM, row < seq_q), part);
                }
            }
            barrier();
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                uint at = (seat * ROWS + r) * MAT_M;
                if (at >= slab && at < slab + SLAB)
                    [[unroll]] for (uint k = 0; k < Q_KEPT; ++k)
                        coopMatLoad(q_kept[part][r][k], stage, (at - slab) * LD + k * MAT_K / 8, LD, BY_ROW);
            }
        }
        if (Q_STEPS > 0)
            for (uint e = thread; e < BLOCK_M * Q_STEPS * MAT_K / 8; e += WORKGROUP) {
                const uint CHUNKS = Q_STEPS * MAT_K / 8;
                uint row = first_row + e / CHUNKS, c = e % CHUNKS;
                q_stage[(part * BLOCK_M + e / CHUNKS) * LQ + c] =
                    part_of(load_q(q_base + row * q_row, Q_KEPT * MAT_K / 8 + c, HEAD_DIM, row < seq_q), part);
            }
    }

    // Where this lane's first accumulator element lies, for the mask: read off a matrix of indices.
    uint lane_row = 0, lane_col = 0;
    if (PHASES > 1) {
        MATRIX_C origin;
        barrier();
        for (uint e = thread; e < MAT_M * MAT_N / 4; e += WORKGROUP)
            stage[e] = floatBitsToUint(vec4(4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3));
        barrier();
        coopMatLoad(origin, stage, 0, MAT_N / 4, BY_ROW);
        lane_row = uint(origin[0]) / MAT_N;
        lane_col = uint(origin[0]) % MAT_N;
    }

    MATRIX_C o[ROWS][WIDTH];
    float m[ROWS][CLASSES], l[ROWS][CLASSES];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) { m[r][c] = -1e30; l[r][c] = 0.0; }
        [[unroll]] for (uint d = 0; d < WIDTH; ++d) o[r][d] = MATRIX_C(0.0);
    }

    const uint keys = visible_keys(min(first_row + BLOCK_M, seq_q) - 1);
    const uint my_keys = CAUSAL ? visible_keys(min(my_row + ROWS * MAT_M, seq_q) - 1) : keys;
    const uint steps = (keys + BLOCK_N - 1) / BLOCK_N;
    const uint last = max(steps, 1) - 1;
    uint sink = 0;

    // First the tiles that every row of the workgroup sees whole, then those that need a mask: the same loop twice, so
    // that the long one carries no branch for the mask.
    const uint clear_steps = CAUSAL || RAGGED_KV ? min(visible_keys(first_row), seq_kv) / BLOCK_N : steps;
    [[unroll]] for (uint phase = 0; phase < PHASES; ++phase)
    for (uint step = phase == 0 ? 0 : clear_steps; step < (phase == 0 ? clear_steps : steps); ++step) {
        barrier();
        if (PREFETCH != 2) { FETCH_K(step) FETCH_V(step) }
        STORE_K
        STORE_V
        barrier();
        uint k_touch[K_TOUCH], v_touch[V_TOUCH];
        [[unroll]] for (uint i = 0; i < K_TOUCH; ++i) k_touch[i] = 0;
        [[unroll]] for (uint i = 0; i < V_TOUCH; ++i) v_touch[i] = 0;
        if (PREFETCH == 2) {
            if (step < last) { FETCH_K(step + 1) FETCH_V(step + 1) }
        } else if (TOUCH && phase == 0) {
            // One word of each sector of the next tile: the load ends in the cache, its value in one register.
            const uint first = min(step + 1, last) * BLOCK_N;
            if (!RAGGED_KV || first + BLOCK_N <= seq_kv) {
                [[unroll]] for (uint i = 0; i < K_TOUCH; ++i) {
                    uint e = (i * WORKGROUP + thread) * (SECTOR / 16);
                    if (!K_TOUCH_EXACT) e = min(e, BLOCK_N * HEAD_DIM * ELEMENT_BYTES / 16 - 1);
#if VARLEN
                    k_touch[i] = k_8[(k_base + (first + e / K_UNITS) * k_row) / 8 * RAW + e % K_UNITS].x;
#else
                    k_touch[i] = k_8[(k_base + first * HEAD_DIM) / 8 * RAW + e].x;
#endif
                }
                [[unroll]] for (uint i = 0; i < V_TOUCH; ++i) {
                    uint e = (i * WORKGROUP + thread) * (SECTOR / 16);
                    if (!V_TOUCH_EXACT) e = min(e, BLOCK_N * V_DIM * ELEMENT_BYTES / 16 - 1);
#if VARLEN
                    v_touch[i] = v_8[(v_base + (first + e / V_UNITS) * v_row) / 8 * RAW + e % V_UNITS].x;
#else
                    v_touch[i] = v_8[(v_base + first * V_DIM) / 8 * RAW + e].x;
#endif
                }
            }
        }
        const uint key = step * BLOCK_N + my_key;
        if (!CAUSAL || phase == 0 || key < my_keys) {
            MATRIX_C s[ROWS][KEYS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                [[unroll]] for (uint n = 0; n < KEYS; ++n) s[r][n] = MATRIX_C(0.0);
#if PARTS == 2
            // Matrix units round sums toward zero, and the bias of long sums would outgrow f32's own error: a few
            // products are summed apart, small ones first, and join the others by an addition that rounds to nearest.
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                [[unroll]] for (uint first = 0; first < DEPTH; first += CHAIN) {
                    MATRIX_C sum[ROWS];
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
                    [[unroll]] for (uint k = first; k < min(first + CHAIN, DEPTH); ++k) {
                        const uint at = (my_key + n * MAT_N) * LD + k * MAT_K / 8;
                        MATRIX_B high, low;
                        coopMatLoad(high, stage, at, LD, BY_COLUMN);
                        coopMatLoad(low, stage, K_SIZE + at, LD, BY_COLUMN);
                        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                            MATRIX_A a, a_low;
                            LOAD_Q(a, 0, r, k)
                            LOAD_Q(a_low, 1, r, k)
                            sum[r] = coopMatMulAdd(a, low, sum[r]);
                            sum[r] = coopMatMulAdd(a_low, high, sum[r]);
                            sum[r] = coopMatMulAdd(a, high, sum[r]);
                        }
                    }
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) s[r][n] += sum[r];
                }
#else
            [[unroll]] for (uint k = 0; k < DEPTH; ++k) {
                MATRIX_A a[ROWS];
                [[unroll]] for (uint r = 0; r < ROWS; ++r) LOAD_Q(a[r], 0, r, k)
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                    MATRIX_B b;
                    coopMatLoad(b, stage, (my_key + n * MAT_N) * LD + k * MAT_K / 8, LD, BY_COLUMN);
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) s[r][n] = coopMatMulAdd(a[r], b, s[r][n]);
                }
            }
#endif

            if (phase == 1) {
                [[unroll]] for (uint r = 0; r < ROWS; ++r)
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
                        uint seen = visible_keys(my_row + r * MAT_M + lane_row + element_row(i));
                        [[unroll]] for (uint n = 0; n < KEYS; ++n)
                            if (key + n * MAT_N + lane_col + element_col(i) >= seen) s[r][n][i] = MINUS_INFINITY;
                    }
            }

            float top[ROWS][CLASSES];
            bool raise = false;
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint c = 0; c < CLASSES; ++c) top[r][c] = MINUS_INFINITY;
                [[unroll]] for (uint n = 0; n < KEYS; ++n)
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                        top[r][i >> MAT_ROW_SHIFT] = max(top[r][i >> MAT_ROW_SHIFT], s[r][n][i]);
                [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                    top[r][c] *= slope;
                    raise = raise || top[r][c] > m[r][c] + float(RAISE);
                }
            }
            if (subgroupAny(raise)) {
                [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                    float factor[CLASSES];
                    [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                        float raised = max(m[r][c], row_max(top[r][c]));
                        factor[c] = exp2(m[r][c] - raised);
                        m[r][c] = raised;
                        l[r][c] *= factor[c];
                    }
                    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                        [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= factor[i >> MAT_ROW_SHIFT];
                }
            }

            MATRIX_A p[PARTS][ROWS][KEYS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                [[unroll]] for (uint n = 0; n < KEYS; ++n)
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) {
                        float x = exp2(fma(s[r][n][i], slope, -m[r][i >> MAT_ROW_SHIFT]));
#if PARTS == 1
                        // The sum takes what the product takes, else a row that one key dominates keeps P's rounding.
                        x = upper(x);
#endif
                        l[r][i >> MAT_ROW_SHIFT] += x;
#if PARTS == 2
                        float high = upper_rounded(x);
                        p[0][r][n][i] = float16_t(high);
                        p[1][r][n][i] = float16_t(x - high);
#else
                        p[0][r][n][i] = float16_t(x);
#endif
                    }
#if PARTS == 2
            // A step is summed apart, for the same reason as the scores.
            [[unroll]] for (uint d = 0; d < WIDTH; ++d) {
                MATRIX_C sum[ROWS];
                [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = MATRIX_C(0.0);
                [[unroll]] for (uint n = 0; n < KEYS; ++n) {
                    MATRIX_B b;
                    coopMatLoad(b, stage, TILE + K_SIZE + (my_key + n * MAT_K) * LD + d * MAT_N / 8, LD, BY_ROW);
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[0][r][n], b, sum[r]);
                    coopMatLoad(b, stage, TILE + (my_key + n * MAT_K) * LD + d * MAT_N / 8, LD, BY_ROW);
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[1][r][n], b, sum[r]);
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum[r] = coopMatMulAdd(p[0][r][n], b, sum[r]);
                }
                [[unroll]] for (uint r = 0; r < ROWS; ++r) o[r][d] += sum[r];
            }
#else
            [[unroll]] for (uint n = 0; n < KEYS; ++n)
                [[unroll]] for (uint d = 0; d < WIDTH; ++d) {
                    MATRIX_B b;
                    coopMatLoad(b, stage, TILE + (my_key + n * MAT_K) * LD + d * MAT_N / 8, LD, BY_ROW);
                    [[unroll]] for (uint r = 0; r < ROWS; ++r) o[r][d] = coopMatMulAdd(p[0][r][n], b, o[r][d]);
                }
#endif
        }
        if (TOUCH && phase == 0) {
            [[unroll]] for (uint i = 0; i < K_TOUCH; ++i) sink ^= k_touch[i];
            [[unroll]] for (uint i = 0; i < V_TOUCH; ++i) sink ^= v_touch[i];
        }
    }

    // The upper half of the teams joins the lower half, until one is left. A lane's share of a matrix is the same in
    // every subgroup, so maxima and sums travel by lane.
    if (KEY_SPLIT > 1) [[unroll]] for (uint joined = 2; joined <= KEY_SPLIT; joined *= 2) {
        const uint stay = KEY_SPLIT / joined;
        const uint place = (team & (stay - 1)) * TEAM + seat;
        barrier();
        if (team >= stay && team < 2 * stay)
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint c = 0; c < CLASSES; ++c)
                    team_softmax[((place * ROWS + r) * CLASSES + c) * SUBGROUP + gl_SubgroupInvocationID] =
                        vec2(m[r][c], l[r][c]);
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(o[r][d], stage, (place * ROWS + r) * MAT_M * LO + d * MAT_N / 4, LO, BY_ROW);
            }
        barrier();
        if (team < stay)
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                float mine[CLASSES], theirs[CLASSES];
                [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                    vec2 other = team_softmax[((place * ROWS + r) * CLASSES + c) * SUBGROUP + gl_SubgroupInvocationID];
                    float top = max(m[r][c], other.x);
                    mine[c] = exp2(m[r][c] - top);
                    theirs[c] = exp2(other.x - top);
                    m[r][c] = top;
                    l[r][c] = l[r][c] * mine[c] + other.y * theirs[c];
                }
                [[unroll]] for (uint d = 0; d < WIDTH; ++d) {
                    MATRIX_C other;
                    coopMatLoad(other, stage, (place * ROWS + r) * MAT_M * LO + d * MAT_N / 4, LO, BY_ROW);
                    [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                        o[r][d][i] = o[r][d][i] * mine[i >> MAT_ROW_SHIFT] + other[i] * theirs[i >> MAT_ROW_SHIFT];
                }
            }
    }

    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        float norm[CLASSES];
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) norm[c] = softmax_norm(row_sum(l[r][c]));
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)
            [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i) o[r][d][i] *= norm[i >> MAT_ROW_SHIFT];
    }
    const uint o_base = o_start(batch_index, head);
#if !defined(DTYPE_BF16)
    if (V_DIM % MAT_N == 0 && (!RAGGED_Q || first_row + BLOCK_M <= seq_q)) {
        if (team == 0)
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                    coopMatStore(OUT_MATRIX(o[r][d]), o_1, o_base + (my_row + r * MAT_M) * o_row + d * MAT_N, o_row,
                                 BY_ROW);
    } else
#endif
    {
        // Rows past the end and ragged widths leave through the staging area, as floats.
        for (uint slab = 0; slab < BLOCK_M; slab += O_SLAB) {
            barrier();
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                uint at = (seat * ROWS + r) * MAT_M;
                if (team == 0 && at >= slab && at < slab + O_SLAB)
                    [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                        coopMatStore(o[r][d], stage, (at - slab) * LO + d * MAT_N / 4, LO, BY_ROW);
            }
            barrier();
            for (uint e = thread; e < O_SLAB * V_DIM; e += WORKGROUP) {
                uint row = first_row + slab + e / V_DIM, d = e % V_DIM;
                if (slab + e / V_DIM < BLOCK_M && row < seq_q)
                    o_1[o_base + row * o_row + d] = to_element(uintBitsToFloat(stage[e / V_DIM * LO + d / 4][d % 4]));
            }
        }
    }
    // Never true; it keeps the touches, whose values nobody needs.
    if (TOUCH && sink == 0x9e3779b9u && seq_kv == 0xffffffffu) o_8[0] = uvec4(sink);
}

#endif
