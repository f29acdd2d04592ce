// The causal bound, aligned to the bottom right: the last query sees every key.
#ifndef ATTN_MASK_GLSL
#define ATTN_MASK_GLSL

#include "common/params.glsl"

// Query i sees keys 0 .. visible_keys(i) - 1; that may be none, when there are more queries than keys.
uint visible_keys(uint i) {
    if (!CAUSAL)
        return LENGTH_KV;
    return uint(clamp(int(i) + int(LENGTH_KV) - int(LENGTH_Q) + 1, 0, int(LENGTH_KV)));
}

#endif
