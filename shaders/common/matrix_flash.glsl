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
// With KEY_SPLIT above 1 the subgroups form that many teams. Each team takes its share of every tile of keys, for all
// of the workgroup's query rows, with a softmax of its own; the teams are merged at the end, in a fixed order. Short
// sequences give a device few workgroups, and this shortens the chain of steps of each.
//
// Packed sequences (varlen) have lengths and first rows of their own. Workgroups are numbered through the tiles of one
// sequence after the other; there may be a few more than tiles.
//
// With PACKED above 1 so many query heads that share a KV head share workgroups: neighbouring subgroups take the same
// queries of one head each. Then fewer rows lie past the last query, and under a causal mask past the diagonal.
//
// With SUM_TILE the matrix units add up P's rows too: a product more, two instructions a score less, which pays at the
// head dims where softmax takes longer than the products.
//
// With WHOLE_LAST_KEYS the last tile of keys ends with the last key, so no load looks at where the keys end. The keys
// that the tile before has too are masked.
//
// With WHOLE_LAST_TILE the last tile of queries ends with the last query. It begins among the rows of the tile before,
// which it computes again and does not store. So all of a workgroup's rows exist.
//
// With SPLIT_KEYS the query tiles from WHOLE_TILES on, which would leave cores idle at the end, have their keys split
// among SPLIT_COUNT workgroups each (split_tail.glsl); a second pass adds the parts, or with JOIN_SPLITS the last of
// those workgroups.
//
// f32 tensors are split into two f16 parts each, and three products of parts make one (lo x lo is below f32's
// rounding). bf16 stays bf16 where the device has such matrices (BF16_MATRICES); elsewhere it is converted to f16,
// whose range (65,504) its values must keep to.
//
// The including shader's pass defines VARLEN, PAGED and SPLIT_KEYS (and BF16_MATRICES or DIM_PARTS), the shader
// DEFAULT_SUBGROUPS, DEFAULT_ROWS, DEFAULT_BLOCK_N, DEFAULT_Q_SHARED and DEFAULT_PREFETCH.
//
// This file is the order of things; each stage is a file of its own. Those that main includes are statements on its
// variables rather than functions: the module stays the one that docs/performance.md measured.
#ifndef ATTN_MATRIX_FLASH_GLSL
#define ATTN_MATRIX_FLASH_GLSL

layout(constant_id = 0) const uint SUBGROUPS = DEFAULT_SUBGROUPS;  // of a workgroup
layout(constant_id = 1) const uint ROWS = DEFAULT_ROWS;            // tiles of MAT_M query rows a subgroup
layout(constant_id = 2) const uint BLOCK_N = DEFAULT_BLOCK_N;      // keys a step
layout(constant_id = 3) const uint Q_SHARED = DEFAULT_Q_SHARED;    // depth steps of Q in shared memory, not registers
layout(constant_id = 4) const uint PREFETCH = DEFAULT_PREFETCH;    // of the next tile: 0 none, 1 cache, 2 registers
layout(constant_id = 5) const uint RAISE = 8;                      // log2 of the slack before the running maximum moves
layout(constant_id = 6) const uint KEY_SPLIT = 1;                  // teams of subgroups that share the keys of a step
layout(constant_id = 7) const uint SPLITS = 0;                     // to the preprocessor: SPLIT_KEYS
layout(constant_id = 9) const uint PACKED = 1;                  // query heads of a workgroup
layout(constant_id = 90) const uint SHAPE = 0;  // to the preprocessor: FIXED_SHAPE
layout(local_size_x_id = 20) in;
#ifndef JOIN_SPLITS
#define JOIN_SPLITS 0
#endif
#ifndef EARLY_TOUCH
#define EARLY_TOUCH 0
#endif
#ifndef SUM_TILE
#define SUM_TILE 0
#endif
#ifndef WHOLE_LAST_KEYS
#define WHOLE_LAST_KEYS 0
#endif
#ifndef WHOLE_LAST_TILE
#define WHOLE_LAST_TILE 0
#endif

#include "common/matrix_types.glsl"
#include "common/matrix_lanes.glsl"
#include "common/matrix_stage.glsl"
#include "common/matrix_products.glsl"
#include "common/split_tail.glsl"
#ifdef OPTION_MASK
#include "common/matrix_mask.glsl"
#endif
const uint BLOCK_Q = BLOCK_M / PACKED;  // queries of a workgroup

