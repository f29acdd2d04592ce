// Which keys a query sees, aligned to the bottom right: the last query sees every key, or with a window the last of
// them.
#ifndef ATTN_MASK_GLSL
#define ATTN_MASK_GLSL

#include "common/params.glsl"

// Query i sees keys 0 .. visible_keys(i) - 1; that may be none, when there are more queries than keys. With a window it
// sees of those the ones from first_visible_key(i) on. Both rise with i. With topk it is keys of its list that count.
#ifdef OPTION_TOPK
uint visible_keys(uint i) {
    return CAUSAL ? uint(clamp(int(i) + int(LENGTH_KV) - int(LENGTH_Q) + 1, 0, int(topk))) : topk;
}
#else
uint visible_keys(uint i) {
    if (!CAUSAL)
#ifdef OPTION_WINDOW
        return uint(clamp(int(i) + int(LENGTH_KV) - int(LENGTH_Q) + int(window), 0, int(LENGTH_KV)));
#else
        return LENGTH_KV;
#endif
    return uint(clamp(int(i) + int(LENGTH_KV) - int(LENGTH_Q) + 1, 0, int(LENGTH_KV)));
}
#endif

#ifdef OPTION_WINDOW
uint first_visible_key(uint i) {
    return uint(max(int(i) + int(LENGTH_KV) - int(LENGTH_Q) + 1 - int(window), 0));
}
#endif

#endif
