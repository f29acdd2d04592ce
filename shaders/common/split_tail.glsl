// The query tiles whose keys are split (matrix_flash.glsl). Tiles are numbered in the order in which they begin: the
// first of every pack of heads of the batch, then the second. Those from WHOLE_TILES on are split. What a split leaves
// for each of its BLOCK_M rows: the unnormalised sums, TAIL_WIDTH floats, and the running maximum and sum of its
// softmax. A split that has no keys leaves the latter alone, with a sum of 0. With JOIN_SPLITS the last split adds them
// up (split_join.glsl), otherwise a second pass.
#ifndef ATTN_SPLIT_TAIL_GLSL
#define ATTN_SPLIT_TAIL_GLSL

layout(constant_id = 23) const uint SPLIT_COUNT = 1;
layout(constant_id = 24) const uint WHOLE_TILES = 0;
layout(constant_id = 29) const uint PACKS = 1;  // of heads, of the whole batch

/// Where the rows of split `split` of tile `tile` begin.
uint tail_row(uint tile, uint split) { return ((tile - WHOLE_TILES) * SPLIT_COUNT + split) * BLOCK_M; }

#if defined(SPLIT_KEYS) && SPLIT_KEYS
#if JOIN_SPLITS
layout(set = 0, binding = 8, std430) coherent buffer PartialSums { vec4 partial_sums[]; };
layout(set = 0, binding = 9, std430) coherent buffer PartialSoftmax { vec2 partial_softmax[]; };
layout(set = 0, binding = 10, std430) coherent buffer Arrivals { uint arrivals[]; };
shared uint all_here;
// Splits of this tile that have keys; one at least.
#define BEGIN_PARTS uint parts_here = 1;
#define NO_KEYS(steps)                                                                                                 \
    if (split > 0 && part_begin >= (steps)) return;                                                                    \
    if (each > 0) parts_here = clamp(((steps) + each - 1) / each, 1, SPLIT_COUNT);
#else
layout(set = 0, binding = 8, std430) writeonly buffer PartialSums { float partial_sums[]; };
layout(set = 0, binding = 9, std430) writeonly buffer PartialSoftmax { vec2 partial_softmax[]; };
#define BEGIN_PARTS
#define NO_KEYS(steps)                                                                                                 \
    if (part_begin >= (steps)) {                                                                                       \
        for (uint r = thread; r < BLOCK_M; r += WORKGROUP) partial_softmax[partial_row + r] = vec2(-1e30, 0.0);        \
        return;                                                                                                        \
    }
#endif
const uint TAIL_WIDTH = DIM_PARTS * WIDTH * MAT_N;
// The workgroup's tile: first the whole ones, then the first split of all others, then their second. `tiles`: a pack's.
#define FIND_TILE(tiles)                                                                                               \
    const uint number = gl_WorkGroupID.x, split_tiles = (tiles) * PACKS - WHOLE_TILES;                                 \
    const bool whole = number < WHOLE_TILES;                                                                           \
    const uint split = whole ? 0 : (number - WHOLE_TILES) / split_tiles;                                               \
    const uint tile = number - split * split_tiles, pack = tile % PACKS, tile_at = tile / PACKS;                       \
    const uint partial_row = whole ? 0 : tail_row(tile, split);
// What a workgroup takes of its tile's steps. FIND_PART declares part_begin and part_end, of `steps` where the longest
// tile has `most`, and ends a workgroup that has none.
#define FIND_PART(steps, most)                                                                                         \
    uint part_begin = 0, part_end = 0xffffffffu;                                                                       \
    BEGIN_PARTS                                                                                                        \
    if (!whole) {                                                                                                      \
        const uint each = ((most) + SPLIT_COUNT - 1) / SPLIT_COUNT;                                                    \
        part_begin = split * each;                                                                                     \
        part_end = part_begin + each;                                                                                  \
        NO_KEYS(steps)                                                                                                 \
    }
#define STORE_PARTIAL                                                                                                  \
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {                                                                       \
        const uint at = partial_row + seat * CHUNK_ROWS + r * MAT_M;                                                  \
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) {                                                                \
            const float total = LANES_SUM(l[r][c]);                                                                    \
            if (FIRST_WIDTH == 0 && (gl_SubgroupInvocationID & MAT_LANE_MASK) == 0)                                    \
                partial_softmax[at + lane_row + element_row(c << MAT_ROW_SHIFT)] = vec2(m[r][c], total);               \
        }                                                                                                              \
        [[unroll]] for (uint d = 0; d < WIDTH; ++d)                                                                    \
            coopMatStore(o[r][d], partial_sums, at * TAIL_WIDTH + (FIRST_WIDTH + d) * MAT_N, TAIL_WIDTH, BY_ROW);      \
    }
#define PART_BEGIN part_begin
#define PART_END(all) min(part_end, all)
#define PHASE_BEGIN(phase) (phase == 0 ? part_begin : max(part_begin, clear_steps))
#define PHASE_END(phase, all) min(part_end, phase == 0 ? clear_steps : all)
#else
// All of them.
#define FIND_PART(steps, most)
#define PART_BEGIN 0
#define PART_END(all) (all)
#define PHASE_BEGIN(phase) (phase == 0 ? 0 : clear_steps)
#define PHASE_END(phase, all) (phase == 0 ? clear_steps : all)
#endif

#endif