#if VARLEN
#extension GL_KHR_shader_subgroup_ballot : require
// Tells the compiler that all lanes have the same (without it on an H100 45.8 us become 77.7).
#define UNIFORM(x) subgroupBroadcastFirst(x)
// The sequence that has the tile'th tile of query rows of all sequences, and which of its own that is; sequence
// `sequences` where there are fewer. A lane looks at a sequence.
uvec2 find_tile(uint tile, uint sequences) {
    uint before = 0;  // tiles of the sequences before these
    for (uint first = 0; first < sequences; first += SUBGROUP) {
        const uint b = first + gl_SubgroupInvocationID;
        const uint length = b < sequences ? offsets[b + 1] - offsets[b] : 0;
        uint end = (length + BLOCK_M - 1) / BLOCK_M;
        [[unroll]] for (uint step = 1; step < SUBGROUP; step *= 2) {
            const uint lower = subgroupShuffle(end, gl_SubgroupInvocationID - min(step, gl_SubgroupInvocationID));
            if (gl_SubgroupInvocationID >= step) end += lower;
        }
        end += before;
        // The first lane whose sequences end beyond the tile, by bisection.
        uint lane = 0;
        [[unroll]] for (uint step = SUBGROUP / 2; step > 0; step /= 2)
            if (subgroupShuffle(end, lane + step - 1) <= tile) lane += step;
        const uint last = subgroupShuffle(end, lane), start = subgroupShuffle(end, lane - min(lane, 1));
        if (UNIFORM(last) > tile) return uvec2(UNIFORM(first + lane), UNIFORM(tile - (lane > 0 ? start : before)));
        before = UNIFORM(last);
    }
    return uvec2(sequences, 0);
}
#endif

