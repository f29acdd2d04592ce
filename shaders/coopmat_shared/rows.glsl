// Where the rows of K and V begin, in dense batches, packed sequences and pages; and touches of the next ones.
#ifndef ATTN_ROWS_GLSL
#define ATTN_ROWS_GLSL

#define k_DIM HEAD_DIM
#define v_DIM V_DIM
uint thread, k_base, v_base;

#if PAGED
layout(constant_id = 23) const uint PAGE_SIZE = 1;
layout(constant_id = 24) const uint PAGES = 1;
layout(set = 0, binding = 5, std430) readonly buffer PageTable { uint page_table[]; };
uint first_page;
uint page_of(uint key) { return page_table[first_page + key / PAGE_SIZE] * (heads_q / GROUP); }
uint k_at(uint key) { return k_base + page_of(key) * k_head + key % PAGE_SIZE * HEAD_DIM; }
uint v_at(uint key) { return v_base + page_of(key) * v_head + key % PAGE_SIZE * V_DIM; }
#elif VARLEN
uint k_at(uint key) { return k_base + key * k_row; }
uint v_at(uint key) { return v_base + key * v_row; }
#else
uint k_at(uint key) { return k_base + key * HEAD_DIM; }
uint v_at(uint key) { return v_base + key * V_DIM; }
#endif

/// False: there are no such query rows.
bool stage_begin(uint b, uint head, uint first_row) {
    thread = gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
#if VARLEN
    sequence_start = offsets[b];
    sequence_length = offsets[b + 1] - sequence_start;
    k_base = k_start(0, head, sequence_start);
    v_base = v_start(0, head, sequence_start);
    return first_row < LENGTH_Q;
#elif PAGED
    first_page = b * PAGES;
    k_base = k_start(0, head, 0);
    v_base = v_start(0, head, 0);
    return true;
#else
    k_base = k_start(b, head, 0);
    v_base = v_start(b, head, 0);
    return true;
#endif
}

// One word of each 32-byte sector of a tile: the load ends in the cache, its value in one register. Only where rows are
// whole sectors.
const uint k_SECTORS = HEAD_DIM < 16 ? 1 : HEAD_DIM / 16, v_SECTORS = V_DIM < 16 ? 1 : V_DIM / 16;   // of a row
const uint k_TOUCHES = HEAD_DIM % 16 == 0 ? (BLOCK_N * k_SECTORS + WORKGROUP - 1) / WORKGROUP : 0;
const uint v_TOUCHES = V_DIM % 16 == 0 ? (BLOCK_N * v_SECTORS + WORKGROUP - 1) / WORKGROUP : 0;
uint touched = 0;
uint k_touch[k_TOUCHES > 0 ? k_TOUCHES : 1], v_touch[v_TOUCHES > 0 ? v_TOUCHES : 1];
#define TOUCH_ROWS(name, first)                                                                                        \
    [[unroll]] for (uint i = 0; i < name##_TOUCHES; ++i) {                                                             \
        const uint e = min(i * WORKGROUP + thread, BLOCK_N * name##_SECTORS - 1);                                      \
        const uint row = name##_at(min(first + e / name##_SECTORS, LENGTH_KV - 1));                                    \
        name##_touch[i] = name##_8[row / 8 + e % name##_SECTORS * 2].x;                                                \
    }
void touch(uint first) {
    TOUCH_ROWS(k, first)
    TOUCH_ROWS(v, first)
}
void join_touches() {
    [[unroll]] for (uint i = 0; i < k_TOUCHES; ++i) touched ^= k_touch[i];
    [[unroll]] for (uint i = 0; i < v_TOUCHES; ++i) touched ^= v_touch[i];
}

#endif
