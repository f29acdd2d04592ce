// Split-KV attention: the query rows that share a KV head (the group's heads times the queries), of which a workgroup
// has TILE_ROWS, and one split of the keys; where those keys lie, and what a split leaves for those that add them.
//
// Before: TILE_ROWS, SPLIT_COUNT, MERGED, and with PAGED PAGE_SIZE and PAGES.
#ifndef ATTN_GROUP_ROWS_GLSL
#define ATTN_GROUP_ROWS_GLSL

#include "common/bindings.glsl"
#include "common/mask.glsl"
#include "common/options.glsl"
#include "common/split_partial.glsl"

#if MERGED
#define PARTIAL coherent
#else
#define PARTIAL writeonly
#endif
layout(set = 0, binding = 8, std430) PARTIAL buffer PartialSums { vec4 partial_sums[]; };
layout(set = 0, binding = 9, std430) PARTIAL buffer PartialSoftmax { vec2 partial_softmax[]; };

uint batch_at, head_at, split;  // of this workgroup; head_at is the first query head of the group
uint row0, rows;                // the first of its query rows, and how many the KV head has in all

// Row r is query r / GROUP of the group's head r % GROUP. Rows past the end repeat the last one and are not stored.
#ifdef OPTION_TOPK
uint query_at;  // of this workgroup: each query has keys of its own
uint row_query(uint n) { return query_at; }
#define KEY_AT(j) listed_key(batch_at, head_at, query_at, j)
#else
uint row_query(uint n) { return min(row0 + n, rows - 1u) / GROUP; }
#define KEY_AT(j) (j)
#endif
uint row_head(uint n) { return head_at + min(row0 + n, rows - 1u) % GROUP; }
uint output_row(uint n) { return (batch_at * heads_q + row_head(n)) * seq_q + row_query(n); }

#if PAGED
layout(set = 0, binding = BINDING_PAGES, std430) readonly buffer PageTable { uint page_table[]; };
uint page_of(uint key) { return page_table[batch_at * PAGES + key / PAGE_SIZE] * (heads_q / GROUP); }
uint k_at(uint key) { return page_of(key) * k_head + k_start(0u, head_at, key % PAGE_SIZE); }
uint v_at(uint key) { return page_of(key) * v_head + v_start(0u, head_at, key % PAGE_SIZE); }
#else
uint k_at(uint key) { return k_start(batch_at, head_at, key); }
uint v_at(uint key) { return v_start(batch_at, head_at, key); }
#endif

// Which of them this workgroup has; how many workgroups share its split.
uint begin_rows() {
#ifdef OPTION_TOPK
    rows = GROUP;
    query_at = gl_WorkGroupID.y % seq_q;
    const uint owner = gl_WorkGroupID.y / seq_q;
#else
    rows = GROUP * seq_q;
    const uint owner = gl_WorkGroupID.y;
#endif
    const uint row_tiles = (rows + TILE_ROWS - 1u) / TILE_ROWS;
    // Tiles of the same keys are neighbours, so that all but the first find them in a cache.
    row0 = gl_WorkGroupID.x % row_tiles * TILE_ROWS;
    split = gl_WorkGroupID.x / row_tiles;
    batch_at = owner / (heads_q / GROUP);
    head_at = owner % (heads_q / GROUP) * GROUP;
    return row_tiles;
}

#endif