void main() {
    thread = gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
    // Heavy tiles first: under a causal mask the last query tile has the most keys.
#if VARLEN
    const uint number = gl_WorkGroupID.y * heads_q * batch + gl_WorkGroupID.x, first_head = number % heads_q;
    const uvec2 found = find_tile(number / heads_q, batch);
    const uint batch_index = found.x, tile_at = found.y;
    if (batch_index >= batch) return;
    sequence_start = offsets[batch_index];
    sequence_length = offsets[batch_index + 1] - sequence_start;
    const uint tiles = (LENGTH_Q + BLOCK_M - 1) / BLOCK_M;
#else
    const uint packs = heads_q / PACKED;  // of heads
    const uint tiles = (seq_q + BLOCK_Q - 1) / BLOCK_Q;
#if SPLIT_KEYS
    FIND_TILE(tiles)
#else
    const uint pack = gl_WorkGroupID.x, tile_at = gl_WorkGroupID.y;
#endif
    const uint first_head = pack % packs * PACKED, batch_index = pack / packs;
#endif
    const uint team = KEY_SPLIT > 1 ? gl_SubgroupID / TEAM : 0;
    const uint seat = (KEY_SPLIT > 1 ? gl_SubgroupID % TEAM : gl_SubgroupID) / DIM_PARTS;
    // Queries of the workgroup from first_row on, and of the subgroup from my_row.
    const uint own_row = (CAUSAL ? tiles - 1 - tile_at : tile_at) * BLOCK_Q;  // the first that it stores
#if WHOLE_LAST_TILE
    const uint first_row = min(own_row, LENGTH_Q - BLOCK_Q);
    const bool rows_exist = true;  // all of the workgroup's
// Whether any, and whether all of so many rows are stored.
#define STORES(first, rows) ((first) + (rows) > own_row)
#define STORES_ALL(first, rows) ((first) >= own_row)
#else
    const uint first_row = own_row;
    const bool rows_exist = RAGGED_Q ? first_row + BLOCK_Q <= LENGTH_Q : true;
#define STORES(first, rows) ((first) < LENGTH_Q)
#define STORES_ALL(first, rows) (!RAGGED_Q || (first) + (rows) <= LENGTH_Q)
#endif
    const uint my_row = first_row + seat / PACKED * CHUNK_ROWS, head = first_head + seat % PACKED;
// The query of row i of the workgroup, and where its row of Q or O starts.
#define QUERY_OF(i) (first_row + (PACKED == 1 ? (i) : (i) / (CHUNK_ROWS * PACKED) * CHUNK_ROWS + (i) % CHUNK_ROWS))
#define ROW_START(tensor, i)                                                                                           \
    SEQUENCE_START(tensor, batch_index, first_head + (i) / CHUNK_ROWS % PACKED) + QUERY_OF(i) * tensor##_ROW
#if PAGED
    first_page = batch_index * PAGES;
    k_base = k_start(0, first_head, 0);
    v_base = v_start(0, first_head, 0);
#else
    k_base = SEQUENCE_START(k, batch_index, first_head);
    v_base = SEQUENCE_START(v, batch_index, first_head);
#endif
    const uint my_key = team * TEAM_N;
    const float slope = product_factor();
#ifdef OPTION_MASK
    const float mask_ratio = mask_factor(head) / slope;
#endif
    const uint q_base = SEQUENCE_START(q, batch_index, head);

    // The first tile is under way while Q is staged.
#ifdef OPTION_WINDOW
    const uint keys = visible_keys(min(first_row + BLOCK_Q, LENGTH_Q) - 1), steps = (keys + BLOCK_N - 1) / BLOCK_N;
    // Tiles from the first that a row sees on. Those that every row of the workgroup sees whole come first, then those
    // before and after them.
    const uint first_step = min(first_visible_key(first_row) / BLOCK_N, steps), turns = steps - first_step;
    const uint before = first_visible_key(min(first_row + BLOCK_Q, LENGTH_Q) - 1);
    const uint clear_first = clamp((before + BLOCK_N - 1) / BLOCK_N, first_step, steps);
    const uint clear_end = max(clear_first, min(visible_keys(first_row) / BLOCK_N, steps));
    const uint clear_steps = clear_end - clear_first;
    // This split's turns; every split of a tile has the same number, the last ones fewer.
    FIND_PART(turns, turns)
#define STEP_OF(turn)                                                                                                  \
    ((turn) < clear_steps ? clear_first + (turn)                                                                       \
                          : first_step + (turn) - ((turn) < clear_end - first_step ? clear_steps : 0))
    if (PREFETCH == 2) { FETCH(k, STEP_OF(PART_BEGIN)) FETCH(v, STEP_OF(PART_BEGIN)) }
#else
#if SPLIT_KEYS
    // A split is as many steps as the tile with the most keys of those that are split would have in each.
    const uint heaviest = CAUSAL ? (tiles - WHOLE_TILES / PACKS) * BLOCK_Q : LENGTH_Q;
    FIND_PART((visible_keys(min(first_row + BLOCK_Q, LENGTH_Q) - 1) + BLOCK_N - 1) / BLOCK_N,
              (visible_keys(min(heaviest, LENGTH_Q) - 1) + BLOCK_N - 1) / BLOCK_N)
#endif
    if (PREFETCH == 2) { FETCH(k, PART_BEGIN) FETCH(v, PART_BEGIN) }
#endif
#if EARLY_TOUCH
    BEGIN_TOUCHES
    TOUCH_TILE(0)
#endif
#include "common/matrix_queries.glsl"
    uint lane_row = 0, lane_col = 0;
#if defined(OPTION_MASK) || SPLIT_KEYS
    FIND_LANE(lane_row, lane_col)
#elif defined(ROW_LANES) && ROW_LANES
    if (PHASES > 1) FIND_LANE(lane_row, lane_col)
#else
    if (PHASES > 1 ? true : RAGGED_Q) FIND_LANE(lane_row, lane_col)
#endif

    MATRIX_C o[ROWS][WIDTH];
#if SUM_TILE
    // The sums of P's rows, as one more tile of the output: V times ones, in every column.
    MATRIX_C sums[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) sums[r] = MATRIX_C(0.0);
    const MATRIX_B ones = MATRIX_B(OPERAND_ONE);
#endif
    float m[ROWS][CLASSES], l[ROWS][CLASSES];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) { m[r][c] = -1e30; l[r][c] = 0.0; }
        [[unroll]] for (uint d = 0; d < WIDTH; ++d) o[r][d] = MATRIX_C(0.0);
    }

