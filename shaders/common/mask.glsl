// The causal bound, aligned to the bottom right: the last query sees every key.
#ifndef ATTN_MASK_GLSL
#define ATTN_MASK_GLSL

#include "common/params.glsl"

// Query i sees keys 0 .. visible_keys(i) - 1; that may be none, when seq_q > seq_kv.
uint visible_keys(uint i) {
    if (!CAUSAL)
        return seq_kv;
    return uint(clamp(int(i) + int(seq_kv) - int(seq_q) + 1, 0, int(seq_kv)));
}

#endif
