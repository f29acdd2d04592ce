// The loop of flash attention (Dao et al. 2022) over the tiles of common/tile.glsl: one workgroup, one tile of queries.
// Declare before including: STAGES (2: the next slice is fetched while this one is computed), CAST_P (round the
// probabilities to V's type before P V), what common/tile.glsl asks for, and SOFTMAX_BASE_2 when wanted.
#ifndef ATTN_FLASH_GLSL
#define ATTN_FLASH_GLSL

#include "common/softmax.glsl"
#include "common/tile.glsl"

// Scores of the queries from row0 against the keys from key0. Its first slice is already fetched.
void flash_scores(uint row0, uint key0) {
    [[unroll]] for (uint i = 0; i < THREAD_M * THREAD_N; ++i)
        scores[i] = 0.0;
    for (uint slice = 0; slice < SLICES; ++slice) {
        bool last = slice + 1u == SLICES;
        barrier();
        put_qk();
        barrier();
        if (STAGES > 1u) {
            if (last)
                fetch_v(key0);
            else
                fetch_qk(row0, key0, slice + 1u);
        }
        multiply_qk();
        if (STAGES == 1u && !last)
            fetch_qk(row0, key0, slice + 1u);
    }
}

// sums += P V for `keys` keys from key0, then fetches the first slice of the tile at `next`.
void flash_values(uint row0, uint key0, uint keys, uint next, bool more) {
    for (uint first = 0; first < keys; first += V_ROWS) {
        bool last = first + V_ROWS >= keys;
        if (first > 0u)
            barrier();
        put_v();
        barrier();
        if (STAGES > 1u) {
            if (!last)
                fetch_v(key0 + first + V_ROWS);
            else if (more)
                fetch_qk(row0, next, 0u);
        }
        multiply_pv(first);
        if (STAGES == 1u) {
            if (!last)
                fetch_v(key0 + first + V_ROWS);
            else if (more)
                fetch_qk(row0, next, 0u);
        }
    }
}

// Queries from row0 against keys 0 .. keys - 1. A tile needs a mask when it reaches past `unmasked`, the number of keys
// that every query of the tile sees.
void flash_rows(uint row0, uint keys, uint unmasked) {
    float m[REDUCE_COUNT], l[REDUCE_COUNT], top[REDUCE_COUNT];
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
        m[i] = MINUS_INFINITY;
        l[i] = 0.0;
    }
    float factor = score_scale();
    if (keys > 0u)
        fetch_qk(row0, 0u, 0u);
    for (uint key0 = 0; key0 < keys; key0 += BLOCK_N) {
        flash_scores(row0, key0);
        scale_and_mask(row0, key0, factor, key0 + BLOCK_N > unmasked);
        row_maxima(top);
        [[unroll]] for (uint i = 0; i < THREAD_M; ++i) {
            float rescale = softmax_raise(m[i], top[i]);
            float origin = softmax_origin(m[i]);
            l[i] *= rescale;
            [[unroll]] for (uint c = 0; c < OUT_VECTORS; ++c)
                sums[i * OUT_VECTORS + c] *= rescale;
            // Each thread sums its own columns; the row's threads add up once, at the end.
            [[unroll]] for (uint j = 0; j < THREAD_N; ++j) {
                float p = softmax_exp(scores[i * THREAD_N + j] - origin);
                l[i] += p;
                scores[i * THREAD_N + j] = CAST_P ? rounded(p) : p;
            }
        }
        // Other threads may still read slices of Q and K, whose place P takes.
        barrier();
        put_p();
        if (STAGES == 1u)
            fetch_v(key0);
        flash_values(row0, key0, min(BLOCK_N, keys - key0), key0 + BLOCK_N, key0 + BLOCK_N < keys);
    }
    lanes_add(l);
    [[unroll]] for (uint i = 0; i < THREAD_M; ++i)
        l[i] = softmax_norm(l[i]);
    store_rows(row0, l);
}

#endif