#ifdef OPTION_WINDOW
    const uint my_keys = visible_keys(min(my_row + CHUNK_ROWS, LENGTH_Q) - 1);
    const uint last = max(PART_END(turns), 1) - 1;
    const uint my_first = first_visible_key(my_row);
#else
    const uint keys = visible_keys(min(first_row + BLOCK_Q, LENGTH_Q) - 1);
    const uint my_keys = CAUSAL ? visible_keys(min(my_row + CHUNK_ROWS, LENGTH_Q) - 1) : keys;
    const uint steps = (keys + BLOCK_N - 1) / BLOCK_N;
    const uint last = max(PART_END(steps), 1) - 1;
#endif
    uint sink = 0;
#if EARLY_TOUCH
    JOIN_TOUCHES(sink)
#endif

    // First the tiles that every row of the workgroup sees whole, then those that need a mask: the same loop twice, so
    // that the long one carries no branch for the mask.
#ifdef OPTION_WINDOW
    [[unroll]] for (uint phase = 0; phase < PHASES; ++phase)
    for (uint turn = PHASE_BEGIN(phase); turn < PHASE_END(phase, turns); ++turn) {
        const uint step = STEP_OF(turn);
#define HAS_NEXT (turn < last)
#define NEXT_STEP STEP_OF(turn + 1)
#define NEXT_OR_LAST STEP_OF(min(turn + 1, last))
#else
#define HAS_NEXT (step < last)
#define NEXT_STEP (step + 1)
#define NEXT_OR_LAST min(step + 1, last)
    const uint clear_steps = PHASES > 1 ? min(visible_keys(first_row), LENGTH_KV) / BLOCK_N : steps;
    [[unroll]] for (uint phase = 0; phase < PHASES; ++phase)
    for (uint step = PHASE_BEGIN(phase); step < PHASE_END(phase, steps); ++step) {
#endif
        barrier();
        if (PREFETCH != 2) { FETCH(k, step) FETCH(v, step) }
#ifdef OPTION_MASK
        fetch_mask(batch_index, my_row, step * BLOCK_N + my_key, uvec2(lane_row, lane_col));
#endif
        STORE_STAGE(k, 0)
        STORE_STAGE(v, TILE)
        barrier();
        BEGIN_TOUCHES
        if (PREFETCH == 2) {
            if (HAS_NEXT) { FETCH(k, NEXT_STEP) FETCH(v, NEXT_STEP) }
        } else if (TOUCH && phase == 0) {
            TOUCH_TILE(NEXT_OR_LAST)
        }
        const uint key = TILE_KEY(step) + my_key;
        // Subgroups skip what none of their rows sees, unless they wait for one another's scores.
#ifdef OPTION_MASK
        const bool sees = DIM_PARTS > 1 ? true : mask_sees();
#define SEES sees&&
#else
#define SEES
#endif
#if DIM_PARTS > 1
        if (true) {
#elif defined(OPTION_WINDOW)
        if (SEES(phase == 0 || key < my_keys && key + TEAM_N > my_first)) {
#else
        if (SEES(!CAUSAL || phase == 0 || key < my_keys)) {
#endif
#include "common/matrix_scores.glsl"
#include "common/matrix_softmax.glsl"
#include "common/matrix_values.glsl"
        }
        if (TOUCH && phase == 0) JOIN_TOUCHES(sink)
    }

#if SOFTCAP_TOGETHER
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) m[r][c] += SCORE_SHIFT;
#endif
#if SUM_TILE
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint c = 0; c < CLASSES; ++c) l[r][c] = sums[r][c << MAT_ROW_SHIFT];
#define LANES_SUM(x) (x)
#else
#define LANES_SUM(x) row_sum(x)
#endif
#include "common/matrix_merge.glsl"
#if SPLIT_KEYS && JOIN_SPLITS
    if (parts_here > 1) {
#include "common/split_join.glsl"
    }
#elif SPLIT_KEYS
    if (!whole) {
        if (team == 0) STORE_PARTIAL
    } else
#endif
    {
#include "common/matrix_store.glsl"
    }
    // Never true; it keeps the touches, whose values nobody needs.
    if (TOUCH && sink == 0x9e3779b9u && floatBitsToUint(scale) == 0xffffffffu) o_8[0] = uvec4(sink);
}

#endif
